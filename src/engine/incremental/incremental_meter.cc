#include "engine/incremental/incremental_meter.h"

#include <algorithm>

#include "audit/inference.h"

namespace pentimento {
namespace {

bool IsSmaller(std::span<const Interval> now, std::span<const Interval> before) {
  const bool is_inside =
      std::ranges::equal(before, now, [](Interval outer, Interval inner) { return outer.Contains(inner); });
  return is_inside && !std::ranges::equal(before, now);
}

std::uint64_t CountRefined(const IncrementalRelease& before, const IncrementalRelease& now) {
  std::vector<std::uint8_t> is_refined(before.columns == 0 ? 0 : before.boxes.size() / before.columns, 0);
  std::size_t i = 0;
  for (std::size_t b = 0; b < before.cases.size() && !is_refined.empty(); ++b) {
    while (i < now.cases.size() && now.cases[i] < before.cases[b]) ++i;
    if (i == now.cases.size()) break;
    if (now.cases[i] != before.cases[b]) continue;
    const std::uint32_t group = before.box_of_case[b];
    if (is_refined[group] == 0 && IsSmaller(now.box(now.box_of_case[i]), before.box(group))) is_refined[group] = 1;
  }
  return static_cast<std::uint64_t>(std::ranges::count(is_refined, 1));
}

}  // namespace

IncrementalRelease Overlay(const IncrementalRelease& before, const IncrementalRelease& changes) {
  IncrementalRelease both{.columns = changes.columns, .boxes = before.boxes, .cases = {}, .box_of_case = {}};
  const auto offset = static_cast<std::uint32_t>(before.columns == 0 ? 0 : before.boxes.size() / before.columns);
  both.boxes.insert(both.boxes.end(), changes.boxes.begin(), changes.boxes.end());
  std::size_t c = 0;
  const auto take_change = [&] {
    both.cases.push_back(changes.cases[c]);
    both.box_of_case.push_back(offset + changes.box_of_case[c++]);
  };
  for (std::size_t b = 0; b < before.cases.size(); ++b) {
    while (c < changes.cases.size() && changes.cases[c] < before.cases[b]) take_change();
    if (c < changes.cases.size() && changes.cases[c] == before.cases[b]) {
      take_change();
    } else {
      both.cases.push_back(before.cases[b]);
      both.box_of_case.push_back(before.box_of_case[b]);
    }
  }
  while (c < changes.cases.size()) take_change();
  return both;
}

IncrementalReading IncrementalMeter::Add(const IncrementalRelease& release, std::uint64_t k) {
  IncrementalRelease now = Refine({}, release).inferred;
  IncrementalReading reading;
  reading.metrics = Measure({now.columns, now.boxes, now.box_of_case}, domains_, k);
  reading.groups_refined = CountRefined(last_, now);
  known_.Add(now);
  last_ = std::move(now);
  reading.safe = known_.SafeRatio(k);
  reading.unsafe = known_.UnsafeCount(k);
  reading.alone = known_.AloneCount();
  reading.tried_every_set = known_.is_exact();
  return reading;
}

}  // namespace pentimento
