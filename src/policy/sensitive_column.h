// The sensitive column that an entry of `limits` speaks of.
#pragma once

#include "base/result.h"
#include "policy/column_names.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

inline bool IsSensitive(const ColumnPolicy& column) { return column.role == Role::kSensitive; }

Result<const ColumnPolicy*> ReadSensitiveColumn(const Source& source, const TableReader& limit,
                                                const ThisRelease& here);

}  // namespace pentimento::policy_file
