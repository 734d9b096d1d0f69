// A taxonomy as a tree for people to look at on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "taxonomy/taxonomy.h"

namespace pentimento {

struct DrawOptions {
  // Levels below the root that are shown. Limited, because the indentation makes deep drawings grow with the
  // square of the depth, and nobody can read them anyway.
  std::uint32_t max_depth = 64;
  // Children shown per node; what is left is counted: "… 57 more".
  std::size_t max_children = std::numeric_limits<std::size_t>::max();
  bool in_ascii = false;  // lines and dots; labels stay as they are
};

// One line per node with the number of leaves below it; "…" ends a node whose children are too deep to be shown.
std::string DrawTaxonomy(const Taxonomy& taxonomy, const DrawOptions& options);

}  // namespace pentimento
