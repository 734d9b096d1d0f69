// How likely a person with several rows has a value in at least one of them, for somebody who sees in which classes the
// rows are and how often the value occurs there. Exact.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/ratio.h"

namespace pentimento {

// The person's rows in one class: `drawn` of its `rows`, of which `with_value` have the value. To the attacker every
// choice of the person's rows among those of the class is equally likely, and classes know nothing of each other.
struct DrawsFromClass {
  std::uint64_t rows = 0;        // below 2^32
  std::uint64_t with_value = 0;  // at most `rows`
  std::uint64_t drawn = 0;       // at most `rows`
};

// Whether 1 - prod C(rows - with_value, drawn) / C(rows, drawn) is at most the limit. Bounds in 64 bits, rounded to the
// safe side, decide nearly always; where they leave it open the products are compared in full.
bool ChanceOfEverIsAtMost(std::span<const DrawsFromClass> draws, Ratio limit);

// The same without the bounds.
bool ChanceOfEverIsAtMostInFull(std::span<const DrawsFromClass> draws, Ratio limit);

// The chance itself, for people to read; nothing where 64 bits do not hold it.
std::optional<Ratio> ChanceOfEver(std::span<const DrawsFromClass> draws);

}  // namespace pentimento
