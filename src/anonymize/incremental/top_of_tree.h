// The upper part of a tree as tables from code to child. Nodes up there have many children, which of them a row goes to
// cannot be foretold, and all rows of a batch come by: a look into a table takes a fraction of a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/incremental/incremental_tree.h"
#include "base/interval.h"

namespace pentimento {

class TopOfTree {
 public:
  // Where the tables end: an inner node, whose subtree goes on, or a leaf.
  struct Place {
    NodeNumber number = 0;
    RegionNode node;
    Box region;
  };

  // Goes down, level by level, until there are about `wanted` places. Tables have at most `codes` entries, so that
  // making them costs no more than what they are made for.
  TopOfTree(const IncrementalTree& tree, std::size_t wanted, std::size_t codes);

  // Such that the nodes below one place are numbered before those below the next, as far as one release made them.
  std::span<const Place> places() const { return places_; }

  // The places of `count` rows whose codes lie side by side. Everybody takes a step before anybody takes the next one:
  // they do not wait for each other's memory.
  template <typename Lane>
  void Find(const Lane* codes, std::size_t columns, std::size_t count, std::uint32_t* place_of_row) const {
    for (std::size_t i = 0; i < count; ++i) place_of_row[i] = 0;
    for (std::size_t level = 0; level < levels_; ++level) {
      for (std::size_t i = 0; i < count; ++i) {
        const Step step = steps_[place_of_row[i]];
        place_of_row[i] = next_[step.first + (codes[i * columns + step.column] & step.mask)];
      }
    }
    for (std::size_t i = 0; i < count; ++i) place_of_row[i] = place_of_step_[place_of_row[i]];
  }

 private:
  // next_[first + code] is where a code leads to. Where nothing leads on the mask makes one of all codes, and the entry
  // is the step itself: no branch asks whether a row has arrived.
  struct Step {
    std::uint32_t first = 0;  // may wrap below 0: it is counted from code 0, and the table from the region's lowest
    std::uint32_t column = 0;
    std::uint32_t mask = 0;
  };

  std::vector<Step> steps_;  // the root first
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> place_of_step_;
  std::size_t levels_ = 0;
  std::vector<Place> places_;
};

}  // namespace pentimento
