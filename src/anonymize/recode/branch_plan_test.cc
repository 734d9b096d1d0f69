#include "anonymize/recode/branch_plan.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"

namespace pentimento::recode::branch_plan_test {
namespace {

// Every signature is a value with the same limit.
Signatures Values(Code count, Ratio alpha) {
  Signatures signatures;
  signatures.count = count;
  for (Code value = 0; value < count; ++value) signatures.items.push_back({{value}, alpha});
  return signatures;
}

// `rows[b][s]`: rows of branch b with signature s.
BranchCounts Counts(const std::vector<std::vector<std::uint32_t>>& rows) {
  BranchCounts counts;
  for (Code b = 0; b < rows.size(); ++b) {
    Branch branch{.child = b, .rows = 0, .first = static_cast<std::uint32_t>(counts.counts.size()), .past = 0};
    for (Code s = 0; s < rows[b].size(); ++s) {
      if (rows[b][s] == 0) continue;
      branch.rows += rows[b][s];
      counts.counts.push_back({s, rows[b][s]});
    }
    branch.past = static_cast<std::uint32_t>(counts.counts.size());
    if (branch.rows > 0) counts.branches.push_back(branch);
  }
  return counts;
}

std::optional<BranchPlan> PlanOf(BranchPlanner planner, const BranchCounts& counts, std::uint64_t at_least = 0) {
  const BranchPlan* const plan = planner.Plan(counts, at_least);
  return plan == nullptr ? std::nullopt : std::optional(*plan);
}

std::optional<BranchPlan> PlanFor(const std::vector<std::vector<std::uint32_t>>& rows, Ratio alpha, std::uint64_t k,
                                  std::uint64_t at_least = 0) {
  const Signatures signatures = Values(static_cast<Code>(rows[0].size()), alpha);
  const ClassLimits limits(&signatures, k);
  return PlanOf(BranchPlanner(limits), Counts(rows), at_least);
}

TEST(BranchPlan, PullsTheRowThatMendsTheRemainderAndNotTheOneThatSpoilsIt) {
  const auto plan = PlanFor({{1, 1, 1}, {1, 0, 0}}, {1, 2}, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->specialized, 2U);
  EXPECT_EQ(plan->standing, 1U);
  ASSERT_EQ(plan->pulled.size(), 1U);
  EXPECT_EQ(plan->pulled[0].branch, 0U);
  EXPECT_NE(plan->pulled[0].signature, 0U);
}

TEST(BranchPlan, UndoesABranchThatCannotSpareARow) { EXPECT_FALSE(PlanFor({{1, 1, 0}, {0, 0, 1}}, {1, 2}, 2)); }

TEST(BranchPlan, PushesBackWhatIsTooSmallOrOneSided) {
  const auto plan = PlanFor({{2, 2, 0}, {0, 1, 0}, {1, 0, 0}}, {1, 2}, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->stands, (std::vector<std::uint8_t>{true, false, false}));
  EXPECT_EQ(plan->specialized, 4U);
  EXPECT_TRUE(plan->pulled.empty());
}

TEST(BranchPlan, PullsFromSeveralBranchesBeforeItUndoesOne) {
  // Five of the first value need five others around them.
  const auto plan = PlanFor({{5, 0, 0, 0}, {0, 1, 1, 0}, {0, 2, 2, 2}, {0, 3, 3, 3}}, {1, 2}, 2);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->stands[0]);
  EXPECT_TRUE(plan->stands[3]);
  // Two rows of branch 2 can be spared down to two of each, four of branch 3 likewise: five in all, so branch 1 stays.
  EXPECT_TRUE(plan->stands[1]);
  EXPECT_EQ(plan->specialized, 17U - 5U);
}

TEST(BranchPlan, UndoesTheSmallestBranchWhereNobodyCanSpareARow) {
  // The second branch has no row to spare and the third only rows that would leave it one-sided.
  const auto plan = PlanFor({{1, 0, 0, 0}, {0, 1, 1, 0}, {0, 0, 2, 2}}, {1, 2}, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->stands, (std::vector<std::uint8_t>{false, false, true}));
  EXPECT_EQ(plan->specialized, 4U);
  EXPECT_TRUE(plan->pulled.empty());
}

TEST(BranchPlan, PullsWhatIsRarestInTheRemainder) {
  const auto plan = PlanFor({{1, 0, 0, 0}, {0, 1, 0, 0}, {5, 5, 5, 5}}, {1, 2}, 4);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->pulled.size(), 2U);
  EXPECT_EQ(plan->pulled[0].signature, 2U);
  EXPECT_EQ(plan->pulled[1].signature, 3U);
}

TEST(BranchPlan, WithKAloneTakesRowsFromTheLargestBranch) {
  const ClassLimits limits(nullptr, 3);
  const auto plan = PlanOf(BranchPlanner(limits), Counts({{4}, {1}, {6}}));
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->pulled.size(), 1U);
  EXPECT_EQ(plan->pulled[0].branch, 2U);
  EXPECT_EQ(plan->pulled[0].rows, 2U);
}

// Counts of what would be published, from the plan: every branch, and last what comes back.
std::vector<std::vector<std::uint32_t>> Classes(const std::vector<std::vector<std::uint32_t>>& rows,
                                                const BranchPlan& plan) {
  std::vector<std::vector<std::uint32_t>> classes;
  std::vector<std::uint32_t> back(rows[0].size());
  std::uint32_t b = 0;
  for (std::vector<std::uint32_t> branch : rows) {
    if (branch == std::vector<std::uint32_t>(branch.size())) continue;
    for (const PulledBack& pulled : plan.pulled) {
      if (pulled.branch != b) continue;
      branch[pulled.signature] -= pulled.rows;
      back[pulled.signature] += pulled.rows;
    }
    if (plan.stands[b++]) {
      classes.push_back(branch);
    } else {
      for (std::size_t s = 0; s < back.size(); ++s) back[s] += branch[s];
    }
  }
  if (back != std::vector<std::uint32_t>(back.size())) classes.push_back(back);
  return classes;
}

std::uint64_t Sum(const std::vector<std::uint32_t>& counts) {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  return sum;
}

TEST(BranchPlan, LeavesNothingButClassesThatKeepTheRule) {
  Random random(SeedFromNumber(5), "test");
  int planned = 0;
  int pulled = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t values = 2 + random.Below(4);
    const std::uint32_t scale = random.Below(10) == 0 ? 200 : 5;
    std::vector<std::vector<std::uint32_t>> rows(2 + random.Below(4), std::vector<std::uint32_t>(values));
    for (auto& branch : rows) {
      for (std::uint32_t& count : branch) count = random.Below(3) == 0 ? 0 : random.Below(scale);
    }
    Signatures signatures = Values(static_cast<Code>(values), {1 + random.Below(2), 3});
    if (random.Below(2) == 0) signatures.items.push_back({{0, 1}, {1, 2}});
    if (random.Below(3) == 0) signatures.items.erase(signatures.items.begin());
    const std::uint64_t k = 1 + random.Below(6);
    const ClassLimits limits(&signatures, k);
    const auto plan = PlanOf(BranchPlanner(limits), Counts(rows));
    if (!plan) continue;
    ++planned;
    pulled += plan->pulled.empty() ? 0 : 1;
    const SensitiveRule rule(signatures, k);
    std::uint64_t specialized = 0;
    std::uint64_t all = 0;
    const auto classes = Classes(rows, *plan);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (c < plan->standing) {
        specialized += Sum(classes[c]);
        EXPECT_TRUE(rule.Holds(classes[c], Sum(classes[c]))) << "a branch in round " << round;
      }
      all += Sum(classes[c]);
    }
    EXPECT_EQ(specialized, plan->specialized);
    std::vector<std::uint32_t> whole(values);
    for (const auto& branch : rows) {
      for (std::size_t s = 0; s < values; ++s) whole[s] += branch[s];
    }
    EXPECT_EQ(all, Sum(whole));
    if (classes.size() > plan->standing) {
      EXPECT_TRUE(rule.Holds(classes.back(), Sum(classes.back()))) << "the remainder in round " << round;
    }
    // Asking for no more than there is changes nothing; asking for more gives nothing.
    EXPECT_TRUE(PlanOf(BranchPlanner(limits), Counts(rows), plan->specialized));
    EXPECT_FALSE(PlanOf(BranchPlanner(limits), Counts(rows), plan->specialized + 1));
  }
  EXPECT_GT(planned, 2000);
  EXPECT_GT(pulled, 500);
}

void ExpectSamePlan(const std::optional<BranchPlan>& a, const std::optional<BranchPlan>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->stands, b->stands);
  EXPECT_EQ(a->specialized, b->specialized);
  EXPECT_EQ(a->standing, b->standing);
  ASSERT_EQ(a->pulled.size(), b->pulled.size());
  for (std::size_t p = 0; p < a->pulled.size(); ++p) {
    EXPECT_EQ(a->pulled[p].branch, b->pulled[p].branch);
    EXPECT_EQ(a->pulled[p].signature, b->pulled[p].signature);
    EXPECT_EQ(a->pulled[p].rows, b->pulled[p].rows);
    EXPECT_EQ(a->pulled[p].of, b->pulled[p].of);
  }
}

// The quick ways against the plain one: offers looked through or in heaps, limits by signature or tallied, products in
// 64 bits or in 128.
TEST(BranchPlan, IsTheSameHoweverItIsWorkedOut) {
  Random random(SeedFromNumber(6), "test");
  int pulled = 0;
  for (int round = 0; round < 10'000; ++round) {
    const std::size_t values = 2 + random.Below(8);
    const std::uint32_t scale = random.Below(10) == 0 ? 200 : 5;
    std::vector<std::vector<std::uint32_t>> rows(2 + random.Below(4), std::vector<std::uint32_t>(values));
    for (auto& branch : rows) {
      for (std::uint32_t& count : branch) count = random.Below(3) == 0 ? 0 : random.Below(scale);
    }
    const Ratio alpha{1 + random.Below(2), 3 + random.Below(3)};
    Signatures signatures = Values(static_cast<Code>(values), alpha);
    if (random.Below(3) == 0) signatures.items.erase(signatures.items.begin());
    const std::uint64_t k = 1 + random.Below(6);
    const ClassLimits limits(&signatures, k);
    ASSERT_TRUE(limits.are_by_signature());
    const std::optional<BranchPlan> plan = PlanOf(BranchPlanner(limits), Counts(rows));
    pulled += plan && !plan->pulled.empty() ? 1 : 0;
    ExpectSamePlan(plan, PlanOf(BranchPlanner(limits, 0), Counts(rows)));

    // A limit for two values together that nothing can exceed.
    Signatures tallied = signatures;
    tallied.items.push_back({{0, 1}, {1, 1}});
    const ClassLimits with_tally(&tallied, k);
    ASSERT_FALSE(with_tally.are_by_signature());
    ExpectSamePlan(plan, PlanOf(BranchPlanner(with_tally), Counts(rows)));

    Signatures wide = signatures;
    for (LimitedItem& item : wide.items) item.at_most = {item.at_most.num << 40, item.at_most.den << 40};
    const ClassLimits with_wide_products(&wide, k);
    ASSERT_FALSE(with_wide_products.are_by_signature());
    ExpectSamePlan(plan, PlanOf(BranchPlanner(with_wide_products), Counts(rows)));
  }
  EXPECT_GT(pulled, 1'000);
}

// What decides between offers is one number of 64 bits up to 2^24 rows and 64 offers.
TEST(BranchPlan, IsTheSameForMoreRowsAndOffersThanAShortRankHolds) {
  Random random(SeedFromNumber(7), "test");
  int pulled = 0;
  for (int round = 0; round < 5'000; ++round) {
    const std::size_t values = 2 + random.Below(20);
    const std::size_t branches = 2 + random.Below(6);
    // Now and then the largest, or one more, that fits.
    const std::uint32_t most =
        std::array<std::uint32_t, 5>{60, 10'000, (1U << 24) - 1, 1U << 24, 1U << 30}[random.Below(5)];
    const std::uint32_t scale = most / static_cast<std::uint32_t>(values * branches) + 1;
    std::vector<std::vector<std::uint32_t>> rows(branches, std::vector<std::uint32_t>(values));
    std::uint32_t sum = 0;
    for (auto& branch : rows) {
      const bool is_small = random.Below(3) == 0;
      for (std::uint32_t& count : branch) {
        count = random.Below(4) == 0 ? 0 : random.Below(is_small ? scale / 20 + 1 : scale);
        sum += count;
      }
    }
    rows[0][0] += random.Below(3) == 0 && sum < most ? most - sum : 0;
    const Signatures signatures = Values(static_cast<Code>(values), {1, 2 + random.Below(3)});
    const ClassLimits limits(&signatures, 1 + random.Below(10));
    const std::optional<BranchPlan> plan = PlanOf(BranchPlanner(limits), Counts(rows));
    pulled += plan && !plan->pulled.empty() ? 1 : 0;
    ExpectSamePlan(plan, PlanOf(BranchPlanner(limits, 0), Counts(rows)));
    ExpectSamePlan(plan, PlanOf(BranchPlanner(limits, 1'000), Counts(rows)));
  }
  EXPECT_GT(pulled, 300);
}

}  // namespace
}  // namespace pentimento::recode::branch_plan_test
