// Reports the progress of long-running work, and tells it that the user has had enough.
#pragma once

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

// kCancelled where the current run (run.h) was cancelled; long loops ask now and then.
Status CheckCancelled();

}  // namespace pentimento
