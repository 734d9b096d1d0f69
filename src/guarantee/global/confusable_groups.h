// Which groups of a release somebody cannot tell apart who knows everybody's quasi-identifiers, because their boxes
// overlap. global_guarantee.md says why these and no others.
#pragma once

#include <span>
#include <vector>

#include "base/category_form.h"
#include "release/classes.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// For each group the smallest group that it is confusable with. A group may be another's in truth only if the two are
// in one strongly connected component of the graph with an edge from b to a where a row of b fits into the box of a.
// The answer never separates such a component. It may join several where rows fit column by column, but no single row
// does. The draft is well-formed and true.
//
// Classes of two tables have no boxes, and everybody's values are shown: they may be confused only through people who
// are alike in all of them, and these are in the box around the members of either class.
std::vector<ClassNumber> ConfusableGroups(const EncodedTable& table, std::span<const Domain> domains, CategoryForm form,
                                          const Classes& draft);

}  // namespace pentimento
