// One node at a time, against the plain way: every attribute is counted and planned, and rows go one after the other.
#include "anonymize/recode/specializer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::recode::specializer_test {
namespace {

using partition::Buffer;

Domain Tree(std::string_view text) {
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "test").value()), false);
}
Domain Flat(Code leaves) {
  std::vector<std::string> values;
  for (Code leaf = 0; leaf < leaves; ++leaf) values.push_back("v" + std::to_string(leaf));
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), false);
}
Domain Numbers(std::int64_t hi) { return Domain(NumericRange{0, hi, 0, {}}, false); }

struct Node {
  std::vector<Domain> domains;
  EncodedTable table;
  CodeColumn signatures;
  Signatures limited;
};

// Every signature has the same limit. Low codes are frequent, so that children in the middle are empty now and then.
Node RandomNode(Random& random, std::vector<Domain> domains, std::size_t rows, Code signatures, Ratio alpha) {
  Node node{std::move(domains), {}, CodeColumn(signatures, rows), {}};
  node.table.rows = rows;
  node.limited.count = signatures;
  for (Code value = 0; value < signatures; ++value) node.limited.items.push_back({{value}, alpha});
  for (const Domain& domain : node.domains) {
    CodeColumn column(domain.size(), rows);
    const bool has_ends_only = random.Below(3) == 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const Code code = random.Below(domain.size());
      column.Set(row, has_ends_only ? (code % 2) * (domain.size() - 1) : random.Below(2) == 0 ? code : code / 3);
    }
    node.table.quasi_identifiers.push_back(std::move(column));
  }
  for (std::size_t row = 0; row < rows; ++row)
    node.signatures.Set(row, random.Below(4) == 0 ? 0 : random.Below(signatures));
  return node;
}

// The choice as algorithm.md tells it, no attribute left out.
template <typename Rows>
std::optional<Choice> PlainChoice(const Rows& rows, const ClassRule& rule, std::span<const ColumnLevels> levels,
                                  const Box& bounds) {
  std::optional<Choice> best;
  double best_width = 0;
  for (std::size_t c = 0; c < levels.size(); ++c) {
    if (bounds[c].lo == bounds[c].hi) continue;
    BranchCounter counter(rule);
    const ColumnOfNode<typename Rows::Records> node{rows.records(Buffer::kFront), c, 0, rows.size(), bounds[c]};
    const std::optional<Level> level = counter.Count(node, levels[c], {});
    if (!level) continue;
    BranchPlanner planner(rule);
    const auto records = rows.records(Buffer::kFront);
    const BranchPlan* const plan = planner.Plan(
        counter.counts(), 0, [&](std::size_t i) { return level->ChildOf(records.codes(i)[c]); },
        [&](std::size_t i) { return records.signature(i); });
    if (plan == nullptr) continue;
    const double width = levels[c].PublishedWidth(bounds[c]);
    const bool is_better = !best || plan->specialized > best->plan.specialized ||
                           (plan->specialized == best->plan.specialized &&
                            (width > best_width || (width == best_width && plan->standing < best->plan.standing)));
    if (!is_better) continue;
    best = Choice{c, *level, *plan, counter.counts().branches};
    best_width = width;
  }
  return best;
}

// The rows of each branch that stands, then of what is pushed back.
std::vector<std::vector<std::uint32_t>> PlainParts(const Node& node, const Choice& choice) {
  std::vector<std::vector<std::uint32_t>> of_branch(choice.branches.size());
  std::vector<std::uint32_t> back;
  for (std::uint32_t row = 0; row < node.table.rows; ++row) {
    const Code child = choice.level.ChildOf(node.table.quasi_identifiers[choice.column][row]);
    std::uint32_t branch = 0;
    while (choice.branches[branch].child != child) ++branch;
    const bool is_pulled =
        std::ranges::any_of(choice.plan.pulled, [row](const PulledBack& pulled) { return pulled.row == row; });
    (is_pulled || choice.plan.stands[branch] == 0 ? back : of_branch[branch]).push_back(row);
  }
  std::vector<std::vector<std::uint32_t>> parts;
  for (std::size_t b = 0; b < of_branch.size(); ++b) {
    if (choice.plan.stands[b] != 0) parts.push_back(of_branch[b]);
  }
  parts.push_back(back);
  return parts;
}

template <typename Rows>
std::vector<std::uint32_t> RowsAt(const Rows& rows, Places places) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = places.begin; i < places.end; ++i) numbers.push_back(rows.records(places.buffer).row(i));
  return numbers;
}

struct Seen {
  int specialized = 0;
  int pulled = 0;
};

template <typename Rows>
void ExpectThePlainWay(const Node& node, std::uint64_t k, Seen& seen) {
  Rows rows(node.table, &node.signatures);
  const ClassRule rule(&node.limited, k);
  const std::vector<ColumnLevels> levels(node.domains.begin(), node.domains.end());
  Box bounds(node.domains.size());
  rows.Bounds(Buffer::kFront, 0, rows.size(), bounds);
  Specializer<Rows> specializer(rows, rule, levels);
  const std::optional<Choice> choice =
      rows.size() < 2 * rule.smallest_class() ? std::nullopt : PlainChoice(rows, rule, levels, bounds);
  const Specialization* const made = specializer.Specialize({0, rows.size()}, bounds);
  ASSERT_EQ(made != nullptr, choice.has_value());
  if (made == nullptr) return;
  ++seen.specialized;
  seen.pulled += choice->plan.pulled.empty() ? 0 : 1;
  const auto parts = PlainParts(node, *choice);
  ASSERT_EQ(made->branches.size() + 1, parts.size());
  std::vector<Places> places = made->branches;
  places.push_back(made->remainder);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    EXPECT_EQ(RowsAt(rows, places[p]), parts[p]);
  }
}

using NarrowRows = partition::PackedRows<std::uint16_t, 8, false, true>;
using WideRows = partition::PackedRows<std::uint32_t, 0, false, true>;

TEST(Specializer, SpecializesAsThePlainWayDoes) {
  Random random(SeedFromNumber(1), "test");
  Seen seen;
  for (std::size_t round = 0; round < TestRounds(3'000); ++round) {
    std::vector<Domain> domains;
    for (std::size_t c = 1 + random.Below(5); c > 0; --c) {
      const std::array<Domain, 5> kinds = {Tree("a;x;p;*\nb;x;p;*\nc;y;p;*\nd;z;*\ne;z;*\nf;*\n"), Flat(2), Flat(3),
                                           Flat(7), Numbers(60)};
      domains.push_back(kinds[random.Below(5)]);
    }
    const std::size_t rows = 4 + random.Below(random.Below(10) == 0 ? 3'000 : 80);
    const Node node = RandomNode(random, std::move(domains), rows, 3 + random.Below(12), {1, 2 + random.Below(2)});
    const std::uint64_t k = 1 + random.Below(6);
    ExpectThePlainWay<NarrowRows>(node, k, seen);
    ExpectThePlainWay<WideRows>(node, k, seen);
  }
  EXPECT_GT(seen.specialized, TestRounds(1'000));
  EXPECT_GT(seen.pulled, TestRounds(100));
}

TEST(Specializer, PullsBackAmongManyBranchesAndSignatures) {
  Random random(SeedFromNumber(2), "test");
  Seen seen;
  for (int round = 0; round < 60; ++round) {
    const Node node = RandomNode(random, {Flat(60)}, 2'000, 3'000, {1, 2});
    ExpectThePlainWay<WideRows>(node, 8 + random.Below(3), seen);
  }
  EXPECT_GT(seen.pulled, 2);
}

// Two children take all rows in the second column. The first has three, of which the one in the middle shows only after
// many rows, or has none: then it has two branches as well, and comes first.
TEST(Specializer, PrefersTheFirstColumnOnlyIfItHasNoThirdBranch) {
  for (const bool has_third : {false, true}) {
    Random random(SeedFromNumber(4), "test");
    Node node = RandomNode(random, {Flat(3), Flat(2)}, 2'000, 1, {1, 1});
    for (std::size_t row = 0; row < 2'000; ++row) {
      const auto code = static_cast<Code>(row % 2);
      node.table.quasi_identifiers[0].Set(row, row >= 1'900 && has_third ? 1 : 2 * code);
      node.table.quasi_identifiers[1].Set(row, row / 2 % 2 == 0 ? 0 : 1);
    }
    Seen seen;
    ExpectThePlainWay<NarrowRows>(node, 2, seen);
    EXPECT_EQ(seen.specialized, 1);
  }
}

}  // namespace
}  // namespace pentimento::recode::specializer_test
