// For tests of what only a bug of ours can do.
#pragma once

#include <string>

#include "base/check.h"

namespace pentimento {

// What a failed check in `body` says; empty where none failed.
template <typename Body>
std::string FailedCheckIn(const Body& body) {
  try {
    body();
  } catch (const InternalError& error) {
    return error.message();
  }
  return "";
}

}  // namespace pentimento
