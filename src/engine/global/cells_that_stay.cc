#include "engine/global/cells_that_stay.h"

#include <vector>

#include "fmt/core.h"
#include "fmt/ranges.h"

namespace pentimento {

std::optional<std::string> NoteOnCellsThatStay(const Policy& policy, const GlobalGuaranteePolicy& guarantee) {
  std::vector<std::string> names;
  for (const ColumnPolicy& column : policy.columns) {
    if (column.role == Role::kKeep || column.role == Role::kClass) names.push_back(fmt::format("'{}'", column.name));
  }
  if (names.empty() || guarantee.releases == 1) return std::nullopt;
  return fmt::format(
      "{} {} published as it came. Where a person's cell stays the same from release to release it tells "
      "which rows are that person's, and the person is in all of their groups; the account does not "
      "count that",
      fmt::join(names, ", "), names.size() == 1 ? "is" : "are each");
}

}  // namespace pentimento
