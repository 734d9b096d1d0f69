// Gives the rows of a node to the children of one column, on paper: how many rows of each signature every child gets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "anonymize/recode/branch_plan.h"
#include "anonymize/recode/column_levels.h"
#include "base/interval.h"

namespace pentimento::recode {

// What would be worth a plan: `specialized` rows in fewer than `branches` branches, or more rows in any number.
struct Bar {
  std::uint64_t specialized = 0;
  std::uint32_t branches = std::numeric_limits<std::uint32_t>::max();

  bool IsBeatenBy(std::uint64_t rows, std::uint32_t standing) const {
    return rows > specialized || (rows == specialized && standing < branches);
  }
};

// The rows of a node in one column: records [begin, end), whose codes reach from bounds.lo to bounds.hi, which are two.
template <typename Records>
struct ColumnOfNode {
  Records records;
  std::size_t column;
  std::size_t begin;
  std::size_t end;
  Interval bounds;

  std::size_t rows() const { return end - begin; }
  Code code(std::size_t i) const { return records.codes(i)[column]; }
};

// One counter is used again and again, by one thread.
class BranchCounter {
 public:
  explicit BranchCounter(const ClassRule& rule) : rule_(rule) {}

  // Nothing where the numbers of rows alone show that the bar is out of reach. The counts are good until the next call.
  template <typename Records>
  std::optional<Level> Count(const ColumnOfNode<Records>& node, const ColumnLevels& levels, Bar bar);
  const BranchCounts& counts() const { return counted_; }
  // Gives away the branches of the counts, for others that are no longer needed.
  void SwapBranches(std::vector<Branch>& branches) { counted_.branches.swap(branches); }

 private:
  // Clearing so many cells costs less than any other way to count.
  static constexpr std::size_t kFewCells = 256;

  static bool IsWorthATable(std::size_t cells, std::size_t rows) { return cells <= 4 * rows + kFewCells; }

  template <typename Records>
  Level FindMedian(const ColumnOfNode<Records>& node);
  template <typename Records>
  void CountChildren(const ColumnOfNode<Records>& node, Level level);
  template <typename Records, typename SlotOf>
  void CountInTable(const ColumnOfNode<Records>& node, std::size_t slots, SlotOf slot_of);
  template <typename Records>
  void CountBySorting(const ColumnOfNode<Records>& node, Level level);

  void CollectFromTable(Code first_child);
  void CollectFromKeys();
  bool IsWorthAPlan(std::size_t rows, Bar bar) const;

  const ClassRule& rule_;
  BranchCounts counted_;
  std::vector<std::uint32_t> table_;  // rows by child and signature
  std::vector<std::uint32_t> rows_of_code_;
  std::vector<std::uint64_t> keys_;
  std::vector<Code> codes_;
};

template <typename Records>
std::optional<Level> BranchCounter::Count(const ColumnOfNode<Records>& node, const ColumnLevels& levels, Bar bar) {
  const std::optional<Level> fixed = levels.FixedBelow(node.bounds);
  const Level level = fixed ? *fixed : FindMedian(node);
  CountChildren(node, level);
  if (!IsWorthAPlan(node.rows(), bar)) return std::nullopt;
  return level;
}

template <typename Records>
Level BranchCounter::FindMedian(const ColumnOfNode<Records>& node) {
  if (IsWorthATable(node.bounds.size(), node.rows())) {
    rows_of_code_.assign(node.bounds.size(), 0);
    for (std::size_t i = node.begin; i < node.end; ++i) ++rows_of_code_[node.code(i) - node.bounds.lo];
    return ColumnLevels::AtMedian(node.bounds, rows_of_code_, node.rows());
  }
  codes_.resize(node.rows());
  for (std::size_t i = 0; i < codes_.size(); ++i) codes_[i] = node.code(node.begin + i);
  return ColumnLevels::AtMedian(codes_);
}

// Children are numbered in the order of their codes, so the members' are between those of the bounds.
template <typename Records>
void BranchCounter::CountChildren(const ColumnOfNode<Records>& node, Level level) {
  const Code first = level.ChildOf(node.bounds.lo);
  const std::size_t children = level.ChildOf(node.bounds.hi) - first + std::size_t{1};
  if (!IsWorthATable(children * rule_.signature_count(), node.rows())) return CountBySorting(node, level);
  level.Visit([&](const auto child_of) {
    CountInTable(node, children, [first, child_of](Code code) { return child_of(code) - first; });
  });
  CollectFromTable(first);
}

template <typename Records, typename SlotOf>
void BranchCounter::CountInTable(const ColumnOfNode<Records>& node, std::size_t slots, SlotOf slot_of) {
  const std::size_t per_slot = rule_.signature_count();
  table_.assign(slots * per_slot, 0);
  std::uint32_t* const table = table_.data();
  for (std::size_t i = node.begin; i < node.end; ++i)
    ++table[slot_of(node.code(i)) * per_slot + node.records.signature(i)];
}

// In a small node with many children or signatures a table would have far more cells than there are rows.
template <typename Records>
void BranchCounter::CountBySorting(const ColumnOfNode<Records>& node, Level level) {
  keys_.resize(node.rows());
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const std::size_t record = node.begin + i;
    keys_[i] = std::uint64_t{level.ChildOf(node.code(record))} << 32 | node.records.signature(record);
  }
  std::ranges::sort(keys_);
  CollectFromKeys();
}

}  // namespace pentimento::recode
