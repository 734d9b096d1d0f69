// What the texts of a column have in common: numbers, dates, codes, words. Text by text, so that no more than this is
// kept of a column with very many values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.h"

namespace pentimento {

// The forms in which people write days, as a policy names them: "%Y-%m-%d", "%d.%m.%Y", ...
std::span<const std::string_view> UsualDateForms();

class TextShape {
 public:
  // Texts that count as missing are those of `missing`, with blanks around them or without, and the empty one.
  // REQUIRES: `missing` outlives this.
  explicit TextShape(std::span<const std::string> missing);

  // A cell that occurs `count` times. False: it is missing.
  bool Add(std::string_view text, std::uint64_t count);

  std::uint64_t present() const { return present_; }
  // How often each text that means "missing" occurs; the empty one stands for cells without anything.
  const std::map<std::string, std::uint64_t>& missing_texts() const { return missing_texts_; }
  bool has_blanks_around() const { return has_blanks_around_; }
  bool has_words() const { return has_words_; }  // a blank within
  std::size_t longest() const { return longest_; }
  // All texts are digits, and as many.
  bool is_code() const { return present_ > 0 && only_digits_ && shortest_ == longest_; }
  bool has_leading_zeros() const { return has_leading_zeros_; }

  // All texts are numbers if `point` stands before their decimals.
  bool IsNumeric(char point) const { return present_ > 0 && (point == ',' ? is_comma_number_ : is_point_number_); }
  bool needs_comma() const { return IsNumeric(',') && !is_point_number_; }
  Decimal smallest() const { return smallest_; }
  Decimal largest() const { return largest_; }
  int decimals() const { return decimals_; }

  // The forms of which every text is a date, also with a time of day behind. Two where no day is above 12.
  std::vector<std::size_t> DateForms() const;
  int first_year() const { return first_year_; }
  int last_year() const { return last_year_; }

 private:
  bool CountMissing(std::string_view trimmed, std::uint64_t count);
  void LookForNumber(std::string_view text);
  void LookForDate(std::string_view text);
  void LookForCode(std::string_view text);

  std::span<const std::string> missing_;
  std::size_t longest_missing_ = 0;
  std::map<std::string, std::uint64_t> missing_texts_;
  std::uint64_t present_ = 0;
  bool has_blanks_around_ = false, has_words_ = false;
  std::size_t shortest_ = SIZE_MAX, longest_ = 0;
  bool only_digits_ = true, has_leading_zeros_ = false;
  bool is_point_number_ = true, is_comma_number_ = true, has_number_ = false;
  Decimal smallest_, largest_;
  int decimals_ = 0;
  std::uint32_t date_forms_ = ~std::uint32_t{0};  // a bit for each
  int first_year_ = 9999, last_year_ = 0;
};

// About how many different texts there are, from their hashes: the smallest of many random numbers tell how many there
// are. Exact below 1,024, wrong by about 3 % above.
class DistinctSketch {
 public:
  void Add(std::string_view text);
  std::uint64_t Estimate() const;

 private:
  std::vector<std::uint64_t> smallest_;  // a heap, the largest first
};

}  // namespace pentimento
