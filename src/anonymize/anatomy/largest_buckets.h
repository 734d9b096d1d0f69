// Anatomy's own way to form classes: again and again one row from each of the l largest buckets.
#pragma once

#include <cstdint>
#include <span>

#include "anonymize/anatomy/class_lists.h"
#include "base/random.h"

namespace pentimento::anatomy {

// Whether every bucket has at most its share of 1/l, so that classes of l different signatures can be formed.
bool IsEligible(std::span<const std::uint32_t> rows_of_signature, std::uint64_t l);

// Of an eligible table. Every class has at least l rows, no two with the same signature.
ClassLists FormFromLargestBuckets(std::span<const std::uint32_t> rows_of_signature, std::uint64_t l, Random& random);

}  // namespace pentimento::anatomy
