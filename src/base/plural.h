// The word for one thing or for several, so that no message says "1 rows".
#pragma once

#include <cstdint>
#include <string_view>

namespace pentimento {

constexpr std::string_view Plural(std::uint64_t count, std::string_view one, std::string_view several) {
  return count == 1 ? one : several;
}

}  // namespace pentimento
