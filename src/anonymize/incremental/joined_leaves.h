// The leaves that a batch reaches, who of it reaches which, and who is in them already.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/incremental/incremental_tree.h"
#include "anonymize/incremental/incremental_view.h"
#include "anonymize/incremental/leaf_lookup.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct JoinedLeaf {
  NodeNumber node = 0;
  std::uint32_t first_row = 0;  // into JoinedLeaves::rows
  std::uint32_t row_count = 0;
  std::uint32_t member_count = 0;  // how many were there before
  std::size_t region = 0;          // into JoinedLeaves::regions, counted in regions
};

struct JoinedLeaves {
  std::vector<JoinedLeaf> leaves;   // ascending by node, each once
  std::vector<std::uint32_t> rows;  // of the batch; those of one leaf are neighbours and ascend
  OwnedCodes codes;                 // of `rows`, one after the other
  Box regions;
  std::vector<LeafPart> parts;            // where earlier members are, leaf after leaf
  std::vector<std::uint32_t> first_part;  // by leaf, and past the last

  std::size_t size() const { return leaves.size(); }
  std::span<const LeafPart> parts_of(std::size_t leaf) const {
    return std::span(parts).subspan(first_part[leaf], first_part[leaf + 1] - first_part[leaf]);
  }
  std::span<const Interval> region_of(std::size_t leaf) const {
    const std::size_t columns = regions.size() / leaves.size();
    return std::span(regions).subspan(leaves[leaf].region * columns, columns);
  }
  // Rows of the batch. Their codes lie side by side, from that of the leaf's first_row on.
  std::span<const std::uint32_t> newcomers_of(std::size_t leaf) const {
    return std::span(rows).subspan(leaves[leaf].first_row, leaves[leaf].row_count);
  }
};

JoinedLeaves FindJoinedLeaves(const IncrementalView& series, const IncrementalTree& tree,
                              std::span<const Domain> domains, const EncodedTable& batch);

}  // namespace pentimento
