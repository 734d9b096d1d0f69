// Natural logarithms of fractions between bounds that are proved, in integers: the same on every machine, which
// std::log is not.
#pragma once

#include <cstdint>

namespace pentimento {

__extension__ using FineLog = unsigned __int128;  // in units of 2^-95

inline constexpr int kFineLogBits = 95;

struct LogBounds {
  FineLog at_least = 0;
  FineLog at_most = 0;  // at_least + 2^8, and both are 0 for ln 1
};

// Of ln(larger / smaller), for 0 < smaller <= larger <= 2 * smaller and larger <= 2^32. Equal fractions have equal
// bounds, in lowest terms or not.
LogBounds BoundLog(std::uint64_t larger, std::uint64_t smaller);

}  // namespace pentimento
