#include "engine/incremental/lone_case.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "audit/inference.h"

namespace pentimento {
namespace {

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

}  // namespace

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

}  // namespace pentimento
