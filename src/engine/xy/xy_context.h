// The context of a release that is joined with earlier ones, or limited over its own columns: (X,Y)-anonymity and
// (X,Y)-linkability.
#pragma once

#include <cstddef>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "engine/history/recall_history.h"
#include "engine/published/datapackage.h"
#include "engine/steps/release_context.h"
#include "engine/steps/release_run.h"
#include "engine/steps/stage.h"
#include "engine/xy/bind_join.h"
#include "io/encode.h"
#include "release/draft.h"
#include "release/verified_release.h"
#include "utility/metrics.h"

namespace pentimento {

struct XyContext {
  static constexpr const char* kMaking = "specializing";

  struct Recalled {};
  struct Admitted {
    EncodedInput input;
    std::uint64_t people = 0;
    BoundJoin join;          // earlier releases, in the codes of the input
    SavedPeople saved = {};  // who is in it
    std::optional<RecalledHistory> history = {};
  };
  struct Made {
    Draft draft;
    std::size_t specializations = 0;
    std::vector<ColumnCut> cuts = {};
  };
  struct Verified {
    VerifiedRelease release;
    Metrics metrics;
    std::size_t specializations = 0;
    XyOutcome told;
    std::vector<ColumnCut> cuts = {};
    double save_seconds = 0;
  };

  // Whether all earlier releases are on record, before anything large is read. They are read after the input, to whose
  // codes they are bound.
  static Result<Recalled> Recall(ReleaseRun& run);
  static Result<EncodedInput> Read(ReleaseRun& run, const Recalled& recalled);
  static Result<Admitted> Admit(ReleaseRun& run, const Recalled& recalled, EncodedInput input);
  static Result<Made> Make(ReleaseRun& run, const Recalled& recalled, Admitted& admitted);
  static Result<Verified> Verify(ReleaseRun& run, const Recalled& recalled, Admitted& admitted, Made made);
  static std::set<std::string> OwnReleases(const Recalled& recalled, const Admitted& admitted);
  static const EncodedInput* RowsOfPeople(const Admitted& admitted) { return &admitted.input; }
  static std::optional<OwnClasses> Own(ReleaseRun& run, Admitted& admitted, Verified& verified);
  static void Tell(const ReleaseRun& run, const Recalled& recalled, const Admitted& admitted, const Verified& verified,
                   ReleaseOutcome& outcome);
  static Status Show(ReleaseRun& run, const Admitted& admitted, const Verified& verified, const ShowRows& show);
  static Result<Staged> Stage(ReleaseRun& run, const PackageWords& words, const Recalled& recalled, Admitted& admitted,
                              const Verified& verified);
};
static_assert(ReleaseContext<XyContext>);

}  // namespace pentimento
