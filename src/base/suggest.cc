#include "base/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "fmt/core.h"

namespace pentimento {
namespace {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    current[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = previous[j] + (a[i] == b[j] ? 0 : 1);
      current[j + 1] = std::min({replaced, previous[j + 1] + 1, current[j] + 1});
    }
    std::swap(previous, current);
  }
  return previous.back();
}

}  // namespace

std::optional<std::string> ClosestName(std::string_view word, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(word, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string DidYouMean(std::string_view word, std::span<const std::string> candidates) {
  const auto closest = ClosestName(word, candidates);
  return closest ? fmt::format(" Did you mean '{}'?", *closest) : std::string();
}

}  // namespace pentimento
