#include "audit/seating.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/check_testing.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::seating_test {
namespace {

struct Small {
  Classes classes;
  std::vector<std::uint32_t> rows;
  std::vector<Interval> people;
  bool all_are_in = true;
  bool all_are_known = true;

  std::size_t people_count() const { return people.size() / classes.columns; }
  SeatingQuestion question() const { return {classes, rows, people, all_are_in, all_are_known}; }
  bool Meets(std::size_t person, ClassNumber number) const {
    for (std::size_t c = 0; c < classes.columns; ++c) {
      if (!people[person * classes.columns + c].Intersects(classes.box(number)[c])) return false;
    }
    return true;
  }
};

Small OneColumn(std::vector<Interval> boxes, std::vector<std::uint32_t> rows, const std::vector<Code>& codes) {
  Small small{.classes = {.columns = 1, .boxes = std::move(boxes)}, .rows = std::move(rows), .people = {}};
  for (const Code code : codes) small.people.push_back({code, code});
  return small;
}

// Every assignment by itself: nobody is asked for anything but a seat.
class AllAssignments {
 public:
  explicit AllAssignments(const Small& small)
      : small_(small), left_(small.rows), seat_of_(small.people_count(), kStands), possible_(small.people_count()) {
    Seat(0);
  }
  bool any = false;
  const std::set<ClassNumber>& PossibleFor(std::size_t person) const { return possible_[person]; }

 private:
  static constexpr ClassNumber kStands = 0xffffffff;

  void Seat(std::size_t person) {
    if (person == small_.people_count()) {
      if (small_.all_are_known && std::ranges::any_of(left_, [](std::uint32_t rows) { return rows > 0; })) return;
      any = true;
      for (std::size_t p = 0; p < person; ++p) {
        if (seat_of_[p] != kStands) possible_[p].insert(seat_of_[p]);
      }
      return;
    }
    for (ClassNumber number = 0; number < left_.size(); ++number) {
      if (left_[number] == 0 || !small_.Meets(person, number)) continue;
      --left_[number];
      seat_of_[person] = number;
      Seat(person + 1);
      ++left_[number];
    }
    seat_of_[person] = kStands;
    if (!small_.all_are_in) Seat(person + 1);
  }

  const Small& small_;
  std::vector<std::uint32_t> left_;
  std::vector<ClassNumber> seat_of_;
  std::vector<std::set<ClassNumber>> possible_;
};

Small DrawSmall(Random& random, bool are_codes) {
  Small small;
  small.classes.columns = 1 + random.Below(2);
  const std::uint32_t classes = 1 + random.Below(4);
  for (std::uint32_t i = 0; i < classes * small.classes.columns; ++i) {
    const Code lo = random.Below(4);
    small.classes.boxes.push_back({lo, lo + random.Below(4 - lo)});
  }
  std::uint32_t seats = 0;
  for (std::uint32_t c = 0; c < classes; ++c) seats += small.rows.emplace_back(random.Below(3));
  const auto mode = random.Below(8);
  small.all_are_in = mode != 0 && mode != 1;
  small.all_are_known = mode != 0 && mode != 2;
  const std::uint32_t people = random.Below(3) == 0 ? random.Below(7) : seats;
  // Mostly people from the boxes of rows, so that there are assignments to be found.
  std::vector<ClassNumber> from;
  for (ClassNumber c = 0; c < classes; ++c) from.insert(from.end(), small.rows[c], c);
  for (std::uint32_t p = 0; p < people; ++p) {
    for (std::size_t c = 0; c < small.classes.columns; ++c) {
      Interval own{0, 3};
      if (p < from.size() && random.Below(12) > 0) own = small.classes.box(from[p])[c];
      const Code code = own.lo + random.Below(own.hi - own.lo + 1);
      small.people.push_back({code, are_codes ? code : std::min<Code>(3, code + random.Below(2))});
    }
  }
  return small;
}

TEST(Seating, FindsWhatAllAssignmentsAllow) {
  Random random(SeedFromNumber(1), "seats");
  int narrowed = 0, without = 0;
  for (std::size_t round = 0; round < TestRounds(20'000); ++round) {
    const Small small = DrawSmall(random, round % 4 != 0);
    const AllAssignments all(small);
    const Seating found = SeatPeople(small.question());
    ASSERT_EQ(found.outcome == SeatingOutcome::kSeated, all.any) << round;
    std::uint64_t ruled_out = 0, forced = 0, several = 0, in_no_box = 0;
    for (std::uint32_t p = 0; p < small.people_count(); ++p) {
      std::set<ClassNumber> meeting;
      for (ClassNumber c = 0; c < small.rows.size(); ++c) {
        if (small.rows[c] > 0 && small.Meets(p, c)) meeting.insert(c);
      }
      const auto classes = found.ClassesOf(p);
      const std::set<ClassNumber>& expected = all.any ? all.PossibleFor(p) : meeting;
      ASSERT_EQ(std::set<ClassNumber>(classes.begin(), classes.end()), expected) << round << ", person " << p;
      ASSERT_TRUE(std::ranges::is_sorted(classes));
      in_no_box += meeting.empty() ? 1 : 0;
      several += meeting.size() > 1 ? 1 : 0;
      ruled_out += meeting.size() > 1 && expected.size() < meeting.size() ? 1 : 0;
      forced += meeting.size() > 1 && expected.size() == 1 ? 1 : 0;
    }
    ASSERT_EQ(found.people, small.people_count());
    ASSERT_EQ(found.in_no_box, in_no_box);
    ASSERT_EQ(found.in_several_boxes, several);
    ASSERT_EQ(found.narrowed, ruled_out) << round;
    ASSERT_EQ(found.forced, forced) << round;
    ASSERT_EQ(found.forced_witness.has_value(), forced > 0);
    narrowed += ruled_out > 0 ? 1 : 0;
    without += all.any ? 0 : 1;
  }
  EXPECT_GT(narrowed, TestRounds(500));
  EXPECT_GT(without, TestRounds(500));
}

// Two rows of [0,9] and one of [0,4]: nobody above 4 can take the narrow one, so who is below must.
TEST(Seating, WhoCannotBeElsewhereForcesTheOthers) {
  const Small small = OneColumn({{0, 9}, {0, 4}}, {2, 1}, {7, 8, 3});
  const Seating found = SeatPeople(small.question());
  EXPECT_TRUE(found.is_exact);
  EXPECT_EQ(found.forced, 1);
  EXPECT_EQ(found.forced_witness, 2);
  EXPECT_EQ(found.ClassesOf(2).front(), 1);
  EXPECT_EQ(found.in_several_boxes, 1);
}

TEST(Seating, WithASpareRowNobodyIsForced) {
  Small small = OneColumn({{0, 9}, {0, 4}}, {3, 1}, {7, 8, 3});
  small.all_are_known = false;
  EXPECT_EQ(SeatPeople(small.question()).narrowed, 0);
  small.all_are_known = true;
  EXPECT_EQ(SeatPeople(small.question()).outcome, SeatingOutcome::kNoAssignment) << "four rows, three people";
}

TEST(Seating, BoxesThatDoNotOverlapTellEverythingAndForceNobody) {
  const Small small = OneColumn({{0, 4}, {5, 9}}, {2, 2}, {0, 4, 5, 9});
  const Seating found = SeatPeople(small.question());
  EXPECT_EQ(found.outcome, SeatingOutcome::kSeated);
  EXPECT_EQ(found.in_several_boxes, 0);
  EXPECT_EQ(found.forced, 0);
  for (std::uint32_t p = 0; p < 4; ++p) EXPECT_EQ(found.ClassesOf(p).front(), p / 2);
}

TEST(Seating, SomebodyInNoBoxMeansThatTheReleaseIsNotAboutThem) {
  Small small = OneColumn({{0, 4}}, {2}, {0, 4, 7});
  EXPECT_EQ(SeatPeople(small.question()).outcome, SeatingOutcome::kNoAssignment);
  small.all_are_in = false;
  const Seating found = SeatPeople(small.question());
  EXPECT_EQ(found.outcome, SeatingOutcome::kSeated);
  EXPECT_EQ(found.in_no_box, 1);
}

TEST(Seating, WhoseCodesAreNotKnownMakesTheListTooLong) {
  Small small = OneColumn({{0, 4}, {0, 9}}, {1, 1}, {3, 7});
  EXPECT_TRUE(SeatPeople(small.question()).is_exact);
  small.people[0] = {3, 5};
  const Seating found = SeatPeople(small.question());
  EXPECT_EQ(found.outcome, SeatingOutcome::kSeated);
  EXPECT_FALSE(found.is_exact);
}

TEST(Seating, BeyondALimitNothingIsSaidToFollow) {
  const Small small = OneColumn({{0, 9}, {0, 4}}, {2, 1}, {7, 8, 3});
  const Seating no_pairs = SeatPeople(small.question(), {.most_pairs = 3});
  EXPECT_EQ(no_pairs.outcome, SeatingOutcome::kTooManyPairs);
  EXPECT_TRUE(no_pairs.ClassesOf(2).empty());
  const Seating no_steps = SeatPeople(small.question(), {.most_steps = 1});
  EXPECT_EQ(no_steps.outcome, SeatingOutcome::kTooManySteps);
  EXPECT_FALSE(no_steps.is_exact);
  EXPECT_EQ(no_steps.ClassesOf(2).size(), 2);
  EXPECT_EQ(no_steps.forced, 0);
}

TEST(Seating, ThousandsInAChainOfOverlappingBoxesAreAllForced) {
  // Box i holds codes i and i+1, one row each; whoever has the last code alone pushes everybody down.
  std::vector<Interval> boxes;
  std::vector<Code> codes;
  for (Code i = 0; i < 5000; ++i) {
    boxes.push_back({i, i + 1});
    codes.push_back(i + 1);
  }
  const Small small = OneColumn(boxes, std::vector<std::uint32_t>(5000, 1), codes);
  const Seating found = SeatPeople(small.question());
  EXPECT_EQ(found.forced, 4999);
  for (std::uint32_t p = 0; p < 5000; ++p) EXPECT_EQ(found.ClassesOf(p).front(), p);
}

TEST(Seating, AReleaseWithoutBoxesIsNoQuestion) {
  const Classes classes = ClassesWithoutBoxes(1, {});
  const std::vector<std::uint32_t> rows = {1};
  EXPECT_NE(FailedCheckIn([&] { (void)SeatPeople({classes, rows, {}}); }).find("boxes"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::seating_test
