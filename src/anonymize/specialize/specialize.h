// The maker of a release that is joined with earlier ones: top-down specialization. It begins with the most general
// table and makes one value more special at a time, the one that gains most for the privacy it costs, as long as every
// claim holds. See algorithm.md for the paper, what we do otherwise and why, and the cost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "release/classes.h"
#include "release/xy_releases.h"
#include "table/code_column.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct SpecializeInput {
  const EncodedTable& table;
  std::span<const Domain> domains;           // one per quasi-identifier
  std::span<const CodeColumn* const> exact;  // columns that are published as they are and take part in the join
  const std::vector<bool>& is_generalized;   // by quasi-identifier; the others are published as they are
  const XyReleases& releases;                // with the claims
  std::uint64_t k = 0;                       // plain k-anonymity on the quasi-identifiers that are generalized; 0: none
  Utility utility = Utility::kDistortion;
  const CodeColumn* classes = nullptr;  // for Utility::kClass
  // With a k: a part of the table for every row. Then k people of the same part share each class.
  const CodeColumn* parts = nullptr;
};

// A specialization that was not made, because some claim would not hold after it.
struct LeftGeneral {
  std::size_t column = 0;  // quasi-identifier
  Interval value;
  std::vector<Interval> children;
};

struct Specialized {
  Classes draft;
  std::size_t steps = 0;                    // specializations that were made
  std::vector<std::vector<Interval>> cuts;  // by quasi-identifier: its values, ascending; empty where it is as it came
  std::vector<LeftGeneral> left_general;    // every further specialization; of numbers the split that gains most
};

// kRefused where not even the most general table holds and no specialization helps; `most_general` is that table then,
// for whoever wants to say why.
Result<Specialized> AnonymizeBySpecialization(const SpecializeInput& input, Classes* most_general = nullptr);

// The table with every generalized column at these cuts.
Classes DraftOfCuts(const EncodedTable& table, std::span<const Domain> domains,
                    std::span<const std::vector<Interval>> cuts);

}  // namespace pentimento
