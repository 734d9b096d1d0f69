// Which joins a requirement is about: nobody has to use all the releases that he has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "release/joined_releases.h"

namespace pentimento {

// Every non-empty selection of the releases in `against`, ascending, that holds each release of which x or y names a
// column: without it there is no value on x or on y to speak of. The last one is `against` itself. Without earlier
// releases: the new release alone.
std::vector<std::vector<std::uint32_t>> JoinsToJudge(std::span<const std::uint32_t> against,
                                                     std::span<const ReleaseColumn> x,
                                                     std::span<const ReleaseColumn> y);

// How many releases may or may not be in a selection: each doubles their number.
std::size_t CountReleasesToChoose(std::span<const std::uint32_t> against, std::span<const ReleaseColumn> x,
                                  std::span<const ReleaseColumn> y);

// With more of them there would be more joins than anybody waits for.
inline constexpr std::size_t kMostReleasesToChoose = 10;

}  // namespace pentimento
