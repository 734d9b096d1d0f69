#include "engine/global/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "engine/publish.h"
#include "fmt/core.h"
#include "release/global_horizon.h"

namespace pentimento::plan_test {
namespace {

PlanSchedule Known(std::uint64_t releases) { return ScheduleOf(releases, std::nullopt, 0); }
PlanSchedule Open() { return ScheduleOf(std::nullopt, std::nullopt, 0); }
PlanSchedule Part(Ratio part) { return ScheduleOf(std::nullopt, part, 0); }

// Somebody with nothing spent.
CourseItem Fresh(std::uint64_t l, std::uint64_t holders, std::uint64_t rows) {
  return {l, holders, rows, BudgetOfLimit(l)};
}

std::uint64_t Under(const PlanSchedule& schedule, CourseItem item, GroupShape shape, std::uint32_t appearances = 0) {
  return ReleasesUnder(schedule, std::span(&item, 1), appearances, shape);
}

double RowsPerHolder(const global::Cap& cap) { return static_cast<double>(cap.den) / static_cast<double>(cap.num); }

// By logarithms in floating point, from the definition of the schedules.
std::uint64_t CountByLogarithms(double f, double l, auto limit, bool tight) {
  const double budget = -std::log(1 - 1 / l), cost = -std::log(1 - f);
  double left = budget;
  std::uint64_t releases = 0;
  // Room for 5/4 of the frequency from the second release on, if a fresh budget has it.
  const double roomy = -std::log(1 - 1.25 * f);
  const double later = limit(budget, budget, 0) >= roomy ? roomy : cost;
  while (limit(left, budget, releases) >= (releases == 0 ? cost : later)) {
    left -= tight ? limit(left, budget, releases) : cost;
    ++releases;
  }
  return releases;
}

TEST(PlanCourse, AKnownNumberOfReleasesIsBorneUpToTheConservationBoundAndNotOneMore) {
  for (const auto [holders, rows, most] : {std::array{5, 100, 13}, {2, 100, 34}, {5, 1000, 138}}) {
    const CourseItem item = Fresh(2, holders, rows);
    for (const GroupShape shape : {GroupShape::kEven, GroupShape::kTightest}) {
      EXPECT_EQ(Under(Known(most), item, shape), most);
      EXPECT_EQ(Under(Known(most + 1), item, shape), 0);
    }
  }
}

TEST(PlanCourse, TheShareOfAKnownNumberOfReleasesIsTheConstantRatioInEachOfThem) {
  for (const auto& [releases, ratio] : {std::pair{2, 3.414}, {5, 7.725}, {10, 14.933}}) {
    const std::vector<double> shares = SharesUnder(Known(releases), Fresh(2, 1, 100), 0, GroupShape::kTightest, 100);
    ASSERT_EQ(shares.size(), releases);
    for (const double share : shares) EXPECT_NEAR(1 / share, ratio, 0.001);
  }
}

TEST(PlanCourse, WhatEvenGroupsLeaveOfAKnownNumberMakesLaterSharesLarger) {
  const std::vector<double> shares = SharesUnder(Known(10), Fresh(2, 2, 100), 0, GroupShape::kEven, 100);
  ASSERT_EQ(shares.size(), 10);
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_GT(shares.back(), 0.3);
}

TEST(PlanCourse, PartsOfWhatIsLeftLastAsLongAsLogarithmsSay) {
  for (const std::uint64_t denominator : {2, 4, 10}) {
    const auto limit = [&](double left, double, std::uint64_t) { return left / static_cast<double>(denominator); };
    for (const std::uint64_t holders : {1, 2, 5, 8}) {
      const double f = static_cast<double>(holders) / 100;
      EXPECT_EQ(Under(Part({1, denominator}), Fresh(2, holders, 100), GroupShape::kEven),
                CountByLogarithms(f, 2, limit, false));
      EXPECT_EQ(Under(Part({1, denominator}), Fresh(2, holders, 100), GroupShape::kTightest),
                CountByLogarithms(f, 2, limit, true));
    }
  }
}

TEST(PlanCourse, AnOpenSeriesKeepsItsEnvelopeAndAimsLower) {
  const auto limit = [](double left, double budget, std::uint64_t c) {
    return left - budget / (static_cast<double>(c) + 2);
  };
  EXPECT_EQ(Under(Open(), Fresh(2, 2, 100), GroupShape::kEven), CountByLogarithms(0.02, 2, limit, false));
  const std::uint64_t tight = Under(Open(), Fresh(2, 2000, 100'000), GroupShape::kTightest);
  EXPECT_GE(tight, 28);  // groups at 9/8 of the frequency
  EXPECT_LT(tight, 33);
}

TEST(PlanCourse, ExactlyOneInLIsBorneOnceBySomebodyWhoMaySpendEverything) {
  EXPECT_EQ(Under(Known(1), Fresh(3, 1, 3), GroupShape::kEven), 1);
  EXPECT_EQ(Under(Known(1), Fresh(3, 101, 300), GroupShape::kEven), 0);
  EXPECT_EQ(Under(Known(2), Fresh(3, 1, 3), GroupShape::kEven), 0);
}

TEST(PlanCourse, TheItemThatFailsFirstEndsTheSeries) {
  const std::vector<CourseItem> items = {Fresh(2, 1, 1000), Fresh(2, 5, 100 * 10), Fresh(4, 20, 1000)};
  EXPECT_EQ(ReleasesUnder(Open(), items, 0, GroupShape::kEven), Under(Open(), items[2], GroupShape::kEven));
}

TEST(PlanCourse, NothingLimitsAnItemThatNobodyHasExceptTheNumberOfReleases) {
  EXPECT_EQ(Under(Open(), Fresh(2, 0, 100), GroupShape::kTightest), kAnyNumberOfReleases);
  EXPECT_EQ(Under(Known(7), Fresh(2, 0, 100), GroupShape::kTightest), 7);
  EXPECT_EQ(Under(ScheduleOf(7, Ratio{1, 2}, 5), Fresh(2, 1, 100), GroupShape::kEven), 2);
  EXPECT_EQ(Under(ScheduleOf(7, std::nullopt, 7), Fresh(2, 1, 100), GroupShape::kEven), 0);
  EXPECT_EQ(Under(ScheduleOf(7, Ratio{1, 2}, 9), Fresh(2, 1, 100), GroupShape::kEven), 0);
}

TEST(PlanPeople, TheMeanOfWhatIsLeftCountsNobodyBelowZero) {
  const std::vector<LogCost> spent = {0, 10, 50, 100};
  const SpentOnItem on_item(spent);
  EXPECT_EQ(on_item.MeanLeft(100), (100U + 90 + 50 + 0) / 4);
  EXPECT_EQ(on_item.MeanLeft(40), (40U + 30 + 0 + 0) / 4);
  EXPECT_FALSE(on_item.nothing());
}

// Ten people who have spent 0, 1/10, ... of the budget of an item that one in a hundred has.
class PlanItem : public testing::Test {
 protected:
  ItemPlan Measure(const PlanSetting& setting, Frequency expected) {
    const LogCost budget = BudgetOfLimit(2);
    for (std::uint64_t person = 0; person < 10; ++person) spent_.push_back(budget / 10 * person);
    appearances_.assign(10, 4);
    standing_.resize(10);
    ItemPlan item;
    item.l = 2;
    item.holders = 1;
    item.rows = 100;
    MeasureItem(setting, spent_, appearances_, expected, item, standing_);
    return item;
  }

  std::vector<LogCost> spent_;
  std::vector<std::uint32_t> appearances_;
  std::vector<PersonStanding> standing_;
};

TEST_F(PlanItem, CountsWhoIsCloseToTheLimit) {
  const ItemPlan item = Measure({ScheduleOf(10, std::nullopt, 4), true, 4}, {1, 100});
  EXPECT_EQ(item.close.below_half, 4);     // 6, 7, 8, 9 tenths spent; exactly half is not less
  EXPECT_EQ(item.close.below_quarter, 2);  // 8 and 9
  EXPECT_EQ(item.close.below_tenth, 0);
  EXPECT_NEAR(static_cast<double>(item.mean_left) / static_cast<double>(item.budget), 0.55, 1e-9);
  EXPECT_NEAR(static_cast<double>(item.least_left) / static_cast<double>(item.budget), 0.1, 1e-9);
  EXPECT_EQ(item.at_most, static_cast<std::uint64_t>(0.55 * std::log(2) / -std::log(0.99)));
  EXPECT_EQ(item.from_the_start, 68);
  for (std::size_t bin = 0; bin < kPlanBins; ++bin) EXPECT_LE(item.histogram[bin], 1) << bin;
  EXPECT_EQ(item.histogram.back(), 1);
  EXPECT_EQ(item.histogram[0], 0);
}

TEST_F(PlanItem, CountsWhoCannotBearTheExpectedFrequencyUnderTheSchedule) {
  // With six releases to come somebody with a tenth left may spend a sixtieth: a share of 1.15 %.
  EXPECT_EQ(Measure({ScheduleOf(10, std::nullopt, 4), true, 4}, {1, 100}).close.too_little_left, 0);
  spent_.clear();
  EXPECT_EQ(Measure({ScheduleOf(10, std::nullopt, 4), true, 4}, {2, 100}).close.too_little_left, 1);
  spent_.clear();
  EXPECT_EQ(Measure({ScheduleOf(10, std::nullopt, 4), true, 4}, {60, 100}).close.too_little_left, 10);
  EXPECT_TRUE(standing_[0].has_too_little);
}

TEST_F(PlanItem, TheNextReleaseIsDecidedByWhoeverHasLeastLeft) {
  const ItemPlan item = Measure({ScheduleOf(10, std::nullopt, 4), true, 4}, {1, 100});
  const auto ratio = [](double part) { return 1 / (1 - std::pow(0.5, part / 6)); };
  EXPECT_NEAR(RowsPerHolder(item.tightest), ratio(0.1), 1e-4);
  EXPECT_NEAR(RowsPerHolder(item.median), ratio(0.5), 1e-4);  // the lower of the two in the middle
}

TEST_F(PlanItem, AnLBelowThePromiseIsTriedOnlyBeforeTheFirstRelease) {
  EXPECT_EQ(Measure({Known(10), false, 0}, {1, 100}).l_tried.front(), 2);
  spent_.clear();
  ItemPlan item;
  item.l = 7;
  item.holders = 1;
  item.rows = 100;
  MeasureItem({Known(10), true, 1}, std::vector<LogCost>(1, 1), std::vector<std::uint32_t>(1, 1), {1, 100}, item,
              standing_);
  EXPECT_EQ(item.l_tried.front(), 7);
  EXPECT_TRUE(std::ranges::is_sorted(item.at_most_by_l, std::greater()));
}

// A clinic with 1,000 people, and a policy for it.
class Plan : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("plan-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // `shift`: who has it. `first`: the first of the people.
  void WriteTable(std::uint64_t holders, std::uint64_t shift = 0, std::uint64_t first = 0) {
    std::ofstream table(folder_ / "people.csv");
    table << "id,age,disease\n";
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t place = (i * 37 + shift * 101) % 1000;
      table << "secret" << first + i << "," << i % 90 << "," << (place < holders ? "HIV" : "none") << "\n";
    }
  }

  Policy WritePolicy(const std::string& terms, const std::string& release = "q1",
                     const std::string& sensitive = "values = [\"HIV\"]") {
    std::ofstream(folder_ / "policy.toml") << "version = 1\nrelease = \"" << release
                                           << "\"\n[input]\npath = \"people.csv\"\n[columns]\nid = { role = \"id\" }\n"
                                              "age = { role = \"quasi-identifier\", domain = [0, 100] }\n"
                                              "disease = { role = \"sensitive\", "
                                           << sensitive << " }\n[[guarantee]]\n"
                                           << terms << "\n";
    Result<Policy> policy = ReadPolicy(folder_ / "policy.toml");
    EXPECT_TRUE(policy.ok()) << policy.error().message;
    return std::move(policy).value();
  }
  static std::string Terms(const std::string& rest) {
    return "type = \"global-guarantee\"\nseries = \"clinic\"\nalone = \"allowed\"\nmost_loss = 1\n" + rest;
  }

  GlobalPlan Make(const Policy& policy) {
    Result<GlobalPlan> plan = PlanGlobal(policy, {folder_ / "ledger"});
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    return std::move(plan).value();
  }
  Result<ReleaseOutcome> TryRelease(const Policy& policy) {
    ReleaseOptions options;
    options.ledger = folder_ / "ledger";
    options.out = folder_ / "out";
    options.seed = 5;
    return PublishRelease(policy, options);
  }
  void Release(const Policy& policy) {
    const Result<ReleaseOutcome> outcome = TryRelease(policy);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  }

  static const PlanAlternative& Find(const GlobalPlan& plan, const std::string& change) {
    const auto found = std::ranges::find(plan.alternatives, change, &PlanAlternative::change);
    EXPECT_NE(found, plan.alternatives.end()) << change;
    return *found;
  }

  std::filesystem::path folder_;
};

TEST_F(Plan, BeforeTheFirstReleaseIsThatOfTheTheory) {
  for (const auto& [holders, most] : {std::pair{50, 13}, {20, 34}, {5, 138}}) {
    WriteTable(holders);
    const GlobalPlan plan = Make(WritePolicy(Terms("l = 2\nreleases = 10")));
    ASSERT_EQ(plan.items.size(), 1);
    EXPECT_EQ(plan.items[0].holders, holders);
    EXPECT_EQ(plan.items[0].at_most, most);
    EXPECT_EQ(plan.items[0].even_groups, 10);
    EXPECT_NEAR(RowsPerHolder(plan.items[0].tightest), 14.933, 0.001);
    EXPECT_EQ(plan.next, NextRelease::kEverybody);
    EXPECT_FALSE(plan.has_ledger);
    EXPECT_EQ(plan.newcomers, 1000);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ledger"));
}

TEST_F(Plan, OfASeriesThatCannotBeIsAnAnswer) {
  WriteTable(50);
  const GlobalPlan plan = Make(WritePolicy(Terms("l = 2\nreleases = 14")));
  EXPECT_EQ(plan.next, NextRelease::kRefused);
  EXPECT_EQ(plan.items[0].even_groups, 0);
  EXPECT_EQ(Find(plan, "releases = 13").even_groups, 13);
  EXPECT_EQ(Find(plan, "releases = 13").at_most, 13);
  EXPECT_EQ(Find(plan, "releases = \"open\"").even_groups, 12);
  EXPECT_EQ(Find(plan, "l = 3").at_most, 7);
  // Nothing is spent yet, and nobody would be withheld: it is the table that is refused.
  EXPECT_EQ(plan.items[0].close.too_little_left, 0);
  EXPECT_EQ(plan.close.too_little_left, 0);
}

TEST_F(Plan, SaysWhatEachValueAndSetCosts) {
  WriteTable(20);
  const Policy policy =
      WritePolicy(Terms("l = 3\nreleases = \"open\"\nlimits = [{ column = \"disease\", values = [\"HIV\", \"none\"], l "
                        "= 2 }]"));
  const GlobalPlan plan = Make(policy);
  ASSERT_EQ(plan.items.size(), 2);
  EXPECT_EQ(plan.alternatives.front().at_most, 0);  // everybody is in the set
  EXPECT_EQ(Find(plan, "without the limit on HIV or none of 'disease'").at_most, 20);
  EXPECT_EQ(Find(plan, "without HIV of 'disease'").at_most, 0);
  EXPECT_EQ(Find(plan, "l = 2").at_most, 0);
}

TEST_F(Plan, AfterReleasesCountsWhatTheySpent) {
  const std::string terms = Terms("l = 2\nreleases = 10");
  for (std::uint64_t q = 0; q < 3; ++q) {
    WriteTable(20, q);
    Release(WritePolicy(terms, "q" + std::to_string(q)));
  }
  WriteTable(20, 3);
  const GlobalPlan plan = Make(WritePolicy(terms, "q3"));
  const ItemPlan& item = plan.items[0];
  EXPECT_EQ(plan.made, 3);
  EXPECT_EQ(plan.newcomers, 0);
  EXPECT_EQ(item.from_the_start, 34);
  // The mean cost is at least that of the frequency, and little more in good groups.
  EXPECT_LE(item.at_most, 31);
  EXPECT_GE(item.at_most, 28);
  EXPECT_EQ(item.even_groups, 7);
  EXPECT_LT(item.least_left, item.mean_left);
  EXPECT_GT(item.tightest.share(), 0);
  EXPECT_LE(item.tightest.share(), item.median.share());
  EXPECT_EQ(std::ranges::count_if(plan.alternatives, [](const auto& a) { return a.change == "l = 1"; }), 0);
  EXPECT_EQ(Find(plan, fmt::format("releases = {}", 3 + item.at_most)).at_most, item.at_most);
  // A release made now is not refused, as the plan says.
  EXPECT_EQ(plan.next, NextRelease::kEverybody);
  Release(WritePolicy(terms, "q3"));
  EXPECT_EQ(Make(WritePolicy(terms, "q4")).made, 4);
}

// Until the series is over, in a population of which a fifth is replaced each time.
TEST_F(Plan, ForeseesWhoeverIsWithheldAndWhenTheSeriesIsRefused) {
  std::set<NextRelease> seen;
  for (const std::string schedule : {"spend = \"1/3\"", "spend = \"1/2\"", "spend = \"4/5\"", ""}) {
    std::filesystem::remove_all(folder_ / "ledger");
    const std::string terms = Terms("l = 2\nreleases = \"open\"\n" + schedule);
    NextRelease next = NextRelease::kEverybody;
    for (std::uint64_t q = 0; q < 15 && next != NextRelease::kRefused; ++q) {
      // All at once many more have it, and nobody has room for that.
      WriteTable(q < 10 ? 120 : 700, q, q * 200);
      const Policy policy = WritePolicy(terms, fmt::format("r{}-{}", seen.size(), q));
      const GlobalPlan plan = Make(policy);
      const Result<ReleaseOutcome> outcome = TryRelease(policy);
      next = plan.next;
      seen.insert(next);
      EXPECT_EQ(outcome.ok(), next != NextRelease::kRefused) << schedule << q;
      if (!outcome.ok()) continue;
      EXPECT_EQ(outcome->global->withheld, plan.withheld) << schedule << q;
      EXPECT_EQ(outcome->global->newcomers, plan.newcomers) << schedule << q;
      EXPECT_LE(plan.withheld, plan.close.too_little_left);
    }
    std::filesystem::remove_all(folder_ / "out");
  }
  EXPECT_TRUE(seen.contains(NextRelease::kRefused));
  EXPECT_TRUE(seen.contains(NextRelease::kSomeWithheld));
}

TEST_F(Plan, WhenAllReleasesAreOutSaysWhatIsLeftAllTheSame) {
  WriteTable(20);
  Release(WritePolicy(Terms("l = 2\nreleases = 1")));
  const GlobalPlan plan = Make(WritePolicy(Terms("l = 2\nreleases = 1"), "q2"));
  EXPECT_EQ(plan.next, NextRelease::kNoneLeft);
  EXPECT_EQ(plan.items[0].even_groups, 0);
  EXPECT_EQ(plan.alternatives.front().even_groups, 0);
  EXPECT_GT(plan.items[0].mean_left, 0);
}

TEST_F(Plan, WhereEveryValueIsProtectedCountsHowManyAGroupNeeds) {
  {
    std::ofstream table(folder_ / "people.csv");
    table << "id,age,disease\n";
    for (int i = 0; i < 1400; ++i) table << "secret" << i << "," << i % 90 << ",cell" << i % 14 << "\n";
  }
  const GlobalPlan plan = Make(WritePolicy(Terms("l = 2\nreleases = 10"), "q1", "transient = true"));
  ASSERT_EQ(plan.items.size(), 14);
  ASSERT_EQ(plan.every_value.size(), 1);
  EXPECT_EQ(plan.every_value[0].values, 14);
  EXPECT_EQ(plan.every_value[0].needed, 15);
  EXPECT_EQ(plan.next, NextRelease::kRefused);
  for (const ItemPlan& item : plan.items) {
    EXPECT_EQ(item.name.find("cell"), std::string::npos);
    EXPECT_FALSE(item.is_named);
    EXPECT_EQ(item.at_most, 9);
  }
}

TEST_F(Plan, NeedsAGlobalGuarantee) {
  WriteTable(20);
  const Result<GlobalPlan> plan = PlanGlobal(WritePolicy("type = \"k-anonymity\"\nk = 2"), {folder_ / "ledger"});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::kBadPolicy);
  EXPECT_NE(plan.error().message.find("type = \"global-guarantee\""), std::string::npos);
}

}  // namespace
}  // namespace pentimento::plan_test
