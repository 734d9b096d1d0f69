// Confusable groups in one column that has more codes than a word has bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"
#include "guarantee/global/group_codes.h"

namespace pentimento {

// What CodeComponents does for few codes, code by code. Keeps its memory from one call to the next.
class LongColumn {
 public:
  // Joins the codes of these groups, all of which are within `range`, and numbers what is strongly connected.
  std::size_t Number(const GroupCodes& members, std::span<const ClassNumber> groups, std::size_t column,
                     Interval range);
  // After Number(), of a code that some group has.
  std::size_t NumberOf(Code code) const { return number_[code - first_]; }

 private:
  void JoinCodes(const GroupCodes& members, std::span<const ClassNumber> groups, std::size_t column);
  void JoinWholeBoxes();
  void NoteBoxes(const GroupCodes& members, std::span<const ClassNumber> groups, std::size_t column, Interval range);
  Interval Reach(std::uint32_t root) const;
  std::uint32_t Root(std::uint32_t code);
  void Join(std::uint32_t a, std::uint32_t b);

  Code first_ = 0;
  // By code, from the first one of the range.
  std::vector<std::uint32_t> parent_;
  std::vector<std::int32_t> whole_;  // how many boxes that are taken as a whole begin here, less those that end here
  std::vector<std::uint8_t> occurs_;
  std::vector<Interval> box_;      // at the root of a component: all boxes of its groups
  std::vector<Interval> reached_;  // likewise: what can be reached backwards; empty (0 below 1) where not known yet
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> roots_;
};

}  // namespace pentimento
