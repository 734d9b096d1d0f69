// Letters without their case: "ÉLYSÉE" and "élysée" become one text.
#pragma once

#include <string>
#include <string_view>

namespace pentimento {

// UTF-8 with every capital letter of the Latin, Greek, Cyrillic and Armenian scripts replaced by its small one, letter
// by letter (ß stays ß), wherever the program runs. Bytes that are no UTF-8 stay as they are.
std::string FoldCase(std::string_view text);

// What two names that look alike have in common: without blanks at the ends, and without the accents of Latin letters,
// whether they are part of the letter (é) or a character of their own (e and U+0301).
std::string WithoutAccents(std::string_view text);

}  // namespace pentimento
