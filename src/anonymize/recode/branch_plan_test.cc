#include "anonymize/recode/branch_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/rounds_testing.h"

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

// The rows of a node in their order: branch, then signature.
using Order = std::vector<std::pair<std::uint32_t, Code>>;

Order InOrderOfCounts(const BranchCounts& counts) {
  Order order;
  for (std::uint32_t b = 0; b < counts.branches.size(); ++b) {
    for (const SignatureCount& count : counts.CountsOf(counts.branches[b]))
      order.insert(order.end(), count.rows, {b, count.signature});
  }
  return order;
}

std::optional<BranchPlan> PlanOf(const ClassRule& rule, const BranchCounts& counts, const Order& order,
                                 std::uint64_t at_least = 0) {
  BranchPlanner planner(rule);
  const BranchPlan* const plan = planner.Plan(
      counts, at_least, [&](std::size_t i) { return counts.branches[order[i].first].child; },
      [&](std::size_t i) { return order[i].second; });
  return plan == nullptr ? std::nullopt : std::optional(*plan);
}

std::optional<BranchPlan> PlanFor(const std::vector<std::vector<std::uint32_t>>& rows, Ratio alpha, std::uint64_t k) {
  const Signatures signatures = Values(static_cast<Code>(rows[0].size()), alpha);
  const ClassRule rule(&signatures, k);
  const BranchCounts counts = Counts(rows);
  return PlanOf(rule, counts, InOrderOfCounts(counts));
}

// The 4-row table of the definition. The row that is pushed back is the first of its branch, whatever its value is, and
// the plan stands exactly if both classes are legal.
TEST(BranchPlan, PullsTheFirstRowWhateverItsValueIs) {
  const Signatures signatures = Values(3, {1, 2});
  const ClassRule rule(&signatures, 2);
  const std::vector<std::vector<std::uint32_t>> others_are_s1 = {{1, 1, 1}, {1, 0, 0}};
  const auto plan_with_first = [&](const auto& rows, const Order& order) { return PlanOf(rule, Counts(rows), order); };
  EXPECT_FALSE(plan_with_first(others_are_s1, {{0, 0}, {0, 1}, {0, 2}, {1, 0}})) << "s1 would meet s1";
  const auto plan = plan_with_first(others_are_s1, {{0, 1}, {0, 0}, {0, 2}, {1, 0}});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->specialized, 2U);
  EXPECT_EQ(plan->standing, 1U);
  ASSERT_EQ(plan->pulled.size(), 1U);
  EXPECT_EQ(plan->pulled[0].row, 0U);
  // A breaks the limit before it gives a row, and keeps it afterwards: it is asked afterwards.
  const auto twice_in_a =
      plan_with_first(std::vector<std::vector<std::uint32_t>>{{2, 0, 1}, {0, 1, 0}}, {{0, 0}, {0, 0}, {0, 2}, {1, 1}});
  ASSERT_TRUE(twice_in_a);
  EXPECT_EQ(twice_in_a->specialized, 2U);
  EXPECT_EQ(twice_in_a->pulled[0].row, 0U);
}

TEST(BranchPlan, UndoesABranchThatCannotSpareARow) { EXPECT_FALSE(PlanFor({{1, 1, 0}, {0, 0, 1}}, {1, 2}, 2)); }

TEST(BranchPlan, PushesBackWhatIsTooSmallOrOneSided) {
  const auto plan = PlanFor({{2, 2, 0}, {0, 1, 0}, {1, 0, 0}}, {1, 2}, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->stands, (std::vector<std::uint8_t>{true, false, false}));
  EXPECT_EQ(plan->specialized, 4U);
  EXPECT_TRUE(plan->pulled.empty());
}

// More rows would thin out the first value. Who would be pulled for that would tell who has it: the smallest comes
// back.
TEST(BranchPlan, PullsNoRowsBecauseOfValues) {
  const auto plan = PlanFor({{2, 0, 0, 0}, {0, 1, 1, 0}, {0, 4, 4, 4}}, {1, 2}, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->stands, (std::vector<std::uint8_t>{false, false, true}));
  EXPECT_EQ(plan->specialized, 12U);
  EXPECT_TRUE(plan->pulled.empty());
}

TEST(BranchPlan, UndoesTheSmallestBranchWhereNobodyCanSpareARow) {
  const auto plan = PlanFor({{1, 0, 0, 0}, {0, 1, 1, 0}, {0, 0, 1, 1}}, {1, 2}, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->stands, (std::vector<std::uint8_t>{false, false, true}));
  EXPECT_EQ(plan->specialized, 2U);
  EXPECT_TRUE(plan->pulled.empty());
}

// What is pulled follows from branches and order alone where the first try holds: another way to hand out the values of
// rows that stay and rows that go changes nothing.
TEST(BranchPlan, IsTheSameForAllValuesAsLongAsTheFirstTryHolds) {
  const Signatures signatures = Values(8, {1, 2});
  const ClassRule rule(&signatures, 4);
  Random random(SeedFromNumber(6), "test");
  for (std::size_t round = 0; round < TestRounds(500); ++round) {
    Order order;
    for (Code i = 0; i < 24; ++i) order.push_back({i % 12 == 0 ? 1U : 0U, random.Below(8)});
    std::vector<std::vector<std::uint32_t>> rows(2, std::vector<std::uint32_t>(8));
    for (const auto& [branch, signature] : order) ++rows[branch][signature];
    const auto plan = PlanOf(rule, Counts(rows), order);
    // Two of B; the first two of A go back to them, unless four rows are not enough for their values.
    if (!plan || plan->pulled.size() != 2) continue;
    EXPECT_EQ(plan->pulled[0].row, 1U);
    EXPECT_EQ(plan->pulled[1].row, 2U);
  }
}

TEST(BranchPlan, WithKAloneTakesRowsInTheirOrderFromWhoeverCanSpareThem) {
  const ClassRule rule(nullptr, 3);
  const BranchCounts counts = Counts({{4}, {1}, {6}});
  const auto plan = PlanOf(rule, counts, InOrderOfCounts(counts));
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->pulled.size(), 2U);
  EXPECT_EQ(plan->pulled[0].branch, 0U);
  EXPECT_EQ(plan->pulled[1].branch, 2U) << "the first may not fall below three";
}

// Counts of what would be published, from the plan: every branch, and last what is pushed back.
std::vector<std::vector<std::uint32_t>> Classes(const std::vector<std::vector<std::uint32_t>>& rows, const Order& order,
                                                const BranchPlan& plan) {
  std::vector<std::vector<std::uint32_t>> of_branch(plan.stands.size(), std::vector<std::uint32_t>(rows[0].size()));
  std::vector<std::uint32_t> back(rows[0].size());
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const bool is_pulled = next < plan.pulled.size() && plan.pulled[next].row == i;
    EXPECT_TRUE(!is_pulled || plan.pulled[next].branch == order[i].first);
    next += is_pulled ? 1 : 0;
    const bool comes_back = is_pulled || plan.stands[order[i].first] == 0;
    ++(comes_back ? back : of_branch[order[i].first])[order[i].second];
  }
  EXPECT_EQ(next, plan.pulled.size());
  std::vector<std::vector<std::uint32_t>> classes;
  for (std::size_t b = 0; b < of_branch.size(); ++b) {
    if (plan.stands[b]) classes.push_back(of_branch[b]);
  }
  if (back != std::vector<std::uint32_t>(back.size())) classes.push_back(back);
  return classes;
}

std::uint64_t Sum(const std::vector<std::uint32_t>& counts) {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  return sum;
}

std::vector<std::vector<std::uint32_t>> RandomCounts(Random& random, std::size_t values) {
  const std::uint32_t scale = random.Below(10) == 0 ? 200 : 5;
  std::vector<std::vector<std::uint32_t>> rows(2 + random.Below(4), std::vector<std::uint32_t>(values));
  for (auto& branch : rows) {
    for (std::uint32_t& count : branch) count = random.Below(3) == 0 ? 0 : random.Below(scale);
  }
  return rows;
}

Order RandomOrder(Random& random, const BranchCounts& counts) {
  Order order = InOrderOfCounts(counts);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(static_cast<Code>(i))]);
  return order;
}

TEST(BranchPlan, LeavesNothingButClassesThatKeepTheRule) {
  Random random(SeedFromNumber(5), "test");
  int planned = 0;
  int pulled = 0;
  for (std::size_t round = 0; round < TestRounds(20'000); ++round) {
    const std::size_t values = 2 + random.Below(4);
    const auto rows = RandomCounts(random, values);
    Signatures signatures = Values(static_cast<Code>(values), {1 + random.Below(2), 3});
    if (random.Below(2) == 0) signatures.items.push_back({{0, 1}, {1, 2}});
    if (random.Below(3) == 0) signatures.items.erase(signatures.items.begin());
    const std::uint64_t k = 1 + random.Below(6);
    const ClassRule rule(&signatures, k);
    const BranchCounts counts = Counts(rows);
    const Order order = RandomOrder(random, counts);
    const auto plan = PlanOf(rule, counts, order);
    if (!plan) continue;
    ++planned;
    pulled += plan->pulled.empty() ? 0 : 1;
    std::uint64_t specialized = 0;
    std::uint64_t all = 0;
    const auto classes = Classes(rows, order, *plan);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (c < plan->standing) specialized += Sum(classes[c]);
      EXPECT_TRUE(rule.Holds(classes[c], Sum(classes[c]))) << "class " << c << " in round " << round;
      all += Sum(classes[c]);
    }
    EXPECT_EQ(specialized, plan->specialized);
    EXPECT_EQ(all, order.size());
    // Asking for no more than there is changes nothing; asking for more gives nothing.
    EXPECT_TRUE(PlanOf(rule, counts, order, plan->specialized));
    EXPECT_FALSE(PlanOf(rule, counts, order, plan->specialized + 1));
  }
  EXPECT_GT(planned, TestRounds(2000));
  EXPECT_GT(pulled, TestRounds(500));
}

}  // namespace
}  // namespace pentimento::recode::branch_plan_test
