#include "policy/transient.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/suggest.h"
#include "fmt/core.h"
#include "policy/global_guarantee.h"

namespace pentimento::policy_file {
namespace {

constexpr std::string_view kExample = "for example transient = [\"flu\", \"fever\"]";

// By itself or within a set; empty where every value is.
std::vector<std::string> ProtectedValues(const ColumnPolicy& column, const GlobalGuaranteePolicy& guarantee) {
  std::vector<std::string> values = column.values;
  if (values.empty()) return values;
  for (const SensitiveSetPolicy& set : guarantee.sets) {
    if (set.column == column.name) values.insert(values.end(), set.values.begin(), set.values.end());
  }
  return values;
}

// A value that is misspelt here would count as one that stays, and the release would be refused for another reason.
Status RequireProtected(const Source& source, const Value& value, const ColumnPolicy& column,
                        const GlobalGuaranteePolicy& guarantee) {
  const std::vector<std::string> known = ProtectedValues(column, guarantee);
  if (known.empty() || !std::holds_alternative<Array>(value.content)) return {};
  const std::string name = fmt::format("'transient' of column '{}'", column.name);
  PENTIMENTO_ASSIGN(const std::vector<Text> listed, ReadTexts(source, value, name, kExample));
  for (const Text& one : listed) {
    if (std::ranges::find(known, one.text) != known.end()) continue;
    return source.At(one.position, fmt::format("{} lists '{}', which neither 'values' nor limits protect; remove it, "
                                               "or protect it.{}",
                                               name, one.text, DidYouMean(one.text, known)));
  }
  return {};
}

}  // namespace

Status CheckTransient(const Source& source, const TableReader& policy, std::span<const ColumnPolicy> columns,
                      std::span<const GuaranteePolicy> guarantees) {
  const GlobalGuaranteePolicy* guarantee = FindGlobal(guarantees);
  PENTIMENTO_ASSIGN(const Entry* entry, policy.Require("columns", ""));
  PENTIMENTO_ASSIGN(const TableReader table, TableReader::Open(source, entry->value, "[columns]", ""));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    PENTIMENTO_ASSIGN(const TableReader column, TableReader::Open(source, table.entries()[i].value, "a column", ""));
    const Entry* transient = column.Find("transient");
    if (transient == nullptr) continue;
    if (guarantee == nullptr) {
      return source.At(transient->key_position,
                       fmt::format("'transient' of column '{}' would have no effect: only global-guarantee asks which "
                                   "values come and go; remove it",
                                   columns[i].name));
    }
    PENTIMENTO_RETURN_IF_ERROR(RequireProtected(source, transient->value, columns[i], *guarantee));
  }
  return {};
}

}  // namespace pentimento::policy_file
