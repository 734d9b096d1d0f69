#include "base/text_looks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "base/fold_case.h"

namespace pentimento {

bool LooksLikeDate(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::array<std::size_t, 3> digits{};
  char separator = '\0';
  std::size_t at = 0;
  for (std::size_t part = 0; part < digits.size(); ++part) {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    digits[part] = at - begin;
    if (part == 2) break;
    if (at == text.size() || (text[at] != '-' && text[at] != '.' && text[at] != '/')) return false;
    if (part == 1 && text[at] != separator) return false;
    separator = text[at++];
  }
  const bool ends = at == text.size() || text[at] == ' ' || text[at] == 'T';
  const auto is_short = [&](std::size_t part) { return digits[part] == 1 || digits[part] == 2; };
  const bool begins_with_year = digits[0] == 4 && is_short(2);
  const bool ends_with_year = is_short(0) && (digits[2] == 2 || digits[2] == 4);
  return ends && is_short(1) && (begins_with_year || ends_with_year);
}

std::span<const std::string_view> UsualMissingTexts() {
  static constexpr std::array<std::string_view, 16> kTexts = {
      "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "NaN", "nan", "\\N", "-", "--", ".", "na", "Null"};
  return kTexts;
}

bool LooksLikeMissing(std::string_view text) {
  const std::string folded = FoldCase(text);
  return folded == "none" || folded == "nil" ||
         std::ranges::any_of(UsualMissingTexts(), [&](std::string_view usual) { return FoldCase(usual) == folded; });
}

std::string_view WithoutZerosInFront(std::string_view text) {
  const std::size_t first = text.find_first_not_of('0');
  return first == text.npos ? text.substr(text.empty() ? 0 : text.size() - 1) : text.substr(first);
}

}  // namespace pentimento
