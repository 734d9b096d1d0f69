#include "engine/init/text_shape.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/blanks.h"
#include "base/date.h"
#include "base/hash.h"
#include "base/mix64.h"

namespace pentimento {
namespace {

constexpr std::array<std::string_view, 6> kDateForms = {"%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y",
                                                        "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d"};
constexpr std::size_t kKeptHashes = 1024;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Of kDateForms, in their order.
const std::vector<DateForm>& ParsedDateForms() {
  static const std::vector<DateForm> forms = [] {
    std::vector<DateForm> parsed;
    for (const std::string_view form : kDateForms) parsed.push_back(DateForm::Parse(form).value());
    return parsed;
  }();
  return forms;
}

}  // namespace

std::span<const std::string_view> UsualDateForms() { return kDateForms; }

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
    const int form = std::countr_zero(left);
    const DateForm::Reading reading = ParsedDateForms()[static_cast<std::size_t>(form)].Read(text);
    if (reading.fault != DateForm::Fault::kNone) {
      date_forms_ &= ~(1U << form);
      continue;
    }
    const int year = DateOf(reading.day).year;
    first_year_ = std::min(first_year_, year);
    last_year_ = std::max(last_year_, year);
  }
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
