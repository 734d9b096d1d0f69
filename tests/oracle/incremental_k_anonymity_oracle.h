// k-anonymity against incremental updates straight from its definition, for tests: for every non-empty set of releases
// the boxes of each case are intersected, and cases with equal intersections are counted. Exponential on purpose, and
// it shares no code with the checker or the audit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "release/incremental_history.h"

namespace pentimento::oracle {

using ReleaseSet = std::vector<std::size_t>;  // places in the history, ascending

struct Inference {
  std::map<CaseNumber, Box> boxes;     // without the contradictory cases
  std::set<CaseNumber> contradictory;  // whose boxes have no value in common in some column
};

inline std::optional<Box> PublishedBox(const IncrementalRelease& release, CaseNumber number) {
  for (std::size_t i = 0; i < release.cases.size(); ++i) {
    if (release.cases[i] != number) continue;
    Box box;
    for (std::size_t c = 0; c < release.columns; ++c) {
      box.push_back(release.boxes.at(release.box_of_case.at(i) * release.columns + c));
    }
    return box;
  }
  return std::nullopt;
}

inline Inference InferFrom(const IncrementalHistory& history, const ReleaseSet& set) {
  std::set<CaseNumber> everybody;
  for (const std::size_t r : set) everybody.insert(history.at(r).cases.begin(), history.at(r).cases.end());
  Inference inference;
  for (const CaseNumber number : everybody) {
    std::optional<Box> known;
    bool is_empty = false;
    for (const std::size_t r : set) {
      const std::optional<Box> box = PublishedBox(history.at(r), number);
      if (!box) continue;
      if (!known) known = box;
      for (std::size_t c = 0; c < box->size(); ++c) {
        known->at(c).lo = std::max(known->at(c).lo, box->at(c).lo);
        known->at(c).hi = std::min(known->at(c).hi, box->at(c).hi);
        if (known->at(c).lo > known->at(c).hi) is_empty = true;
      }
    }
    if (is_empty) {
      inference.contradictory.insert(number);
    } else {
      inference.boxes[number] = *known;
    }
  }
  return inference;
}

// For each case that does not contradict itself: how many cases have the inferred box that it has.
inline std::map<CaseNumber, std::uint64_t> ClassSizes(const Inference& inference) {
  std::map<CaseNumber, std::uint64_t> sizes;
  for (const auto& [number, box] : inference.boxes) {
    for (const auto& [other, others_box] : inference.boxes) sizes[number] += box == others_box ? 1 : 0;
  }
  return sizes;
}

// All non-empty sets of the releases of a history, smaller numbers first.
inline std::vector<ReleaseSet> ReleaseSets(std::size_t releases) {
  if (releases > 16) throw std::invalid_argument("the oracle tries every set of releases, and these are too many");
  std::vector<ReleaseSet> sets;
  for (std::size_t bits = 1; bits < std::size_t{1} << releases; ++bits) {
    ReleaseSet set;
    for (std::size_t r = 0; r < releases; ++r) {
      if (bits >> r & 1) set.push_back(r);
    }
    sets.push_back(set);
  }
  return sets;
}

struct IncrementalWitness {
  ReleaseSet releases;
  CaseNumber case_number = 0;

  friend bool operator==(const IncrementalWitness&, const IncrementalWitness&) = default;
};

struct IncrementalResult {
  std::optional<IncrementalWitness> contradiction;  // the first set and case without a common value
  std::optional<std::uint64_t> smallest_class;  // over all sets, contradictory cases left out; nothing without cases
  std::optional<IncrementalWitness> smallest;   // the first set and case with a class of that size

  bool contradictory() const { return contradiction.has_value(); }
};

inline IncrementalResult CheckIncremental(const IncrementalHistory& history) {
  IncrementalResult result;
  for (const ReleaseSet& set : ReleaseSets(history.size())) {
    const Inference inference = InferFrom(history, set);
    if (!result.contradiction && !inference.contradictory.empty()) {
      result.contradiction = {set, *inference.contradictory.begin()};
    }
    for (const auto& [number, size] : ClassSizes(inference)) {
      if (result.smallest_class && *result.smallest_class <= size) continue;
      result.smallest_class = size;
      result.smallest = {set, number};
    }
  }
  return result;
}

// A contradictory history has no inference table for some set, so nothing can be claimed of it.
inline bool IsKAnonymousAgainstUpdates(const IncrementalHistory& history, std::uint64_t k) {
  const IncrementalResult result = CheckIncremental(history);
  return !result.contradictory() && (!result.smallest_class || *result.smallest_class >= k);
}

// Hidden arrivals: for every set of releases, and for every release r of the history, known or not to the attacker, of
// the cases that are in r each class of the set has none or at least k.
inline bool HidesArrivals(const IncrementalHistory& history, std::uint64_t k) {
  for (const ReleaseSet& set : ReleaseSets(history.size())) {
    const Inference inference = InferFrom(history, set);
    for (const IncrementalRelease& release : history) {
      const std::set<CaseNumber> present(release.cases.begin(), release.cases.end());
      std::map<std::vector<std::pair<Code, Code>>, std::uint64_t> sizes;
      for (const auto& [number, box] : inference.boxes) {
        std::vector<std::pair<Code, Code>> key;
        for (const Interval& interval : box) key.emplace_back(interval.lo, interval.hi);
        if (present.contains(number)) ++sizes[key];
      }
      for (const auto& [box, size] : sizes) {
        if (size < k) return false;
      }
    }
  }
  return true;
}

}  // namespace pentimento::oracle
