#include "engine/alpha_k/make_groups.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "anonymize/anatomy/anatomy.h"
#include "anonymize/limits/count_classes.h"
#include "anonymize/partition/partition.h"
#include "anonymize/recode/recode.h"
#include "base/check.h"
#include "engine/alpha_k/draw_order.h"
#include "engine/alpha_k/feasible.h"

namespace pentimento {
namespace {

// Where somebody has several rows, partition is more cautious than the promise, and refuses tables that keep it as one
// class. Nothing is coarser, so that class is published then.
bool MayStayOneClass(const EncodedTable& table, const BoundAlphaK* sensitive, const Error& error) {
  const bool has_several_rows = table.persons && !table.persons->one_row_each();
  return sensitive != nullptr && has_several_rows && table.persons->count >= sensitive->guarantee.k &&
         error.code == ErrorCode::kRefused;
}

Classes OneGroup(const EncodedInput& input, CategoryForm form) {
  Classes draft{.columns = input.domains.size(), .boxes = {}, .of_row = std::vector<ClassNumber>(input.table.rows, 0)};
  for (std::size_t i = 0; i < input.domains.size(); ++i) {
    input.table.quasi_identifiers[i].Visit([&](const auto codes) {
      const auto [lo, hi] = std::ranges::minmax(codes);
      draft.boxes.push_back(input.domains[i].Cover({lo, hi}, form));
    });
  }
  return draft;
}

// Who shares a class of two tables.
Result<Classes> FormClasses(const BoundPolicy& bound, const EncodedInput& input, const BoundAlphaK& sensitive,
                            const Seed& seed) {
  const Method method = bound.policy.method.value_or(Method::kPartition);
  Check(method != Method::kRecode && method != Method::kSpecialize,
        "a policy that asks for two tables by recoding or specializing is refused");
  if (method == Method::kAnatomy) return GroupByAnatomy(input.table, {bound.k, &sensitive.signatures, seed});
  PartitionOptions options{bound.k};
  options.signatures = &sensitive.signatures;
  options.dealing = seed;
  Result<Classes> grouping = GroupByPartition(input.table, input.domains, options);
  if (grouping.ok() || !MayStayOneClass(input.table, &sensitive, grouping.error())) return grouping;
  PENTIMENTO_RETURN_IF_ERROR(RequireLegalAsOneClass(bound, input.table, sensitive));
  return ClassesWithoutBoxes(1, std::vector<ClassNumber>(input.table.rows, 0));
}

}  // namespace

std::vector<std::vector<std::uint32_t>> SensitiveTablesOf(const Policy& policy, std::size_t columns) {
  std::vector<std::uint32_t> all(columns);
  std::iota(all.begin(), all.end(), 0U);
  if (policy.sensitive_tables == SensitiveTables::kCombined) return {all};
  std::vector<std::vector<std::uint32_t>> tables;
  for (const std::uint32_t column : all) tables.push_back({column});
  return tables;
}

Result<Classes> MakeDraft(const BoundPolicy& bound, const EncodedInput& input, const BoundAlphaK* sensitive,
                          const IdentityHasher& keyed) {
  Check(bound.policy.method != Method::kSpecialize, "a table that is specialized is made elsewhere");
  const Signatures* signatures = sensitive == nullptr ? nullptr : &sensitive->signatures;
  if (bound.policy.method == Method::kRecode)
    return AnonymizeByRecoding(input.table, input.domains, {bound.k, signatures, DrawOrder(input, keyed)});
  PartitionOptions options{bound.k, bound.policy.categories, BoxKind::kMembers};
  options.signatures = signatures;
  Result<Classes> draft = AnonymizeByPartition(input.table, input.domains, options);
  if (draft.ok() || !MayStayOneClass(input.table, sensitive, draft.error())) return draft;
  PENTIMENTO_RETURN_IF_ERROR(RequireLegalAsOneClass(bound, input.table, *sensitive));
  return OneGroup(input, bound.policy.categories);
}

namespace {

// A combination of values is verified as one number of 64 bits. That is our limit, and not one of privacy.
Status RequireFewCombinations(const BoundPolicy& bound, const BoundAlphaK& sensitive) {
  if (bound.policy.sensitive_tables != SensitiveTables::kCombined) return {};
  std::uint64_t combinations = 1;
  for (const ValueColumn* column : sensitive.columns) {
    const std::uint64_t values = std::max<std::uint64_t>(column->values.size(), 1);
    if (!__builtin_mul_overflow(combinations, values, &combinations)) continue;
    return PolicyError(bound.policy, {},
                       "the sensitive columns have too many different combinations of values to be counted in one "
                       "table; write sensitive_tables = \"separate\", or leave a column out. Nothing was published.");
  }
  return {};
}

}  // namespace

Result<Draft> MakeTwoTables(const BoundPolicy& bound, const EncodedInput& input, const BoundAlphaK& sensitive,
                            const Seed& seed) {
  PENTIMENTO_RETURN_IF_ERROR(RequireFewCombinations(bound, sensitive));
  PENTIMENTO_ASSIGN(Classes grouping, FormClasses(bound, input, sensitive, seed));
  return CountClasses(std::move(grouping), sensitive.codes, SensitiveTablesOf(bound.policy, sensitive.columns.size()),
                      seed);
}

}  // namespace pentimento
