// Words from a database that may be damaged, fit for a terminal and for JSON.
#pragma once

#include <string>
#include <string_view>

namespace pentimento {

// Control characters and bytes that are no part of well-formed UTF-8 become \xNN; the rest stays as it is.
std::string Printable(std::string_view text);

}  // namespace pentimento
