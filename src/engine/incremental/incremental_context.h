// The context of a release of a growing series: people join and leave, classes are refined and never widened. The state
// files of earlier releases are mapped and looked at in place; this release adds its own, which are written while it is
// made and verified.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/incremental/emptied_cases.h"
#include "engine/incremental/incremental_about.h"
#include "engine/incremental/incremental_memory.h"
#include "engine/incremental/incremental_saving.h"
#include "engine/published/datapackage.h"
#include "engine/steps/release_context.h"
#include "engine/steps/release_run.h"
#include "engine/steps/stage.h"
#include "io/encode.h"
#include "ledger/incremental_state.h"
#include "release/draft.h"
#include "release/incremental_change.h"
#include "release/verified_release.h"
#include "utility/metrics.h"

namespace pentimento {

struct IncrementalContext {
  static constexpr const char* kMaking = "refining";

  struct Recalled {
    IncrementalMemory series;
    IncrementalAbout about;     // what this release tells later ones
    std::uint64_t kept_k = 0;   // where an earlier release promised more than the policy asks for: that k
    bool changes_only = false;  // never of a first release: everybody is new
  };
  struct Admitted {
    EncodedInput input;        // the cells of the newcomers; empty once they are kept
    std::uint64_t people = 0;  // the newcomers
    std::vector<Domain> domains;
    IncrementalAbout about;
    IncrementalPeople who;
    std::vector<CaseNumber> members;  // by identity of `who`
    EncodedTable batch;               // the newcomers, as they are numbered
    std::uint64_t newcomers = 0;
    std::uint64_t left_out = 0;  // older rows of people who have a newer one
    std::optional<FullExportOutcome> full_export;
    std::vector<EmptiedCase> emptied;  // this release included
    bool has_kept_cells = false;
    std::optional<StateFileRecord> kept_cells;  // nothing where no column is published as it came
  };
  struct Made {
    Draft draft;
    IncrementalChange change;          // without its classes, which are the draft
    EncodedTable table;                // of the rows that are published
    std::vector<RowForm> form_of_row;  // empty: all of them whole
    IncrementalOutcome told;
    std::shared_ptr<const SegmentData> segment;
    std::unique_ptr<IncrementalSaving> saving;  // of what is above and in Admitted, so it goes first; null in a dry run
  };
  struct Verified {
    VerifiedRelease release;
    Metrics metrics;
    IncrementalOutcome told;
    IncrementalChange change;
    EncodedTable table;
    std::vector<RowForm> form_of_row;
    std::vector<StateFileRecord> saved;
    std::optional<OwnClasses> own;  // where other releases are on record
    double save_seconds = 0;
  };

  static Result<Recalled> Recall(ReleaseRun& run);
  static Result<EncodedInput> Read(ReleaseRun& run, const Recalled& recalled);
  static Result<Admitted> Admit(ReleaseRun& run, Recalled& recalled, EncodedInput input);
  static Result<Made> Make(ReleaseRun& run, const Recalled& recalled, Admitted& admitted);
  static Result<Verified> Verify(ReleaseRun& run, const Recalled& recalled, Admitted& admitted, Made made);
  static std::set<std::string> OwnReleases(const Recalled& recalled, const Admitted& admitted);
  static const EncodedInput* RowsOfPeople(const Admitted&) { return nullptr; }
  static std::optional<OwnClasses> Own(ReleaseRun& run, Admitted& admitted, Verified& verified);
  static void Tell(const ReleaseRun& run, const Recalled& recalled, const Admitted& admitted, const Verified& verified,
                   ReleaseOutcome& outcome);
  static Status Show(ReleaseRun& run, const Admitted& admitted, const Verified& verified, const ShowRows& show);
  static Result<Staged> Stage(ReleaseRun& run, const PackageWords& words, const Recalled& recalled, Admitted& admitted,
                              Verified& verified);
};
static_assert(ReleaseContext<IncrementalContext>);

}  // namespace pentimento
