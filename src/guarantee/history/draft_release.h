// A draft in the common form, counted from what would be published: the verifier takes nobody's word for it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "release/common_releases.h"
#include "release/draft.h"
#include "table/code_column.h"

namespace pentimento {

// What the guarantee `history` needs beyond the table. Whoever recalls it from the ledger numbers the people of all
// releases on record that count, and of this table, together.
//
// 1. `earlier` has the releases on record that are about somebody of this table, imports included; class_of is
//    kNotInRelease for whoever is not in a release, also for people of this table alone. Only those that the policy's
//    `over` names, where it names some: a release that is named and not there is refused.
// 2. `covering` may be filled in where the boxes of an earlier release are known: without it newcomers of a growing
//    table have small crowds, and most such drafts are refused.
// 3. `untold` names the releases of which it cannot be told who is in them. With unknown = "refuse" one is enough to
//    refuse. Releases that other_people names are in neither.
// 4. `accounted` names the columns of this table that the account of a series under the global guarantee covers, where
//    somebody of this table is on it, whatever `over` names. One is enough to refuse: nobody charges for this release.
struct HistoryEvidence {
  const CommonReleases& earlier;
  std::span<const std::uint32_t> person_of_row;  // by row of the table, below earlier.people
  std::span<const std::string> untold = {};
  // The sensitive columns of the table, where the policy has an alpha.
  std::span<const CodeColumn* const> sensitive = {};
  std::span<const std::string> sensitive_names = {};
  std::span<const std::string> accounted = {};
};

// The draft as one more release, without `covering`. Rows published with equal boxes are one class; in two tables those
// with the same class number. Whoever has several rows shares a class with those who have rows in the same classes,
// and then there are no values.
// REQUIRES: a well-formed draft; one person below `people` for every row; one code for every row and column.
CommonRelease ReleaseOfDraft(const Draft& draft, std::string name, std::uint32_t people,
                             const HistoryEvidence& evidence);

}  // namespace pentimento
