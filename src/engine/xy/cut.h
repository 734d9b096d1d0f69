// Global and local recoding. A column is a cut where its labels exclude each other: none stands for a value that
// another one stands for, too. Where they do not, people with the same value were published with different labels, and
// who is who can sometimes be told by counting.
#pragma once

#include "engine/xy/published_release.h"

namespace pentimento {

// Of a column that was read. What is published as it came is a cut. A label that cannot be read makes none.
bool IsCut(const EarlierColumn& column);

}  // namespace pentimento
