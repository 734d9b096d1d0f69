// The equivalence classes of a table: which class every row is in, and the box that the class is published with.
//
// Invariants, which a verifier checks and nobody else relies on:
// 1. every of_row is below count();
// 2. boxes holds `columns` intervals for each class, or nothing where there are no columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/interval.h"

namespace pentimento {

using ClassNumber = std::uint32_t;

struct Classes {
  std::size_t columns = 0;               // quasi-identifiers per box
  std::vector<Interval> boxes = {};      // `columns` intervals per class, class after class, as published
  std::vector<ClassNumber> of_row = {};  // for each input row its class
  std::uint32_t without_boxes = 1;  // how many there are where columns is 0: everybody together, or those of two tables

  std::uint32_t count() const {
    return columns == 0 ? without_boxes : static_cast<std::uint32_t>(boxes.size() / columns);
  }
  std::span<const Interval> box(ClassNumber number) const {
    return std::span(boxes).subspan(std::size_t{number} * columns, columns);
  }
};

// Those of two tables.
inline Classes ClassesWithoutBoxes(std::uint32_t count, std::vector<ClassNumber> of_row) {
  return {.columns = 0, .boxes = {}, .of_row = std::move(of_row), .without_boxes = count};
}

}  // namespace pentimento
