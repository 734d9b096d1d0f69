// Bounds on how many people of each joint class have which value, drawn along the sums (stay_margins.h) until nothing
// changes. Every bound holds in every world in which values stay and the releases are true; the bounds need not be the
// tightest ones, as finding these is NP-hard from two releases on.
//
// Where there is no such world, nothing follows from anything: whoever is linked to the contradiction by classes,
// however far, is contradicted, and nothing is known of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "audit/stay_margins.h"

namespace pentimento {

class StayBounds {
 public:
  // Looks at no more than `work` unknowns of sums, one after the other; what is known by then stays known.
  StayBounds(StayMargins margins, std::uint64_t work);

  // Draws bounds until nothing changes, or the work is used up.
  void Propagate();

  // Bounds that somebody else has found, no wider than those known. What follows from them is drawn by Propagate().
  void Tighten(std::uint32_t unknown, std::uint32_t least, std::uint32_t most);
  // There is no world for this joint class.
  void Contradict(std::uint32_t joint);
  // Uses up work done elsewhere.
  void Spend(std::uint64_t work) { work_left_ -= work < work_left_ ? work : work_left_; }

  const StayMargins& margins() const { return margins_; }
  StayMargins TakeMargins() && { return std::move(margins_); }
  // Whether more bounds may follow from those known.
  bool stopped() const { return stopped_; }
  bool is_contradicted(std::uint32_t joint) const { return is_contradicted_[joint] != 0; }

 private:
  void Push(std::uint32_t sum);
  void Visit(std::uint32_t sum);
  // Whether bounds of the unknown are still possible with what its sum leaves to it.
  bool Squeeze(std::uint32_t sum, std::uint32_t unknown);
  void ContradictSum(std::uint32_t sum);
  void ContradictClasses(std::vector<std::uint32_t> classes);
  void ListJointClasses();
  std::uint32_t ClassOfEntry(std::uint32_t entry) const;

  StayMargins margins_;
  std::uint64_t work_left_;
  bool stopped_ = false;
  std::vector<std::uint32_t> queue_;  // sums, in a ring
  std::size_t queue_head_ = 0;
  std::size_t queued_ = 0;
  std::vector<std::uint8_t> state_;            // by sum: whether it is in the queue, whether it is contradicted
  std::vector<std::uint8_t> is_contradicted_;  // by joint class
  // By class of all releases, and one more: its joint classes. Made for the first contradiction.
  std::vector<std::uint64_t> class_begin_;
  std::vector<std::uint32_t> class_joints_;
};

}  // namespace pentimento
