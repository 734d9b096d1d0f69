#include "anonymize/partition/grow_regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "anonymize/partition/partition_testing.h"
#include "base/random.h"

namespace pentimento {
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
  const auto is_cut = [&](const std::vector<Code>& starts) {
    bool is_visible = false;
    for (std::size_t p = 0; p < starts.size(); ++p) {
      const Interval part{starts[p], p + 1 < starts.size() ? starts[p + 1] - 1 : region.hi};
      const auto members = std::ranges::count_if(codes, [&](Code code) { return part.Contains(code); });
      if (static_cast<std::uint64_t>(members) < given.options.k) return false;
      is_visible = is_visible || domain.Cover(part, given.options.form) != domain.Cover(region, given.options.form);
    }
    return is_visible;
  };
  for (std::size_t a = 0; a < boundaries.size(); ++a) {
    if (is_cut({region.lo, boundaries[a]})) return true;
    for (std::size_t b = a + 1; b < boundaries.size(); ++b) {
      if (is_cut({region.lo, boundaries[a], boundaries[b]})) return true;
    }
  }
  return false;
}

TEST(GrowRegions, NoLeafHasACutThatAnybodyCouldSee) {
  Random random(SeedFromNumber(21), "visible cuts");
  std::size_t leaves_with_2k = 0;
  for (int repeat = 0; repeat < 6000 && !testing::Test::HasFailure(); ++repeat) {
    SCOPED_TRACE(repeat);
    Case given = RandomCase(random);
    given.table.persons.reset();
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
  EXPECT_GT(leaves_with_2k, 1000U) << "small leaves cannot be cut anyway";
}

std::multiset<std::size_t> SizesOf(const std::vector<Leaf>& leaves) {
  std::multiset<std::size_t> sizes;
  for (const Leaf& leaf : leaves) sizes.insert(leaf.rows.size());
  return sizes;
}

TEST(GrowRegions, PartsThatWouldBePublishedAlikeStayOneAndAreCutElsewhere) {
  // Six labels of one person each: in pairs all of them would be published as "*". The numbers tell two groups apart.
  const PartitionOptions options{2, CategoryForm::kTaxonomy, BoxKind::kRegion};
  const auto leaves =
      LeavesOf(MakeCase({Flat(6), Numbers(0, 9)}, {{0, 0}, {1, 9}, {2, 0}, {3, 9}, {4, 0}, {5, 9}}, options));
  EXPECT_EQ(SizesOf(leaves), (std::multiset<std::size_t>{3, 3}));
  for (const Leaf& leaf : leaves) EXPECT_EQ(leaf.region[0], (Interval{0, 5}));
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
}  // namespace pentimento
