// Whether a draft is a draft of this table at all. A fault here is a bug of ours, not of the data; it is still
// only a value, so that verify can refuse and nothing is published.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/category_form.h"
#include "release/classes.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// What is wrong, or nothing: table, domains and draft have the same columns; one group for every row, each of them
// with a box; every interval in order, inside its domain and publishable (equal to Domain::Cover of itself);
// persons, if named, one for every row and below their count.
std::optional<std::string> FindMalformation(const EncodedTable& table, std::span<const Domain> domains,
                                            CategoryForm form, const Classes& draft);

}  // namespace pentimento
