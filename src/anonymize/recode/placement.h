// Where the rows of a node go once it is decided how it is specialized: first what comes back, then branch after
// branch, each in the order it was in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/packed_rows.h"
#include "anonymize/recode/branch_plan.h"
#include "anonymize/recode/column_levels.h"
#include "base/random.h"

namespace pentimento::recode {

// A range of records in one of the buffers.
struct Places {
  std::size_t begin = 0;
  std::size_t end = 0;
  partition::Buffer buffer = partition::Buffer::kFront;

  std::size_t size() const { return end - begin; }
};

struct Specialization {
  Places remainder;              // may be empty
  std::vector<Places> branches;  // never empty
};

// How a node is specialized. `branches` is empty where it is not.
struct Choice {
  std::size_t column = 0;
  Level level;
  BranchPlan plan;
  std::vector<Branch> branches;
};

// One of them is used again and again, by one thread.
class Placement {
 public:
  // Children are numbered below `most_children`. `lots`: draws which rows are pulled back.
  Placement(std::size_t most_children, const Random& lots) : lots_(lots), slot_of_child_(most_children) {}

  // Another node. What is made of it is in the other buffer; it is good until the next call.
  const Specialization& Begin(Places node, const Choice& choice);

  // Where the next row of the child goes, if none is pulled back.
  std::size_t Next(Code child) { return next_[slot_of_child_[child]]++; }
  // The same if some are.
  std::size_t Next(Code child, Code signature) {
    const std::uint32_t slot = slot_of_child_[child];
    const bool may_come_back = (pulled_signatures_[slot] >> (signature % 64) & 1) != 0;
    return next_[may_come_back && IsPulledBack(slot, signature) ? next_.size() - 1 : slot]++;
  }

  // A slot for each branch, and the last one for what comes back; and where each of them goes on.
  std::uint32_t SlotOf(Code child) const { return slot_of_child_[child]; }
  std::span<const std::size_t> next() const { return next_; }

 private:
  bool IsPulledBack(std::uint32_t branch, Code signature);

  Random lots_;
  std::vector<std::uint32_t> slot_of_child_;
  std::vector<std::size_t> next_;                 // by slot
  std::vector<PulledBack> pulled_;                // what is still to be pulled back
  std::vector<std::uint32_t> first_pulled_;       // by branch; one more at the end
  std::vector<std::uint64_t> pulled_signatures_;  // by slot: a bit for the signatures of which some are pulled back
  Specialization made_;
};

}  // namespace pentimento::recode
