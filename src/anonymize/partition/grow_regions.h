// Cuts regions as far as the people in them allow: the maker of a series' tree, for the first table (one root, the
// whole domain) and for later batches (one root per leaf that has new members).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/codes_by_record.h"
#include "anonymize/partition/hidden_arrivals.h"
#include "anonymize/partition/partition.h"
#include "anonymize/partition/region_tree.h"
#include "base/interval.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// Who ended up in a leaf: the rows `rows[begin]` to `rows[end - 1]` of GrownRegions.
struct GrownLeaf {
  NodeNumber node = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct GrownRegions {
  // The roots first, in their order; then everybody's children, numbered within this array.
  std::vector<RegionNode> nodes;
  std::vector<GrownLeaf> leaves;    // from left to right; one for a root that was not cut
  std::vector<std::uint32_t> rows;  // all rows of the table, leaf after leaf
};

// Every leaf keeps k rows; a root with fewer than 2k rows stays as it is. Rows are people: nobody has two. The roots
// follow one another over all rows. The result does not depend on the order of rows within a root or on threads.
GrownRegions GrowRegions(const EncodedTable& table, std::span<const Domain> domains, std::span<const RegionRoot> roots,
                         std::uint64_t k, CategoryForm form);
// The same for rows whose codes lie side by side, in the width that `domains` need. `standing`: by row, where arrivals
// are hidden; then the rule of hidden_arrivals.h is kept instead of k rows.
// REQUIRES: with `standing` every root is legal or cannot be cut.
GrownRegions GrowRegions(const CodesByRecord& rows, std::size_t count, std::span<const Domain> domains,
                         std::span<const RegionRoot> roots, std::uint64_t k, CategoryForm form,
                         std::span<const MemberStanding> standing = {});

}  // namespace pentimento
