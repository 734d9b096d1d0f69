// The [columns] table: the role of every column, and what a role needs to be told.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

// `policy` is the whole file, `missing` what [input] counts as missing: it cannot be declared as a value as well. A
// table of another tool of which no promise is told may have no quasi-identifier.
Result<std::vector<ColumnPolicy>> ReadColumns(const Source& source, const TableReader& policy,
                                              std::span<const std::string> missing, PolicyUse use);

// A list of different values as the data has them; `name` is how messages call it.
Result<std::vector<std::string>> ReadValues(const Source& source, const Value& value, const std::string& name,
                                            std::span<const std::string> missing);
// One of them.
Result<std::string> ReadValue(const Source& source, const Value& value, const std::string& name,
                              std::span<const std::string> missing);

}  // namespace pentimento::policy_file
