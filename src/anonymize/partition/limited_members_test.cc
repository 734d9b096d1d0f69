// Several ways to look at the members of a node where sensitive values are limited; each must say what the plainest
// says.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "anonymize/partition/counted_members.h"
#include "anonymize/partition/joint_counts.h"
#include "anonymize/partition/limited_cut_finder.h"
#include "anonymize/partition/limited_partition_testing.h"
#include "anonymize/partition/ordered_members.h"
#include "anonymize/partition/packed_rows.h"

namespace pentimento::limited_members_test {
namespace {

using namespace partition_testing;
using Packed = partition::PackedRows<std::uint16_t, 8, false, true>;

template <typename Members>
void ExpectAlike(partition::OrderedMembers<Packed>& ordered, const Members& members) {
  ASSERT_EQ(ordered.slots().size(), members.slots().size());
  for (std::size_t s = 0; s < ordered.slots().size(); ++s) {
    EXPECT_EQ(ordered.slots()[s].code, members.slots()[s].code);
    EXPECT_EQ(ordered.slots()[s].first, members.slots()[s].first);
    EXPECT_EQ(s > 0 && ordered.BoundaryAt(s).is_legal(), s > 0 && members.BoundaryAt(s).is_legal());
    for (std::size_t past = s + 1; past <= ordered.slots().size(); ++past) {
      EXPECT_EQ(ordered.Of(s, past).persons, members.Of(s, past).persons);
      EXPECT_EQ(ordered.Of(s, past).keeps, members.Of(s, past).keeps);
    }
  }
}

// What nodes are judged by must not show.
TEST(LimitedMembers, HoweverTheyAreCountedTheySayWhatOrderedMembersSay) {
  Random random(SeedFromNumber(17), "members");
  int counted_jointly = 0;
  for (int repeat = 0; repeat < 1000 && !testing::Test::HasFailure(); ++repeat) {
    LimitedCase limited = RandomLimitedCase(random);
    limited.given.table.persons.reset();
    const partition::ClassLimits limits(SensitiveRule(limited.signatures, limited.claim.k), {});
    Packed rows(limited.given.table, &limited.signatures.of_row);
    Box bounds(limited.given.domains.size());
    rows.Bounds(partition::Buffer::kFront, 0, rows.size(), bounds);
    const partition::NodeView node{0, rows.size(), partition::Buffer::kFront, bounds, {}};
    partition::OrderedMembers<Packed> ordered(rows, limits);
    partition::CountedMembers<Packed> counted(rows, limits);
    partition::JointCounts<Packed> joint(rows, limits, bounds.size());
    std::vector<std::size_t> columns(bounds.size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    joint.Count(node, columns);
    for (std::size_t c = 0; c < bounds.size(); ++c) {
      ordered.Load(node, c);
      counted.Load(node, c);
      ordered.FindBoundaries();
      ExpectAlike(ordered, counted);
      if (!joint.Has(c)) continue;
      ++counted_jointly;
      joint.of(c).SumUp();
      ExpectAlike(ordered, joint.of(c));
    }
  }
  EXPECT_GT(counted_jointly, 500);
}

// So many rows that several threads count.
TEST(LimitedMembers, CountedByManyThreadsTheySayTheSame) {
  LimitedCase limited = LargeLimitedCase(CategoryForm::kTaxonomy, false, 700'000);
  const partition::ClassLimits limits(SensitiveRule(limited.signatures, limited.claim.k), {});
  const Packed rows(limited.given.table, &limited.signatures.of_row);
  Box bounds(limited.given.domains.size());
  rows.Bounds(partition::Buffer::kFront, 0, rows.size(), bounds);
  const partition::NodeView node{0, rows.size(), partition::Buffer::kFront, bounds, {}};
  partition::JointCounts<Packed> joint(rows, limits, bounds.size());
  const std::vector<std::size_t> columns = {3, 0, 2};
  joint.Count(node, columns);
  for (const std::size_t c : columns) {
    ASSERT_TRUE(joint.Has(c));
    std::vector<std::uint32_t> rows_of_codes(bounds[c].size(), 0);
    for (std::size_t row = 0; row < rows.size(); ++row) ++rows_of_codes[limited.given.code(row, c) - bounds[c].lo];
    EXPECT_TRUE(std::ranges::equal(joint.of(c).rows_of_codes(), rows_of_codes));
    partition::OrderedMembers<Packed> ordered(rows, limits);
    ordered.Load(node, c);
    ordered.FindBoundaries();
    joint.of(c).SumUp();
    for (std::size_t s = 1; s < ordered.slots().size(); ++s) {
      EXPECT_EQ(ordered.BoundaryAt(s).below.persons, joint.of(c).BoundaryAt(s).below.persons);
      EXPECT_EQ(ordered.BoundaryAt(s).is_legal(), joint.of(c).BoundaryAt(s).is_legal());
    }
  }
}

// The same cut is found whether codes and signatures are counted at once or one after the other.
TEST(LimitedMembers, CountingThemAtOnceChangesNoCut) {
  Random random(SeedFromNumber(18), "nodes");
  int cut = 0, along_taxonomy = 0;
  for (const CategoryForm form : {CategoryForm::kTaxonomy, CategoryForm::kSets}) {
    const LimitedCase limited = LargeLimitedCase(form, false);
    const partition::ClassLimits limits(SensitiveRule(limited.signatures, limited.claim.k), {});
    const Packed rows(limited.given.table, &limited.signatures.of_row);
    std::vector<partition::ColumnShape> shapes;
    for (const Domain& domain : limited.given.domains) shapes.emplace_back(domain, form);
    const partition::CutPrices prices(limits.rule.fewest_persons(), rows.size());
    partition::LimitedCutFinder<Packed> finder(rows, shapes, prices, limits);
    partition::LimitedCutFinder<Packed> plain(rows, shapes, prices, limits, 0);
    for (int repeat = 0; repeat < 300; ++repeat) {
      SCOPED_TRACE(repeat);
      // Of every size: the whole table first, then any power of two, more or less.
      const auto size =
          static_cast<std::uint32_t>(repeat == 0 ? rows.size() : (20 + random.Below(40)) << random.Below(12));
      const std::size_t begin = repeat == 0 ? 0 : random.Below(static_cast<std::uint32_t>(rows.size()) - size);
      Box bounds(shapes.size());
      rows.Bounds(partition::Buffer::kFront, begin, begin + size, bounds);
      const partition::NodeView node{begin, begin + size, partition::Buffer::kFront, bounds, {}};
      const std::optional<partition::Cut> found = finder.FindCut(node);
      const std::optional<partition::Cut> wanted = plain.FindCut(node);
      ASSERT_EQ(found.has_value(), wanted.has_value());
      if (!found) continue;
      ++cut;
      along_taxonomy += found->runs.empty() ? 0 : 1;
      EXPECT_EQ(found->column, wanted->column);
      EXPECT_EQ(found->gain, wanted->gain);
      EXPECT_EQ(found->at, wanted->at);
      ASSERT_EQ(found->runs.size(), wanted->runs.size());
      for (std::size_t r = 0; r < found->runs.size(); ++r) {
        EXPECT_EQ(found->runs[r].leaves, wanted->runs[r].leaves);
        EXPECT_EQ(found->runs[r].persons, wanted->runs[r].persons);
      }
    }
  }
  EXPECT_GT(cut, 100);
  EXPECT_GT(along_taxonomy, 20);
}

TEST(WideLimitLanes, KeepWhatTheRuleHolds) {
  Random random(SeedFromNumber(19), "wide lanes");
  int kept = 0, broken = 0;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const LimitedCase limited = RandomLimitedCase(random);
    const SensitiveRule rule(limited.signatures, 1);
    const partition::WideLimitLanes lanes(rule);
    using Word = partition::WideLimitLanes::Word;
    std::vector<std::uint32_t> counts(rule.signature_count() + partition::WideLimitLanes::kLanes, 0);
    std::uint64_t rows = 0;
    const std::uint32_t most = 1U << random.Below(24);
    for (Code s = 0; s < rule.signature_count(); ++s) rows += counts[s] = random.Below(most + 1);
    // What was below is taken off.
    std::vector<Word> first(lanes.words(), Word{} + static_cast<std::int32_t>(random.Below(1000)));
    std::vector<Word> past = first;
    lanes.Add(counts.data(), past.data());
    const bool holds = rule.KeepsLimits(std::span(counts).first(rule.signature_count()), rows);
    EXPECT_EQ(lanes.Keep(first.data(), past.data(), rows), holds);
    holds ? ++kept : ++broken;
  }
  EXPECT_GT(kept, 200);
  EXPECT_GT(broken, 200);
}

}  // namespace
}  // namespace pentimento::limited_members_test
