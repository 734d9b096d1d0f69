#include "anonymize/partition/grow_regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <vector>

#include "anonymize/partition/partition_testing.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::grow_regions_test {
namespace {

using namespace partition_testing;

struct Leaf {
  Box region;
  std::vector<std::size_t> rows;
};

Box WholeDomain(const Case& given) {
  Box region;
  for (const Domain& domain : given.domains) region.push_back(domain.root());
  return region;
}

void AddLeaves(const GrownRegions& grown, NodeNumber number, const Box& region, std::vector<Leaf>& leaves) {
  const RegionNode& node = grown.nodes[number];
  if (node.is_leaf()) {
    const auto leaf = std::ranges::find(grown.leaves, number, &GrownLeaf::node);
    leaves.push_back({region, {grown.rows.begin() + leaf->begin, grown.rows.begin() + leaf->end}});
    return;
  }
  const auto children = std::span(grown.nodes).subspan(node.first_child, node.child_count);
  for (std::size_t c = 0; c < children.size(); ++c) {
    Box part = region;
    part[node.column] = RegionOfChild(children, c, region[node.column]);
    AddLeaves(grown, node.first_child + static_cast<NodeNumber>(c), part, leaves);
  }
}

std::vector<Leaf> LeavesOf(const Case& given) {
  const RegionRoot root{0, given.table.rows, WholeDomain(given)};
  const GrownRegions grown = GrowRegions(given.table, given.domains, {&root, 1}, given.options.k, given.options.form);
  std::vector<Leaf> leaves;
  AddLeaves(grown, 0, root.region, leaves);
  return leaves;
}

// Whether the leaf can be cut along a column at one or two of the boundaries, so that every part keeps k and some part
// is published with another box than the leaf. More boundaries are not needed: parts beside the one that differs can be
// joined.
bool HasVisibleCut(const Case& given, const Leaf& leaf, std::size_t column) {
  const Domain& domain = given.domains[column];
  const Interval region = leaf.region[column];
  std::vector<Code> codes;
  for (const std::size_t row : leaf.rows) codes.push_back(given.code(row, column));
  std::vector<Code> boundaries;
  for (const Code at : Boundaries(domain, given.options.form, codes)) {
    if (at > region.lo && at <= region.hi) boundaries.push_back(at);
  }
  std::ranges::sort(codes);
  const auto members_in = [&](Interval part) {
    return static_cast<std::uint64_t>(std::ranges::upper_bound(codes, part.hi) -
                                      std::ranges::lower_bound(codes, part.lo));
  };
  const auto shows = [&](Interval part) {
    return domain.Cover(part, given.options.form) != domain.Cover(region, given.options.form);
  };
  const auto is_cut = [&](std::initializer_list<Interval> parts) {
    const bool is_legal =
        std::ranges::all_of(parts, [&](Interval part) { return members_in(part) >= given.options.k; });
    return is_legal && std::ranges::any_of(parts, shows);
  };
  for (std::size_t a = 0; a < boundaries.size(); ++a) {
    const Interval first{region.lo, boundaries[a] - 1};
    if (is_cut({first, {boundaries[a], region.hi}})) return true;
    if (domain.is_cut_anywhere(given.options.form)) continue;  // any cut shows: one is enough
    for (std::size_t b = a + 1; b < boundaries.size(); ++b) {
      if (is_cut({first, {boundaries[a], boundaries[b] - 1}, {boundaries[b], region.hi}})) return true;
    }
  }
  return false;
}

TEST(GrowRegions, NoLeafHasACutThatAnybodyCouldSee) {
  Random random(SeedFromNumber(21), "visible cuts");
  std::size_t leaves_with_2k = 0;
  for (std::size_t repeat = 0; repeat < TestRounds(3000) && !testing::Test::HasFailure(); ++repeat) {
    SCOPED_TRACE(repeat);
    const Case given = RandomCase(random);  // rows are people here, whoever else they may belong to
    if (given.table.rows < given.options.k) continue;
    for (const Leaf& leaf : LeavesOf(given)) {
      EXPECT_GE(leaf.rows.size(), given.options.k);
      leaves_with_2k += leaf.rows.size() >= 2 * given.options.k ? 1 : 0;
      for (std::size_t c = 0; c < given.domains.size(); ++c) {
        for (const std::size_t row : leaf.rows) EXPECT_TRUE(leaf.region[c].Contains(given.code(row, c)));
        EXPECT_FALSE(HasVisibleCut(given, leaf, c)) << leaf.rows.size() << " rows, k = " << given.options.k;
      }
    }
  }
  EXPECT_GT(leaves_with_2k, TestRounds(500)) << "small leaves cannot be cut anyway";
}

std::multiset<std::size_t> SizesOf(const std::vector<Leaf>& leaves) {
  std::multiset<std::size_t> sizes;
  for (const Leaf& leaf : leaves) sizes.insert(leaf.rows.size());
  return sizes;
}

TEST(GrowRegions, PartsThatWouldBePublishedAlikeStayOneAndAreCutElsewhere) {
  // Six people have the first label, and one person each of the four others. In pairs these would be published as "*",
  // both pairs alike, and neither could be cut by its numbers. The four of them can.
  const PartitionOptions options{2, CategoryForm::kTaxonomy, BoxKind::kRegion};
  Rows rows(6, {0, 50});
  for (const Code label : {1, 2, 3, 4}) rows.push_back({label, label % 2 == 0 ? Code{51} : Code{50}});
  const auto leaves = LeavesOf(MakeCase({Flat(5), Numbers(0, 99)}, rows, options));
  EXPECT_EQ(SizesOf(leaves), (std::multiset<std::size_t>{2, 2, 6}));
  std::set<Box> regions;
  for (const Leaf& leaf : leaves) regions.insert(leaf.region);
  EXPECT_EQ(regions, (std::set<Box>{{{0, 0}, {0, 99}}, {{1, 4}, {0, 50}}, {{1, 4}, {51, 99}}}));
}

TEST(GrowRegions, ALabelThatCanStandAloneDoes) {
  // From the left the second label joins the first and the last the third, and no label of one value would be left.
  const PartitionOptions options{2, CategoryForm::kTaxonomy, BoxKind::kRegion};
  const auto leaves = LeavesOf(MakeCase({Flat(4)}, {{0}, {0}, {1}, {2}, {2}, {2}, {3}}, options));
  ASSERT_EQ(leaves.size(), 2U);
  EXPECT_EQ(leaves[0].region, (Box{{0, 0}}));
  EXPECT_EQ(leaves[1].region, (Box{{1, 3}}));
}

}  // namespace
}  // namespace pentimento::grow_regions_test
