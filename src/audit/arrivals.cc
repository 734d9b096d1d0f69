#include "audit/arrivals.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/parallel_sort.h"
#include "release/equal_boxes.h"

namespace pentimento {
namespace {

constexpr std::uint32_t kHasNoRow = std::numeric_limits<std::uint32_t>::max();

// One release, equal boxes under one number.
struct LivingRelease {
  std::vector<CaseNumber> cases;        // ascending, the withdrawn included
  std::vector<std::uint32_t> box;       // parallel
  std::vector<std::uint8_t> is_living;  // parallel
};

LivingRelease Look(const IncrementalRelease& release, std::span<const CaseNumber> withdrawn) {
  Check(std::ranges::adjacent_find(release.cases, std::greater_equal()) == release.cases.end(),
        "cases of a release ascend strictly");
  Check(release.box_of_case.size() == release.cases.size(), "every case of a release has a box");
  Check(std::ranges::includes(release.cases, withdrawn), "who is withdrawn in a release is one of its cases");
  LivingRelease look{.cases = release.cases, .box = release.box_of_case, .is_living = {}};
  look.is_living.assign(look.cases.size(), 1);
  if (release.columns == 0) {
    std::ranges::fill(look.box, 0);
  } else {
    std::vector<Interval> boxes = release.boxes;
    const std::vector<ClassNumber> kept_as = MergeEqualBoxes(release.columns, boxes);
    for (std::uint32_t& box : look.box) box = kept_as[box];
  }
  std::size_t i = 0;
  for (const CaseNumber number : withdrawn) {
    while (look.cases[i] < number) ++i;
    look.is_living[i] = 0;
  }
  return look;
}

// A case, and what its crowd has in common.
struct InCrowd {
  std::uint64_t crowd = 0;
  CaseNumber case_number = 0;
};

Crowds CountCrowds(std::vector<InCrowd> cases, std::uint64_t k) {
  Crowds crowds{.people = cases.size(), .smallest = {}, .witness = {}};
  ParallelSort(cases.begin(), cases.end(), [](const InCrowd& a, const InCrowd& b) {
    return a.crowd != b.crowd ? a.crowd < b.crowd : a.case_number < b.case_number;
  });
  for (std::size_t begin = 0, end = 0; begin < cases.size(); begin = end) {
    while (end < cases.size() && cases[end].crowd == cases[begin].crowd) ++end;
    const std::uint64_t size = end - begin;
    crowds.alone += size == 1 ? 1 : 0;
    crowds.below_k += size < k ? size : 0;
    const bool is_smaller = !crowds.smallest || size < *crowds.smallest;
    if (is_smaller || (size == *crowds.smallest && cases[begin].case_number < *crowds.witness)) {
      crowds.smallest = size;
      crowds.witness = cases[begin].case_number;
    }
  }
  return crowds;
}

// Everybody in the release before or in this one, in the order of their numbers.
template <typename Body>
void ForEachCase(const LivingRelease& before, const LivingRelease& now, const Body& body) {
  std::size_t b = 0, n = 0;
  while (b < before.cases.size() || n < now.cases.size()) {
    const bool takes_before = b < before.cases.size() && (n == now.cases.size() || before.cases[b] <= now.cases[n]);
    const bool takes_now = n < now.cases.size() && (b == before.cases.size() || now.cases[n] <= before.cases[b]);
    body(takes_before ? before.cases[b] : now.cases[n], takes_before ? &b : nullptr, takes_now ? &n : nullptr);
    b += takes_before ? 1 : 0;
    n += takes_now ? 1 : 0;
  }
}

ReleaseArrivals CountOneRelease(const LivingRelease& before, const LivingRelease& now, std::span<const CaseNumber> seen,
                                std::uint64_t k) {
  std::vector<InCrowd> newcomers, returned, leavers, living;
  ReleaseArrivals arrivals;
  std::size_t s = 0;
  ForEachCase(before, now, [&](CaseNumber number, const std::size_t* at_before, const std::size_t* at_now) {
    const bool was_living = at_before != nullptr && before.is_living[*at_before] != 0;
    const bool is_living = at_now != nullptr && now.is_living[*at_now] != 0;
    const std::uint64_t box = at_now != nullptr ? now.box[*at_now] : kHasNoRow;
    arrivals.withdrawn += at_now != nullptr && !is_living ? 1 : 0;
    if (is_living) living.push_back({box, number});
    if (was_living && !is_living) leavers.push_back({std::uint64_t{before.box[*at_before]} << 32 | box, number});
    if (was_living || !is_living) return;
    while (s < seen.size() && seen[s] < number) ++s;
    (s < seen.size() && seen[s] == number ? returned : newcomers).push_back({box, number});
  });
  arrivals.newcomers = CountCrowds(std::move(newcomers), k);
  arrivals.returned = CountCrowds(std::move(returned), k);
  arrivals.leavers = CountCrowds(std::move(leavers), k);
  arrivals.living = CountCrowds(std::move(living), k);
  return arrivals;
}

}  // namespace

std::vector<ReleaseArrivals> CountArrivals(const ArrivalQuestion& question) {
  Check(question.withdrawn.empty() || question.withdrawn.size() == question.history.size(),
        "who is withdrawn is known of every release or of none");
  std::vector<ReleaseArrivals> all;
  std::vector<CaseNumber> seen;
  LivingRelease before;
  for (std::size_t r = 0; r < question.history.size(); ++r) {
    LivingRelease now =
        Look(question.history[r], question.withdrawn.empty() ? std::span<const CaseNumber>() : question.withdrawn[r]);
    all.push_back(CountOneRelease(before, now, seen, question.k));
    std::vector<CaseNumber> more;
    more.reserve(std::max(seen.size(), now.cases.size()));
    std::ranges::set_union(seen, now.cases, std::back_inserter(more));
    seen = std::move(more);
    before = std::move(now);
  }
  return all;
}

}  // namespace pentimento
