// Whether labels of several taxonomies make one tree: of any two, one contains the other or they have nothing in
// common.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/interval.h"

namespace pentimento {

struct PlacedLabel {
  Interval leaves;
  std::string label;
  std::optional<std::size_t> member;  // whose label it is; nothing: of the tree that the others are compared with
};

// Two labels that overlap in part, the first such pair in the order of their leaves.
std::optional<std::pair<PlacedLabel, PlacedLabel>> FindCrossing(std::vector<PlacedLabel> labels);

}  // namespace pentimento
