#include "engine/alpha_k/value_texts.h"

#include <algorithm>

#include "files/table_file.h"

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
    const auto found =
        std::ranges::lower_bound(by_text_, std::string_view(value), {}, [this](Code code) { return View(code); });
    if (found != by_text_.end() && texts_[*found] == value) {
      codes.push_back(*found);
    } else {
      codes.push_back(static_cast<Code>(texts_.size() + absent.size()));
      absent.push_back(value);
    }
  }
  std::ranges::sort(codes);
  return codes;
}

}  // namespace pentimento
