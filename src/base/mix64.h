// A hash for integer keys. std::hash of an integer is the integer itself, and a table whose size is a power of two then
// puts all keys that differ only in their high bits into one place.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pentimento {

struct Mix64 {
  std::size_t operator()(std::uint64_t key) const {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{key ^ 0x9E3779B97F4A7C15ULL} * 0xD6E8FEB86659FD93ULL;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
};

}  // namespace pentimento
