// The leaves that a batch reaches, and who is in them already.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/incremental/descend.h"
#include "anonymize/incremental/incremental_tree.h"
#include "anonymize/incremental/incremental_view.h"
#include "anonymize/incremental/leaf_lookup.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct JoinedLeaves {
  Reached reached;
  std::vector<LeafPart> parts;              // where earlier members are, leaf after leaf
  std::vector<std::uint32_t> first_part;    // by leaf, and past the last
  std::vector<std::uint32_t> member_count;  // by leaf: how many were there before

  std::size_t size() const { return reached.leaves.size(); }
  std::span<const LeafPart> parts_of(std::size_t leaf) const {
    return std::span(parts).subspan(first_part[leaf], first_part[leaf + 1] - first_part[leaf]);
  }
  // Rows of the batch. Their codes lie side by side, from that of first_newcomer_of on.
  std::span<const std::uint32_t> newcomers_of(std::size_t leaf) const { return reached.rows_of(reached.leaves[leaf]); }
  std::uint32_t first_newcomer_of(std::size_t leaf) const { return reached.leaves[leaf].first_row; }
};

JoinedLeaves FindJoinedLeaves(const IncrementalView& series, const IncrementalTree& tree,
                              std::span<const Domain> domains, const EncodedTable& batch);

}  // namespace pentimento
