// Makes taxonomies that follow a rule, so that nobody has to type them. Each builder returns the text of a
// taxonomy file, and only text that Taxonomy::Parse reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace pentimento {

// Masks one character after the other from the right: 13053;1305*;130**;13***;1****;*. All values have the same
// number of characters. The lines are sorted and repeated values dropped, so the order of the list tells nothing.
Result<std::string> BuildPrefixTaxonomy(std::span<const std::string> values);

// Every whole number from lo to hi below wider and wider intervals that start at multiples of their width:
// 17;[15,20);[10,20);[0,20);* for the widths 5, 10, 20. Each width is a multiple of the one before.
Result<std::string> BuildIntervalTaxonomy(std::int64_t lo, std::int64_t hi, std::span<const std::int64_t> widths);

// Every value right below the root, in the order of the list, repeated values dropped. The order matters where sets
// of neighbours are published, and it is public: sort a list that was drawn from data.
Result<std::string> BuildFlatTaxonomy(std::span<const std::string> values);

}  // namespace pentimento
