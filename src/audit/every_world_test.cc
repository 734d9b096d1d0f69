#include "audit/every_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check_testing.h"

namespace pentimento::every_world_test {
namespace {

// Three people in A and one in B, values s1, s1, s2, s3; alpha = 1/2, k = 2 (Wong et al. 2007, and what they missed).
constexpr std::uint32_t kA = 0, kB = 1;
constexpr std::uint32_t kS1 = 1, kS2 = 2, kS3 = 3;
constexpr Interval kInA = {kA, kA}, kInAny = {kA, kB};
const std::vector<std::uint32_t> kPeople = {kA, kA, kA, kB};

bool KeepsHalf(const std::vector<std::uint32_t>& bag) {
  return std::ranges::all_of(bag, [&](std::uint32_t value) {
    return 2 * static_cast<std::size_t>(std::ranges::count(bag, value)) <= bag.size();
  });
}

std::vector<std::uint32_t> BagOf(std::span<const std::uint32_t> values, const std::vector<ClassNumber>& of_row,
                                 ClassNumber number) {
  std::vector<std::uint32_t> bag;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (of_row[row] == number) bag.push_back(values[row]);
  }
  return bag;
}

Classes AnyAlone() { return {.columns = 1, .boxes = {kInAny}, .of_row = {0, 0, 0, 0}}; }
Classes WithMoved(std::size_t moved) {
  Classes classes{.columns = 1, .boxes = {kInA, kInAny}, .of_row = {0, 0, 0, 1}};
  classes.of_row[moved] = 1;
  return classes;
}

// B has too few people, so somebody of A goes up to it: the first whose value leaves both parts within the limit.
std::vector<PublishedWorld> RecodeByValues(std::span<const std::uint32_t> values) {
  for (const std::size_t moved : {0, 1, 2}) {
    const Classes classes = WithMoved(moved);
    if (KeepsHalf(BagOf(values, classes.of_row, 0)) && KeepsHalf(BagOf(values, classes.of_row, 1)))
      return {{classes, 3}};
  }
  return {{AnyAlone(), 3}};
}

// The paper's: A alone must keep the limit, or it is pushed back as a whole; then as above.
std::vector<PublishedWorld> RecodeAsThePaperDoes(std::span<const std::uint32_t> values) {
  const bool a_stands = KeepsHalf({values[0], values[1], values[2]});
  return a_stands ? RecodeByValues(values) : std::vector<PublishedWorld>{{AnyAlone(), 3}};
}

// Who goes up is drawn; only then values are looked at, and all is pushed back if a part breaks the limit.
std::vector<PublishedWorld> RecodeByLot(std::span<const std::uint32_t> values) {
  std::vector<PublishedWorld> worlds;
  for (const std::size_t moved : {0, 1, 2}) {
    const Classes classes = WithMoved(moved);
    const bool stands = KeepsHalf(BagOf(values, classes.of_row, 0)) && KeepsHalf(BagOf(values, classes.of_row, 1));
    worlds.push_back({stands ? classes : AnyAlone(), 1});
  }
  return worlds;
}

WorldQuestion QuestionOf(std::vector<std::uint32_t> values, Classes published, auto publish) {
  return {.profiles = kPeople,
          .values = std::move(values),
          .published = std::move(published),
          .shows_members = false,
          .bar = {1, 2},
          .publish = publish};
}

TEST(EveryWorld, ThePapersRecodingTellsWhoIsAloneInB) {
  const std::vector<std::uint32_t> truth = {kS1, kS2, kS3, kS1};
  const Classes published = WithMoved(1);
  for (const bool is_two_tables : {false, true}) {
    WorldQuestion question = QuestionOf(truth, published, RecodeAsThePaperDoes);
    question.shows_members = is_two_tables;
    const auto found = TryEveryWorld(question);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->worlds, 12);
    EXPECT_EQ(found->likeliest[3], (Ratio{1, 1})) << "B has s1 in all that lead here";
    EXPECT_EQ(found->likeliest_value[3], kS1);
    EXPECT_EQ(found->certain, 1);
  }
}

TEST(EveryWorld, ALotTellsNobodysValueOfTheSameTable) {
  const auto found = TryEveryWorld(QuestionOf({kS1, kS2, kS3, kS1}, WithMoved(1), RecodeByLot));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->certain, 0);
  EXPECT_EQ(found->likeliest[3], (Ratio{1, 2})) << "its class has s1 and s2";
  EXPECT_EQ(found->above_bar, 0);
}

// Of one world a quarter of the draws leads here, of the other one three quarters.
TEST(EveryWorld, DrawsCountAsOftenAsTheyComeUp) {
  const Classes cut{.columns = 1, .boxes = {{0, 0}, {1, 1}}, .of_row = {0, 1}};
  const Classes whole{.columns = 1, .boxes = {{0, 1}}, .of_row = {0, 0}};
  WorldQuestion question = QuestionOf({kS1, kS2}, whole, [&](std::span<const std::uint32_t> values) {
    const std::uint64_t weight = values[0] == kS1 ? 1 : 3;
    return std::vector<PublishedWorld>{{whole, weight}, {cut, 4 - weight}};
  });
  question.profiles = {0, 1};
  question.bar = {3, 4};
  const auto found = TryEveryWorld(question);
  EXPECT_EQ(found->possible, 2);
  EXPECT_EQ(found->likeliest[0], (Ratio{3, 4}));
  EXPECT_EQ(found->likeliest_value, (std::vector<std::uint32_t>{kS2, kS1}));
  EXPECT_EQ(found->above_bar, 0) << "at the bar is not above it";
  question.bar = {74, 100};
  EXPECT_EQ(TryEveryWorld(question)->above_bar, 2);
  question.publish = [&](std::span<const std::uint32_t> values) {
    return std::vector<PublishedWorld>{{whole, values[0]}};
  };
  EXPECT_NE(FailedCheckIn([&] { (void)TryEveryWorld(question); }).find("draws"), std::string::npos);
}

// A cut that does not look at values, where both sides are allowed whatever they have.
TEST(EveryWorld, PartitionTellsTheSharesOfItsClassesAndNoMore) {
  const Classes classes{.columns = 1, .boxes = {{0, 1}, {2, 3}}, .of_row = {0, 0, 1, 1}};
  WorldQuestion question = QuestionOf({kS1, kS2, kS1, kS3}, classes, [&](std::span<const std::uint32_t>) {
    return std::vector<PublishedWorld>{{classes, 1}};
  });
  question.profiles = {0, 1, 2, 3};
  const auto found = TryEveryWorld(question);
  EXPECT_EQ(found->possible, 4);
  EXPECT_EQ(found->above_bar, 0);
  EXPECT_EQ(found->likeliest, (std::vector<Ratio>(4, {1, 2})));
}

// Groups drawn from the buckets of values, as Anatomy does: two tables of which every hand-out is equally likely.
TEST(EveryWorld, AnatomyTellsTheSharesOfItsClassesAndNoMore) {
  const auto anatomize = [](std::span<const std::uint32_t> values) {
    std::vector<PublishedWorld> worlds;
    std::vector<std::size_t> order = {0, 1, 2, 3};
    do {  // the first two people of an order are a class, if their values differ; otherwise the next ones
      std::vector<ClassNumber> of_row(4, 1);
      of_row[order[0]] = 0;
      const auto mate = std::find_if(order.begin() + 1, order.end(), [&](std::size_t person) {
        if (values[person] == values[order[0]]) return false;
        std::vector<std::uint32_t> rest;
        for (const std::size_t other : {0, 1, 2, 3}) {
          if (other != order[0] && other != person) rest.push_back(values[other]);
        }
        return rest[0] != rest[1];
      });
      of_row[*mate] = 0;
      worlds.push_back({ClassesWithoutBoxes(2, of_row), 1});
    } while (std::ranges::next_permutation(order).found);
    return worlds;
  };
  const std::vector<std::uint32_t> truth = {kS1, kS2, kS1, kS3};
  WorldQuestion question = QuestionOf(truth, anatomize(truth).front().classes, anatomize);
  question.profiles = {0, 1, 2, 3};
  question.shows_members = true;
  const auto found = TryEveryWorld(question);
  EXPECT_EQ(found->possible, 4);
  EXPECT_EQ(found->likeliest, (std::vector<Ratio>(4, {1, 2})));
}

// {a, a, b, b}: a cut is made only if it leaves two values on either side. That it was not made tells that it would
// not have: each pair has two alike.
TEST(EveryWorld, ACutThatWasNotMadeTellsWhatItWouldHaveShown) {
  const Classes cut{.columns = 1, .boxes = {{0, 0}, {1, 1}}, .of_row = {0, 0, 1, 1}};
  const Classes whole{.columns = 1, .boxes = {{0, 1}}, .of_row = {0, 0, 0, 0}};
  WorldQuestion question = QuestionOf({kS1, kS1, kS2, kS2}, whole, [&](std::span<const std::uint32_t> values) {
    return std::vector<PublishedWorld>{{values[0] != values[1] && values[2] != values[3] ? cut : whole, 1}};
  });
  question.profiles = {0, 0, 1, 1};
  const auto found = TryEveryWorld(question);
  EXPECT_EQ(found->worlds, 6);
  EXPECT_EQ(found->possible, 2);
  EXPECT_EQ(found->certain, 0) << "which of the two pairs has which value is not told";
}

TEST(EveryWorld, OneValueIsCertainAndEqualBoxesAreOneClass) {
  const Classes two{.columns = 1, .boxes = {{0, 1}, {0, 1}}, .of_row = {0, 1}};
  WorldQuestion question = QuestionOf({kS1, kS2}, two, [&](std::span<const std::uint32_t>) {
    return std::vector<PublishedWorld>{{two, 1}};
  });
  question.profiles = {0, 1};
  EXPECT_EQ(TryEveryWorld(question)->certain, 0) << "the boxes do not tell who is where";
  question.shows_members = true;
  EXPECT_EQ(TryEveryWorld(question)->certain, 2);
  question.values = {kS1, kS1};
  question.shows_members = false;
  EXPECT_EQ(TryEveryWorld(question)->certain, 2);
  EXPECT_EQ(TryEveryWorld(question)->above_bar, 2);
}

TEST(EveryWorld, TooManyWorldsAreNotTriedAndOfAnotherReleaseNothingIsSaid) {
  WorldQuestion question = QuestionOf({kS1, kS2, kS3, kS1}, WithMoved(1), RecodeByLot);
  question.most_worlds = 11;
  EXPECT_FALSE(TryEveryWorld(question));
  question.most_worlds = 12;
  EXPECT_TRUE(TryEveryWorld(question));
  question.values.resize(30, kS2);
  EXPECT_NE(FailedCheckIn([&] { (void)TryEveryWorld(question); }).find("value"), std::string::npos);
  question = QuestionOf({kS1, kS2, kS3, kS1}, AnyAlone(), [](std::span<const std::uint32_t>) {
    return std::vector<PublishedWorld>{{WithMoved(1), 1}};
  });
  const auto other = TryEveryWorld(question);
  EXPECT_EQ(other->possible, 0);
  EXPECT_TRUE(other->likeliest.empty());
}

}  // namespace
}  // namespace pentimento::every_world_test
