// The terminal that somebody may be looking at, and the line that tells how far long work is.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/progress.h"

namespace pentimento {

struct Terminal {
  bool is_there = false;   // standard error is one
  bool erases = true;      // it understands "begin the line again": not where TERM is dumb or missing
  bool has_blocks = true;  // the locale's characters are UTF-8
  std::size_t columns = 80;
};

// What standard error and the environment say (TERM, COLUMNS, LC_ALL, LC_CTYPE, LANG).
Terminal LookAtTerminal();

// Whether the locale's characters are UTF-8: the first of LC_ALL, LC_CTYPE and LANG that is not empty decides.
bool LocaleIsUtf8();

// "reading ████████░░░░ 66 %" with as long a bar as there is room for, or none. `fraction` is from 0 to 1; below 0:
// nobody knows. Never as wide as the terminal, where it would begin another line.
std::string ProgressLine(const Terminal& terminal, std::string_view step, double fraction);

// A line on standard error that is written anew; where the terminal cannot erase, a line for each step.
std::unique_ptr<Progress> MakeTerminalProgress(const Terminal& terminal);

}  // namespace pentimento
