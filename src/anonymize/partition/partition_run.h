// One run of the partition, once it is clear what is asked for: packs the rows, grows the tree, and tells every row its
// group. Compiled for every layout of records on its own, in the partition_*.cc files, which take up most of the time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/partition/cut_finder.h"
#include "anonymize/partition/leaf_divider.h"
#include "anonymize/partition/limited_cut_finder.h"
#include "anonymize/partition/packed_rows.h"
#include "anonymize/partition/partition_task.h"
#include "anonymize/partition/tree.h"
#include "base/parallel.h"
#include "release/equal_boxes.h"

namespace pentimento::partition {

// Where limits are kept; leaves are divided where numbers are drawn.
template <typename Rows>
class LimitedCutter {
 public:
  LimitedCutter(Rows& rows, std::span<const ColumnShape> shapes, const CutPrices& prices, const Task& task)
      : finder_(rows, shapes, prices, *task.limits) {
    if (!task.drawn.empty()) divider_.emplace(rows, *task.limits, task.drawn);
  }

  std::optional<Cut> FindCut(const NodeView& node) { return finder_.FindCut(node); }
  bool divides_leaves() const { return divider_.has_value(); }
  std::span<const std::uint32_t> Divide(Buffer buffer, std::size_t begin, std::size_t end) {
    return divider_->Divide(buffer, begin, end);
  }

 private:
  LimitedCutFinder<Rows> finder_;
  std::optional<LeafDivider<Rows>> divider_;
};

// The leaves of one tree over all rows. The options' k is the fewest people that any class can have.
template <typename Rows>
std::vector<SubtreeLeaves> GrowLeaves(Rows& rows, const Task& task) {
  std::vector<ColumnShape> shapes;
  for (const Domain& domain : task.domains) shapes.emplace_back(domain, task.options.form);
  const CutPrices prices(task.options.k, rows.size());
  RegionRoot root{0, rows.size(), {}};
  for (const Domain& domain : task.domains) root.region.push_back(domain.root());
  std::vector<RegionRoot> roots;
  for (const std::size_t end : task.parts.ends) roots.push_back({roots.empty() ? 0 : roots.back().end, end, {}});
  if (roots.empty()) roots.push_back(std::move(root));
  const auto grow = [&](auto make_cutter) {
    return CutTree(rows, task.domains, task.options, make_cutter).Grow(roots);
  };
  if constexpr (!Rows::kHasSignatures) {
    return grow([&] { return CutFinder<Rows>(rows, shapes, prices); });
  } else {
    return grow([&] { return LimitedCutter<Rows>(rows, shapes, prices, task); });
  }
}

template <typename Rows>
Classes Run(const Task& task) {
  Rows rows(task.table, task.options.signatures == nullptr ? nullptr : &task.options.signatures->of_row,
            task.parts.order);
  std::vector<SubtreeLeaves> subtrees = GrowLeaves(rows, task);
  rows.FreeBack();

  Classes groups{.without_boxes = 0};
  for (const SubtreeLeaves& subtree : subtrees) groups.without_boxes += static_cast<std::uint32_t>(subtree.ends.size());
  if (task.options.wants_boxes) {
    groups.columns = task.domains.size();
    groups.boxes.reserve(std::size_t{groups.without_boxes} * groups.columns);
  }
  for (SubtreeLeaves& subtree : subtrees) {
    groups.boxes.insert(groups.boxes.end(), subtree.boxes.begin(), subtree.boxes.end());
    subtree.boxes = {};
  }
  std::vector<ClassNumber> group_of_leaf;
  const bool merges_leaves = task.options.wants_boxes && task.CanBoxesBeEqual();
  if (merges_leaves) {
    group_of_leaf = MergeEqualBoxes(task.domains.size(), groups.boxes);
  }
  groups.of_row.resize(rows.size());
  const auto records = rows.records(Buffer::kFront);
  ForEachRecord(subtrees, [&](std::size_t record, std::uint32_t leaf) {
    groups.of_row[records.row(record)] = merges_leaves ? group_of_leaf[leaf] : leaf;
  });
  return groups;
}

template <bool kPersons>
Classes RunWithFittingRecords(const Task& task) {
  const bool is_narrow = FitNarrowCodes(task.domains);
  const std::size_t columns = task.domains.size();
  if (is_narrow && columns <= 8) return Run<PackedRows<std::uint16_t, 8, kPersons>>(task);
  if (is_narrow && columns <= 16) return Run<PackedRows<std::uint16_t, 16, kPersons>>(task);
  if (is_narrow) return Run<PackedRows<std::uint16_t, 0, kPersons>>(task);
  return Run<PackedRows<std::uint32_t, 0, kPersons>>(task);
}

// The same with signatures, which take the room of one more code.
template <bool kPersons>
Classes RunWithLimits(const Task& task) {
  const std::uint64_t signatures = task.options.signatures->count;
  const bool is_narrow = FitNarrowCodes(task.domains) && signatures <= std::uint64_t{1} << 16;
  if (is_narrow && task.domains.size() <= 8) return Run<PackedRows<std::uint16_t, 8, kPersons, true>>(task);
  if (is_narrow) return Run<PackedRows<std::uint16_t, 0, kPersons, true>>(task);
  return Run<PackedRows<std::uint32_t, 0, kPersons, true>>(task);
}

}  // namespace pentimento::partition
