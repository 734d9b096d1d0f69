// Gives the rows of a node to the children of one column, on paper: how many rows of each signature every child gets.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "anonymize/recode/branch_plan.h"
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

// One counter is used again and again, by one thread.
class BranchCounter {
 public:
  // Children are numbered below `most_children`.
  BranchCounter(const ClassLimits& limits, std::size_t most_children)
      : limits_(limits), rows_of_child_(most_children), branch_of_child_(most_children) {}

  // Nothing, and less work, where the numbers of rows alone show that the bar is out of reach.
  template <typename Width>
  const BranchCounts* Count(std::span<const Code> child_of_row, std::span<const Width> signature_of_row, Bar bar);

 private:
  bool CountRows(std::span<const Code> child_of_row, Bar bar);
  template <typename Width>
  void CountInTable(std::span<const Code> child_of_row, std::span<const Width> signature_of_row);
  template <typename Width>
  void CountBySorting(std::span<const Code> child_of_row, std::span<const Width> signature_of_row);

  const ClassLimits& limits_;
  BranchCounts counted_;
  std::vector<std::uint32_t> rows_of_child_;  // all 0 between calls
  std::vector<std::uint32_t> branch_of_child_;
  std::vector<std::uint32_t> table_;  // by branch and signature
  std::vector<std::uint64_t> keys_;
};

}  // namespace pentimento::recode
