#include "io/cell_faults.h"

#include <algorithm>

#include "base/blanks.h"
#include "base/decimal.h"
#include "base/fold_case.h"
#include "base/text_looks.h"

namespace pentimento {
namespace {

constexpr const char* kUnlistedMark =
    "is a usual mark of a missing value that [input] missing does not list; correct the row, or list the mark where it "
    "says that nothing is known";

constexpr std::size_t kMostReadDigits = 18;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "12.0" for "12", as programs write that hold whole numbers as floating point.
std::string_view WithoutZeroDecimals(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == text.npos || point + 1 == text.size() || text.find_first_not_of('0', point + 1) != text.npos) return {};
  return text.substr(0, point);
}

}  // namespace

LeafFaults::LeafFaults(const Taxonomy& taxonomy, const CellReading& reading) : taxonomy_(&taxonomy), reading_(reading) {
  for (Code code = 0; code < taxonomy.leaf_count(); ++code) {
    const std::string& label = taxonomy.leaf_label(code);
    folded_.insert(FoldCase(label));
    plain_.insert(FoldCase(WithoutAccents(label)));
    no_zeros_.emplace(WithoutZerosInFront(label));
  }
}

const char* LeafFaults::WouldBeLeaf(std::string_view text) const {
  if (taxonomy_->FindLeaf(text))
    return "would be a leaf without the blanks around it; leave trim = false away from [input], or correct the row";
  if (folded_.contains(FoldCase(text)))
    return "would be a leaf in other letters, capital or small; write fold_case = true for the column, or correct the "
           "row";
  if (plain_.contains(FoldCase(WithoutAccents(text))))
    return "would be a leaf with other accents, or with accents that are written in another form of Unicode; correct "
           "the row, or the leaf";
  if (const std::string_view unpadded = WithoutZerosInFront(text); no_zeros_.contains(std::string(unpadded)))
    return unpadded.size() < text.size()
               ? "would be a leaf with fewer zeros in front; correct the column, or the leaves"
               : "would be a leaf with a leading zero, which programs drop that read such a column as numbers; correct "
                 "the column, or the leaves";
  if (const std::string_view whole = WithoutZeroDecimals(text); !whole.empty() && taxonomy_->FindLeaf(whole))
    return "would be a leaf without the decimals behind it, which programs add that read such a column as numbers; "
           "correct the column, or the leaves";
  return nullptr;
}

const char* LeafFaults::operator()(std::string_view text) const {
  text = WithoutBlanks(text);
  if (text.empty()) return kMissingNotAllowed;
  if (const char* const what = WouldBeLeaf(text)) return what;
  if (LooksLikeMissing(text)) return kUnlistedMark;
  if (taxonomy_->FindNode(text))
    return "holds an inner node and not a leaf of its taxonomy; correct the row, or add a leaf below that node for "
           "rows that say no more";
  if (LooksLikeDate(text))
    return "looks like a date and is not a leaf of its taxonomy (or in its list of values); correct the row, or add "
           "the leaf (a series that has begun keeps its taxonomies)";
  return "holds a value that is not a leaf of its taxonomy (or in its list of values); correct the row, or add the "
         "leaf (a series that has begun keeps its taxonomies)";
}

const char* NumberFault(std::string_view text, const CellReading& reading) {
  text = WithoutBlanks(text);
  if (text.empty()) return kMissingNotAllowed;
  if (LooksLikeMissing(text)) return kUnlistedMark;
  if (LooksLikeDate(text))
    return "looks like a date and is not a number of its domain; correct the row, or give a column of dates a domain "
           "of "
           "dates, such as [1900-01-01, 2026-12-31]";
  const bool has_digits = std::ranges::any_of(text, IsDigit);
  const bool is_digits_and_marks = text.find_first_not_of("0123456789.,+-' ") == text.npos;
  if (has_digits && is_digits_and_marks) {
    if (static_cast<std::size_t>(std::ranges::count_if(text, IsDigit)) > kMostReadDigits)
      return "is a number of more than 18 digits; round its column with decimals = N, or correct the row";
    if (reading.decimal_point == '.' && text.find(',') != text.npos)
      return "is not a number with a decimal point: it has a comma. Write decimal = \",\" under [input] where that is "
             "the decimal comma, and take separators of thousands out";
    if (reading.decimal_point == ',' && text.find('.') != text.npos)
      return "is not a number with a decimal comma: it has a point. Leave decimal = \",\" away where that is the "
             "decimal point, and take separators of thousands out";
  }
  if (IsDigit(text.front()) && !is_digits_and_marks)
    return "is not a number: something follows the digits, as a unit or an exponent does; take that out";
  return "is not a number; correct the row, or take the column for what it is (taxonomy or values, in the policy)";
}

}  // namespace pentimento
