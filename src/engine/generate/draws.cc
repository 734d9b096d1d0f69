#include "engine/generate/draws.h"

#include <numeric>

#include "base/check.h"

namespace pentimento::people {

WeightedChoice::WeightedChoice(std::span<const std::uint32_t> shares) {
  const std::uint64_t total = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  Check(total > 0 && total <= UINT32_MAX, "shares must add up to a positive 32-bit number");
  total_ = static_cast<std::uint32_t>(total);

  // Every column holds `total` in the end: a scarce value is topped up from an ample one.
  std::vector<std::uint64_t> left(shares.size());
  std::vector<std::uint32_t> scarce, ample;
  for (std::uint32_t i = 0; i < shares.size(); ++i) {
    left[i] = std::uint64_t{shares[i]} * shares.size();
    (left[i] < total ? scarce : ample).push_back(i);
  }
  columns_.resize(shares.size());
  while (!scarce.empty()) {
    const std::uint32_t poor = scarce.back(), rich = ample.back();
    scarce.pop_back();
    columns_[poor] = {static_cast<std::uint32_t>(left[poor]), rich};
    left[rich] -= total - left[poor];
    if (left[rich] < total) {
      ample.pop_back();
      scarce.push_back(rich);
    }
  }
  for (const std::uint32_t full : ample) columns_[full] = {total_, full};
}

}  // namespace pentimento::people
