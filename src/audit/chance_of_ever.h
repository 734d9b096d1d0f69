// How sure an attacker can be that a person EVER had a value of a sensitive column, if values change: 1 - prod(1 - s/n)
// over the releases that the person is in, s of the n rows of its class having the value (Wong et al., global
// guarantee). Exact if what a person has in one release says nothing of what it has in another, and all hand-outs of a
// class are equally likely; for values that stay see stay.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ratio.h"
#include "release/common_releases.h"

namespace pentimento {

struct EverQuestion {
  std::string column;
  std::vector<std::size_t> releases;   // their numbers; each has bags of the column
  std::optional<std::uint32_t> value;  // of all values, the likeliest for each person, where there is none
  std::vector<Ratio> bars;             // for each: how many people are above it
};

struct EverChance {
  std::uint32_t people = 0;              // in at least one of the releases
  std::vector<std::uint32_t> above;      // by bar: people with a chance of more than it, exactly
  double largest = 0;                    // for people to read
  std::optional<Ratio> largest_exactly;  // where 64 bits are enough
  std::optional<std::uint32_t> witness;  // a person with the largest chance; nobody where all are 0
  std::uint32_t witness_value = 0;
};

EverChance FindChanceOfEver(const CommonReleases& common, const EverQuestion& question);

}  // namespace pentimento
