// How long random campaigns last: in CI a few seconds; by hand, with PENTIMENTO_CAMPAIGN=20 in the environment,
// 20 times as many cases.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace pentimento::property {

inline std::size_t CampaignLength(std::size_t cases) {
  const char* const times = std::getenv("PENTIMENTO_CAMPAIGN");
  return times == nullptr ? cases : cases * std::strtoul(times, nullptr, 10);
}

}  // namespace pentimento::property
