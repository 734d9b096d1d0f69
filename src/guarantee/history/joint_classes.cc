#include "guarantee/history/joint_classes.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/parallel.h"

namespace pentimento {
namespace {

// Classes of the first release that one task cuts.
constexpr std::size_t kClassesPerTask = 1024;
// From so many people on, they are ordered by counting those of each class.
constexpr std::size_t kManyPeople = std::size_t{1} << 16;

// People in the order of their classes in a release, whoever is not in it after all others; then as they were.
struct PeopleByClass {
  std::vector<std::uint32_t> people;
  std::vector<std::size_t> begin;  // by class, one more for the absent, and one more

  std::size_t absent() const { return begin.size() - 2; }
  std::span<std::uint32_t> of(std::size_t number) {
    return std::span(people).subspan(begin[number], begin[number + 1] - begin[number]);
  }
};

PeopleByClass OrderByClass(const CommonRelease& release, std::span<const std::uint32_t> people) {
  const auto place_of = [&](std::uint32_t person) { return std::min(release.class_of[person], release.classes()); };
  PeopleByClass ordered{std::vector<std::uint32_t>(people.size()),
                        std::vector<std::size_t>(std::size_t{release.classes()} + 2)};
  for (const std::uint32_t person : people) ++ordered.begin[place_of(person) + std::size_t{1}];
  std::partial_sum(ordered.begin.begin(), ordered.begin.end(), ordered.begin.begin());
  std::vector<std::size_t> next(ordered.begin.begin(), ordered.begin.end() - 1);
  for (const std::uint32_t person : people) ordered.people[next[place_of(person)]++] = person;
  return ordered;
}

// By person: the first of their joint class, or kInNoRelease; over all releases but the last, and over all.
struct FirstPeople {
  std::vector<std::uint32_t> before;  // empty where nobody asks
  std::vector<std::uint32_t> after;
};

// Cuts a group of people by one release after the other, and writes down for each of them the first of their joint
// class. Groups have no people in common, so several may be cut side by side, each by a cutter of its own.
class JointClassCutter {
 public:
  JointClassCutter(const CommonReleases& common, std::span<const std::uint32_t> set, FirstPeople& first)
      : common_(common), set_(set), first_(first) {}

  // `people` ascend and agree on the releases before `depth`; they are put into another order.
  void Cut(std::span<std::uint32_t> people, std::size_t depth, bool is_in_any) {
    for (; depth < set_.size() && (people.size() > 1 || !is_in_any) && !people.empty(); ++depth) {
      if (depth + 1 == set_.size()) WriteDown(people, is_in_any, first_.before);
      const std::vector<ClassNumber>& class_of = common_.releases[set_[depth]].class_of;
      const ClassNumber one = class_of[people.front()];
      if (!std::ranges::all_of(people, [&](std::uint32_t person) { return class_of[person] == one; }))
        return people.size() < kManyPeople ? CutFew(people, depth, is_in_any) : CutMany(people, depth, is_in_any);
      is_in_any = is_in_any || one != kNotInRelease;
    }
    if (depth < set_.size()) WriteDown(people, is_in_any, first_.before);
    WriteDown(people, is_in_any, first_.after);
  }

 private:
  static void WriteDown(std::span<const std::uint32_t> people, bool is_in_any, std::vector<std::uint32_t>& first) {
    if (first.empty()) return;  // nobody asks
    for (const std::uint32_t person : people) first[person] = is_in_any ? people.front() : kInNoRelease;
  }

  void CutFew(std::span<std::uint32_t> people, std::size_t depth, bool is_in_any) {
    const std::vector<ClassNumber>& class_of = common_.releases[set_[depth]].class_of;
    const std::size_t base = keyed_.size();  // groups on the way here have what stands before
    for (const std::uint32_t person : people) keyed_.push_back(std::uint64_t{class_of[person]} << 32 | person);
    std::sort(keyed_.begin() + static_cast<std::ptrdiff_t>(base), keyed_.end());
    for (std::size_t i = 0; i < people.size(); ++i) people[i] = static_cast<std::uint32_t>(keyed_[base + i]);
    for (std::size_t i = 0, end = 0; i < people.size(); i = end) {
      const std::uint64_t number = keyed_[base + i] >> 32;
      while (end < people.size() && keyed_[base + end] >> 32 == number) ++end;
      Cut(people.subspan(i, end - i), depth + 1, is_in_any || number != kNotInRelease);
    }
    keyed_.resize(base);
  }

  void CutMany(std::span<const std::uint32_t> people, std::size_t depth, bool is_in_any) {
    PeopleByClass ordered = OrderByClass(common_.releases[set_[depth]], people);
    for (std::size_t c = 0; c <= ordered.absent(); ++c)
      Cut(ordered.of(c), depth + 1, is_in_any || c != ordered.absent());
  }

  const CommonReleases& common_;
  std::span<const std::uint32_t> set_;
  FirstPeople& first_;
  std::vector<std::uint64_t> keyed_;  // class and person, of the groups that are being cut
};

std::vector<std::uint32_t> Everybody(const CommonReleases& common) {
  std::vector<std::uint32_t> people(common.people);
  std::iota(people.begin(), people.end(), 0U);
  return people;
}

void FindFirstPeople(const CommonReleases& common, std::span<const std::uint32_t> set, FirstPeople& first) {
  if (set.empty()) return;
  PeopleByClass ordered = OrderByClass(common.releases[set.front()], Everybody(common));
  ParallelFor(ordered.absent() + 1, kClassesPerTask, [&](std::size_t begin, std::size_t end) {
    JointClassCutter cutter(common, set, first);
    for (std::size_t c = begin; c < end; ++c) cutter.Cut(ordered.of(c), 1, c != ordered.absent());
  });
}

// In the order of people: the first person of a joint class comes before all others of it.
JointClasses NumberByFirst(std::vector<std::uint32_t> first) {
  JointClasses joint{std::move(first), {}};
  for (std::uint32_t person = 0; person < joint.of_person.size(); ++person) {
    std::uint32_t& number = joint.of_person[person];
    if (number == kInNoRelease) continue;
    if (number == person) joint.people.push_back(0);
    number = number == person ? static_cast<std::uint32_t>(joint.people.size() - 1) : joint.of_person[number];
    ++joint.people[number];
  }
  return joint;
}

}  // namespace

std::vector<std::uint32_t> AllReleases(const CommonReleases& common) {
  std::vector<std::uint32_t> places(common.releases.size());
  std::iota(places.begin(), places.end(), 0U);
  return places;
}

JointClasses FindJointClasses(const CommonReleases& common, std::span<const std::uint32_t> set) {
  FirstPeople first{{}, std::vector<std::uint32_t>(common.people, kInNoRelease)};
  FindFirstPeople(common, set, first);
  return NumberByFirst(std::move(first.after));
}

JointClassesByLast FindJointClassesByLast(const CommonReleases& common, std::span<const std::uint32_t> set) {
  FirstPeople first{std::vector<std::uint32_t>(common.people, kInNoRelease),
                    std::vector<std::uint32_t>(common.people, kInNoRelease)};
  FindFirstPeople(common, set, first);
  return {NumberByFirst(std::move(first.before)), NumberByFirst(std::move(first.after))};
}

}  // namespace pentimento
