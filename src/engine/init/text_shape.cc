#include "engine/init/text_shape.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/blanks.h"
#include "base/hash.h"
#include "base/mix64.h"

namespace pentimento {
namespace {

constexpr std::array<std::string_view, 16> kMissingTexts = {"?",   "NA",  "N/A", "n/a", "#N/A", "<NA>", "NULL", "null",
                                                            "NaN", "nan", "\\N", "-",   "--",   ".",    "na",   "Null"};
constexpr std::array<std::string_view, 6> kDateForms = {"%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y",
                                                        "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d"};
constexpr std::size_t kKeptHashes = 1024;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsLeapYear(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

bool Exists(const DateDay& date) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (date.month < 1 || date.month > 12 || date.day < 1) return false;
  const int extra = date.month == 2 && IsLeapYear(date.year) ? 1 : 0;
  return date.day <= kDays[static_cast<std::size_t>(date.month - 1)] + extra;
}

// The next `fewest` to `most` digits, taken away from the text.
std::optional<int> TakeNumber(std::string_view& text, std::size_t fewest, std::size_t most) {
  std::size_t count = 0;
  int number = 0;
  while (count < most && count < text.size() && IsDigit(text[count])) number = 10 * number + (text[count++] - '0');
  if (count < fewest) return std::nullopt;
  text.remove_prefix(count);
  return number;
}

bool IsTimeOfDay(std::string_view text) {
  const auto hour = TakeNumber(text, 2, 2);
  if (!hour || *hour > 24 || !text.starts_with(':')) return false;
  text.remove_prefix(1);
  const auto minute = TakeNumber(text, 2, 2);
  return minute && *minute < 60 && (text.empty() || std::string_view(":+-Z").find(text[0]) != text.npos);
}

}  // namespace

std::span<const std::string_view> UsualMissingTexts() { return kMissingTexts; }
std::span<const std::string_view> UsualDateForms() { return kDateForms; }

std::optional<DateDay> ReadDate(std::string_view text, std::size_t form) {
  DateDay date;
  const std::string_view pattern = kDateForms[form];
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      if (!text.starts_with(pattern[i])) return std::nullopt;
      text.remove_prefix(1);
      continue;
    }
    const char part = pattern[++i];
    const auto number = TakeNumber(text, part == 'Y' ? 4 : 1, part == 'Y' ? 4 : 2);
    if (!number) return std::nullopt;
    (part == 'Y' ? date.year : part == 'm' ? date.month : date.day) = *number;
  }
  if (!text.empty() || !Exists(date)) return std::nullopt;
  return date;
}

TextShape::TextShape(std::span<const std::string> missing) : missing_(missing) {
  for (const std::string& text : missing) longest_missing_ = std::max(longest_missing_, text.size());
}

bool TextShape::Add(std::string_view text, std::uint64_t count) {
  const std::string_view trimmed = WithoutBlanks(text);
  has_blanks_around_ |= trimmed.size() != text.size();
  if (CountMissing(trimmed, count)) return false;
  present_ += count;
  shortest_ = std::min(shortest_, trimmed.size());
  longest_ = std::max(longest_, trimmed.size());
  has_words_ |= trimmed.find(' ') != trimmed.npos;
  LookForCode(trimmed);
  LookForNumber(trimmed);
  LookForDate(trimmed);
  return true;
}

bool TextShape::CountMissing(std::string_view trimmed, std::uint64_t count) {
  if (trimmed.size() > longest_missing_) return false;
  if (!trimmed.empty() && std::ranges::find(missing_, trimmed) == missing_.end()) return false;
  missing_texts_[std::string(trimmed)] += count;
  return true;
}

void TextShape::LookForCode(std::string_view text) {
  if (!only_digits_) return;
  only_digits_ = std::ranges::all_of(text, IsDigit);
  has_leading_zeros_ |= only_digits_ && text.size() > 1 && text[0] == '0';
}

void TextShape::LookForNumber(std::string_view text) {
  if (!is_point_number_ && !is_comma_number_) return;
  const bool has_comma = text.find(',') != text.npos;
  std::string with_point(text);
  std::ranges::replace(with_point, ',', '.');
  const std::optional<Decimal> number = ParseDecimal(with_point);
  is_point_number_ &= number.has_value() && !has_comma;
  is_comma_number_ &= number.has_value() && text.find('.') == text.npos;
  if (!number) return;
  if (!has_number_ || WideUnits(*number) < WideUnits(smallest_)) smallest_ = *number;
  if (!has_number_ || WideUnits(*number) > WideUnits(largest_)) largest_ = *number;
  has_number_ = true;
  decimals_ = std::max(decimals_, number->scale);
}

void TextShape::LookForDate(std::string_view text) {
  for (std::uint32_t left = date_forms_ & ((1U << kDateForms.size()) - 1); left != 0; left &= left - 1) {
    const std::size_t form = static_cast<std::size_t>(std::countr_zero(left));
    const std::optional<DateDay> date = ReadDate(text, form);
    if (!date) date_forms_ &= ~(1U << form);
    if (!date) continue;
    first_year_ = std::min(first_year_, date->year);
    last_year_ = std::max(last_year_, date->year);
  }
  if (!only_times_) return;
  const bool has_day = text.size() > 11 && ReadDate(text.substr(0, 10), 0) && (text[10] == ' ' || text[10] == 'T');
  only_times_ = has_day && IsTimeOfDay(text.substr(11));
}

std::vector<std::size_t> TextShape::DateForms() const {
  std::vector<std::size_t> forms;
  for (std::size_t form = 0; form < kDateForms.size() && present_ > 0; ++form) {
    if ((date_forms_ >> form & 1) != 0) forms.push_back(form);
  }
  return forms;
}

void DistinctSketch::Add(std::string_view text) {
  const std::uint64_t hash = Mix64()(Checksum(std::as_bytes(std::span(text))));
  if (smallest_.size() == kKeptHashes && hash >= smallest_.front()) return;
  if (std::ranges::find(smallest_, hash) != smallest_.end()) return;
  smallest_.push_back(hash);
  std::ranges::push_heap(smallest_);
  if (smallest_.size() <= kKeptHashes) return;
  std::ranges::pop_heap(smallest_);
  smallest_.pop_back();
}

std::uint64_t DistinctSketch::Estimate() const {
  if (smallest_.size() < kKeptHashes) return smallest_.size();
  const double share = static_cast<double>(smallest_.front()) / 18446744073709551616.0;
  return static_cast<std::uint64_t>(static_cast<double>(kKeptHashes - 1) / share);
}

}  // namespace pentimento
