#include "engine/k_anonymity/specialize_table.h"

#include <cstddef>
#include <vector>

namespace pentimento {
namespace {

// Which of several is meant is not known.
const CodeColumn* FindOneClass(const BoundPolicy& bound, const EncodedInput& input) {
  const CodeColumn* found = nullptr;
  std::size_t value = 0;
  for (const ColumnPlan& column : bound.plan.columns) {
    if (column.role == Role::kClass) {
      if (found != nullptr) return nullptr;
      found = &input.values[value].codes;
    }
    if (column.role == Role::kClass || column.role == Role::kSensitive) ++value;
  }
  return found;
}

}  // namespace

Purpose PurposeOf(const BoundPolicy& bound, const EncodedInput& input) {
  const CodeColumn* const classes = FindOneClass(bound, input);
  return {bound.policy.utility.value_or(classes != nullptr ? Utility::kClass : Utility::kDistortion), classes};
}

Result<Specialized> SpecializeTable(const BoundPolicy& bound, const EncodedInput& input) {
  const Purpose purpose = PurposeOf(bound, input);
  const std::vector<bool> is_generalized(input.domains.size(), true);
  const JoinedReleases nothing;
  return AnonymizeBySpecialization(
      {input.table, input.domains, {}, is_generalized, nothing, bound.k, purpose.utility, purpose.classes});
}

}  // namespace pentimento
