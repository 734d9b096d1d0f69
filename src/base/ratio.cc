#include "base/ratio.h"

#include <charconv>
#include <numeric>

#include "fmt/core.h"

namespace pentimento {
namespace {

std::optional<std::uint64_t> ParseDigits(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Ratio Reduced(std::uint64_t num, std::uint64_t den) {
  const std::uint64_t divisor = std::gcd(num, den);
  return {num / divisor, den / divisor};
}

}  // namespace

std::strong_ordering operator<=>(Ratio a, Ratio b) {
  __extension__ using Wide = unsigned __int128;
  return Wide{a.num} * b.den <=> Wide{b.num} * a.den;
}

std::optional<Ratio> ParseRatio(std::string_view text) {
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const auto num = ParseDigits(text.substr(0, slash));
    const auto den = ParseDigits(text.substr(slash + 1));
    if (!num || !den || *den == 0) return std::nullopt;
    return Reduced(*num, *den);
  }
  const std::size_t dot = text.find('.');
  const auto whole = ParseDigits(text.substr(0, dot));
  if (!whole) return std::nullopt;
  if (dot == std::string_view::npos) return Ratio{*whole, 1};
  const std::string_view decimals = text.substr(dot + 1);
  const auto fraction = ParseDigits(decimals);
  if (!fraction || decimals.size() > 18) return std::nullopt;
  std::uint64_t den = 1;
  for (std::size_t i = 0; i < decimals.size(); ++i) den *= 10;
  std::uint64_t num = 0;
  if (__builtin_mul_overflow(*whole, den, &num) || __builtin_add_overflow(num, *fraction, &num)) return std::nullopt;
  return Reduced(num, den);
}

std::string ToString(Ratio ratio) {
  return ratio.den == 1 ? fmt::format("{}", ratio.num) : fmt::format("{}/{}", ratio.num, ratio.den);
}

}  // namespace pentimento
