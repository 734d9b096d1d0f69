#include "engine/sensitive/feasible.h"

#include <algorithm>
#include <string>

#include "fmt/core.h"
#include "fmt/ranges.h"
#include "guarantee/alpha_k_anonymity.h"
#include "io/csv_rows.h"

namespace pentimento {
namespace {

__extension__ using Wide = unsigned __int128;

Error Refused(const std::string& why) { return {ErrorCode::kRefused, why + ". Nothing was published."}; }

// Where every value is limited by itself, the most frequent of d values has a share of at least 1/d in any class.
Status RequireEnoughValues(const BoundSensitive& sensitive) {
  const Ratio alpha = sensitive.guarantee.alpha;
  for (std::size_t i = 0; i < sensitive.claim.limits.size(); ++i) {
    const SensitiveLimit& limit = sensitive.claim.limits[i];
    const std::uint64_t values = sensitive.value_counts[limit.column];
    const bool every_value = !limit.together && sensitive.named_values[i].empty();
    if (!every_value || Wide{alpha.num} * values >= alpha.den) continue;
    return Refused(fmt::format(
        "column '{}' has {} different value{}, so in any class one of them makes up at least {} of the rows, "
        "and alpha = {} is below that; write an alpha of at least {}",
        sensitive.columns[limit.column]->name, values, values == 1 ? "" : "s", ToString(Ratio{1, values}),
        ToString(alpha), ToString(Ratio{1, values})));
  }
  return {};
}

// "the same value of", "'HIV' in", "HIV or Hepatitis in".
std::string Limited(const BoundSensitive& sensitive, const AlphaKViolation& violation) {
  const SensitiveLimit& limit = sensitive.claim.limits[violation.limit];
  const std::vector<std::string>& named = sensitive.named_values[violation.limit];
  if (named.empty()) return "the same value of";
  if (limit.together) return fmt::format("{} in", fmt::join(named, " or "));
  return fmt::format("{} in", CsvTexts(*sensitive.columns[limit.column])[violation.value]);
}

}  // namespace

Status RequireFeasible(const BoundPolicy& bound, const EncodedTable& table, std::span<const CodeColumn* const> codes,
                       const BoundSensitive& sensitive) {
  if (table.rows == 0) return {};
  PENTIMENTO_RETURN_IF_ERROR(RequireEnoughValues(sensitive));
  const std::optional<AlphaKViolation> found = FindInfeasible(table, codes, sensitive.claim, bound.policy.form);
  // What only people with several rows break, a finer division may keep; the judge decides.
  if (!found || found->breach != AlphaKBreach::kTooManyRows) return {};
  const SensitiveLimit& limit = sensitive.claim.limits[found->limit];
  const auto allowed = static_cast<std::uint64_t>(Wide{limit.at_most.num} * found->of / limit.at_most.den);
  return Refused(
      fmt::format("{} of the {} rows have {} column '{}', {} more than the {} that {} = {} allows, so however the rows "
                  "are put together some class has too many; allow more, or gather rows with other values",
                  found->count, found->of, Limited(sensitive, *found), sensitive.columns[limit.column]->name,
                  found->count - allowed, allowed, limit.together ? "at_most" : "alpha", ToString(limit.at_most)));
}

}  // namespace pentimento
