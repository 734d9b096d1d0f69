#include "engine/sensitive/make_groups.h"

#include <numeric>
#include <utility>
#include <vector>

#include "anonymize/anatomy/anatomy.h"
#include "anonymize/partition/partition.h"
#include "anonymize/recode/recode.h"
#include "anonymize/sensitive/count_classes.h"
#include "base/check.h"

namespace pentimento {
namespace {

// The groups of a draft are classes, and nobody needs its boxes.
Grouping GroupingOf(Draft draft) {
  return {static_cast<std::uint32_t>(draft.group_count()), std::move(draft.group_of_row)};
}

// Who shares a class of two tables.
Result<Grouping> FormClasses(const BoundPolicy& bound, const EncodedInput& input, const BoundSensitive& sensitive,
                             const Seed& seed) {
  switch (bound.policy.method.value_or(Method::kPartition)) {
    case Method::kAnatomy:
      return GroupByAnatomy(input.table, {bound.k, &sensitive.signatures, seed});
    case Method::kRecode: {
      PENTIMENTO_ASSIGN(Draft draft, MakeDraft(bound, input, &sensitive, seed));
      return GroupingOf(std::move(draft));
    }
    case Method::kPartition:
      break;
  }
  PartitionOptions options{bound.k};
  options.signatures = &sensitive.signatures;
  options.dealing = seed;
  return GroupByPartition(input.table, input.domains, options);
}

}  // namespace

Method ChooseMethod(const Policy& policy, const EncodedTable& table) {
  if (policy.method) return *policy.method;
  const bool can_recode = policy.categories == CategoryForm::kTaxonomy && !table.persons;
  return policy.form == PublishForm::kGeneralized && can_recode ? Method::kRecode : Method::kPartition;
}

const char* MethodName(Method method) {
  switch (method) {
    case Method::kPartition:
      return "partition";
    case Method::kRecode:
      return "recode";
    case Method::kAnatomy:
      return "anatomy";
  }
  return "";
}

std::vector<std::vector<std::uint32_t>> SensitiveTablesOf(const Policy& policy, std::size_t columns) {
  std::vector<std::uint32_t> all(columns);
  std::iota(all.begin(), all.end(), 0U);
  if (policy.sensitive_tables == SensitiveTables::kCombined) return {all};
  std::vector<std::vector<std::uint32_t>> tables;
  for (const std::uint32_t column : all) tables.push_back({column});
  return tables;
}

Result<Draft> MakeDraft(const BoundPolicy& bound, const EncodedInput& input, const BoundSensitive* sensitive,
                        const Seed& seed) {
  const Signatures* signatures = sensitive == nullptr ? nullptr : &sensitive->signatures;
  if (bound.policy.method == Method::kRecode)
    return AnonymizeByRecoding(input.table, input.domains, {bound.k, signatures, seed});
  PartitionOptions options{bound.k, bound.policy.categories, BoxKind::kMembers};
  options.signatures = signatures;
  return AnonymizeByPartition(input.table, input.domains, options);
}

Result<TwoTables> MakeTwoTables(const BoundPolicy& bound, const EncodedInput& input, const BoundSensitive& sensitive,
                                const Seed& seed) {
  PENTIMENTO_ASSIGN(Grouping grouping, FormClasses(bound, input, sensitive, seed));
  return CountClasses(std::move(grouping), sensitive.codes, SensitiveTablesOf(bound.policy, sensitive.columns.size()),
                      seed);
}

}  // namespace pentimento
