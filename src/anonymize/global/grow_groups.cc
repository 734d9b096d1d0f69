#include "anonymize/global/grow_groups.h"

#include "anonymize/global/holders_first.h"
#include "base/check.h"

namespace pentimento::global {
namespace {

template <typename Rows>
Classes Grow(const EncodedTable& table, std::span<const Domain> domains, const CodeColumn& lanes,
             const CappedItems& items, const TreeOptions& options) {
  const HoldersFirst order(lanes);
  Rows rows(table, order);
  std::vector<SubtreeLeaves> subtrees =
      CappedTree<Rows>(rows, order.holders(), LaneOfRow(lanes), domains, options, items).Grow();
  rows.FreeBack();
  Classes draft{.columns = domains.size(), .boxes = {}, .of_row = std::vector<ClassNumber>(table.rows)};
  std::vector<std::size_t> first_leaf = {0};
  for (const SubtreeLeaves& subtree : subtrees) first_leaf.push_back(first_leaf.back() + subtree.ends.size());
  draft.boxes.reserve(options.wants_boxes ? first_leaf.back() * draft.columns : 0);
  for (const SubtreeLeaves& subtree : subtrees)
    draft.boxes.insert(draft.boxes.end(), subtree.boxes.begin(), subtree.boxes.end());
  const auto records = rows.records(partition::Buffer::kFront);
  ParallelFor(subtrees.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      std::size_t record = subtrees[s].begin;
      for (std::size_t leaf = 0; leaf < subtrees[s].ends.size(); ++leaf) {
        for (; record < subtrees[s].ends[leaf]; ++record)
          draft.of_row[records.row(record)] = static_cast<ClassNumber>(first_leaf[s] + leaf);
      }
    }
  });
  return draft;
}

}  // namespace

Classes GrowGroups(const EncodedTable& table, std::span<const Domain> domains, const CodeColumn& lanes,
                   const CappedItems& items, const TreeOptions& options) {
  Check(table.rows > 0 && lanes.size() == table.rows, "a lane for each row");
  // Without quasi-identifiers nothing can be cut.
  if (domains.empty()) return {.columns = 0, .boxes = {}, .of_row = std::vector<ClassNumber>(table.rows, 0)};
  const bool is_narrow = partition::FitNarrowLanes(domains);
  if (is_narrow && domains.size() <= 8)
    return Grow<partition::PackedRows<std::uint16_t, 8, false>>(table, domains, lanes, items, options);
  if (is_narrow) return Grow<partition::PackedRows<std::uint16_t, 0, false>>(table, domains, lanes, items, options);
  return Grow<partition::PackedRows<std::uint32_t, 0, false>>(table, domains, lanes, items, options);
}

}  // namespace pentimento::global
