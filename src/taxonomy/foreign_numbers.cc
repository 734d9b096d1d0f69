#include "taxonomy/foreign_numbers.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace pentimento {
namespace {

constexpr std::string_view kEnDash = "\xE2\x80\x93";
constexpr std::string_view kAtLeastSign = "\xE2\x89\xA5";
constexpr std::string_view kAtMostSign = "\xE2\x89\xA4";
constexpr std::size_t kMostMaskedDigits = 17;  // ten times as many numbers still fit into 64 bits

bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }

bool Take(std::string_view& rest, std::string_view token) {
  if (!rest.starts_with(token)) return false;
  rest.remove_prefix(token.size());
  return true;
}

// Digits with an optional '-' and an optional fraction. A '.' that no digit follows is left: it may begin "..".
std::optional<Decimal> TakeNumber(std::string_view& rest) {
  std::size_t end = rest.starts_with('-') ? 1 : 0;
  const std::size_t first_digit = end;
  while (end < rest.size() && IsAsciiDigit(rest[end])) ++end;
  if (end == first_digit) return std::nullopt;
  if (end + 1 < rest.size() && rest[end] == '.' && IsAsciiDigit(rest[end + 1])) {
    ++end;
    while (end < rest.size() && IsAsciiDigit(rest[end])) ++end;
  }
  const std::optional<Decimal> number = ParseDecimal(rest.substr(0, end));
  rest.remove_prefix(end);
  return number;
}

std::optional<Decimal> WholeText(std::string_view text) {
  text = WithoutBlanks(text);
  const std::optional<Decimal> number = TakeNumber(text);
  return text.empty() ? number : std::nullopt;
}

bool HoldsNumbers(const NumberPart& part) {
  if (!part.lo || !part.hi) return true;
  const WideNumber lo = WideUnits(part.lo->number), hi = WideUnits(part.hi->number);
  return lo < hi || (lo == hi && part.lo->is_included && part.hi->is_included);
}

std::optional<ForeignNumbers> OneRange(NumberPart part) {
  if (!HoldsNumbers(part)) return std::nullopt;
  return ForeignNumbers{ForeignNumbers::Kind::kRange, {part}};
}

std::optional<ForeignNumbers> Between(Decimal lo, Decimal hi) {
  return OneRange({NumberEnd{lo, true}, NumberEnd{hi, true}});
}

// "-inf" on the left and "inf" on the right, as pandas and R write the ends that they do not know.
bool IsInfinite(std::string_view text, bool is_left) {
  text = WithoutBlanks(text);
  const bool has_sign = is_left ? Take(text, "-") : Take(text, "+");
  return (has_sign || !is_left) && (text == "inf" || text == "Inf");
}

std::optional<ForeignNumbers> ParseComparison(std::string_view label) {
  NumberPart part;
  const bool at_least = Take(label, ">=") || Take(label, kAtLeastSign);
  const bool at_most = !at_least && (Take(label, "<=") || Take(label, kAtMostSign));
  const bool above = !at_least && !at_most && Take(label, ">");
  const bool below = !at_least && !at_most && !above && Take(label, "<");
  if (!at_least && !at_most && !above && !below) return std::nullopt;
  const auto number = WholeText(label);
  if (!number) return std::nullopt;
  (at_least || above ? part.lo : part.hi) = NumberEnd{*number, at_least || at_most};
  return OneRange(part);
}

// What begins with a number: the number alone, "50+", "20-29", "20..29", "20 to 29".
std::optional<ForeignNumbers> ParseFromNumber(std::string_view rest) {
  const auto lo = TakeNumber(rest);
  if (!lo) return std::nullopt;
  const bool has_blank = rest.starts_with(' ') || rest.starts_with('\t');
  rest = WithoutBlanks(rest);
  if (rest.empty()) return Between(*lo, *lo);
  if (rest == "+") return OneRange({NumberEnd{*lo, true}, std::nullopt});
  const bool is_word = has_blank && (rest.starts_with("to ") || rest.starts_with("to\t"));
  if (is_word) {
    rest.remove_prefix(2);
  } else if (!Take(rest, "-") && !Take(rest, kEnDash) && !Take(rest, "..")) {
    return std::nullopt;
  }
  const auto hi = WholeText(rest);
  return hi ? Between(*lo, *hi) : std::nullopt;
}

// "[21-48]" and "(20..30]": between brackets what stands for a range without them. One number there is none.
std::optional<ForeignNumbers> ParseDashInBrackets(std::string_view inside, bool includes_lo, bool includes_hi) {
  inside = WithoutBlanks(inside);
  const auto range = WholeText(inside) ? std::nullopt : ParseFromNumber(inside);
  if (!range || !range->parts.front().hi) return std::nullopt;
  NumberPart part = range->parts.front();
  part.lo->is_included = includes_lo;
  part.hi->is_included = includes_hi;
  return OneRange(part);
}

std::optional<ForeignNumbers> ParseBrackets(std::string_view label) {
  if (label.size() < 2) return std::nullopt;
  const char open = label.front(), close = label.back();
  if ((open != '[' && open != ']' && open != '(') || (close != ']' && close != '[' && close != ')'))
    return std::nullopt;
  const std::string_view inside = label.substr(1, label.size() - 2);
  const std::size_t comma = inside.find(',');
  if (comma == std::string_view::npos) return ParseDashInBrackets(inside, open == '[', close == ']');
  const std::string_view left = inside.substr(0, comma), right = inside.substr(comma + 1);
  NumberPart part;
  if (const auto number = WholeText(left)) part.lo = NumberEnd{*number, open == '['};
  if (const auto number = WholeText(right)) part.hi = NumberEnd{*number, close == ']'};
  if ((!part.lo && !IsInfinite(left, true)) || (!part.hi && !IsInfinite(right, false))) return std::nullopt;
  return OneRange(part);
}

std::optional<ForeignNumbers> ParseNumberSet(std::string_view label) {
  const bool has_braces = label.size() >= 2 && label.front() == '{' && label.back() == '}';
  if (has_braces) label = label.substr(1, label.size() - 2);
  const char separator = has_braces && label.find('|') == std::string_view::npos ? ',' : '|';
  if (!has_braces && label.find(separator) == std::string_view::npos) return std::nullopt;
  ForeignNumbers set{ForeignNumbers::Kind::kSet, {}};
  for (std::size_t begin = 0; begin <= label.size();) {
    const std::size_t end = std::min(label.find(separator, begin), label.size());
    const auto number = WholeText(label.substr(begin, end - begin));
    if (!number) return std::nullopt;
    set.parts.push_back({NumberEnd{*number, true}, NumberEnd{*number, true}});
    begin = end + 1;
  }
  return set;
}

std::optional<ForeignNumbers> ParseDigitMask(std::string_view label) {
  const std::size_t digits = std::min(label.find('*'), label.size());
  const std::size_t stars = label.size() - digits;
  if (stars == 0 || label.size() > kMostMaskedDigits) return std::nullopt;
  if (label.find_first_not_of('*', digits) != std::string_view::npos) return std::nullopt;
  std::int64_t prefix = 0;
  for (const char c : label.substr(0, digits)) {
    if (!IsAsciiDigit(c)) return std::nullopt;
    prefix = prefix * 10 + (c - '0');
  }
  ForeignNumbers mask{ForeignNumbers::Kind::kMask, {}};
  std::int64_t width = 1;
  for (std::size_t known = 0; known <= stars; ++known, width *= 10) {
    std::int64_t lo = prefix * width, hi = lo + width - 1;
    if (digits == 0) {
      // Without a digit in front these are all numbers of so many digits; one of no digits there is not.
      if (known == 0) continue;
      lo = known == 1 ? 0 : width / 10;
    }
    mask.parts.push_back({NumberEnd{{lo, 0}, true}, NumberEnd{{hi, 0}, true}});
  }
  std::ranges::reverse(mask.parts);
  return mask;
}

}  // namespace

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<ForeignNumbers> ParseForeignNumbers(std::string_view label) {
  label = WithoutBlanks(label);
  if (auto range = ParseBrackets(label)) return range;
  if (auto range = ParseComparison(label)) return range;
  if (auto range = ParseFromNumber(label)) return range;
  if (auto set = ParseNumberSet(label)) return set;
  return ParseDigitMask(label);
}

}  // namespace pentimento
