// Exact decimals for numeric columns: a whole number of units of 10^-scale. "37.50" is 3750 at scale 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pentimento {

struct Decimal {
  std::int64_t units = 0;
  int scale = 0;  // 0 to 18
};

// Reads an optional sign, digits, optional '.', digits; spaces around are ignored. Trailing zeros after
// the point are dropped, so equal numbers are equal values. Nothing for anything else or for numbers that
// 64 bits cannot hold.
std::optional<Decimal> ParseDecimal(std::string_view text);

// The same for a number with any count of digits after the point, rounded to `decimals` of them by what is written:
// half goes away from zero, so 2.675 is 2.68 and -0.5 is -1.
std::optional<Decimal> ParseRounded(std::string_view text, int decimals);

// The shortest decimal that reads back as the same double; nothing for NaN, infinities and out of range.
std::optional<Decimal> DecimalFromDouble(double value);

// The same number at a finer scale; nothing where it does not fit.
std::optional<std::int64_t> UnitsAtScale(Decimal value, int scale);

// A number in units of 10^-18: every decimal there is has its place on that line.
__extension__ using WideNumber = __int128;
WideNumber WideUnits(Decimal value);

// "37.5", "-3", "0": no trailing zeros.
std::string ToString(Decimal value);

}  // namespace pentimento
