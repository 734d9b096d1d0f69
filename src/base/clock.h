// The time of day, and how long something took. The only home of the system's clock: everything else takes a Clock, so
// that tests can set it.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace pentimento {

// The present moment as UTC text, "2026-03-01T12:34:56Z": it sorts as text and reads the same everywhere.
using Clock = std::function<std::string()>;

std::string UtcNow();

// How long a step took, for people who wonder. Nothing that is published depends on it.
class Stopwatch {
 public:
  // Seconds since it was made, or since the last call of Lap().
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace pentimento
