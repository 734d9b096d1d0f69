#include "audit/inference.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/parallel_sort.h"

namespace pentimento {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// For each case the class it was known by and its box in the new release, as one number that sorts fast; kNone on the
// side where it does not occur.
struct Meetings {
  std::vector<CaseNumber> cases;
  std::vector<std::uint64_t> pairs;
};

std::uint64_t PairOf(std::uint32_t known, std::uint32_t published) { return std::uint64_t{known} << 32 | published; }
std::uint32_t KnownOf(std::uint64_t pair) { return static_cast<std::uint32_t>(pair >> 32); }
std::uint32_t PublishedOf(std::uint64_t pair) { return static_cast<std::uint32_t>(pair); }

void CheckWellFormed(const InferenceTable& known, const IncrementalRelease& release) {
  const auto& cases = release.cases;
  Check(known.case_count() == 0 || known.inferred.columns == release.columns, "releases of a series share columns");
  Check(release.box_of_case.size() == cases.size(), "every case of a release has a box");
  Check(std::ranges::adjacent_find(cases, std::greater_equal()) == cases.end(), "cases of a release ascend strictly");
}

Meetings MeetCaseByCase(const InferenceTable& known, const IncrementalRelease& release) {
  const IncrementalRelease& before = known.inferred;
  Meetings met;
  met.cases.reserve(std::max(before.cases.size(), release.cases.size()));
  met.pairs.reserve(met.cases.capacity());
  std::size_t b = 0, r = 0;
  while (b < before.cases.size() || r < release.cases.size()) {
    const bool more_before = b < before.cases.size(), more_release = r < release.cases.size();
    const bool is_known = more_before && (!more_release || before.cases[b] <= release.cases[r]);
    const bool is_published = more_release && (!more_before || release.cases[r] <= before.cases[b]);
    const CaseNumber number = is_known ? before.cases[b] : release.cases[r];
    // Whose values contradict each other once, for ever do.
    if (is_known || !std::ranges::binary_search(known.contradictory, number)) {
      met.cases.push_back(number);
      met.pairs.push_back(
          PairOf(is_known ? before.box_of_case[b] : kNone, is_published ? release.box_of_case[r] : kNone));
    }
    b += is_known ? 1 : 0;
    r += is_published ? 1 : 0;
  }
  return met;
}

std::vector<std::uint64_t> Distinct(std::vector<std::uint64_t> pairs) {
  ParallelSort(pairs.begin(), pairs.end(), std::less());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  Check(pairs.size() < kNone, "boxes are counted in 32 bits");
  return pairs;
}

// The inferred box of each distinct pair; several pairs may come to one and the same box.
struct InferredBoxes {
  std::size_t columns = 0;
  std::vector<Interval> boxes;
  std::uint32_t count = 0;
  std::vector<std::uint32_t> box_of_pair;  // kNone where the intersection is empty

  std::span<const Interval> box(std::uint32_t number) const {
    return std::span(boxes).subspan(std::size_t{number} * columns, columns);
  }
};

InferredBoxes Intersect(const IncrementalRelease& before, const IncrementalRelease& release,
                        std::span<const std::uint64_t> pairs) {
  InferredBoxes inferred{.columns = release.columns, .boxes = {}, .count = 0, .box_of_pair = {}};
  inferred.box_of_pair.reserve(pairs.size());
  for (const std::uint64_t pair : pairs) {
    const bool is_known = KnownOf(pair) != kNone, is_published = PublishedOf(pair) != kNone;
    const auto left = is_known ? before.box(KnownOf(pair)) : release.box(PublishedOf(pair));
    const auto right = is_published ? release.box(PublishedOf(pair)) : left;
    const bool meet = std::ranges::equal(left, right, [](Interval a, Interval b) { return a.Intersects(b); });
    inferred.box_of_pair.push_back(meet ? inferred.count++ : kNone);
    for (std::size_t c = 0; meet && c < release.columns; ++c) {
      inferred.boxes.push_back({std::max(left[c].lo, right[c].lo), std::min(left[c].hi, right[c].hi)});
    }
  }
  return inferred;
}

// For each box the first one that is equal to it.
std::vector<std::uint32_t> FirstEqualBox(const InferredBoxes& inferred) {
  std::vector<std::uint32_t> order(inferred.count);
  std::iota(order.begin(), order.end(), 0);
  ParallelSort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto left = inferred.box(a), right = inferred.box(b);
    const auto way = std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(), right.end());
    return way != 0 ? way < 0 : a < b;
  });
  std::vector<std::uint32_t> first(inferred.count);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool as_before = i > 0 && std::ranges::equal(inferred.box(order[i - 1]), inferred.box(order[i]));
    first[order[i]] = as_before ? first[order[i - 1]] : order[i];
  }
  return first;
}

// Puts every case into the class of its inferred box. Classes are numbered as their first cases come along, so that the
// numbers depend on the cases alone.
InferenceTable Classify(const Meetings& met, std::span<const std::uint64_t> pairs, const InferredBoxes& inferred) {
  InferenceTable table;
  table.inferred.columns = inferred.columns;
  const std::vector<std::uint32_t> first_equal = FirstEqualBox(inferred);
  std::vector<std::uint32_t> class_of_box(inferred.count, kNone);
  for (std::size_t i = 0; i < met.cases.size(); ++i) {
    const auto pair = std::ranges::lower_bound(pairs, met.pairs[i]) - pairs.begin();
    const std::uint32_t box = inferred.box_of_pair[pair];
    if (box == kNone) {
      table.contradictory.push_back(met.cases[i]);
      continue;
    }
    std::uint32_t& number = class_of_box[first_equal[box]];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(table.class_sizes.size());
      table.class_sizes.push_back(0);
      const auto intervals = inferred.box(box);
      table.inferred.boxes.insert(table.inferred.boxes.end(), intervals.begin(), intervals.end());
    }
    ++table.class_sizes[number];
    table.inferred.cases.push_back(met.cases[i]);
    table.inferred.box_of_case.push_back(number);
  }
  return table;
}

}  // namespace

InferenceTable Refine(const InferenceTable& known, const IncrementalRelease& release) {
  CheckWellFormed(known, release);
  const Meetings met = MeetCaseByCase(known, release);
  const std::vector<std::uint64_t> pairs = Distinct(met.pairs);
  InferenceTable table = Classify(met, pairs, Intersect(known.inferred, release, pairs));
  const auto newly = static_cast<std::ptrdiff_t>(table.contradictory.size());
  table.contradictory.insert(table.contradictory.end(), known.contradictory.begin(), known.contradictory.end());
  std::ranges::inplace_merge(table.contradictory, table.contradictory.begin() + newly);
  return table;
}

InferenceTable Infer(const IncrementalHistory& history, std::span<const std::size_t> releases) {
  InferenceTable known;
  for (const std::size_t release : releases) {
    Check(release < history.size(), "a set of releases names releases of the history");
    known = Refine(known, history[release]);
  }
  return known;
}

InferenceTable Infer(const IncrementalHistory& history) {
  std::vector<std::size_t> all(history.size());
  std::iota(all.begin(), all.end(), 0);
  return Infer(history, all);
}

Ratio SafeRatio(const InferenceTable& table, std::uint64_t k) {
  std::uint64_t safe = 0;
  for (const std::uint64_t size : table.class_sizes) safe += size >= k ? size : 0;
  const std::uint64_t all = table.case_count();
  if (all == 0) return {1, 1};
  const std::uint64_t divisor = std::gcd(safe, all);
  return {safe / divisor, all / divisor};
}

}  // namespace pentimento
