#include "base/decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/blanks.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Appends one decimal digit to `units`; false on overflow.
bool Append(std::int64_t& units, char digit) {
  return !__builtin_mul_overflow(units, std::int64_t{10}, &units) &&
         !__builtin_add_overflow(units, std::int64_t{digit - '0'}, &units);
}

}  // namespace

std::optional<Decimal> ParseDecimal(std::string_view text) {
  text = WithoutBlanks(text);
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const std::size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  std::string_view fraction = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  if (whole.empty() && fraction.empty()) return std::nullopt;
  for (const char c : fraction) {
    if (!IsDigit(c)) return std::nullopt;
  }
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  if (fraction.size() > 18) return std::nullopt;

  Decimal value;
  for (const char c : whole) {
    if (!IsDigit(c) || !Append(value.units, c)) return std::nullopt;
  }
  for (const char c : fraction) {
    if (!Append(value.units, c)) return std::nullopt;
  }
  value.scale = static_cast<int>(fraction.size());
  if (negative) value.units = -value.units;
  return value;
}

std::optional<Decimal> ParseRounded(std::string_view text, int decimals) {
  text = WithoutBlanks(text);
  const std::size_t dot = text.find('.');
  const std::size_t end = dot == text.npos ? text.size() : dot + 1 + static_cast<std::size_t>(decimals);
  if (end >= text.size()) return ParseDecimal(text);
  if (!std::all_of(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), IsDigit)) return std::nullopt;
  const std::optional<Decimal> below =
      ParseDecimal(std::string(text.substr(0, end)) + '0');  // ".0" is a number, "." none
  if (!below || text[end] < '5') return below;
  std::optional<std::int64_t> units = UnitsAtScale(*below, decimals);
  if (!units || __builtin_add_overflow(*units, text[0] == '-' ? -1 : 1, &*units)) return std::nullopt;
  Decimal rounded{*units, decimals};
  for (; rounded.scale > 0 && rounded.units % 10 == 0; --rounded.scale) rounded.units /= 10;
  return rounded;
}

std::optional<Decimal> DecimalFromDouble(double value) {
  if (!std::isfinite(value) || std::fabs(value) >= 9.2e18) return std::nullopt;
  char buffer[400];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  return ParseDecimal(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
}

std::optional<std::int64_t> UnitsAtScale(Decimal value, int scale) {
  if (scale < value.scale) return std::nullopt;
  std::int64_t units = value.units;
  for (int i = value.scale; i < scale; ++i) {
    if (__builtin_mul_overflow(units, std::int64_t{10}, &units)) return std::nullopt;
  }
  return units;
}

WideNumber WideUnits(Decimal value) {
  WideNumber units = value.units;
  for (int scale = value.scale; scale < 18; ++scale) units *= 10;
  return units;
}

std::string ToString(Decimal value) {
  while (value.scale > 0 && value.units % 10 == 0) {
    value.units /= 10;
    --value.scale;
  }
  if (value.scale == 0) return fmt::format("{}", value.units);
  const bool negative = value.units < 0;
  const std::uint64_t magnitude =
      negative ? 0 - static_cast<std::uint64_t>(value.units) : static_cast<std::uint64_t>(value.units);
  std::string digits = fmt::format("{:0{}}", magnitude, value.scale + 1);
  digits.insert(digits.size() - static_cast<std::size_t>(value.scale), 1, '.');
  return negative ? "-" + digits : digits;
}

}  // namespace pentimento
