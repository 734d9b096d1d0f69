#include "audit/seating.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "audit/box_index.h"
#include "audit/pairing_blocks.h"
#include "base/check.h"
#include "base/parallel.h"
#include "base/parallel_sort.h"
#include "guarantee/xy/numbering.h"

namespace pentimento {
namespace {

// People with equal boxes.
struct SeatingProfiles {
  std::vector<std::uint32_t> example;  // by profile: the first person
  std::vector<std::uint64_t> people;   // by profile: how many
};

SeatingProfiles ListProfiles(std::span<const std::uint32_t> profile_of_person, std::uint32_t count) {
  SeatingProfiles profiles{.example = {}, .people = std::vector<std::uint64_t>(count)};
  for (std::uint32_t p = 0; p < profile_of_person.size(); ++p) {
    if (profile_of_person[p] == profiles.example.size()) profiles.example.push_back(p);
    ++profiles.people[profile_of_person[p]];
  }
  return profiles;
}

// By profile: the classes with rows whose boxes meet its box. Looked up in portions, so that what is too much is
// noticed before it is in memory; false where it is.
bool ListMeetingClasses(const SeatingQuestion& question, const SeatingProfiles& profiles, std::uint64_t most_pairs,
                        Seating& seating) {
  constexpr std::size_t kProfilesPerTask = 1024;
  constexpr std::size_t kTasks = 64;
  const std::size_t columns = question.classes.columns;
  const BoxIndex index(columns, question.classes.boxes);
  seating.begin = {0};
  seating.begin.reserve(profiles.example.size() + 1);
  for (std::size_t from = 0; from < profiles.example.size(); from += kTasks * kProfilesPerTask) {
    std::vector<std::vector<ClassNumber>> found(kTasks);
    std::vector<std::uint32_t> count(std::min(kTasks * kProfilesPerTask, profiles.example.size() - from));
    ParallelFor(kTasks, 1, [&](std::size_t first, std::size_t past) {
      for (std::size_t task = first; task < past; ++task) {
        const std::size_t end = std::min((task + 1) * kProfilesPerTask, count.size());
        for (std::size_t i = task * kProfilesPerTask; i < end; ++i) {
          const std::size_t before = found[task].size();
          const auto box = question.people.subspan(profiles.example[from + i] * columns, columns);
          index.ForEachMeeting(box, [&](ClassNumber number) {
            if (question.rows[number] > 0) found[task].push_back(number);
          });
          std::sort(found[task].begin() + static_cast<std::ptrdiff_t>(before), found[task].end());
          count[i] = static_cast<std::uint32_t>(found[task].size() - before);
        }
      }
    });
    for (const std::uint32_t classes : count) seating.begin.push_back(seating.begin.back() + classes);
    if (seating.begin.back() > most_pairs) return false;
    for (const auto& classes : found) seating.possible.insert(seating.possible.end(), classes.begin(), classes.end());
  }
  return true;
}

std::span<const ClassNumber> ClassesOfProfile(const Seating& seating, std::uint32_t profile) {
  return std::span(seating.possible)
      .subspan(seating.begin[profile], seating.begin[profile + 1] - seating.begin[profile]);
}

// Profiles that the same classes meet are interchangeable: by profile the number of its kind.
std::vector<std::uint32_t> KindsOfProfiles(const Seating& seating) {
  const auto profiles = static_cast<std::uint32_t>(seating.begin.size() - 1);
  std::vector<std::uint32_t> order(profiles), kind(profiles);
  std::iota(order.begin(), order.end(), 0);
  ParallelSort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto left = ClassesOfProfile(seating, a), right = ClassesOfProfile(seating, b);
    const auto way = std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(), right.end());
    return way != 0 ? way < 0 : a < b;
  });
  std::uint32_t kinds = 0;
  for (std::uint32_t i = 0; i < profiles; ++i) {
    const bool is_new =
        i > 0 && !std::ranges::equal(ClassesOfProfile(seating, order[i - 1]), ClassesOfProfile(seating, order[i]));
    kinds += is_new ? 1 : 0;
    kind[order[i]] = kinds;
  }
  return kind;
}

// Kinds of profiles on the left, classes with rows on the right.
struct SeatingGraph {
  MatchGraph graph;
  std::vector<std::uint32_t> kind_of_profile;
  std::vector<std::uint32_t> right_of_class;
};

SeatingGraph MakeGraph(const SeatingQuestion& question, const SeatingProfiles& profiles, const Seating& seating) {
  SeatingGraph seats{.graph = {}, .kind_of_profile = KindsOfProfiles(seating), .right_of_class = {}};
  for (const std::uint32_t rows : question.rows) {
    seats.right_of_class.push_back(static_cast<std::uint32_t>(seats.graph.right.size()));
    if (rows > 0) seats.graph.right.push_back(rows);
  }
  const auto kinds =
      seats.kind_of_profile.empty() ? 0 : std::size_t{*std::ranges::max_element(seats.kind_of_profile)} + 1;
  seats.graph.left.resize(kinds);
  seats.graph.matches.resize(kinds);
  for (std::uint32_t p = 0; p < seats.kind_of_profile.size(); ++p) {
    const std::uint32_t kind = seats.kind_of_profile[p];
    const bool is_first = seats.graph.left[kind] == 0;
    seats.graph.left[kind] += profiles.people[p];
    if (!is_first) continue;
    for (const ClassNumber number : ClassesOfProfile(seating, p))
      seats.graph.matches[kind].push_back(seats.right_of_class[number]);
  }
  return seats;
}

// Whether the numbers of people and rows fit what is known of them.
bool NumbersFit(const SeatingQuestion& question, std::uint64_t people, std::uint64_t rows) {
  return (!question.all_are_in || people <= rows) && (!question.all_are_known || rows <= people);
}

// Leaves the classes that are in one block with their profile.
void RuleOut(const SeatingGraph& seats, const PairingBlocks& blocks, Seating& seating) {
  std::vector<std::uint64_t> begin = {0};
  begin.reserve(seating.begin.size());
  std::size_t kept = 0;
  for (std::uint32_t p = 0; p + 1 < seating.begin.size(); ++p) {
    const std::uint32_t block = blocks.of_left[seats.kind_of_profile[p]];
    for (std::uint64_t i = seating.begin[p]; i < seating.begin[p + 1]; ++i) {
      const ClassNumber number = seating.possible[i];
      if (blocks.of_right[seats.right_of_class[number]] == block) seating.possible[kept++] = number;
    }
    begin.push_back(kept);
  }
  seating.possible.resize(kept);
  seating.begin = std::move(begin);
}

void CountPeople(const SeatingProfiles& profiles, std::span<const std::uint64_t> begin_before, Seating& seating) {
  const auto first = [](std::optional<std::uint32_t>& witness, std::uint32_t person) {
    witness = std::min(witness.value_or(person), person);
  };
  for (std::uint32_t p = 0; p < profiles.people.size(); ++p) {
    const std::uint64_t met = begin_before[p + 1] - begin_before[p];
    const std::uint64_t left = seating.begin[p + 1] - seating.begin[p];
    seating.in_no_box += met == 0 ? profiles.people[p] : 0;
    if (met < 2) continue;
    seating.in_several_boxes += profiles.people[p];
    if (left == met) continue;
    seating.narrowed += profiles.people[p];
    first(seating.narrowed_witness, profiles.example[p]);
    if (left != 1) continue;
    seating.forced += profiles.people[p];
    first(seating.forced_witness, profiles.example[p]);
  }
}

}  // namespace

Seating SeatPeople(const SeatingQuestion& question, const SeatingLimits& limits) {
  const std::size_t columns = question.classes.columns;
  Check(columns > 0, "people are seated in classes with boxes");
  Check(question.rows.size() == question.classes.count(), "every class has a number of rows");
  Seating seating;
  seating.people = question.people.size() / columns;
  NumberedTuples tuples = NumberTuples(seating.people, columns, [&](std::size_t person, std::size_t c) {
    return question.people[person * columns + c];
  });
  seating.profile_of_person = std::move(tuples.number);
  const SeatingProfiles profiles = ListProfiles(seating.profile_of_person, tuples.count);
  if (!ListMeetingClasses(question, profiles, limits.most_pairs, seating)) {
    seating.outcome = SeatingOutcome::kTooManyPairs;
    seating.possible.clear();
    seating.begin.assign(profiles.people.size() + 1, 0);
    return seating;
  }
  const bool are_codes = std::ranges::all_of(question.people, [](Interval at) { return at.lo == at.hi; });
  const std::vector<std::uint64_t> begin_before = seating.begin;
  const std::uint64_t rows = std::accumulate(question.rows.begin(), question.rows.end(), std::uint64_t{0});
  if (!NumbersFit(question, seating.people, rows)) {
    seating.outcome = SeatingOutcome::kNoAssignment;
  } else if (question.all_are_in || question.all_are_known) {
    const SeatingGraph seats = MakeGraph(question, profiles, seating);
    const auto found = FindPairingBlocks(seats.graph, limits.most_steps);
    if (const auto* none = std::get_if<NoBlocks>(&found)) {
      seating.outcome = *none == NoBlocks::kNoPairing ? SeatingOutcome::kNoAssignment : SeatingOutcome::kTooManySteps;
    } else {
      RuleOut(seats, std::get<PairingBlocks>(found), seating);
    }
  }
  seating.is_exact = are_codes && seating.outcome == SeatingOutcome::kSeated;
  CountPeople(profiles, begin_before, seating);
  return seating;
}

}  // namespace pentimento
