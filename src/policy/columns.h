// The columns of a policy: the [columns] table, with the role of every column and what a role needs to be told; the
// names by which guarantees refer to columns ("sex" is one of this release, "immigration-2025:sex" one of an earlier
// release); and the lists of limits on sensitive columns.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fmt/core.h"
#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

// What the policy says of the release that it is about, for those who refer to it.
struct ThisRelease {
  std::string_view name;
  std::span<const ColumnPolicy> columns;
  std::span<const std::string> missing;  // what [input] counts as missing
  bool is_import = false;
  bool is_on_record = false;  // accepted when it was used, by what was asked for then
};

// Where a name stands: how messages call the place, and whether the person may be named there.
struct NamePlace {
  std::string_view name;
  bool takes_id = false;
};

// Nothing where [columns] does not have it.
const ColumnPolicy* FindColumn(const ThisRelease& here, std::string_view name);
std::vector<std::string> ColumnNames(const ThisRelease& here);

// The part before the first ':' is a release if `against` lists it; otherwise the whole text is a column of this
// release, which [columns] must have in a role that takes part in a join. Whether an earlier release has the column is
// known only to those who can look at it.
Result<ColumnName> ReadColumnName(const Source& source, const Text& text, const NamePlace& place,
                                  const ThisRelease& here, std::span<const std::string> against);

// What guarantees with `limits` on sensitive values have in common: the list, and the column that an entry speaks of.

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
