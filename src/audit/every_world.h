// What a release of a few people tells to somebody who knows the algorithm, everybody's quasi-identifiers and the
// release: all ways to hand out the sensitive values are tried, the algorithm runs on each, and those that would have
// been published in another form are ruled out. It finds rows that were moved because of their value, and cuts that
// were not made, without a theory of either. Exact; exponential, so for tables of some ten rows: only tests call it.
//
// 1. Before the release all ways to hand out the values are equally likely, and how often which value occurs is known.
// 2. A release shows the boxes and the bag of each class, and, in two tables, who is in it. People with equal
//    quasi-identifiers are told apart by nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/ratio.h"
#include "release/classes.h"

namespace pentimento {

// One way in which the algorithm may publish a world: of all its draws, `weight` lead to it.
struct PublishedWorld {
  Classes classes;
  std::uint64_t weight = 1;
};

struct WorldQuestion {
  std::vector<std::uint32_t> profiles;  // by person: equal for equal quasi-identifiers
  std::vector<std::uint32_t> values;    // by person: the truth
  Classes published;                    // its classes, with the class of each person
  bool shows_members = false;           // two tables: the profiles of a class are published beside its bag
  Ratio bar = {1, 1};
  // The algorithm, on values by person; what it draws, and an order of rows that nobody knows, are weights. REQUIRES:
  // the weights of every world add up to the same number.
  std::function<std::vector<PublishedWorld>(std::span<const std::uint32_t> values)> publish;
  std::uint64_t most_worlds = 100'000;
};

struct WorldFindings {
  std::uint64_t worlds = 0;  // all ways to hand out the values, of equal profiles once for each person
  // Those that may have been published so. Where there are none this algorithm did not make the release, and nothing
  // follows: the lists are empty.
  std::uint64_t possible = 0;
  std::uint32_t certain = 0;     // people of whom one value is left
  std::uint32_t above_bar = 0;   // people who have some value with a chance above the bar, the certain included
  std::vector<Ratio> likeliest;  // by person: the chance of the likeliest value
  std::vector<std::uint32_t> likeliest_value;  // by person
};

// Nothing where there are more worlds than the limit.
std::optional<WorldFindings> TryEveryWorld(const WorldQuestion& question);

}  // namespace pentimento
