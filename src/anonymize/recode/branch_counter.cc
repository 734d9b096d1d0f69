#include "anonymize/recode/branch_counter.h"

#include <algorithm>
#include <numeric>

namespace pentimento::recode {

std::optional<Level> BranchCounter::Count(const ColumnOfNode& node, const ColumnLevels& levels, Bar bar) {
  // A table by code needs one pass over the rows, but is to be cleared and added up.
  const std::uint64_t cells = std::uint64_t{node.bounds.size()} * limits_.signature_count();
  return node.codes.Visit([&](const auto all_codes) {
    return node.signatures.Visit([&](const auto all_signatures) {
      const auto codes = all_codes.subspan(node.begin, node.rows);
      const auto signatures = all_signatures.subspan(node.begin, node.rows);
      return cells <= 2 * node.rows ? CountByCode(codes, signatures, node.bounds, levels, bar)
                                    : CountByChild(codes, signatures, node.bounds, levels, bar);
    });
  });
}

bool BranchCounter::IsWorthAPlan(std::size_t rows, Bar bar) const {
  std::uint64_t can_stand = 0;
  for (const Branch& branch : counted_.branches) {
    if (branch.rows >= limits_.smallest_class()) can_stand += branch.rows;
  }
  if (can_stand == 0 || can_stand < bar.specialized || (can_stand == bar.specialized && bar.branches == 0))
    return false;
  // Only with every branch standing are all rows specialized.
  return bar.specialized < rows || counted_.branches.size() < bar.branches;
}

void BranchCounter::NoteCounts(Branch& branch, std::span<const std::uint32_t> rows_of_signature) {
  branch.first = static_cast<std::uint32_t>(counted_.counts.size());
  for (Code signature = 0; signature < rows_of_signature.size(); ++signature) {
    if (rows_of_signature[signature] > 0) counted_.counts.push_back({signature, rows_of_signature[signature]});
  }
  branch.past = static_cast<std::uint32_t>(counted_.counts.size());
}

template <typename Codes, typename SignatureCodes>
std::optional<Level> BranchCounter::CountByCode(Codes codes, SignatureCodes signatures, Interval bounds,
                                                const ColumnLevels& levels, Bar bar) {
  const std::size_t per_code = limits_.signature_count();
  table_.assign(bounds.size() * per_code, 0);
  for (std::size_t i = 0; i < codes.size(); ++i) ++table_[(codes[i] - bounds.lo) * per_code + signatures[i]];
  rows_of_code_.resize(bounds.size());
  for (std::size_t code = 0; code < bounds.size(); ++code) {
    const auto row = table_.begin() + static_cast<std::ptrdiff_t>(code * per_code);
    rows_of_code_[code] = std::accumulate(row, row + static_cast<std::ptrdiff_t>(per_code), std::uint32_t{0});
  }
  const Level level = levels.Below(bounds, rows_of_code_);
  CollectBranches(level, bounds);
  if (!IsWorthAPlan(codes.size(), bar)) return std::nullopt;
  AddUpCodes(bounds);
  return level;
}

// The codes of a child follow one another, and so do the children.
void BranchCounter::CollectBranches(Level level, Interval bounds) {
  counted_.branches.clear();
  for (Code code = bounds.lo; code <= bounds.hi; ++code) {
    const std::uint32_t rows = rows_of_code_[code - bounds.lo];
    if (rows == 0) continue;
    const Code child = level.ChildOf(code);
    if (counted_.branches.empty() || counted_.branches.back().child != child)
      counted_.branches.push_back({.child = child});
    counted_.branches.back().rows += rows;
  }
}

void BranchCounter::AddUpCodes(Interval bounds) {
  counted_.counts.clear();
  const std::size_t per_code = limits_.signature_count();
  const std::uint32_t* row = table_.data();
  Code code = bounds.lo;
  for (Branch& branch : counted_.branches) {
    rows_of_signature_.assign(per_code, 0);
    std::uint32_t left = branch.rows;
    for (; left > 0; ++code, row += per_code) {
      if (rows_of_code_[code - bounds.lo] == 0) continue;
      for (std::size_t signature = 0; signature < per_code; ++signature)
        rows_of_signature_[signature] += row[signature];
      left -= rows_of_code_[code - bounds.lo];
    }
    NoteCounts(branch, rows_of_signature_);
  }
}

// In a small node a table by code would have more cells than there are rows.
template <typename Codes, typename SignatureCodes>
std::optional<Level> BranchCounter::CountByChild(Codes codes, SignatureCodes signatures, Interval bounds,
                                                 const ColumnLevels& levels, Bar bar) {
  const Level level = levels.Below(bounds, codes, median_room_);
  child_of_row_.resize(std::max(child_of_row_.size(), codes.size()));
  counted_.branches.clear();
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Code child = level.ChildOf(codes[i]);
    child_of_row_[i] = child;
    if (rows_of_child_[child]++ == 0) counted_.branches.push_back({.child = child});
  }
  CollectChildren();
  if (!IsWorthAPlan(codes.size(), bar)) return std::nullopt;
  counted_.counts.clear();
  if (counted_.branches.size() * limits_.signature_count() <= 4 * codes.size()) {
    CountInTable(signatures);
  } else {
    CountBySorting(signatures);
  }
  return level;
}

void BranchCounter::CollectChildren() {
  std::ranges::sort(counted_.branches, {}, &Branch::child);
  for (std::uint32_t b = 0; b < counted_.branches.size(); ++b) {
    Branch& branch = counted_.branches[b];
    branch_of_child_[branch.child] = b;
    branch.rows = rows_of_child_[branch.child];
    rows_of_child_[branch.child] = 0;
  }
}

template <typename SignatureCodes>
void BranchCounter::CountInTable(SignatureCodes signatures) {
  const std::size_t per_branch = limits_.signature_count();
  table_.assign(counted_.branches.size() * per_branch, 0);
  for (std::size_t i = 0; i < signatures.size(); ++i)
    ++table_[branch_of_child_[child_of_row_[i]] * per_branch + signatures[i]];
  for (std::size_t b = 0; b < counted_.branches.size(); ++b)
    NoteCounts(counted_.branches[b], std::span(table_).subspan(b * per_branch, per_branch));
}

// In a smaller node even a table by branch would have more.
template <typename SignatureCodes>
void BranchCounter::CountBySorting(SignatureCodes signatures) {
  keys_.resize(signatures.size());
  for (std::size_t i = 0; i < keys_.size(); ++i)
    keys_[i] = std::uint64_t{branch_of_child_[child_of_row_[i]]} << 32 | signatures[i];
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

}  // namespace pentimento::recode
