#include "engine/sensitive/value_texts.h"

#include <algorithm>

#include "io/csv_rows.h"

namespace pentimento {

ValueTexts::ValueTexts(const ValueColumn& column) : column_(column), texts_(CsvTexts(column)) {
  for (Code code = 0; code < texts_.size(); ++code) {
    if (code != column.null_code) by_text_.push_back(code);
  }
  std::ranges::sort(by_text_, {}, [this](Code code) { return View(code); });
}

std::vector<Code> ValueTexts::Find(const std::vector<std::string>& values, std::vector<std::string>& absent) const {
  std::vector<Code> codes;
  for (const std::string& value : values) {
    // Values of another type than text may look alike: each of them is meant.
    const auto [first, last] =
        std::ranges::equal_range(by_text_, std::string_view(value), {}, [this](Code code) { return View(code); });
    if (first == last) absent.push_back(value);
    codes.insert(codes.end(), first, last);
  }
  std::ranges::sort(codes);
  return codes;
}

}  // namespace pentimento
