#include "guarantee/xy/joins_to_judge.h"

#include <algorithm>
#include <utility>

namespace pentimento {
namespace {

bool IsNamed(std::uint32_t release, std::span<const ReleaseColumn> x, std::span<const ReleaseColumn> y) {
  return std::ranges::find(x, release, &ReleaseColumn::release) != x.end() ||
         std::ranges::find(y, release, &ReleaseColumn::release) != y.end();
}

}  // namespace

std::vector<std::vector<std::uint32_t>> JoinsToJudge(std::span<const std::uint32_t> against,
                                                     std::span<const ReleaseColumn> x,
                                                     std::span<const ReleaseColumn> y) {
  std::vector<std::vector<std::uint32_t>> joins = {{}};
  for (const std::uint32_t release : against) {
    const std::size_t without = joins.size();
    for (std::size_t i = 0; i < without; ++i) {
      std::vector<std::uint32_t> with = joins[i];
      with.push_back(release);
      if (IsNamed(release, x, y)) {
        joins[i] = std::move(with);
      } else {
        joins.push_back(std::move(with));
      }
    }
  }
  if (!against.empty()) std::erase_if(joins, [](const std::vector<std::uint32_t>& join) { return join.empty(); });
  return joins;
}

std::size_t CountReleasesToChoose(std::span<const std::uint32_t> against, std::span<const ReleaseColumn> x,
                                  std::span<const ReleaseColumn> y) {
  return static_cast<std::size_t>(
      std::ranges::count_if(against, [&](std::uint32_t release) { return !IsNamed(release, x, y); }));
}

}  // namespace pentimento
