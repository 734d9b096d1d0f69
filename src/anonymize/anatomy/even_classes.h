// Where classes of different signatures cannot be had or would be larger than they need be (values without a limit,
// limits of different strictness, sets of values, several sensitive columns): rows are divided evenly. Sorted by
// signature, every m-th goes to the same of m parts, so each part gets its share of every signature, rounded up or
// down. Parts that break the rule all the same are joined with others until the union keeps it.
#pragma once

#include <cstdint>
#include <span>

#include "anonymize/anatomy/class_lists.h"
#include "anonymize/limits/class_rule.h"
#include "base/random.h"

namespace pentimento::anatomy {

// How many rows a part would have.
std::uint64_t ChoosePartSize(std::span<const std::uint32_t> rows_of_signature, const ClassRule& rule);

// The whole table keeps the rule; then every class does.
ClassLists DivideEvenly(std::span<const std::uint32_t> rows_of_signature, const ClassRule& rule, std::uint64_t size,
                        Random& random);

}  // namespace pentimento::anatomy
