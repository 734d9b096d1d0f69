// One run of the partition, once it is clear what is asked for: packs the rows, grows the tree, and tells every row its
// group. Compiled for every layout of records on its own, in the partition_*.cc files, which take up most of the time.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/partition/packed_rows.h"
#include "anonymize/partition/partition_task.h"
#include "anonymize/partition/tree.h"
#include "base/parallel.h"
#include "release/equal_boxes.h"

namespace pentimento::partition {

// Calls body(record, leaf) for every record, where leaves are numbered in the order of the cuts, which does not depend
// on threads.
template <typename Body>
void ForEachRecord(std::span<const SubtreeLeaves> subtrees, const Body& body) {
  std::vector<std::size_t> first_leaf = {0};
  for (const SubtreeLeaves& subtree : subtrees) first_leaf.push_back(first_leaf.back() + subtree.ends.size());
  ParallelFor(subtrees.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      std::size_t record = subtrees[s].begin;
      for (std::size_t i = 0; i < subtrees[s].ends.size(); ++i) {
        for (; record < subtrees[s].ends[i]; ++record) body(record, static_cast<std::uint32_t>(first_leaf[s] + i));
      }
    }
  });
}

template <typename Rows>
Classes Run(const Task& task) {
  Rows rows(task.table, task.options.signatures == nullptr ? nullptr : &task.options.signatures->of_row);
  PartitionTree tree(rows, task.domains, task.options, task.limits, task.lots);
  RegionRoot root{0, rows.size(), {}};
  for (const Domain& domain : task.domains) root.region.push_back(domain.root());
  std::vector<SubtreeLeaves> subtrees = tree.Grow({&root, 1});
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
Classes RunWithFittingLanes(const Task& task) {
  const bool is_narrow = FitNarrowLanes(task.domains);
  const std::size_t columns = task.domains.size();
  if (is_narrow && columns <= 8) return Run<PackedRows<std::uint16_t, 8, kPersons>>(task);
  if (is_narrow && columns <= 16) return Run<PackedRows<std::uint16_t, 16, kPersons>>(task);
  if (is_narrow) return Run<PackedRows<std::uint16_t, 0, kPersons>>(task);
  return Run<PackedRows<std::uint32_t, 0, kPersons>>(task);
}

// The same with signatures, which take a lane of their own.
template <bool kPersons>
Classes RunWithLimits(const Task& task) {
  const std::uint64_t signatures = task.options.signatures->count;
  const bool is_narrow = FitNarrowLanes(task.domains) && signatures <= std::uint64_t{1} << 16;
  if (is_narrow && task.domains.size() <= 8) return Run<PackedRows<std::uint16_t, 8, kPersons, true>>(task);
  if (is_narrow) return Run<PackedRows<std::uint16_t, 0, kPersons, true>>(task);
  return Run<PackedRows<std::uint32_t, 0, kPersons, true>>(task);
}

}  // namespace pentimento::partition
