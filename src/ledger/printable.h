// Words from a database that may be damaged, or names from a table, fit for a terminal and for JSON.
#pragma once

#include <string>
#include <string_view>

namespace pentimento {

// Control characters (those above U+007F too) and bytes that are no part of well-formed UTF-8 become \xNN; the rest
// stays as it is, and so do the characters of `kept`.
std::string Printable(std::string_view text, std::string_view kept = "");

}  // namespace pentimento
