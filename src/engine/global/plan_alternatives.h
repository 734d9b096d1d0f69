// What a change of the policy would buy: how many more releases the budgets of the same people would allow under it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/global/plan_item.h"
#include "policy/policy.h"

namespace pentimento {

enum class ChangeKind { kNone, kL, kItems, kSchedule };

// The same numbers of releases as in ItemPlan, of the item that has fewest.
struct PlanAlternative {
  ChangeKind kind = ChangeKind::kNone;
  std::string change;  // as the policy would say it
  std::uint64_t at_most = 0;
  std::uint64_t even_groups = 0;
  std::uint64_t tightest_groups = 0;
};

// What does not change.
struct AlternativesBase {
  const GlobalGuaranteePolicy* guarantee = nullptr;
  std::span<const ItemPlan> items;
  std::span<const SpentOnItem> spent;  // by item
  std::uint64_t made = 0;              // releases so far
  std::uint32_t typical_appearances = 0;
};

// The policy as it is comes first. What an earlier release promised stays, so a series that has begun can neither lower
// l nor give up a value: it can only leave out a column.
std::vector<PlanAlternative> CompareAlternatives(const AlternativesBase& base);

}  // namespace pentimento
