// Rows put into classes, without a word on how a class is published.
#pragma once

#include <cstdint>
#include <vector>

namespace pentimento {

using ClassNumber = std::uint32_t;

struct Grouping {
  std::uint32_t classes = 0;
  std::vector<ClassNumber> class_of_row;
};

}  // namespace pentimento
