// Check(): our own invariants. A failed check is a bug of ours, never a mistake of the user's: it throws an
// InternalError, which publishes nothing and which the border of a face catches. The command tells it and ends with
// exit code 70. User mistakes are Result values (result.h).
#pragma once

#include <source_location>
#include <string>
#include <string_view>

namespace pentimento {

inline constexpr int kExitInternal = 70;

// What a failed check throws. It is no std::exception, so that nobody takes it for the trouble of a library.
// Only the border of a face catches it for good; whoever catches it on the way throws it on.
class InternalError {
 public:
  InternalError(std::string_view what, std::source_location where);
  // What is wrong, where, and what to do.
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

[[noreturn]] void FailCheck(std::string_view what, std::source_location where);

// Where nothing can be thrown any more: tells it and ends the process.
[[noreturn]] void EndWithInternalError(const InternalError& error);

inline void Check(bool holds, std::string_view what, std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    FailCheck(what, where);
}

}  // namespace pentimento
