// Counts in messages: the word for one thing or for several, so that no message says "1 rows", and digits that can be
// read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pentimento {

constexpr std::string_view Plural(std::uint64_t count, std::string_view one, std::string_view several) {
  return count == 1 ? one : several;
}

// "12,345"
std::string WithCommas(std::uint64_t number);

}  // namespace pentimento
