#include "anonymize/incremental/joined_leaves.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "anonymize/incremental/insert_batch.h"
#include "anonymize/incremental/member_codes.h"
#include "base/parallel.h"
#include "base/random.h"

namespace pentimento::joined_leaves_test {
namespace {

Domain Numbers(std::int64_t hi) { return Domain(NumericRange{0, hi, 0, {}}, false); }

Domain Flat(std::size_t values) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < values; ++i) names.push_back("v" + std::to_string(100000 + i));
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(names).value()), false);
}

// Values crowd at the low end, so that leaves are of all depths.
EncodedTable People(const std::vector<Domain>& domains, std::size_t rows, Random& random) {
  EncodedTable table = EmptyTable(domains, rows);
  for (std::size_t c = 0; c < domains.size(); ++c) {
    for (std::size_t row = 0; row < rows; ++row) {
      const Code highest = random.Below(domains[c].size()) + 1;
      table.quasi_identifiers[c].Set(row, random.Below(highest));
    }
  }
  return table;
}

// Every row on its own, node by node.
NodeNumber LeafOf(const IncrementalTree& tree, const EncodedTable& batch, std::size_t row) {
  NodeNumber number = 0;
  for (RegionNode at = tree.node(0); !at.is_leaf(); at = tree.node(number))
    number = at.first_child +
             static_cast<NodeNumber>(ChildOfCode(tree.children(at), batch.quasi_identifiers[at.column][row]));
  return number;
}

void ExpectLikeRowByRow(const IncrementalTree& tree, const EncodedTable& batch, const JoinedLeaves& reached) {
  const std::size_t columns = batch.quasi_identifiers.size();
  std::map<NodeNumber, Box> region_of_leaf;
  tree.ForEachLeaf([&](NodeNumber leaf, const Box& region) { region_of_leaf[leaf] = region; });
  std::map<NodeNumber, std::vector<std::uint32_t>> rows_of_leaf;
  for (std::uint32_t row = 0; row < batch.rows; ++row) rows_of_leaf[LeafOf(tree, batch, row)].push_back(row);

  ASSERT_EQ(reached.leaves.size(), rows_of_leaf.size());
  auto expected = rows_of_leaf.begin();
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const JoinedLeaf& leaf = reached.leaves[i];
    ASSERT_EQ(leaf.node, expected->first);
    const auto rows = reached.newcomers_of(i);
    ASSERT_EQ(std::vector(rows.begin(), rows.end()), expected->second) << "of leaf " << leaf.node;
    const auto region = reached.region_of(i);
    ASSERT_EQ(Box(region.begin(), region.end()), region_of_leaf[leaf.node]) << "of leaf " << leaf.node;
    ++expected;
  }
  std::visit(
      [&](const auto& codes) {
        ASSERT_EQ(codes.size(), batch.rows * columns);
        for (std::size_t i = 0; i < codes.size(); ++i)
          ASSERT_EQ(Code{codes[i]}, batch.quasi_identifiers[i % columns][reached.rows[i / columns]]);
      },
      reached.codes);
}

// A series of four releases, so that leaves of all ages have been cut; then batches of all sizes go down its tree.
void TryBatches(const std::vector<Domain>& domains, std::uint64_t seed) {
  Random random(SeedFromNumber(seed), "descend");
  std::vector<std::unique_ptr<SegmentData>> segments;
  IncrementalView series{domains.size(), {}};
  for (const std::size_t rows : {3000, 1500, 700, 2500}) {
    const InsertOptions options{.k = 3, .describes_change = false};
    segments.push_back(std::make_unique<SegmentData>(
        *InsertBatch(series, domains, People(domains, rows, random), {}, options).value().segment));
    series.segments.push_back(segments.back()->view());
    const IncrementalTree tree(series, domains);
    for (const std::size_t newcomers : {1, 40, 3000, 70000}) {
      const EncodedTable batch = People(domains, newcomers, random);
      ExpectLikeRowByRow(tree, batch, FindJoinedLeaves(series, tree, domains, batch));
    }
  }
}

TEST(JoinedLeaves, EverybodyFindsTheLeafThatOneFindsAlone) { TryBatches({Numbers(99), Flat(2), Numbers(999)}, 1); }

TEST(JoinedLeaves, NodesCanHaveManyChildren) { TryBatches({Flat(300), Numbers(20)}, 2); }

TEST(JoinedLeaves, LeavesCanBeCutInEightColumns) {
  TryBatches({Numbers(9), Flat(5), Flat(30), Numbers(99), Flat(7), Flat(2), Numbers(50), Numbers(3)}, 3);
}

// Codes of 32 bits.
TEST(JoinedLeaves, DomainsCanBeLargerThanTheBatch) { TryBatches({Numbers(3000000), Numbers(99)}, 4); }

TEST(JoinedLeaves, WithoutColumnsEverybodyIsInTheRoot) {
  const IncrementalTree tree({0, {}}, {});
  EncodedTable batch;
  batch.rows = 3;
  const JoinedLeaves reached = FindJoinedLeaves({0, {}}, tree, {}, batch);
  ASSERT_EQ(reached.leaves.size(), 1U);
  EXPECT_EQ(reached.leaves[0].row_count, 3U);
}

TEST(JoinedLeaves, DoesNotDependOnThreads) {
  const std::vector<Domain> domains{Numbers(99), Flat(40), Numbers(999)};
  Random random(SeedFromNumber(5), "descend");
  const SegmentData first = *InsertBatch({3, {}}, domains, People(domains, 5000, random), {}, {.k = 3}).value().segment;
  const IncrementalView series{3, {first.view()}};
  const IncrementalTree tree(series, domains);
  const EncodedTable batch = People(domains, 100000, random);
  const JoinedLeaves reached = FindJoinedLeaves(series, tree, domains, batch);
  const ThreadLimit alone(1);
  const JoinedLeaves again = FindJoinedLeaves(series, tree, domains, batch);
  EXPECT_EQ(reached.rows, again.rows);
  EXPECT_EQ(reached.codes, again.codes);
  EXPECT_EQ(reached.regions, again.regions);
}

}  // namespace
}  // namespace pentimento::joined_leaves_test
