#include "policy/alpha_k_guarantee.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fmt/core.h"
#include "policy/columns.h"
#include "policy/guarantees.h"
#include "policy/reader.h"

namespace pentimento::policy_file {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::string_view kAlphaExample = "for example alpha = \"1/3\"";
constexpr std::string_view kAlphaLimitsExample =
    "for example limits = [{ column = \"disease\", values = [\"HIV\"], at_most = \"1/10\" }]";
constexpr std::string_view kAlphaValuesExample = "for example values = [\"HIV\", \"Hepatitis\"]";
constexpr std::string_view kAlphaAtMostExample = "for example at_most = \"1/10\"";

Status RequireSensitive(const Source& source, const TableReader& guarantee, const ThisRelease& here) {
  if (std::ranges::any_of(here.columns, IsSensitive)) return {};
  return source.At(guarantee.position(),
                   "alpha-k-anonymity limits how frequent a sensitive value may be, but no column has the role "
                   "'sensitive'; give it to what nobody should learn about a person");
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
  PENTIMENTO_ASSIGN(const TableReader table,
                    TableReader::Open(source, value, "an entry of limits", kAlphaLimitsExample));
  PENTIMENTO_RETURN_IF_ERROR(table.AllowOnly(kKeys));
  PENTIMENTO_ASSIGN(const ColumnPolicy* column, ReadSensitiveColumn(source, table, here));
  SensitiveLimitPolicy limit;
  limit.column = column->name;
  limit.position = value.position;
  PENTIMENTO_ASSIGN(const Entry* values, table.Require("values", kAlphaValuesExample));
  PENTIMENTO_ASSIGN(limit.values, ReadValues(source, values->value, "'values' of an entry of limits", here.missing));
  PENTIMENTO_ASSIGN(const Entry* at_most, table.Require("at_most", kAlphaAtMostExample));
  PENTIMENTO_ASSIGN(limit.at_most, ReadFraction(source, at_most->value, {"at_most", kAlphaAtMostExample}));
  PENTIMENTO_RETURN_IF_ERROR(RequireEffect(source, at_most->value.position, *column, limit, alpha));
  return limit;
}

Result<std::vector<SensitiveLimitPolicy>> ReadLimits(const Source& source, const TableReader& guarantee,
                                                     const ThisRelease& here, Ratio alpha) {
  return ReadLimitList<SensitiveLimitPolicy>(source, guarantee, kAlphaLimitsExample, "smaller at_most",
                                             [&](const Value& value) { return ReadLimit(source, value, here, alpha); });
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

}  // namespace pentimento::policy_file
