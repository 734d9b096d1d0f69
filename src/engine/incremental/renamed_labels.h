// Labels of a taxonomy that get other names in the middle of a series. What they stand for stays: the leaves are the
// same, and every node covers the same ones.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taxonomy/taxonomy.h"

namespace pentimento {

struct RenamedTaxonomy {
  Taxonomy taxonomy;                                             // in the order of the earlier one
  std::vector<std::pair<std::string, std::string>> labels = {};  // what they were, and what they are; never of a leaf
};

// `now` as another edition of `before`; nothing where the leaves, or what stands below what, are others. The order of
// lines may be another.
std::optional<RenamedTaxonomy> FindRenamed(const Taxonomy& before, const Taxonomy& now);

// The same leaves in the same order below the same nodes, whatever these are called.
bool HaveSameShape(const Taxonomy& one, const Taxonomy& other);

// A label that stands for one node in `published` and for another one now: whoever reads both would be misled.
// REQUIRES: they have the same shape.
std::optional<std::string> FindMovedLabel(const Taxonomy& published, const Taxonomy& now);

}  // namespace pentimento
