// How long random tests try, for tests alone: a tenth of the rounds under a sanitizer, which makes them ten times as
// slow; with PENTIMENTO_CAMPAIGN=20 in the environment 20 times as many.
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

}  // namespace pentimento
