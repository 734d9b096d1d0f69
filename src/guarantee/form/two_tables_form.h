// Whether two tables are what they should be, and whether they tell the truth about the input. A fault here is a bug of
// ours, not of the data; it is still only a value, so that verify can refuse and nothing is published.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "release/draft.h"
#include "table/code_column.h"
#include "table/encoded_table.h"

namespace pentimento {

// What is wrong, or nothing. From the tables and the number of rows alone: every row has a class and every class a row;
// persons, if named, one for every row and below their count; every sensitive column is in exactly one SS table; the
// entries of each are in order by class and value, no two alike and none of them 0; the counts of a class add up to the
// size it has in NSS.
std::optional<std::string> FindMalformation(const EncodedTable& table, std::size_t sensitive_columns,
                                            const Draft& tables);

// What is false, or nothing: each class has exactly the sensitive values that its rows have. The tables are
// well-formed, and every column has a code for every row. The quasi-identifiers are published as they are, so there is
// nothing to compare them with.
std::optional<std::string> FindUntruth(std::span<const CodeColumn* const> sensitive, const Draft& tables);

}  // namespace pentimento
