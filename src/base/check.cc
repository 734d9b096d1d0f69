#include "base/check.h"

#include <cstdio>
#include <cstdlib>

#include "fmt/core.h"

namespace pentimento {

InternalError::InternalError(std::string_view what, std::source_location where)
    : message_(
          fmt::format("internal error: {} ({}:{}). This is a bug in Pentimento; please report it. What is published, "
                      "'pentimento log' tells.",
                      what, where.file_name(), where.line())) {}

void FailCheck(std::string_view what, std::source_location where) { throw InternalError(what, where); }

void EndWithInternalError(const InternalError& error) {
  fmt::print(stderr, "pentimento: {}\n", error.message());
  std::fflush(stderr);
  std::_Exit(kExitInternal);
}

}  // namespace pentimento
