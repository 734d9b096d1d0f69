#include "base/plural.h"

#include <fmt/core.h>

namespace pentimento {

std::string WithCommas(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t from_end = 3; from_end < digits.size(); from_end += 4)
    digits.insert(digits.size() - from_end, 1, ',');
  return digits;
}

}  // namespace pentimento
