// Check(): our own invariants. A failed check is a bug of ours, never a mistake of the user's: it ends
// the process with exit code 70 and publishes nothing. User mistakes are Result values (result.h).
#pragma once

#include <source_location>
#include <string_view>

namespace pentimento {

inline constexpr int kExitInternal = 70;

[[noreturn]] void FailCheck(std::string_view what, std::source_location where);

inline void Check(bool holds, std::string_view what, std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    FailCheck(what, where);
}

}  // namespace pentimento
