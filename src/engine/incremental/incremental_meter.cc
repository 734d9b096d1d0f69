#include "engine/incremental/incremental_meter.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "audit/inference.h"
#include "base/check.h"

namespace pentimento {
namespace {

EncodedTable FirstRows(const EncodedInput& input, std::size_t rows) {
  EncodedTable table;
  table.rows = rows;
  for (std::size_t c = 0; c < input.domains.size(); ++c) {
    CodeColumn column(input.domains[c].size(), rows);
    input.table.quasi_identifiers[c].Visit([&](auto codes) {
      for (std::size_t row = 0; row < rows; ++row) column.Set(row, codes[row]);
    });
    table.quasi_identifiers.push_back(std::move(column));
  }
  return table;
}

constexpr std::size_t kMostTried = 1000;  // each costs a look at every class

// The box of the case at this place among the release's cases.
Box BoxAt(const IncrementalRelease& release, std::size_t place) {
  const auto box = release.box(release.box_of_case[place]);
  return {box.begin(), box.end()};
}

std::optional<std::size_t> PlaceOf(const IncrementalRelease& release, CaseNumber number) {
  const auto found = std::ranges::lower_bound(release.cases, number);
  if (found == release.cases.end() || *found != number) return std::nullopt;
  return static_cast<std::size_t>(found - release.cases.begin());
}

// How many columns the second release narrows, or the first one, whichever are fewer: the example shall need both.
std::size_t Telling(const LoneCase& lone) {
  std::size_t by_first = 0, by_second = 0;
  for (std::size_t c = 0; c < lone.together.size(); ++c) {
    by_second += lone.together[c] != lone.first[c] ? 1 : 0;
    by_first += lone.together[c] != lone.second[c] ? 1 : 0;
  }
  return std::min(by_first, by_second);
}

bool IsOnlyFit(const InferenceTable& known, const EncodedTable& people, CaseNumber number) {
  std::vector<Code> person;
  for (const CodeColumn& column : people.quasi_identifiers) person.push_back(column[number]);
  std::size_t fitting = 0;
  for (std::uint32_t box = 0; box < known.class_sizes.size() && fitting < 2; ++box) {
    const bool fits = std::ranges::equal(known.inferred.box(box), person,
                                         [](Interval codes, Code code) { return codes.Contains(code); });
    if (fits) fitting += known.class_sizes[box];
  }
  return fitting == 1;
}

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
    const std::uint32_t number = before.box_of_case[b];
    if (is_refined[number] == 0 && IsSmaller(now.box(now.box_of_case[i]), before.box(number))) is_refined[number] = 1;
  }
  return static_cast<std::uint64_t>(std::ranges::count(is_refined, 1));
}

}  // namespace

Result<IncrementalRelease> PublishAnew(const EncodedInput& input, std::size_t rows, const PartitionOptions& options) {
  Check(rows <= input.table.rows, "a table grows to all of its rows");
  PENTIMENTO_ASSIGN(Classes draft, AnonymizeByPartition(FirstRows(input, rows), input.domains, options));
  IncrementalRelease release{.columns = draft.columns,
                             .boxes = std::move(draft.boxes),
                             .cases = std::vector<CaseNumber>(rows),
                             .box_of_case = std::move(draft.of_row)};
  std::iota(release.cases.begin(), release.cases.end(), CaseNumber{0});
  return release;
}

std::optional<LoneCase> FindLoneCase(const IncrementalRelease& first, const IncrementalRelease& second,
                                     const EncodedTable& people) {
  const InferenceTable known = Infer({first, second});
  std::vector<std::pair<std::size_t, LoneCase>> candidates;
  for (std::size_t i = 0; i < known.inferred.cases.size(); ++i) {
    // Whose own class is larger is never the only fit.
    if (known.class_sizes[known.inferred.box_of_case[i]] != 1) continue;
    const CaseNumber number = known.inferred.cases[i];
    const auto in_first = PlaceOf(first, number), in_second = PlaceOf(second, number);
    if (!in_first || !in_second) continue;
    LoneCase lone{number, BoxAt(first, *in_first), BoxAt(second, *in_second), BoxAt(known.inferred, i)};
    const std::size_t telling = Telling(lone);
    candidates.emplace_back(telling, std::move(lone));
  }
  std::ranges::stable_sort(candidates, std::greater(), [](const auto& candidate) { return candidate.first; });
  if (candidates.size() > kMostTried) candidates.resize(kMostTried);
  for (const auto& [telling, lone] : candidates) {
    if (IsOnlyFit(known, people, lone.number)) return lone;
  }
  return std::nullopt;
}

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
