// How long work tells where it stands, and how it learns that the user has had enough.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace pentimento {

// Called from one thread at a time. The base class shows nothing.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void Begin(std::string_view /*step*/) {}
  // `fraction` of the step is done, from 0 to 1; below 0: nobody knows.
  virtual void Advance(double /*fraction*/) {}
  virtual void End() {}
};

// Set by the signal handler of the command line; long loops look at it.
inline std::atomic<bool> cancel_requested{false};

inline Status CheckCancelled() {
  if (cancel_requested.load(std::memory_order_relaxed)) {
    return Error{ErrorCode::kCancelled, "interrupted; nothing was published"};
  }
  return {};
}

}  // namespace pentimento
