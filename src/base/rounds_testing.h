// How long tests try that try very many things, for tests alone. Under a sanitizer, which makes them ten times as slow,
// a tenth: of the rounds of random tests, and of what others walk through in order. With PENTIMENTO_CAMPAIGN=20 in the
// environment random tests have 20 times as many rounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace pentimento {

inline std::size_t TestRounds(std::size_t rounds) {
#ifdef PENTIMENTO_IS_SANITIZED
  rounds = std::max<std::size_t>(rounds / 10, 1);
#endif
  const char* const times = std::getenv("PENTIMENTO_CAMPAIGN");
  return times == nullptr ? rounds : rounds * std::strtoul(times, nullptr, 10);
}

// The step with which such a walk goes on. Eleven times as wide, so that what changes with every second, third or fifth
// place changes all the same.
inline std::size_t TestStep(std::size_t step) {
#ifdef PENTIMENTO_IS_SANITIZED
  return 11 * step;
#else
  return step;
#endif
}

}  // namespace pentimento
