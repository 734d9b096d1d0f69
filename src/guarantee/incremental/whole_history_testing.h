// The whole history of a growing series against every set of its releases, by the definition: what the verifier of one
// change is measured by. For tests and studies; no command has the whole history.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "release/incremental_history.h"

namespace pentimento {

struct HistoryViolation {
  // kTooFew: a class of equal inferred boxes has fewer than k cases. kContradiction: the boxes of a case have nothing
  // in common. kUndecided: the series is not monotone and has so many releases that not every set of them could be
  // tried.
  enum class Kind { kTooFew, kContradiction, kUndecided };
  Kind kind = Kind::kTooFew;
  std::vector<std::size_t> releases;  // the set of releases that shows it, numbered from 0
  CaseNumber witness = 0;
  std::uint64_t members = 0;  // of the class of the witness
};

namespace whole_history {

inline constexpr std::uint32_t kAbsent = UINT32_MAX;

// Cases whose boxes were the same in every release, counted together: they are together in every inference.
struct Story {
  std::vector<std::uint32_t> box;  // by release; kAbsent where the case is not in it
  CaseNumber witness = 0;
  std::uint64_t cases = 0;
};

inline std::size_t CaseCount(const IncrementalHistory& history) {
  CaseNumber most = 0;
  for (const IncrementalRelease& release : history) {
    if (!release.cases.empty()) most = std::max(most, release.cases.back() + 1);
  }
  return most;
}

// Refines a numbering of the cases, release by release, so that in the end equal stories have equal numbers.
inline std::vector<Story> TellStories(const IncrementalHistory& history) {
  std::vector<std::uint32_t> story_of_case(CaseCount(history), kAbsent);
  std::vector<Story> stories;
  for (std::size_t r = 0; r < history.size(); ++r) {
    std::vector<std::uint32_t> box_of_case(story_of_case.size(), kAbsent);
    for (std::size_t i = 0; i < history[r].cases.size(); ++i)
      box_of_case[history[r].cases[i]] = history[r].box_of_case[i];
    std::vector<CaseNumber> order(story_of_case.size());
    std::iota(order.begin(), order.end(), CaseNumber{0});
    const auto key = [&](CaseNumber c) { return std::pair(story_of_case[c], box_of_case[c]); };
    std::ranges::sort(order, {}, [&](CaseNumber c) { return std::pair(key(c), c); });
    std::vector<Story> refined;
    std::vector<std::uint32_t> refined_of_case(story_of_case.size(), kAbsent);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const CaseNumber c = order[i];
      if (story_of_case[c] == kAbsent && box_of_case[c] == kAbsent) continue;  // not there yet
      if (i == 0 || key(order[i - 1]) != key(c)) {
        Story story = story_of_case[c] == kAbsent ? Story{std::vector<std::uint32_t>(r, kAbsent), c, 0}
                                                  : stories[story_of_case[c]];
        story.box.push_back(box_of_case[c]);
        story.witness = c;
        story.cases = 0;
        refined.push_back(std::move(story));
      }
      ++refined.back().cases;
      refined_of_case[c] = static_cast<std::uint32_t>(refined.size() - 1);
    }
    stories = std::move(refined);
    story_of_case = std::move(refined_of_case);
  }
  return stories;
}

inline bool StaysAndNests(const IncrementalHistory& history, const Story& story) {
  for (std::size_t r = 1; r < story.box.size(); ++r) {
    if (story.box[r - 1] == kAbsent) continue;
    if (story.box[r] == kAbsent) return false;
    const auto outer = history[r - 1].box(story.box[r - 1]);
    const auto inner = history[r].box(story.box[r]);
    for (std::size_t c = 0; c < outer.size(); ++c) {
      if (!outer[c].Contains(inner[c])) return false;
    }
  }
  return true;
}

struct Inferred {
  Box box;
  const Story* story;
};

// The classes of one set of releases, from the definition.
inline std::optional<HistoryViolation> TrySet(const IncrementalHistory& history, std::span<const Story> stories,
                                              const std::vector<std::size_t>& set, std::uint64_t k) {
  std::vector<Inferred> inferred;
  for (const Story& story : stories) {
    Box box;
    bool is_there = false;
    for (const std::size_t r : set) {
      if (story.box[r] == kAbsent) continue;
      const auto published = history[r].box(story.box[r]);
      if (!is_there) box.assign(published.begin(), published.end());
      is_there = true;
      for (std::size_t c = 0; c < box.size(); ++c) {
        box[c] = {std::max(box[c].lo, published[c].lo), std::min(box[c].hi, published[c].hi)};
        if (box[c].lo > box[c].hi)
          return HistoryViolation{HistoryViolation::Kind::kContradiction, set, story.witness, story.cases};
      }
    }
    if (is_there) inferred.push_back({std::move(box), &story});
  }
  std::ranges::sort(inferred, [](const Inferred& a, const Inferred& b) { return a.box < b.box; });
  for (std::size_t begin = 0, end = 0; begin < inferred.size(); begin = end) {
    std::uint64_t members = 0;
    std::uint64_t staying = 0;  // who is in the last release of the set: those who left may be known to have left
    CaseNumber witness = inferred[begin].story->witness;
    for (; end < inferred.size() && inferred[end].box == inferred[begin].box; ++end) {
      const Story& story = *inferred[end].story;
      members += story.cases;
      if (story.box[set.back()] == kAbsent) continue;
      if (staying == 0) witness = story.witness;
      staying += story.cases;
    }
    const std::uint64_t fewest = staying > 0 ? staying : members;
    if (fewest < k) return HistoryViolation{HistoryViolation::Kind::kTooFew, set, witness, fewest};
  }
  return std::nullopt;
}

}  // namespace whole_history

// Any history, monotone or not, over every set of releases, counted twice: with everybody who is in one of them, and
// with those alone who are in the last of them. Exact. Where every box nests in the one before it and
// nobody leaves, each release is looked at once; otherwise every set of up to kMostReleases releases is.
inline constexpr std::size_t kMostReleases = 20;
inline std::optional<HistoryViolation> FindViolationOfHistory(const IncrementalHistory& history, std::uint64_t k) {
  using namespace whole_history;
  const std::vector<Story> stories = TellStories(history);
  // A set's inference is then its last release: whoever is in the set is in its last release, with the smallest box.
  const bool is_monotone =
      std::ranges::all_of(stories, [&](const Story& story) { return StaysAndNests(history, story); });
  if (is_monotone) {
    for (std::size_t r = 0; r < history.size(); ++r) {
      if (auto found = TrySet(history, stories, {r}, k)) return found;
    }
    return std::nullopt;
  }
  if (history.size() > kMostReleases)
    return HistoryViolation{HistoryViolation::Kind::kUndecided, {}, stories.front().witness, stories.front().cases};
  for (std::uint32_t bits = 1; bits < std::uint32_t{1} << history.size(); ++bits) {
    std::vector<std::size_t> set;
    for (std::size_t r = 0; r < history.size(); ++r) {
      if ((bits >> r & 1) != 0) set.push_back(r);
    }
    if (auto found = TrySet(history, stories, set, k)) return found;
  }
  return std::nullopt;
}

}  // namespace pentimento
