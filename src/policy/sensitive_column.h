// What guarantees with `limits` on sensitive values have in common: the list, and the column that an entry speaks of.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fmt/core.h"
#include "policy/column_names.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

inline bool IsSensitive(const ColumnPolicy& column) { return column.role == Role::kSensitive; }

Result<const ColumnPolicy*> ReadSensitiveColumn(const Source& source, const TableReader& limit,
                                                const ThisRelease& here);

// The entries of `limits`, none where there is no such key. `read` makes a Limit, which has a column and values, of an
// entry; `keep` says which of two entries for the same values to keep.
template <typename Limit, typename Read>
Result<std::vector<Limit>> ReadLimitList(const Source& source, const TableReader& guarantee, std::string_view example,
                                         std::string_view keep, const Read& read) {
  std::vector<Limit> limits;
  const Entry* entry = guarantee.Find("limits");
  if (entry == nullptr) return limits;
  const auto* tables = std::get_if<Array>(&entry->value.content);
  if (tables == nullptr) {
    return source.At(entry->value.position, fmt::format("limits is {}, but must be a list of tables; write {}",
                                                        KindOf(entry->value), example));
  }
  if (tables->empty())
    return source.At(entry->value.position, fmt::format("limits is an empty list; remove it, or write {}", example));
  std::set<std::pair<std::string, std::set<std::string>>> seen;  // whatever the order of the values
  for (const Value& value : *tables) {
    PENTIMENTO_ASSIGN(Limit limit, read(value));
    if (!seen.insert({limit.column, {limit.values.begin(), limit.values.end()}}).second) {
      return source.At(value.position, fmt::format("limits has two entries for the same values of '{}'; keep the one "
                                                   "with the {}",
                                                   limit.column, keep));
    }
    limits.push_back(std::move(limit));
  }
  return limits;
}

}  // namespace pentimento::policy_file
