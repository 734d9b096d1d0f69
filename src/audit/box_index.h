// Which boxes of a release meet a box: for each person the classes that the person can be in. A tree; every node cuts
// its boxes at a code of one column into those below, those above and those on both sides, so that boxes that do not
// overlap are found in logarithmic time, and wide boxes among narrow ones are not in their way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"

namespace pentimento {

class BoxIndex {
 public:
  // Boxes of `columns` intervals each, at least one; they stay the caller's.
  BoxIndex(std::size_t columns, std::span<const Interval> boxes);

  // Calls body(number of a box) for every box that has a code in common with this one in each column. The order is
  // that of the tree: the same every time.
  template <typename Body>
  void ForEachMeeting(std::span<const Interval> box, const Body& body) const {
    if (!nodes_.empty()) Visit(0, box, body);
  }

  std::span<const Interval> box(std::uint32_t number) const {
    return boxes_.subspan(std::size_t{number} * columns_, columns_);
  }

 private:
  struct Node {
    std::uint32_t begin = 0;  // its boxes, in order_
    std::uint32_t end = 0;
    std::uint32_t first_child = 0;  // of `children`, one after the other; a node without any lists its boxes
    std::uint32_t children = 0;
  };
  // Between a code of one column and the next: how many boxes of a node end below, are on both sides, begin above.
  struct Cut {
    std::size_t column = 0;
    Code below = 0;  // the last code on that side
    std::array<std::uint32_t, 3> parts = {};

    // How many boxes a look that goes to one side and across has to deal with, where it goes to a side as often as that
    // side has boxes.
    double Cost() const {
      const double low = parts[0], high = parts[2];
      return low + high == 0 ? parts[1] : (low * low + high * high) / (low + high) + parts[1];
    }
  };
  struct Ends {
    std::vector<Code> lo, hi;  // of one column of a node, each sorted
  };

  static bool Meet(std::span<const Interval> a, std::span<const Interval> b) {
    return std::ranges::equal(a, b, [](Interval left, Interval right) { return left.Intersects(right); });
  }
  template <typename Body>
  void Visit(std::uint32_t number, std::span<const Interval> box, const Body& body) const {
    const Node& node = nodes_[number];
    if (!Meet(std::span(bounds_).subspan(std::size_t{number} * columns_, columns_), box)) return;
    if (node.children == 0) {
      for (std::uint32_t i = node.begin; i < node.end; ++i) {
        if (Meet(this->box(order_[i]), box)) body(order_[i]);
      }
    }
    for (std::uint32_t child = 0; child < node.children; ++child) Visit(node.first_child + child, box, body);
  }

  void AddNode(std::uint32_t begin, std::uint32_t end);
  void Divide(std::uint32_t number, Ends& ends);
  Cut BestCut(const Node& node, Ends& ends) const;
  std::size_t PartOf(std::uint32_t box_number, const Cut& cut) const;

  std::size_t columns_;
  std::span<const Interval> boxes_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
  std::vector<Interval> bounds_;  // by node, `columns_` each: the smallest box around its boxes
};

}  // namespace pentimento
