#include "audit/breach.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <source_location>
#include <span>

#include "audit/inference.h"
#include "base/check.h"
#include "base/parallel_sort.h"

namespace pentimento {
namespace {

constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

struct Placement {
  CaseNumber case_number = 0;
  std::uint32_t earlier = kNoGroup;  // number of its group; kNoGroup where it is not in this release
  std::uint32_t later = kNoGroup;
  std::uint64_t class_size = 0;  // in the inference table of both releases; 0 for a contradictory case

  bool is_in_both() const { return earlier != kNoGroup && later != kNoGroup; }
  std::uint64_t move() const { return std::uint64_t{earlier} << 32 | later; }
};

// The two releases with their groups counted: Refine({}, release) has one box per group, however it was numbered.
struct Comparison {
  std::uint64_t k = 0;
  InferenceTable earlier;
  InferenceTable later;
  std::vector<Placement> placements;               // everybody in either release, ascending by case
  std::vector<std::uint64_t> moves;                // of all cases in both releases, sorted
  std::vector<std::uint64_t> new_in_group;         // by later group
  std::vector<std::uint64_t> unsafe_old_in_group;  // by later group

  bool IsUnsafe(const Placement& p) const { return p.class_size > 0 && p.class_size < k; }
};

std::vector<Placement> PlaceCases(const IncrementalRelease& earlier, const IncrementalRelease& later) {
  std::vector<Placement> placements;
  placements.reserve(std::max(earlier.cases.size(), later.cases.size()));
  std::size_t e = 0;
  const auto place_old_below = [&](std::uint64_t limit) {
    for (; e < earlier.cases.size() && earlier.cases[e] < limit; ++e) {
      placements.push_back({earlier.cases[e], earlier.box_of_case[e], kNoGroup, 0});
    }
  };
  for (std::size_t i = 0; i < later.cases.size(); ++i) {
    place_old_below(later.cases[i]);
    const bool is_old = e < earlier.cases.size() && earlier.cases[e] == later.cases[i];
    placements.push_back({later.cases[i], is_old ? earlier.box_of_case[e++] : kNoGroup, later.box_of_case[i], 0});
  }
  place_old_below(std::uint64_t{1} << 32);
  return placements;
}

// Both ascend, and whoever is in the inference table is in one of the releases.
void SetClassSizes(const InferenceTable& both, std::span<Placement> placements) {
  std::size_t p = 0;
  for (std::size_t i = 0; i < both.inferred.cases.size(); ++i) {
    while (placements[p].case_number < both.inferred.cases[i]) ++p;
    placements[p].class_size = both.class_sizes[both.inferred.box_of_case[i]];
  }
}

Comparison Compare(const IncrementalRelease& earlier, const IncrementalRelease& later, std::uint64_t k) {
  Comparison compared;
  compared.k = k;
  compared.earlier = Refine({}, earlier);
  compared.later = Refine({}, later);
  compared.placements = PlaceCases(compared.earlier.inferred, compared.later.inferred);
  SetClassSizes(Refine(compared.earlier, later), compared.placements);
  compared.new_in_group.resize(compared.later.class_sizes.size());
  compared.unsafe_old_in_group.resize(compared.later.class_sizes.size());
  for (const Placement& p : compared.placements) {
    if (p.earlier == kNoGroup) ++compared.new_in_group[p.later];
    if (!p.is_in_both()) continue;
    compared.moves.push_back(p.move());
    if (compared.IsUnsafe(p)) ++compared.unsafe_old_in_group[p.later];
  }
  ParallelSort(compared.moves.begin(), compared.moves.end(), std::less());
  return compared;
}

struct Cause {
  BreachKind kind = BreachKind::kOther;
  bool lemma_applies = false;
};

bool LaterBoxIsWithinEarlier(const Comparison& compared, const Placement& p) {
  return std::ranges::equal(compared.earlier.inferred.box(p.earlier), compared.later.inferred.box(p.later),
                            [](Interval outer, Interval inner) { return outer.Contains(inner); });
}

Cause CauseForOld(const Comparison& compared, const Placement& p) {
  const auto same_move = std::ranges::equal_range(compared.moves, p.move());
  const std::uint64_t stayed = same_move.size();  // of its earlier group, in its later one
  const std::uint64_t earlier_size = compared.earlier.class_sizes[p.earlier];
  const std::uint64_t new_members = compared.new_in_group[p.later];
  if (new_members == 0) {
    return stayed < earlier_size ? Cause{BreachKind::kGroupChange, earlier_size == compared.k} : Cause{};
  }
  const bool with_strangers = stayed + new_members < compared.later.class_sizes[p.later];
  if (with_strangers || LaterBoxIsWithinEarlier(compared, p)) return {};
  // Those who stayed have its inferred box, so fewer than k did: for an unsafe case the lemma always applies.
  return {BreachKind::kSubgroupExpanding, true};
}

Cause CauseForNew(const Comparison& compared, const Placement& p) {
  const std::uint64_t unsafe_old = compared.unsafe_old_in_group[p.later];
  if (unsafe_old == 0) return {};
  return {BreachKind::kWidow, compared.later.class_sizes[p.later] - unsafe_old < compared.k};
}

Cause CauseOf(const Comparison& compared, const Placement& p) {
  if (p.later == kNoGroup) return {};
  return p.earlier == kNoGroup ? CauseForNew(compared, p) : CauseForOld(compared, p);
}

}  // namespace

std::string_view ToString(BreachKind kind) {
  switch (kind) {
    case BreachKind::kGroupChange:
      return "group change";
    case BreachKind::kSubgroupExpanding:
      return "subgroup expanding";
    case BreachKind::kWidow:
      return "widow";
    case BreachKind::kOther:
      return "other";
  }
  FailCheck("a kind of breach without a name", std::source_location::current());
}

std::vector<Breach> FindBreaches(const IncrementalRelease& earlier, const IncrementalRelease& later, std::uint64_t k) {
  const Comparison compared = Compare(earlier, later, k);
  std::vector<Breach> breaches;
  for (const Placement& p : compared.placements) {
    if (!compared.IsUnsafe(p)) continue;
    const Cause cause = CauseOf(compared, p);
    breaches.push_back({p.case_number, p.class_size, cause.kind, cause.lemma_applies});
  }
  return breaches;
}

}  // namespace pentimento
