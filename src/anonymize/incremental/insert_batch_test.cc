#include "anonymize/incremental/insert_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "anonymize/incremental/published_boxes.h"
#include "base/parallel.h"
#include "base/random.h"

namespace pentimento::insert_batch_test {
namespace {

using Rows = std::vector<std::vector<Code>>;

Domain Numbers(std::int64_t hi) { return Domain(NumericRange{0, hi, 0, {}}, false); }

EncodedTable Table(const std::vector<Domain>& domains, const Rows& rows) {
  EncodedTable table;
  table.rows = rows.size();
  for (std::size_t c = 0; c < domains.size(); ++c) {
    CodeColumn codes(domains[c].size(), rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) codes.Set(row, rows[row][c]);
    table.quasi_identifiers.push_back(std::move(codes));
  }
  return table;
}

// A series in memory, and what it publishes.
class Series {
 public:
  Series(std::vector<Domain> domains, std::uint64_t k, bool hides_arrivals = false)
      : domains_(std::move(domains)), options_{.k = k, .hides_arrivals = hides_arrivals} {}

  Result<IncrementalStep> Try(const Rows& rows, const std::vector<CaseNumber>& withdrawn = {}) const {
    return InsertBatch(view(), domains_, Table(domains_, rows), withdrawn, options_);
  }
  IncrementalStep Add(const Rows& rows, const std::vector<CaseNumber>& withdrawn = {}) {
    IncrementalStep step = Try(rows, withdrawn).value();
    segments_.push_back(std::make_unique<SegmentData>(*step.segment));
    return step;
  }
  // By member.
  std::vector<Box> Boxes() const {
    const Classes draft = BoxesOfMembers(view(), domains_, options_.form);
    std::vector<Box> boxes;
    for (const ClassNumber group : draft.of_row) boxes.emplace_back(draft.box(group).begin(), draft.box(group).end());
    return boxes;
  }
  IncrementalView view() const {
    IncrementalView view{domains_.size(), {}};
    for (const auto& segment : segments_) view.segments.push_back(segment->view());
    return view;
  }
  const std::vector<Domain>& domains() const { return domains_; }

 private:
  std::vector<Domain> domains_;
  InsertOptions options_;
  std::vector<std::unique_ptr<SegmentData>> segments_;
};

std::size_t DifferentBoxes(const Series& series) {
  const std::vector<Box> boxes = series.Boxes();
  return std::set<Box>(boxes.begin(), boxes.end()).size();
}

TEST(InsertBatch, ASeriesBeginsWithKPeopleAndSaysHowManyAreMissing) {
  const Series series({Numbers(9)}, 5);
  const auto step = series.Try({{1}, {2}, {3}});
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.error().code, ErrorCode::kRefused);
  EXPECT_NE(step.error().message.find("2 more"), std::string::npos) << step.error().message;
}

TEST(InsertBatch, EveryNewcomerFindsALeafHoweverFewTheyAre) {
  Series series({Numbers(99)}, 2);
  series.Add({{10}, {20}, {60}, {70}});
  const IncrementalStep step = series.Add({{65}});
  EXPECT_EQ(step.leaves_joined, 1U);
  EXPECT_EQ(step.leaves_refined, 0U);
  EXPECT_EQ(series.Boxes()[4], series.Boxes()[3]);
}

TEST(InsertBatch, RegionsOverTheDomainArePublishedNotBoxesAroundTheMembers) {
  // Where boxes around the members would leave all four alone by intersection.
  Series series({Numbers(10), Numbers(10)}, 2);
  series.Add({{1, 1}, {2, 10}});
  EXPECT_EQ(series.Boxes()[0], (Box{{0, 10}, {0, 10}}));
  series.Add({{0, 1}, {3, 10}});
  for (const Box& box : series.Boxes()) EXPECT_EQ(std::ranges::count(series.Boxes(), box), 2);
}

TEST(InsertBatch, ALabelIsThatOfTheRegionNotOfTheMembers) {
  // Nobody is a q yet. Whoever comes has a place with the two who are r, so these are not published as r.
  const auto flat = std::make_shared<const Taxonomy>(Taxonomy::Flat(std::vector<std::string>{"p", "q", "r"}).value());
  Series series({Domain(flat, false)}, 2);
  series.Add({{0}, {0}, {2}, {2}});
  EXPECT_EQ(series.Boxes(), (std::vector<Box>{{{0, 0}}, {{0, 0}}, {{0, 2}}, {{0, 2}}}));
  series.Add({{1}});
  EXPECT_EQ(series.Boxes()[4], (Box{{0, 2}}));
}

// Why no maker of a series can always be nearly as fine as one that cuts everything anew. The only cut of the first
// four people is the one between 2 and 7. With it the two who come next make groups of three and three; of all six at
// once there are three groups of two. Without it the first release would be twice as coarse.
TEST(InsertBatch, ACutThatIsOutCannotBeUndone) {
  const auto discernibility = [](const std::vector<Box>& boxes) {
    std::size_t sum = 0;
    for (const Box& box : boxes) sum += static_cast<std::size_t>(std::ranges::count(boxes, box));
    return sum;
  };
  Series series({Numbers(9)}, 2);
  series.Add({{1}, {2}, {7}, {8}});
  EXPECT_EQ(discernibility(series.Boxes()), 8U);
  series.Add({{3}, {6}});
  EXPECT_EQ(discernibility(series.Boxes()), 18U);
  Series at_once({Numbers(9)}, 2);
  at_once.Add({{1}, {2}, {7}, {8}, {3}, {6}});
  EXPECT_EQ(discernibility(at_once.Boxes()), 12U);
}

TEST(InsertBatch, ACutOffTheMedianIsFoundAndAGroupWithoutOneStays) {
  Series cut({Numbers(5)}, 2);
  cut.Add({{1}, {1}, {2}, {2}, {2}});
  EXPECT_EQ(DifferentBoxes(cut), 2U);
  Series whole({Numbers(5)}, 2);
  whole.Add({{1}, {2}, {2}, {2}, {2}, {3}});
  EXPECT_EQ(DifferentBoxes(whole), 1U);
}

TEST(InsertBatch, MoreThanTwiceKDifferentPeopleNeedNotHaveACut) {
  Series series({Numbers(2), Numbers(2)}, 2);
  series.Add({{1, 0}, {1, 2}, {0, 1}, {2, 1}, {1, 1}});
  EXPECT_EQ(DifferentBoxes(series), 1U);
}

TEST(InsertBatch, NewcomersLetAGroupBeRefinedAndBoxesOnlyShrink) {
  Series series({Numbers(99)}, 2);
  series.Add({{10}, {80}});
  const std::vector<Box> before = series.Boxes();
  const IncrementalStep step = series.Add({{12}, {85}});
  EXPECT_EQ(step.leaves_refined, 1U);
  const std::vector<Box> after = series.Boxes();
  EXPECT_EQ(after[0], after[2]);
  EXPECT_EQ(after[1], after[3]);
  EXPECT_NE(after[0], after[1]);
  for (std::size_t member = 0; member < before.size(); ++member)
    EXPECT_TRUE(before[member][0].Contains(after[member][0]));
}

TEST(InsertBatch, WithHiddenArrivalsNewcomersAmongTheFirstRefineNothing) {
  Series series({Numbers(99)}, 2, /*hides_arrivals=*/true);
  series.Add({{10}, {80}});
  EXPECT_EQ(series.Add({{12}, {13}, {70}, {75}}).leaves_refined, 0U);
}

TEST(InsertBatch, WithHiddenArrivalsNewcomersWhoLieApartAreCutOff) {
  Series series({Numbers(99)}, 2, /*hides_arrivals=*/true);
  series.Add({{10}, {30}});
  // One is not enough, and the next comes with another release: whoever was in the second would be alone.
  EXPECT_EQ(series.Add({{80}}).leaves_refined, 0U);
  EXPECT_EQ(series.Add({{85}}).leaves_refined, 0U);
  // Two who came together are enough, if nobody earlier lies among them.
  EXPECT_EQ(series.Add({{90}, {95}}).leaves_refined, 1U);
  const std::vector<Box> boxes = series.Boxes();
  EXPECT_EQ(boxes[4], boxes[5]);
  EXPECT_EQ(boxes[0], boxes[3]);
  EXPECT_NE(boxes[0], boxes[4]);
}

TEST(InsertBatch, WithHiddenArrivalsSomebodyEarlyWhoLeftStillCountsAsEarly) {
  Series series({Numbers(99)}, 2, /*hides_arrivals=*/true);
  series.Add({{10}, {30}, {90}}, {});
  EXPECT_EQ(series.Add({{80}, {85}}, {2}).leaves_refined, 0U);
}

TEST(InsertBatch, WhoLeavesKeepsTheBoxAndNobodyIsCutOnTheirAccount) {
  // {1,2} and {3,4}; 2 leaves. Widening would leave 1 alone by intersection.
  Series series({Numbers(5)}, 2);
  series.Add({{1}, {2}, {3}, {4}});
  const std::vector<Box> before = series.Boxes();
  ASSERT_NE(before[0], before[2]);
  series.Add({}, {1});
  EXPECT_EQ(series.Boxes(), before);
  // Of the four cases in {0 … 2} one has left: three people cannot be two groups of two.
  EXPECT_EQ(series.Add({{1}, {2}}).leaves_refined, 0U);
  EXPECT_EQ(series.Add({{2}}).leaves_refined, 1U);
}

TEST(InsertBatch, SomebodyWhoLeftGoesWhereTheCutsPutThem) {
  Series series({Numbers(99)}, 2);
  series.Add({{10}, {80}});
  series.Add({{12}, {14}, {85}, {87}}, {0});
  const std::vector<Box> boxes = series.Boxes();
  EXPECT_TRUE(boxes[0][0].Contains(Code{10}));
  EXPECT_EQ(boxes[0], boxes[2]);
}

// {1,2} and {7,8}, k = 2: a third person in the first leaf changes nothing and needs no look at who is there; two do.
TEST(InsertBatch, RecordsAreReadOnlyWhereTheyAreIntactAndOnlyWhereALeafHasEnoughPeople) {
  Series series({Numbers(9)}, 2);
  series.Add({{1}, {2}, {7}, {8}});
  std::vector<LeafPart> asked;
  InsertOptions options{.k = 2, .require_intact = [&](std::span<const LeafPart> parts) -> Status {
                          asked.insert(asked.end(), parts.begin(), parts.end());
                          return Error{ErrorCode::kCorruptLedger, "damaged"};
                        }};
  const auto insert = [&](const Rows& rows) {
    return InsertBatch(series.view(), series.domains(), Table(series.domains(), rows), {}, options);
  };
  EXPECT_TRUE(insert({{1}}).ok());
  EXPECT_TRUE(asked.empty());
  const auto step = insert({{1}, {2}, {8}});
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.error().code, ErrorCode::kCorruptLedger);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked.front().count, 2U);
}

// The codes of this batch fit into a byte, those of who was there before do not.
TEST(InsertBatch, NewcomersWithNarrowCodesAreDescribedBesideWideOnes) {
  Series series({Numbers(299)}, 4);
  series.Add({{10}, {20}, {290}, {299}});
  EncodedTable batch = Table({Numbers(99)}, {{11}, {12}, {13}, {14}});
  ASSERT_EQ(batch.quasi_identifiers[0].bits(), 8);
  const IncrementalStep step = InsertBatch(series.view(), series.domains(), std::move(batch), {}, {.k = 4}).value();
  ASSERT_EQ(step.leaves_refined, 1U);
  const EncodedTable& table = step.described.table;
  ASSERT_EQ(table.rows, 8U);
  std::multiset<Code> codes;
  for (std::size_t row = 0; row < table.rows; ++row) codes.insert(table.quasi_identifiers[0][row]);
  EXPECT_EQ(codes, (std::multiset<Code>{10, 11, 12, 13, 14, 20, 290, 299}));
}

TEST(InsertBatch, TheNumberOfThreadsChangesNothing) {
  // Enough rows for several tasks on the way down, and for several pieces of leaves to be cut.
  Random random(SeedFromNumber(3), "batch");
  Rows rows(100'000, std::vector<Code>(3));
  for (auto& row : rows) row = {random.Below(100), random.Below(50), random.Below(1000)};
  const std::vector<Domain> domains = {Numbers(99), Numbers(49), Numbers(999)};
  std::vector<Box> expected;
  for (const std::size_t threads : {1, 2, 5}) {
    const ThreadLimit limit(threads);
    Series series(domains, 10);
    series.Add(Rows(rows.begin(), rows.begin() + 50'000));
    const IncrementalStep step = series.Add(Rows(rows.begin() + 50'000, rows.end()));
    EXPECT_GT(step.leaves_refined, 1000U);
    if (expected.empty()) expected = series.Boxes();
    ASSERT_EQ(series.Boxes(), expected);
    const std::vector<Box> boxes = series.Boxes();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t c = 0; c < 3; ++c) ASSERT_TRUE(boxes[row][c].Contains(rows[row][c]));
    }
  }
}

TEST(InsertBatch, WithHiddenArrivalsNeitherThreadsNorTheOrderOfNewcomersMatter) {
  Random random(SeedFromNumber(4), "batch");
  Rows first(20'000, std::vector<Code>(3)), then(20'000, std::vector<Code>(3));
  for (auto& row : first) row = {random.Below(60), random.Below(50), random.Below(1000)};
  for (auto& row : then) row = {40 + random.Below(60), random.Below(50), random.Below(1000)};
  const std::vector<Domain> domains = {Numbers(99), Numbers(49), Numbers(999)};
  std::map<std::vector<Code>, Box> expected;  // who is alike has the same box
  for (const std::size_t threads : {1, 2, 5}) {
    const ThreadLimit limit(threads);
    Series series(domains, 10, /*hides_arrivals=*/true);
    series.Add(first);
    EXPECT_GT(series.Add(then).leaves_refined, 10U);
    const std::vector<Box> boxes = series.Boxes();
    for (std::size_t member = 0; member < boxes.size(); ++member) {
      const auto& row = member < first.size() ? first[member] : then[member - first.size()];
      ASSERT_EQ(expected.try_emplace(row, boxes[member]).first->second, boxes[member]);
    }
    std::ranges::reverse(then);
  }
}

TEST(InsertBatch, WideDomainsKeepTheirCodes) {
  Series series({Numbers(99'999), Numbers(9)}, 2);
  series.Add({{5, 1}, {70'000, 2}, {99'999, 3}, {6, 4}});
  series.Add({{80'000, 5}, {7, 6}});
  const EncodedTable table = CodesOfMembers(series.view(), series.domains());
  EXPECT_EQ(table.quasi_identifiers[0][2], 99'999U);
  EXPECT_EQ(table.quasi_identifiers[0][4], 80'000U);
  EXPECT_EQ(table.quasi_identifiers[1][5], 6U);
}

}  // namespace
}  // namespace pentimento::insert_batch_test
