// Gives the rows of a node to the children of one column, on paper: how many rows of each signature every child gets.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "anonymize/recode/branch_plan.h"
#include "anonymize/recode/column_levels.h"
#include "base/interval.h"
#include "table/code_column.h"

namespace pentimento::recode {

// What would be worth a plan: `specialized` rows in fewer than `branches` branches, or more rows in any number.
struct Bar {
  std::uint64_t specialized = 0;
  std::uint32_t branches = std::numeric_limits<std::uint32_t>::max();

  bool IsBeatenBy(std::uint64_t rows, std::uint32_t standing) const {
    return rows > specialized || (rows == specialized && standing < branches);
  }
};

// The rows of a node in one column: places [begin, begin + rows), whose codes reach from bounds.lo to bounds.hi.
struct ColumnOfNode {
  const CodeColumn& codes;
  const CodeColumn& signatures;
  std::size_t begin;
  std::size_t rows;
  Interval bounds;
};

// One counter is used again and again, by one thread.
class BranchCounter {
 public:
  // Children are numbered below `most_children`.
  BranchCounter(const ClassLimits& limits, std::size_t most_children)
      : limits_(limits), rows_of_child_(most_children), branch_of_child_(most_children) {}

  // Nothing, and less work, where the numbers of rows alone show that the bar is out of reach. The counts are good
  // until the next call.
  std::optional<Level> Count(const ColumnOfNode& node, const ColumnLevels& levels, Bar bar);
  const BranchCounts& counts() const { return counted_; }

 private:
  template <typename Codes, typename SignatureCodes>
  std::optional<Level> CountByCode(Codes codes, SignatureCodes signatures, Interval bounds, const ColumnLevels& levels,
                                   Bar bar);
  template <typename Codes, typename SignatureCodes>
  std::optional<Level> CountByChild(Codes codes, SignatureCodes signatures, Interval bounds, const ColumnLevels& levels,
                                    Bar bar);
  void CollectBranches(Level level, Interval bounds);
  void AddUpCodes(Interval bounds);
  void CollectChildren();
  bool IsWorthAPlan(std::size_t rows, Bar bar) const;
  template <typename SignatureCodes>
  void CountInTable(SignatureCodes signatures);
  template <typename SignatureCodes>
  void CountBySorting(SignatureCodes signatures);
  void NoteCounts(Branch& branch, std::span<const std::uint32_t> rows_of_signature);

  const ClassLimits& limits_;
  BranchCounts counted_;
  std::vector<std::uint32_t> table_;  // rows by code or branch, and signature
  std::vector<std::uint32_t> rows_of_code_;
  std::vector<std::uint32_t> rows_of_signature_;
  std::vector<Code> child_of_row_;
  std::vector<std::uint32_t> rows_of_child_;  // all 0 between calls
  std::vector<std::uint32_t> branch_of_child_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> median_room_;
};

}  // namespace pentimento::recode
