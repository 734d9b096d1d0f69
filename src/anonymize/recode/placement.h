// Where the rows of a node go once it is decided how it is specialized: first the rows that are pushed back, then
// branch after branch, each in the order it was in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/packed_rows.h"
#include "anonymize/recode/branch_plan.h"
#include "anonymize/recode/column_levels.h"

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
  // Children are numbered below `most_children`.
  explicit Placement(std::size_t most_children) : slot_of_child_(most_children) {}

  // Another node. What is made of it is in the other buffer; it is good until the next call.
  const Specialization& Begin(Places node, const Choice& choice);

  // Where the next rows go: row i of them is of child_of(i).
  template <typename ChildOf>
  void Place(std::span<std::size_t> places, ChildOf child_of) {
    const std::uint32_t* const slot_of_child = slot_of_child_.data();
    std::size_t* const next = next_.data();
    const std::size_t past = placed_ + places.size();
    if (next_pulled_ == pulled_.size() || pulled_[next_pulled_].row >= past) {
      for (std::size_t i = 0; i < places.size(); ++i) places[i] = next[slot_of_child[child_of(i)]]++;
    } else {
      for (std::size_t i = 0; i < places.size(); ++i) places[i] = slot_of_child[child_of(i)];
      const std::size_t back = next_.size() - 1;
      for (; next_pulled_ < pulled_.size() && pulled_[next_pulled_].row < past; ++next_pulled_)
        places[pulled_[next_pulled_].row - placed_] = back;
      for (std::size_t& place : places) place = next[place]++;
    }
    placed_ = past;
  }

 private:
  // A slot for each branch, and the last one for what is pushed back.
  std::vector<std::uint32_t> slot_of_child_;
  std::vector<std::size_t> next_;       // by slot: where it goes on
  std::span<const PulledBack> pulled_;  // of the choice, which the caller keeps while rows are placed
  std::size_t next_pulled_ = 0;
  std::size_t placed_ = 0;
  Specialization made_;
};

}  // namespace pentimento::recode
