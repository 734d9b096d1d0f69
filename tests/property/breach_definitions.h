// The paper's kinds of breach as it defines them, on sets of cases, for tests: slow, and without the audit's counting.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "oracle/incremental_k_anonymity_oracle.h"
#include "release/incremental_history.h"

namespace pentimento::property {

using Cases = std::set<CaseNumber>;

// What the paper knows of one case in two releases of a table that grows.
struct PaperSituation {
  Cases earlier_group;  // G_F(t); empty for a new case
  Cases later_group;    // G_F1(t); empty for a withdrawn one
  Cases new_cases;      // Delta T
  Box earlier_box, later_box;
};

inline Cases GroupOf(const IncrementalRelease& release, CaseNumber number) {
  const auto box = oracle::PublishedBox(release, number);
  Cases group;
  for (const CaseNumber other : release.cases) {
    if (box && oracle::PublishedBox(release, other) == box) group.insert(other);
  }
  return group;
}

inline Cases Without(const Cases& cases, const Cases& others) {
  Cases left;
  std::ranges::set_difference(cases, others, std::inserter(left, left.end()));
  return left;
}

inline Cases Both(const Cases& cases, const Cases& others) { return Without(cases, Without(cases, others)); }

inline PaperSituation SituationOf(const IncrementalHistory& two, CaseNumber number) {
  const Cases old_cases(two[0].cases.begin(), two[0].cases.end()), all(two[1].cases.begin(), two[1].cases.end());
  return {GroupOf(two[0], number), GroupOf(two[1], number), Without(all, old_cases),
          oracle::PublishedBox(two[0], number).value_or(Box{}), oracle::PublishedBox(two[1], number).value_or(Box{})};
}

inline bool IsOldInBoth(const PaperSituation& t) { return !t.earlier_group.empty() && !t.later_group.empty(); }

inline bool IsGroupChange(const PaperSituation& t) {
  return IsOldInBoth(t) && !Without(t.earlier_group, t.later_group).empty() && Both(t.later_group, t.new_cases).empty();
}

// Of the situations in which a case is put with new ones, as the paper orders them.
inline bool IsSubgroupExpanding(const PaperSituation& t) {
  if (!IsOldInBoth(t) || Both(t.later_group, t.new_cases).empty()) return false;
  bool is_subrange = true;
  for (std::size_t c = 0; c < t.later_box.size(); ++c) is_subrange &= t.earlier_box[c].Contains(t.later_box[c]);
  return Without(Without(t.later_group, t.earlier_group), t.new_cases).empty() && !is_subrange;
}

inline Cases UnsafeOldGroupmates(const PaperSituation& t, const Cases& unsafe) {
  return Without(Both(t.later_group, unsafe), t.new_cases);
}

inline bool IsWidow(const PaperSituation& t, const Cases& unsafe) {
  return t.earlier_group.empty() && !UnsafeOldGroupmates(t, unsafe).empty();
}

inline bool LemmaOne(const PaperSituation& t, std::uint64_t k) {
  return IsGroupChange(t) && t.earlier_group.size() == k;
}

inline bool LemmaTwo(const PaperSituation& t, std::uint64_t k) {
  return IsSubgroupExpanding(t) && Both(t.later_group, t.earlier_group).size() < k;
}

inline bool LemmaThree(const PaperSituation& t, const Cases& unsafe, std::uint64_t k) {
  return IsWidow(t, unsafe) && UnsafeOldGroupmates(t, unsafe).size() + k > t.later_group.size();
}

}  // namespace pentimento::property
