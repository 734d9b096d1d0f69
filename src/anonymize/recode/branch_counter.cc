#include "anonymize/recode/branch_counter.h"

#include <algorithm>

namespace pentimento::recode {

template <typename Width>
const BranchCounts* BranchCounter::Count(std::span<const Code> child_of_row, std::span<const Width> signature_of_row,
                                         Bar bar) {
  if (!CountRows(child_of_row, bar)) return nullptr;
  counted_.counts.clear();
  const std::size_t cells = counted_.branches.size() * limits_.signature_count();
  if (limits_.signature_count() == 1) {
    for (Branch& branch : counted_.branches) {
      branch.first = static_cast<std::uint32_t>(counted_.counts.size());
      branch.past = branch.first + 1;
      counted_.counts.push_back({0, branch.rows});
    }
  } else if (cells <= 4 * child_of_row.size()) {
    CountInTable(child_of_row, signature_of_row);
  } else {
    CountBySorting(child_of_row, signature_of_row);
  }
  return &counted_;
}

bool BranchCounter::CountRows(std::span<const Code> child_of_row, Bar bar) {
  counted_.branches.clear();
  for (const Code child : child_of_row) {
    if (rows_of_child_[child]++ == 0) counted_.branches.push_back({.child = child});
  }
  std::uint64_t can_stand = 0;
  for (Branch& branch : counted_.branches) {
    branch.rows = rows_of_child_[branch.child];
    rows_of_child_[branch.child] = 0;
    if (branch.rows >= limits_.smallest_class()) can_stand += branch.rows;
  }
  if (can_stand == 0 || can_stand < bar.specialized || (can_stand == bar.specialized && bar.branches == 0))
    return false;
  // Only with every branch standing are all rows specialized.
  if (bar.specialized == child_of_row.size() && counted_.branches.size() >= bar.branches) return false;
  std::ranges::sort(counted_.branches, {}, &Branch::child);
  for (std::uint32_t b = 0; b < counted_.branches.size(); ++b) branch_of_child_[counted_.branches[b].child] = b;
  return true;
}

template <typename Width>
void BranchCounter::CountInTable(std::span<const Code> child_of_row, std::span<const Width> signature_of_row) {
  const std::size_t signatures = limits_.signature_count();
  table_.assign(counted_.branches.size() * signatures, 0);
  for (std::size_t i = 0; i < child_of_row.size(); ++i)
    ++table_[branch_of_child_[child_of_row[i]] * signatures + signature_of_row[i]];
  const std::uint32_t* rows = table_.data();
  for (Branch& branch : counted_.branches) {
    branch.first = static_cast<std::uint32_t>(counted_.counts.size());
    for (Code signature = 0; signature < signatures; ++signature, ++rows) {
      if (*rows > 0) counted_.counts.push_back({signature, *rows});
    }
    branch.past = static_cast<std::uint32_t>(counted_.counts.size());
  }
}

// In a small node a table would have more cells than there are rows.
template <typename Width>
void BranchCounter::CountBySorting(std::span<const Code> child_of_row, std::span<const Width> signature_of_row) {
  keys_.resize(child_of_row.size());
  for (std::size_t i = 0; i < keys_.size(); ++i)
    keys_[i] = std::uint64_t{branch_of_child_[child_of_row[i]]} << 32 | signature_of_row[i];
  std::sort(keys_.begin(), keys_.end());
  std::size_t begin = 0;
  for (std::uint32_t b = 0; b < counted_.branches.size(); ++b) {
    Branch& branch = counted_.branches[b];
    branch.first = static_cast<std::uint32_t>(counted_.counts.size());
    for (std::size_t end = begin; begin < keys_.size() && keys_[begin] >> 32 == b; begin = end) {
      while (end < keys_.size() && keys_[end] == keys_[begin]) ++end;
      counted_.counts.push_back({static_cast<Code>(keys_[begin]), static_cast<std::uint32_t>(end - begin)});
    }
    branch.past = static_cast<std::uint32_t>(counted_.counts.size());
  }
}

template const BranchCounts* BranchCounter::Count(std::span<const Code>, std::span<const std::uint8_t>, Bar);
template const BranchCounts* BranchCounter::Count(std::span<const Code>, std::span<const std::uint16_t>, Bar);
template const BranchCounts* BranchCounter::Count(std::span<const Code>, std::span<const std::uint32_t>, Bar);

}  // namespace pentimento::recode
