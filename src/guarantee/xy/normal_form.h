// A relation as small as the answer allows. Every step here leaves the least anonymity, or the greatest linkability, of
// any join with the relation as it was; xy_anonymity.md and xy_linkability.md say why.
#pragma once

#include "guarantee/xy/relation.h"
#include "guarantee/xy/xy_view.h"

namespace pentimento {

// For counting different values on Y: values that occur with the same x at the same join values become one number on y.
// On the reduced path, of all x that have one and the same join value the one with the fewest values on Y stays. Rows
// are sorted by x, y, j afterwards, and their numbers on x are ascending without gaps.
void PrepareForAnonymity(Relation& relation, CountingPath path);

// For counting records: rows with the same x, j and y become one. On the reduced path, of all x that have one and the
// same join value the one with the greatest share of a value on Y stays, any one where Y is elsewhere. Sorted likewise.
void PrepareForLinkability(Relation& relation, CountingPath path);

}  // namespace pentimento
