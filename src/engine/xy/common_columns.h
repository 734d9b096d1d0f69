// Which columns several releases have in common, and which of them somebody joins.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/xy/join_claims.h"
#include "engine/xy/release_columns.h"

namespace pentimento {

// Columns of one name, at most one of each release, in the order of the releases.
struct JoinAttribute {
  std::string name;
  std::vector<ColumnPlace> columns;
  bool has_numbers = false;
};

struct CommonColumns {
  std::vector<JoinAttribute> joined;
  std::vector<JoinAttribute> apart;  // numbers, where no guarantee says that intervals are compared
};

// kBadPolicy for what would link records in a way that nobody could promise anything about.
Result<CommonColumns> FindCommonColumns(const Policy& policy, const ReleaseColumns& columns,
                                        const std::vector<NamedClaim>& claims);

// X holds all columns of a joined attribute or none, and no attribute stands in X and in Y. Otherwise kBadPolicy.
Status CheckSides(const Policy& policy, const ReleaseColumns& columns, const CommonColumns& common,
                  const std::vector<NamedClaim>& claims);

}  // namespace pentimento
