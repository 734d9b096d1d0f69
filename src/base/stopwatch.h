// How long a step took, for people who wonder. Nothing that is published depends on it.
#pragma once

#include <chrono>

namespace pentimento {

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
