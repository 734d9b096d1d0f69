// A taxonomy as it is published: a table whose lines all have as many labels as the longest.
#pragma once

#include <string>

#include "taxonomy/taxonomy.h"

namespace pentimento {

// Taxonomy::ToText() with shorter lines filled up by repeating their leaf, as ARX does, so that tools that expect a
// table can read it. Taxonomy::Parse() of either gives an equal taxonomy. Where that would be more
// than a hundred million labels, lines stay as they are.
std::string PaddedText(const Taxonomy& taxonomy);

}  // namespace pentimento
