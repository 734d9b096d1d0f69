// The context of a release of a series under the global guarantee: people come back, and their values change. The
// account of the series tells what is spent of everybody's budgets; what the verifier charges is what is saved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/global/account.h"
#include "engine/global/bind_items.h"
#include "engine/global/remaining_releases.h"
#include "engine/published/datapackage.h"
#include "engine/steps/one_row_each.h"
#include "engine/steps/release_context.h"
#include "engine/steps/release_run.h"
#include "engine/steps/stage.h"
#include "guarantee/global/persistence.h"
#include "io/encode.h"
#include "release/draft.h"
#include "release/verified_release.h"
#include "utility/metrics.h"

namespace pentimento {

struct GlobalContext {
  static constexpr const char* kMaking = "grouping";

  struct Recalled {
    Account account;
  };
  // The rows that take part, and what is protected in them. Rows are left out where a newer row of the same person is
  // there, and those whose budgets are too small.
  struct Admitted {
    EncodedInput input;
    std::uint64_t people = 0;
    std::string input_hash;
    std::uint64_t newcomers = 0;
    std::uint64_t left_out = 0;                // older rows of people who have a newer one
    Account account;                           // widened by the people and items of this release
    std::vector<std::uint32_t> rows;           // of the input that take part, ascending
    std::vector<std::uint32_t> person_of_row;  // by their order: numbers in the account
    BoundItems items;
    ItemFrequencies frequencies;

    bool HasAllRows() const { return rows.size() == input.table.rows; }
  };
  struct Made {
    Draft draft;
    std::uint64_t withheld = 0;                    // rows, because budgets are too small
    std::optional<std::uint64_t> blind_rows;       // where groups do not depend on who holds what
    std::vector<MeasuredPersistence> persistence;  // by item; empty for a first release
  };
  struct Verified {
    VerifiedRelease release;
    Metrics metrics;
    GlobalOutcome told;
    std::vector<ClassNumber> confusable;  // groups that readers cannot tell apart, by the verifier
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
                              const Verified& verified);
};
static_assert(ReleaseContext<GlobalContext>);

}  // namespace pentimento
