// The context of a release that stands alone: k-anonymity, (alpha,k)-anonymity in one table or in two.
#pragma once

#include <cstddef>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/alpha_k/bind_limits.h"
#include "engine/history/recall_history.h"
#include "engine/published/datapackage.h"
#include "engine/steps/release_context.h"
#include "engine/steps/release_run.h"
#include "engine/steps/stage.h"
#include "io/encode.h"
#include "release/draft.h"
#include "release/verified_release.h"
#include "utility/metrics.h"

namespace pentimento {

struct AloneContext {
  static constexpr const char* kMaking = "partitioning";

  struct Recalled {};
  struct Admitted {
    EncodedInput input;
    std::uint64_t people = 0;
    std::optional<BoundAlphaK> limits;  // on sensitive values, where the policy has any
    SavedPeople saved = {};             // who is in it
    std::optional<RecalledHistory> history = {};
  };
  struct Made {
    Draft draft;
    std::optional<std::size_t> specializations;  // where the classes are made by them
    std::vector<ColumnCut> cuts = {};
  };
  struct Verified {
    VerifiedRelease release;
    Metrics metrics;
    std::optional<std::size_t> specializations;
    std::vector<ColumnCut> cuts = {};
    double save_seconds = 0;
  };

  static Result<Recalled> Recall(ReleaseRun&) { return Recalled(); }
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
static_assert(ReleaseContext<AloneContext>);

}  // namespace pentimento
