// Members of a node that may be a class, or not, as those who look for cuts speak of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/interval.h"

namespace pentimento::partition {

// Members with one code.
struct CodeSlot {
  Code code = 0;
  std::size_t first = 0;  // member
};

// Members that may be a class, or not.
struct ClassPart {
  std::uint64_t persons = 0;
  bool keeps = false;
};

// What is below and above a boundary between two slots.
struct ClassBoundary {
  ClassPart below;
  ClassPart above;
  bool is_legal() const { return below.keeps && above.keeps; }
};

}  // namespace pentimento::partition
