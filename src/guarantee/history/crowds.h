// The crowd of a person, for whoever knows everybody's quasi-identifiers but not who is in which release: over a set of
// releases, the people who are in at least one of them and whose class covers the person in every one of them that they
// are in.
//
// 1. Where the person is in a release, a class covers them if it is their own. Where they are not, it is the class that
//    CommonRelease::covering names. Where that is not known a crowd has two bounds: of people whose class may cover the
//    person, `at_least` counts none and `at_most` all. Equal bounds are exact.
// 2. Strangers of a class that covers the person count in `at_most`. Over one release alone they count in `at_least`,
//    too; over several they do not: nobody can tell in which classes of the others they are.
// 3. A joint class over all releases is in the crowds of its people over any set of them (history.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "guarantee/history/stories.h"

namespace pentimento {

struct Crowd {
  std::uint64_t at_least = 0;
  std::uint64_t at_most = 0;

  friend bool operator==(const Crowd&, const Crowd&) = default;
};

// How much may be looked at before it is given up: visits of a story in a release. Counts down.
struct WorkLimit {
  std::uint64_t visits = std::uint64_t{1} << 30;

  // Whether there was enough left.
  bool Spend(std::uint64_t some) {
    const bool is_enough = some <= visits;
    visits = is_enough ? visits - some : 0;
    return is_enough;
  }
};

// The crowds of these stories over a set of releases, in their order; nothing where the limit is reached. A story that
// is in none of the releases has no crowd over them: 0 and 0.
std::optional<std::vector<Crowd>> FindCrowds(const Stories& stories, ReleaseMask set,
                                             std::span<const std::uint32_t> looked_at, WorkLimit& limit);

// The sets of releases that decide about all: over any other set everybody's crowd has at least as many people as over
// one of these that holds it (history.md). Ascending; never the empty set. Nothing where there are more than `most`.
std::optional<std::vector<ReleaseMask>> DecidingSets(const Stories& stories, std::size_t most);

// The set without the releases that another one of it refines: the crowds over it are the same (history.md).
ReleaseMask WithoutRefined(const Stories& stories, ReleaseMask set);

}  // namespace pentimento
