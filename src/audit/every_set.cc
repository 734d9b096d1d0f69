#include "audit/every_set.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pentimento {
namespace {

constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

// Whether everybody who was there is there, with a box inside the one before.
bool StaysAndNests(const IncrementalRelease& before, const IncrementalRelease& now) {
  std::size_t n = 0;
  for (std::size_t b = 0; b < before.cases.size(); ++b) {
    while (n < now.cases.size() && now.cases[n] < before.cases[b]) ++n;
    if (n == now.cases.size() || now.cases[n] != before.cases[b]) return false;
    const bool is_inside = std::ranges::equal(before.box(before.box_of_case[b]), now.box(now.box_of_case[n]),
                                              [](Interval outer, Interval inner) { return outer.Contains(inner); });
    if (!is_inside) return false;
  }
  return true;
}

}  // namespace

void EverySet::Add(const IncrementalRelease& release) {
  const InferenceTable alone = Refine({}, release);
  is_monotone_ = is_monotone_ && (history_.empty() || StaysAndNests(history_.back(), release));
  Note(alone);
  if (!is_monotone_) {
    together_ = Refine(together_, release);
    if (history_.size() < kMostReleases) {
      TrySetsFrom(0, alone);
    } else {
      TryPairs(alone);
      Note(together_);
    }
  } else {
    together_ = alone;
  }
  history_.push_back(release);
}

// The sets of the new release and some of those from `next` on; `known` is what those chosen so far say with it.
void EverySet::TrySetsFrom(std::size_t next, const InferenceTable& known) {
  for (std::size_t r = next; r < history_.size(); ++r) {
    const InferenceTable more = Refine(known, history_[r]);
    Note(more);
    TrySetsFrom(r + 1, more);
  }
}

void EverySet::TryPairs(const InferenceTable& last) {
  for (const IncrementalRelease& earlier : history_) Note(Refine(last, earlier));
}

void EverySet::Note(const InferenceTable& table) {
  const auto note = [&](CaseNumber number, std::uint64_t size) {
    if (number >= fewest_.size()) fewest_.resize(std::size_t{number} + 1, kAbsent);
    fewest_[number] = static_cast<std::uint32_t>(std::min<std::uint64_t>(fewest_[number], size));
  };
  for (std::size_t i = 0; i < table.inferred.cases.size(); ++i)
    note(table.inferred.cases[i], table.class_sizes[table.inferred.box_of_case[i]]);
  for (const CaseNumber number : table.contradictory) note(number, 0);
}

std::uint64_t EverySet::UnsafeCount(std::uint64_t k) const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(fewest_, [&](std::uint32_t size) { return size != kAbsent && size < k; }));
}

std::uint64_t EverySet::AloneCount() const { return static_cast<std::uint64_t>(std::ranges::count(fewest_, 1U)); }

Ratio EverySet::SafeRatio(std::uint64_t k) const {
  const std::uint64_t all = fewest_.size() - static_cast<std::uint64_t>(std::ranges::count(fewest_, kAbsent));
  if (all == 0) return {1, 1};
  const std::uint64_t safe = all - UnsafeCount(k);
  const std::uint64_t divisor = std::gcd(safe, all);
  return {safe / divisor, all / divisor};
}

}  // namespace pentimento
