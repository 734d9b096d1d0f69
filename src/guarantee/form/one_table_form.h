// Whether classes are classes of this table at all, and whether what they say of its rows is true.
//
// A fault here is a bug of ours, not of the data; it is still only a value, so that verify can refuse and nothing is
// published.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/category_form.h"
#include "release/classes.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// What is wrong, or nothing:
// 1. table, domains and draft have the same columns;
// 2. every row has a class, and every class a box;
// 3. every interval is in order, inside its domain and publishable (equal to Domain::Cover of itself);
// 4. persons, if named, are one for every row and below their count.
std::optional<std::string> FindMalformation(const EncodedTable& table, std::span<const Domain> domains,
                                            CategoryForm form, const Classes& draft);

struct FalseCell {
  std::size_t row = 0;
  std::size_t column = 0;
};

// The first cell, by row and then by column, whose code its box does not hold.
// REQUIRES: FindMalformation finds nothing.
std::optional<FalseCell> FindFalseCell(const EncodedTable& table, const Classes& draft);

}  // namespace pentimento
