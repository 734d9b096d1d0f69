// The values of one sensitive column, by the text that a policy would write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table/values.h"

namespace pentimento {

// Points to the column, which must stay where it is.
class ValueTexts {
 public:
  explicit ValueTexts(const ValueColumn& column);

  const ValueColumn& column() const { return column_; }
  // By code; the missing value is an empty text.
  const std::vector<std::string>& texts() const { return texts_; }

  // Ascending, one for each value. A value that no row has gets a code beyond those of the column; `absent` receives
  // it.
  std::vector<Code> Find(const std::vector<std::string>& values, std::vector<std::string>& absent) const;

 private:
  std::string_view View(Code code) const { return texts_[code]; }

  const ValueColumn& column_;
  std::vector<std::string> texts_;
  std::vector<Code> by_text_;
};

}  // namespace pentimento
