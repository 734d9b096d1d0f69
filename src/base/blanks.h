// Blanks around a text, which people do not see.
#pragma once

#include <string_view>

namespace pentimento {

inline constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

// Without the spaces, tabs and no-break spaces at both ends.
inline std::string_view WithoutBlanks(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    if (!text.empty() && is_blank(text.front())) text.remove_prefix(1), goes_on = true;
    if (!text.empty() && is_blank(text.back())) text.remove_suffix(1), goes_on = true;
    if (text.starts_with(kNoBreakSpace)) text.remove_prefix(kNoBreakSpace.size()), goes_on = true;
    if (text.ends_with(kNoBreakSpace)) text.remove_suffix(kNoBreakSpace.size()), goes_on = true;
  }
  return text;
}

}  // namespace pentimento
