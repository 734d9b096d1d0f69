// What becomes of a node whose rows were given to its children: which children stand, and which rows are pushed back
// to the node.
//
// 1. Rows are pulled back because what is pushed back has too few of them, never because of its values. Which ones
//    follows from their order and from how many rows each child can spare, never from their values.
// 2. Values are looked at through one question alone: whether a class as it would be published keeps the rule. A child
//    that does not is pushed back as a whole.
// So whoever was pulled back was drawn at random, and what values tell is that the classes were allowed, and that what
// was tried before was not. See algorithm.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/limits/class_rule.h"

namespace pentimento::recode {

struct SignatureCount {
  Code signature = 0;
  std::uint32_t rows = 0;
};

// A child that has rows.
struct Branch {
  Code child = 0;  // its number among the children of the node
  std::uint32_t rows = 0;
  std::uint32_t first = 0;  // its counts
  std::uint32_t past = 0;
};

struct BranchCounts {
  std::vector<Branch> branches;        // ascending by child
  std::vector<SignatureCount> counts;  // branch after branch, ascending by signature, never 0; what follows is nothing

  std::span<const SignatureCount> CountsOf(const Branch& branch) const {
    return std::span(counts).subspan(branch.first, branch.past - branch.first);
  }
};

// A row of a standing branch that leaves it for the node.
struct PulledBack {
  std::uint32_t row = 0;  // its place in the order of the node's rows
  std::uint32_t branch = 0;
};

struct BranchPlan {
  std::vector<std::uint8_t> stands;  // by branch; all rows of the others are pushed back
  std::vector<PulledBack> pulled;    // ascending by row; from standing branches only
  std::uint64_t specialized = 0;     // rows that are not pushed back
  std::uint32_t standing = 0;
};

// Every standing branch keeps the rule without what is pulled back, and so does everything that is pushed back,
// together, unless nothing does. One planner is used again and again, by one thread.
class BranchPlanner {
 public:
  explicit BranchPlanner(const ClassRule& rule) : rule_(rule), remainder_(rule), part_(rule) {}

  // Nothing where no branch can stand, or where fewer than `at_least` rows would be specialized. Good until the next
  // call; the caller may put another one in its place. child_of(i) and signature_of(i): of the node's row at place i.
  template <typename ChildOf, typename SignatureOf>
  BranchPlan* Plan(const BranchCounts& given, std::uint64_t at_least, ChildOf child_of, SignatureOf signature_of);

 private:
  void Begin(const BranchCounts& given);
  // How many rows what is pushed back lacks to be a class of any values.
  std::uint64_t Missing() const;
  // Takes the next `wanted` rows, in their order, whose branches can spare one: a branch keeps as many as the smallest
  // class has. False where there are not so many; what was taken stays taken.
  template <typename ChildOf, typename SignatureOf>
  bool PullNext(const BranchCounts& given, std::uint64_t wanted, ChildOf child_of, SignatureOf signature_of);
  void Pull(const BranchCounts& given, std::uint32_t row, std::uint32_t branch, Code signature);
  // Whether every class keeps the rule. Branches that do not are pushed back; if all do and what was pushed back does
  // not, the smallest one joins it.
  bool LookAtValues(const BranchCounts& given);
  bool Stands(const BranchCounts& given, std::uint32_t branch);
  void PushBack(const BranchCounts& given, std::uint32_t branch);
  void PushBackSmallest(const BranchCounts& given);
  void Finish();

  const ClassRule& rule_;
  BranchPlan plan_;
  Tally remainder_;
  Tally part_;
  std::vector<std::uint32_t> rows_left_;        // by branch
  std::vector<std::uint32_t> counts_left_;      // as the counts that are given
  std::vector<std::uint8_t> is_changed_;        // by branch: since its values were looked at
  std::vector<std::uint32_t> branch_of_child_;  // of those that have rows
  std::uint64_t spare_ = 0;                     // rows that standing branches have beyond the smallest class
  std::uint32_t next_row_ = 0;                  // before it, every row that could be pulled was
  std::uint32_t node_rows_ = 0;
};

template <typename ChildOf, typename SignatureOf>
BranchPlan* BranchPlanner::Plan(const BranchCounts& given, std::uint64_t at_least, ChildOf child_of,
                                SignatureOf signature_of) {
  Begin(given);
  at_least = std::max<std::uint64_t>(at_least, 1);
  // Each turn pulls a row, or a branch is pushed back, or it is the last.
  while (true) {
    const std::uint64_t missing = Missing();
    if (plan_.specialized < at_least || missing > plan_.specialized || plan_.specialized - missing < at_least)
      return nullptr;
    if (missing > spare_ || (missing > 0 && !PullNext(given, missing, child_of, signature_of))) {
      PushBackSmallest(given);
      continue;
    }
    if (!LookAtValues(given)) continue;
    Finish();
    return &plan_;
  }
}

template <typename ChildOf, typename SignatureOf>
bool BranchPlanner::PullNext(const BranchCounts& given, std::uint64_t wanted, ChildOf child_of,
                             SignatureOf signature_of) {
  for (; wanted > 0 && next_row_ < node_rows_; ++next_row_) {
    const std::uint32_t branch = branch_of_child_[child_of(next_row_)];
    if (!plan_.stands[branch] || rows_left_[branch] <= rule_.smallest_class()) continue;
    Pull(given, next_row_, branch, signature_of(next_row_));
    --wanted;
  }
  return wanted == 0;
}

}  // namespace pentimento::recode
