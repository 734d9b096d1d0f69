#include "policy/alpha_k_guarantee.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/suggest.h"
#include "fmt/core.h"
#include "policy/columns.h"
#include "policy/fraction.h"
#include "policy/guarantees.h"

namespace pentimento::policy_file {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::string_view kAlphaExample = "for example alpha = \"1/3\"";
constexpr std::string_view kLimitsExample =
    "for example limits = [{ column = \"disease\", values = [\"HIV\"], at_most = \"1/10\" }]";
constexpr std::string_view kColumnExample = "for example column = \"disease\"";
constexpr std::string_view kValuesExample = "for example values = [\"HIV\", \"Hepatitis\"]";
constexpr std::string_view kAtMostExample = "for example at_most = \"1/10\"";

bool IsSensitive(const ColumnPolicy& column) { return column.role == Role::kSensitive; }

Status RequireSensitive(const Source& source, const TableReader& guarantee, const ThisRelease& here) {
  if (std::ranges::any_of(here.columns, IsSensitive)) return {};
  return source.At(guarantee.position(),
                   "alpha-k-anonymity limits how frequent a sensitive value may be, but no column has the role "
                   "'sensitive'; give it to what nobody should learn about a person");
}

Result<const ColumnPolicy*> ReadLimitedColumn(const Source& source, const TableReader& table, const ThisRelease& here) {
  PENTIMENTO_ASSIGN(const Entry* entry, table.Require("column", kColumnExample));
  PENTIMENTO_ASSIGN(const Text name, ReadText(source, entry->value, "'column' of an entry of limits", kColumnExample));
  const ColumnPolicy* column = FindColumn(here, name.text);
  if (column == nullptr) {
    return source.At(name.position,
                     fmt::format("limits names '{}', which [columns] does not have; write a sensitive column of "
                                 "[columns].{}",
                                 name.text, DidYouMean(name.text, ColumnNames(here))));
  }
  if (IsSensitive(*column)) return column;
  return source.At(name.position,
                   fmt::format("limits names '{}', but only the values of sensitive columns are limited, and a column "
                               "has one role; name a sensitive column, or give this one the role 'sensitive'",
                               name.text));
}

// alpha speaks of every value of a column, or of those that [columns] lists.
bool CoversAll(const ColumnPolicy& column, const std::vector<std::string>& values) {
  return column.values.empty() || std::ranges::all_of(values, [&column](const std::string& value) {
           return std::ranges::find(column.values, value) != column.values.end();
         });
}

// Whoever reads the limit would take it for a promise beyond alpha.
Status RequireEffect(const Source& source, SourcePosition position, const ColumnPolicy& column,
                     const SensitiveLimitPolicy& limit, Ratio alpha) {
  if (limit.at_most == Ratio{1, 1}) {
    return source.At(position, fmt::format("the limit on '{}' would have no effect: nothing is more frequent than 1; "
                                           "lower at_most or remove the limit",
                                           column.name));
  }
  if (!CoversAll(column, limit.values)) return {};
  // An alpha whose multiple needs more than 64 bits is passed over: the limit stays, and does no harm.
  const Wide most = Wide{alpha.num} * limit.values.size();
  if (most > UINT64_MAX) return {};
  if (Ratio{static_cast<std::uint64_t>(most), alpha.den} > limit.at_most) return {};
  return source.At(position,
                   fmt::format("the limit on '{}' would have no effect: alpha = {} for each of these values allows no "
                               "more of them together; lower at_most or remove the limit",
                               column.name, ToString(alpha)));
}

Result<SensitiveLimitPolicy> ReadLimit(const Source& source, const Value& value, const ThisRelease& here, Ratio alpha) {
  static const std::vector<std::string> kKeys = {"column", "values", "at_most"};
  PENTIMENTO_ASSIGN(const TableReader table, TableReader::Open(source, value, "an entry of limits", kLimitsExample));
  PENTIMENTO_RETURN_IF_ERROR(table.AllowOnly(kKeys));
  PENTIMENTO_ASSIGN(const ColumnPolicy* column, ReadLimitedColumn(source, table, here));
  SensitiveLimitPolicy limit;
  limit.column = column->name;
  limit.position = value.position;
  PENTIMENTO_ASSIGN(const Entry* values, table.Require("values", kValuesExample));
  PENTIMENTO_ASSIGN(limit.values, ReadValues(source, values->value, "'values' of an entry of limits", here.missing));
  PENTIMENTO_ASSIGN(const Entry* at_most, table.Require("at_most", kAtMostExample));
  PENTIMENTO_ASSIGN(limit.at_most, ReadFraction(source, at_most->value, {"at_most", kAtMostExample}));
  PENTIMENTO_RETURN_IF_ERROR(RequireEffect(source, at_most->value.position, *column, limit, alpha));
  return limit;
}

Result<std::vector<SensitiveLimitPolicy>> ReadLimits(const Source& source, const TableReader& guarantee,
                                                     const ThisRelease& here, Ratio alpha) {
  std::vector<SensitiveLimitPolicy> limits;
  const Entry* entry = guarantee.Find("limits");
  if (entry == nullptr) return limits;
  const auto* tables = std::get_if<Array>(&entry->value.content);
  if (tables == nullptr) {
    return source.At(entry->value.position, fmt::format("limits is {}, but must be a list of tables; write {}",
                                                        KindOf(entry->value), kLimitsExample));
  }
  if (tables->empty()) {
    return source.At(entry->value.position,
                     fmt::format("limits is an empty list; remove it, or write {}", kLimitsExample));
  }
  std::set<std::pair<std::string, std::set<std::string>>> seen;  // whatever the order of the values
  for (const Value& value : *tables) {
    PENTIMENTO_ASSIGN(SensitiveLimitPolicy limit, ReadLimit(source, value, here, alpha));
    if (!seen.insert({limit.column, {limit.values.begin(), limit.values.end()}}).second) {
      return source.At(value.position, fmt::format("limits has two entries for the same values of '{}'; keep the one "
                                                   "with the smaller at_most",
                                                   limit.column));
    }
    limits.push_back(std::move(limit));
  }
  return limits;
}

}  // namespace

Result<GuaranteePolicy> ReadAlphaKAnonymity(const Source& source, const TableReader& guarantee,
                                            const ThisRelease& here) {
  AlphaKAnonymityPolicy policy;
  policy.position = guarantee.position();
  PENTIMENTO_ASSIGN(const Entry* alpha, guarantee.Require("alpha", kAlphaExample));
  PENTIMENTO_ASSIGN(policy.alpha, ReadFraction(source, alpha->value, {"alpha", kAlphaExample}));
  PENTIMENTO_ASSIGN(policy.k, ReadK(source, guarantee));
  PENTIMENTO_RETURN_IF_ERROR(RequireSensitive(source, guarantee, here));
  PENTIMENTO_ASSIGN(policy.limits, ReadLimits(source, guarantee, here, policy.alpha));
  return GuaranteePolicy(std::move(policy));
}

const AlphaKAnonymityPolicy* FindAlphaK(std::span<const GuaranteePolicy> guarantees) {
  for (const GuaranteePolicy& guarantee : guarantees) {
    if (const auto* found = std::get_if<AlphaKAnonymityPolicy>(&guarantee)) return found;
  }
  return nullptr;
}

}  // namespace pentimento::policy_file
