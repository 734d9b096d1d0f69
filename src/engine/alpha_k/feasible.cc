#include "engine/alpha_k/feasible.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "anonymize/limits/class_blocks.h"
#include "base/check.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "fmt/ranges.h"
#include "guarantee/alpha_k/alpha_k_anonymity.h"

namespace pentimento {
namespace {

__extension__ using Wide = unsigned __int128;

Error Refused(const std::string& why) { return {ErrorCode::kRefused, why + ". Nothing was published."}; }

// Of all rows, of a value that alpha speaks of: no smaller alpha can be kept.
Ratio LargestShareOfAny(std::span<const CodeColumn* const> codes, const BoundAlphaK& sensitive) {
  std::uint64_t most = 0, rows = 1;
  for (const SensitiveLimit& limit : sensitive.claim.limits) {
    if (limit.together) continue;
    const CodeColumn& column = *codes[limit.column];
    std::vector<std::uint64_t> counts(sensitive.value_counts[limit.column], 0);
    rows = column.size();
    for (std::size_t row = 0; row < rows; ++row) ++counts[column[row]];
    for (const Code value : limit.values) most = std::max(most, value < counts.size() ? counts[value] : 0);
  }
  const std::uint64_t divisor = std::gcd(most, rows);
  return {most / divisor, rows / divisor};
}

// Where every value is limited by itself, the most frequent of d values has a share of at least 1/d in any class.
Status RequireEnoughValues(std::span<const CodeColumn* const> codes, const BoundAlphaK& sensitive) {
  const Ratio alpha = sensitive.guarantee.alpha;
  for (std::size_t i = 0; i < sensitive.claim.limits.size(); ++i) {
    const SensitiveLimit& limit = sensitive.claim.limits[i];
    const std::uint64_t values = sensitive.value_counts[limit.column];
    const bool every_value = !limit.together && sensitive.named_values[i].empty();
    if (!every_value || Wide{alpha.num} * values >= alpha.den) continue;
    const std::string& name = sensitive.columns[limit.column]->name;
    if (values == 1) {
      return Refused(fmt::format(
          "every row has the same value of column '{}', so in any class all rows have it, and alpha = {} is "
          "below that; gather rows with other values, or leave the column out",
          name, ToString(alpha)));
    }
    return Refused(fmt::format(
        "column '{}' has {} different values, so in any class one of them makes up at least {} of the rows, and "
        "alpha = {} is below that; write an alpha of at least {}, the share of the most frequent value that it limits",
        name, values, ToString(Ratio{1, values}), ToString(alpha), ToString(LargestShareOfAny(codes, sensitive))));
  }
  return {};
}

// "the same value of column 'disease'", "HIV in column 'disease'", "HIV or Hepatitis in column 'disease'".
std::string Limited(const BoundAlphaK& sensitive, const AlphaKViolation& violation) {
  const SensitiveLimit& limit = sensitive.claim.limits[violation.limit];
  const std::string column = fmt::format("column '{}'", sensitive.columns[limit.column]->name);
  const std::vector<std::string>& named = sensitive.named_values[violation.limit];
  if (named.empty()) return "the same value of " + column;
  if (limit.together) return fmt::format("{} in {}", fmt::join(named, " or "), column);
  return fmt::format("{} in {}", CsvTexts(*sensitive.columns[limit.column])[violation.value], column);
}

// "alpha = 1/2"
std::string LimitText(const SensitiveLimit& limit) {
  return fmt::format("{} = {}", limit.together ? "at_most" : "alpha", ToString(limit.at_most));
}

// How the whole table as one class breaks a limit, which people with several rows make it do.
std::string BreachOfPeople(const BoundAlphaK& sensitive, const AlphaKViolation& violation) {
  if (violation.breach == AlphaKBreach::kOnePersonTooOften) {
    return fmt::format("somebody with {} rows has {} in one of them with a chance{}", violation.count,
                       Limited(sensitive, violation),
                       violation.chance ? " of " + ToString(*violation.chance) : " that is too great");
  }
  return fmt::format("{} of the {} people have {} in one of their rows", violation.count, violation.of,
                     Limited(sensitive, violation));
}

// "1 person has 5 rows", of those who have most.
std::string PeopleWithMostRows(const Persons& persons) {
  std::vector<std::uint32_t> rows(persons.count, 0);
  for (const std::uint32_t person : persons.person_of_row) ++rows[person];
  const std::uint32_t most = *std::ranges::max_element(rows);
  const auto people = std::ranges::count(rows, most);
  return fmt::format("{} {} {} rows", people, people == 1 ? "person has" : "people have", most);
}

}  // namespace

Ratio LargestShare(std::span<const ClassNumber> class_of_row, std::uint32_t classes, const Signatures& signatures) {
  const ItemsOfSignatures items(signatures.items, signatures.count);
  const ClassBlocks blocks(class_of_row, classes);
  std::vector<Ratio> largest(blocks.count());
  signatures.of_row.Visit([&](const auto of_row) {
    blocks.ForEachClass(of_row, signatures.count, [&] {
      return [&, count = std::vector<std::uint64_t>(signatures.items.size(), 0)](std::size_t block,
                                                                                 const auto members) mutable {
        std::uint64_t most = 0;
        for (const Code signature : members) {
          for (const std::uint32_t item : items.Of(signature)) most = std::max(most, ++count[item]);
        }
        for (const Code signature : members) {
          for (const std::uint32_t item : items.Of(signature)) count[item] = 0;
        }
        if (!members.empty()) largest[block] = std::max(largest[block], Ratio{most, members.size()});
      };
    });
  });
  Ratio share;
  for (const Ratio& part : largest) share = std::max(share, part);
  const std::uint64_t divisor = std::gcd(share.num, share.den);
  return {share.num / divisor, share.den / divisor};
}

Status RequireFeasible(const BoundPolicy& bound, const EncodedTable& table, std::span<const CodeColumn* const> codes,
                       const BoundAlphaK& sensitive) {
  if (table.rows == 0) return {};
  PENTIMENTO_RETURN_IF_ERROR(RequireEnoughValues(codes, sensitive));
  const std::optional<AlphaKViolation> found = FindInfeasible(table, codes, sensitive.claim, bound.policy.form);
  // What only people with several rows break, a finer division may keep; the verifier decides.
  if (!found || found->breach != AlphaKBreach::kTooManyRows) return {};
  const SensitiveLimit& limit = sensitive.claim.limits[found->limit];
  const auto allowed = static_cast<std::uint64_t>(Wide{limit.at_most.num} * found->of / limit.at_most.den);
  return Refused(
      fmt::format("{} of the {} rows {} {}, {} more than the {} that {} allows, so however the rows "
                  "are put together some class has too many; allow more, or gather rows with other values",
                  found->count, found->of, found->count == 1 ? "has" : "have", Limited(sensitive, *found),
                  found->count - allowed, allowed, LimitText(limit)));
}

Status RequireLegalAsOneClass(const BoundPolicy& bound, const EncodedTable& table, const BoundAlphaK& sensitive) {
  const std::optional<AlphaKViolation> found =
      FindInfeasible(table, sensitive.codes, sensitive.claim, bound.policy.form);
  if (!found) return {};
  Check(found->breach == AlphaKBreach::kTooManyPeople || found->breach == AlphaKBreach::kOnePersonTooOften,
        "too few people or too many rows were told before");
  return Refused(fmt::format(
      "people have several rows, and as one class of everybody the table does not keep a limit: {}, more "
      "than {} allows ({}). Several classes could keep it, but method = \"partition\" begins with one and is "
      "more cautious than the definition; raise the limit, leave out rows, or give each person one row",
      BreachOfPeople(sensitive, *found), LimitText(sensitive.claim.limits[found->limit]),
      PeopleWithMostRows(*table.persons)));
}

}  // namespace pentimento
