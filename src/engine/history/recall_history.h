// What the guarantee `history` needs of the releases on record: for the maker the joint classes that no cut may cross,
// for the verifier the releases themselves, in the codes of the table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/composition/earlier_releases.h"
#include "engine/steps/release_run.h"
#include "guarantee/history/draft_release.h"
#include "io/encode.h"
#include "table/code_column.h"

namespace pentimento {

struct RecalledHistory {
  RecalledReleases earlier;  // those that the policy's `over` names, or all
  std::vector<std::string> untold;
  std::vector<std::uint32_t> person_of_row;
  std::vector<std::uint32_t> atom_of_row;  // joint classes; people who are in none of the releases share one
  std::uint32_t atoms = 0;
  std::vector<CodeColumn> sensitive;  // where there is an alpha: in the codes of `earlier`
  std::vector<const CodeColumn*> sensitive_codes;
  std::vector<std::string> sensitive_names;
  // Columns of this table that an account covers on which some of its people are.
  std::vector<std::string> accounted;

  // Refers to this.
  HistoryEvidence evidence() const;
};

// Within which parts of the table k people have to share a class: the joint classes, where k people of the table are in
// them. Smaller ones are one part, with as many of the next larger ones as it takes.
CodeColumn PartsOfHistory(const RecalledHistory& history, std::uint64_t k);

// Nothing where the policy does not ask for history. `people`: of the table, ascending; null: nothing is on record.
Result<std::optional<RecalledHistory>> RecallHistory(ReleaseRun& run, const EncodedInput& input,
                                                     const SharedPeople& people);

}  // namespace pentimento
