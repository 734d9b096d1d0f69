#include "base/check.h"

#include <cstdlib>

#include "fmt/core.h"

namespace pentimento {

void FailCheck(std::string_view what, std::source_location where) {
  fmt::print(
      stderr,
      "pentimento: internal error: {} ({}:{}). This is a bug in Pentimento; please report it. What is published, "
      "'pentimento log' tells.\n",
      what, where.file_name(), where.line());
  std::fflush(stderr);
  std::_Exit(kExitInternal);
}

}  // namespace pentimento
