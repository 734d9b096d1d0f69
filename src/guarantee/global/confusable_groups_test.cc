// Against the definition: all edges between all groups, row by row, and what can be reached both ways.
#include "guarantee/global/confusable_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::confusable_groups_test {
namespace {

struct Example {
  std::vector<Domain> domains;
  CategoryForm form = CategoryForm::kTaxonomy;
  EncodedTable table;
  Classes draft;

  std::vector<ClassNumber> Find() const { return ConfusableGroups(table, domains, form, draft); }
  Code CodeAt(std::size_t row, std::size_t column) const { return table.quasi_identifiers[column][row]; }
};

using Edges = std::vector<std::vector<bool>>;

// For each group the smallest one that it is strongly connected with.
std::vector<ClassNumber> Components(Edges reach) {
  const std::size_t groups = reach.size();
  for (std::size_t over = 0; over < groups; ++over)
    for (std::size_t b = 0; b < groups; ++b)
      for (std::size_t a = 0; reach[b][over] && a < groups; ++a)
        if (reach[over][a]) reach[b][a] = true;
  std::vector<ClassNumber> smallest(groups);
  for (ClassNumber b = 0; b < groups; ++b) {
    smallest[b] = b;
    for (ClassNumber a = 0; a < b; ++a)
      if (reach[a][b] && reach[b][a]) smallest[b] = std::min(smallest[b], a);
  }
  return smallest;
}

std::vector<ClassNumber> Truth(const Example& example) {
  const std::size_t groups = example.draft.count();
  Edges edges(groups, std::vector<bool>(groups));
  for (std::size_t row = 0; row < example.table.rows; ++row) {
    for (ClassNumber into = 0; into < groups; ++into) {
      bool fits = true;
      for (std::size_t c = 0; c < example.draft.columns; ++c)
        fits = fits && example.draft.box(into)[c].Contains(example.CodeAt(row, c));
      if (fits) edges[example.draft.of_row[row]][into] = true;
    }
  }
  return Components(edges);
}

// What columns tell one after the other: of each set of groups the components in one column, until nothing changes.
// All codes of an interval count as there, unless it mixes the missing value with others; those that no row has and no
// box ends with can be left out.
std::vector<ClassNumber> ColumnByColumn(const Example& example) {
  const std::size_t groups = example.draft.count();
  std::vector<std::vector<std::set<Code>>> codes(groups, std::vector<std::set<Code>>(example.draft.columns));
  std::vector<std::set<Code>> known(example.draft.columns);
  for (std::size_t i = 0; i < example.draft.boxes.size(); ++i)
    known[i % example.draft.columns].insert({example.draft.boxes[i].lo, example.draft.boxes[i].hi});
  for (std::size_t c = 0; c < example.draft.columns; ++c)
    for (std::size_t row = 0; row < example.table.rows; ++row) known[c].insert(example.CodeAt(row, c));
  for (std::size_t row = 0; row < example.table.rows; ++row)
    for (std::size_t c = 0; c < example.draft.columns; ++c)
      codes[example.draft.of_row[row]][c].insert(example.CodeAt(row, c));
  for (ClassNumber group = 0; group < groups; ++group) {
    for (std::size_t c = 0; c < example.draft.columns; ++c) {
      const Interval box = example.draft.box(group)[c];
      const bool is_interval = example.domains[c].is_numeric() || example.form == CategoryForm::kSets;
      if (!is_interval || box.hi >= example.domains[c].value_count()) continue;
      codes[group][c].insert(known[c].lower_bound(box.lo), known[c].upper_bound(box.hi));
    }
  }
  std::vector<ClassNumber> parts(groups, 0);
  for (std::vector<ClassNumber> before; before != parts;) {
    before = parts;
    for (std::size_t c = 0; c < example.draft.columns; ++c) {
      Edges edges(groups, std::vector<bool>(groups));
      for (ClassNumber b = 0; b < groups; ++b)
        for (ClassNumber a = 0; a < groups; ++a)
          edges[b][a] = parts[a] == parts[b] && std::ranges::any_of(codes[b][c], [&](Code code) {
                          return example.draft.box(a)[c].Contains(code);
                        });
      parts = Components(edges);
    }
  }
  return parts;
}

bool IsFinerOrEqual(const std::vector<ClassNumber>& fine, const std::vector<ClassNumber>& coarse) {
  for (ClassNumber group = 0; group < fine.size(); ++group)
    if (coarse[group] != coarse[fine[group]]) return false;
  return true;
}

Domain TaxonomyOf(Random& random, std::uint32_t leaves, bool allows_missing) {
  std::string text;
  for (std::uint32_t leaf = 0, inner = 0; leaf < leaves; ++leaf) {
    if (random.Below(3) == 0) ++inner;
    text += "v" + std::to_string(leaf);
    if (leaves > 3) text += ";n" + std::to_string(inner) + ";m" + std::to_string(inner / 3);
    text += ";*\n";
  }
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "test").value()), allows_missing);
}

Example DrawTable(Random& random, std::size_t rows, std::uint32_t most_codes) {
  Example example;
  example.form = random.Below(4) == 0 ? CategoryForm::kSets : CategoryForm::kTaxonomy;
  const std::size_t columns = 1 + random.Below(3);
  for (std::size_t c = 0; c < columns; ++c) {
    const std::uint32_t codes = 2 + random.Below(most_codes - 1);
    const bool allows_missing = random.Below(3) == 0;
    if (random.Below(3) == 0)
      example.domains.emplace_back(NumericRange{0, codes - 1, 0, {}}, allows_missing);
    else
      example.domains.push_back(TaxonomyOf(random, codes, allows_missing));
    CodeColumn column(example.domains[c].size(), rows);
    for (std::size_t row = 0; row < rows; ++row) column.Set(row, random.Below(example.domains[c].size()));
    example.table.quasi_identifiers.push_back(std::move(column));
  }
  example.table.rows = rows;
  example.draft.columns = columns;
  return example;
}

// Groups of rows, with the smallest boxes there are, or larger ones.
void Publish(Example& example, const std::vector<std::vector<std::uint32_t>>& groups) {
  example.draft.of_row.resize(example.table.rows);
  for (const std::vector<std::uint32_t>& rows : groups) {
    for (const std::uint32_t row : rows) example.draft.of_row[row] = static_cast<ClassNumber>(&rows - &groups[0]);
    for (std::size_t c = 0; c < example.draft.columns; ++c) {
      Interval codes{example.CodeAt(rows[0], c), example.CodeAt(rows[0], c)};
      for (const std::uint32_t row : rows)
        codes = {std::min(codes.lo, example.CodeAt(row, c)), std::max(codes.hi, example.CodeAt(row, c))};
      example.draft.boxes.push_back(example.domains[c].Cover(codes, example.form));
    }
  }
}

std::vector<std::vector<std::uint32_t>> DrawGroups(Random& random, const Example& example, std::uint32_t most) {
  // Neighbours in some column are together more often than not, so that there is something to tell apart.
  std::map<std::uint32_t, std::vector<std::uint32_t>> rows_of;
  const std::size_t column = random.Below(static_cast<std::uint32_t>(example.draft.columns));
  const std::uint32_t groups = 1 + random.Below(most);
  for (std::uint32_t row = 0; row < example.table.rows; ++row) {
    const bool is_apart = random.Below(8) == 0;
    const auto place = static_cast<std::uint32_t>(std::uint64_t{example.CodeAt(row, column)} * groups /
                                                  example.domains[column].size());
    rows_of[is_apart ? random.Below(groups) : place].push_back(row);
  }
  std::vector<std::vector<std::uint32_t>> drawn;
  for (auto& [place, rows] : rows_of) drawn.push_back(std::move(rows));
  return drawn;
}

// Cuts that a reader can follow: a number or a set in two; a node of a taxonomy into one of its children and the rest,
// which has the node's label and a hole; the missing value and the rest.
void Cut(Random& random, const Example& example, std::vector<std::uint32_t> rows, int depth,
         std::vector<std::vector<std::uint32_t>>& groups) {
  const std::size_t c = random.Below(static_cast<std::uint32_t>(example.draft.columns));
  const Domain& domain = example.domains[c];
  Interval codes{example.CodeAt(rows[0], c), example.CodeAt(rows[0], c)};
  for (const std::uint32_t row : rows)
    codes = {std::min(codes.lo, example.CodeAt(row, c)), std::max(codes.hi, example.CodeAt(row, c))};
  Interval apart{codes.lo, codes.lo};
  if (domain.IsMissing(codes.hi)) {
    apart = {codes.hi, codes.hi};
  } else if (domain.is_numeric() || example.form == CategoryForm::kSets) {
    apart.hi += random.Below(static_cast<std::uint32_t>(codes.size()));
  } else {
    const Taxonomy::Node& node = domain.taxonomy().node(domain.taxonomy().Cover(codes));
    if (node.children.empty()) return groups.push_back(std::move(rows));
    const auto child = node.children[random.Below(static_cast<std::uint32_t>(node.children.size()))];
    apart = domain.taxonomy().node(child).leaves;
  }
  const auto rest =
      std::ranges::stable_partition(rows, [&](std::uint32_t row) { return apart.Contains(example.CodeAt(row, c)); });
  const std::vector<std::uint32_t> others(rest.begin(), rest.end());
  rows.erase(rest.begin(), rest.end());
  if (depth == 0 || rows.empty() || others.empty()) {
    rows.insert(rows.end(), others.begin(), others.end());
    return groups.push_back(std::move(rows));
  }
  Cut(random, example, std::move(rows), depth - 1, groups);
  Cut(random, example, others, depth - 1, groups);
}

std::vector<std::uint32_t> AllRows(const Example& example) {
  std::vector<std::uint32_t> rows(example.table.rows);
  for (std::uint32_t row = 0; row < rows.size(); ++row) rows[row] = row;
  return rows;
}

TEST(ConfusableGroups, AreNeverFinerThanTheTruthNorCoarserThanTheColumns) {
  Random random(SeedFromNumber(7), "confusable");
  std::size_t joined = 0, apart = 0, exact = 0;
  for (std::size_t round = 0; round < TestRounds(4'000); ++round) {
    Example example = DrawTable(random, 4 + random.Below(40), round % 4 == 0 ? 150 : 12);
    Publish(example, DrawGroups(random, example, 20));
    const std::vector<ClassNumber> truth = Truth(example), found = example.Find();
    ASSERT_TRUE(IsFinerOrEqual(truth, found)) << "round " << round;
    ASSERT_TRUE(IsFinerOrEqual(found, ColumnByColumn(example))) << "round " << round;
    for (ClassNumber group = 0; group < found.size(); ++group) {
      ASSERT_EQ(found[found[group]], found[group]);
      ASSERT_LE(found[group], group);
      (found[group] != group ? joined : apart) += 1;
    }
    exact += truth == found;
  }
  EXPECT_GT(joined, TestRounds(2'000));
  EXPECT_GT(apart, TestRounds(2'000));
  EXPECT_GT(exact, TestRounds(2'000));
}

TEST(ConfusableGroups, AreAsCoarseAsTheColumnsWhereThereAreManyGroups) {
  Random random(SeedFromNumber(8), "confusable");
  std::size_t joined = 0, split = 0;
  for (int round = 0; round < 60; ++round) {
    Example example = DrawTable(random, 600, 400);
    Publish(example, DrawGroups(random, example, 200));
    const std::vector<ClassNumber> found = example.Find();
    ASSERT_TRUE(IsFinerOrEqual(Truth(example), found)) << "round " << round;
    ASSERT_TRUE(IsFinerOrEqual(found, ColumnByColumn(example))) << "round " << round;
    (std::ranges::all_of(found, [](ClassNumber leader) { return leader == 0; }) ? joined : split) += 1;
  }
  EXPECT_GT(joined, 5u);
  EXPECT_GT(split, 5u);
}

// Numbers of a grid and leaves of a taxonomy that are many times as many as the rows: only what occurs can be walked
// through.
Example DrawWideTable(Random& random, std::size_t rows, const Domain& leaves) {
  Example example;
  example.domains = {Domain(NumericRange{0, 4'000'000'000, 0, {}}, random.Below(2) == 0), leaves};
  for (const Domain& domain : example.domains) {
    CodeColumn column(domain.size(), rows);
    // A part of the codes, of which many are next to each other and some are far apart.
    const std::uint32_t part = domain.size() >> random.Below(2);
    for (std::size_t row = 0; row < rows; ++row) {
      const Code code = random.Below(part);
      column.Set(row, random.Below(50) == 0 ? domain.size() - 1 : random.Below(3) == 0 ? code : code / 64 * 64);
    }
    example.table.quasi_identifiers.push_back(std::move(column));
  }
  example.table.rows = rows;
  example.draft.columns = 2;
  return example;
}

TEST(ConfusableGroups, OfVeryWideColumnsAreNeverFinerThanTheTruthNorCoarserThanTheColumns) {
  Random random(SeedFromNumber(11), "wide");
  const Domain leaves = TaxonomyOf(random, 200'000, /*allows_missing=*/true);
  std::size_t joined = 0, apart = 0, exact = 0, many = 0;
  for (std::size_t round = 0; round < TestRounds(60); ++round) {
    Example example = DrawWideTable(random, 400, leaves);
    example.form = round % 4 == 0 ? CategoryForm::kSets : CategoryForm::kTaxonomy;
    // Neighbours in one column are together; some rows change places, so that there is something to join.
    std::vector<std::uint32_t> rows = AllRows(example);
    std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return example.CodeAt(row, round % 2); });
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::size_t i = 0; i < rows.size(); i += 4) groups.push_back({rows[i], rows[i + 1], rows[i + 2], rows[i + 3]});
    for (std::size_t i = 0; i + 2 < groups.size(); i += 1 + random.Below(60))
      std::swap(groups[i].back(), groups[i + 1 + random.Below(2)].back());
    Publish(example, groups);
    const std::vector<ClassNumber> truth = Truth(example), found = example.Find();
    ASSERT_TRUE(IsFinerOrEqual(truth, found)) << "round " << round;
    ASSERT_TRUE(IsFinerOrEqual(found, ColumnByColumn(example))) << "round " << round;
    for (ClassNumber group = 0; group < found.size(); ++group) (found[group] != group ? joined : apart) += 1;
    exact += truth == found;
    many += found.size() > 64;  // up to so many are compared with each other
  }
  EXPECT_GT(joined, TestRounds(200));
  EXPECT_GT(apart, TestRounds(200));
  EXPECT_GE(exact, TestRounds(60) / 10);
  EXPECT_GT(many, TestRounds(30));
}

TEST(ConfusableGroups, AreSingleWhereCutsExplainTheGroups) {
  Random random(SeedFromNumber(9), "cuts");
  std::size_t overlapping = 0, many = 0;
  for (std::size_t round = 0; round < TestRounds(2'000); ++round) {
    Example example = DrawTable(random, round % 10 == 0 ? 2'000 : 60, round % 2 == 0 ? 300 : 10);
    std::vector<std::vector<std::uint32_t>> groups;
    Cut(random, example, AllRows(example), round % 10 == 0 ? 14 : 5, groups);
    Publish(example, groups);
    const std::vector<ClassNumber> found = example.Find();
    for (ClassNumber group = 0; group < found.size(); ++group) ASSERT_EQ(found[group], group) << "round " << round;
    many += found.size() > 64;
    for (ClassNumber group = 1; group < found.size(); ++group) {
      bool overlaps = true;
      for (std::size_t c = 0; c < example.draft.columns; ++c)
        overlaps = overlaps && example.draft.box(group)[c].Intersects(example.draft.box(0)[c]);
      overlapping += overlaps;
    }
  }
  EXPECT_GT(overlapping, TestRounds(500));
  EXPECT_GT(many, TestRounds(50));
}

TEST(ConfusableGroups, DoNotDependOnThreads) {
  Random random(SeedFromNumber(10), "threads");
  for (int round = 0; round < 3; ++round) {
    Example example = DrawTable(random, 60'000, 300);
    std::vector<std::vector<std::uint32_t>> groups;
    Cut(random, example, AllRows(example), 16, groups);
    // Some rows change places, so that there is something to join.
    for (std::size_t i = 0; i + 1 < groups.size(); i += 97) std::swap(groups[i].back(), groups[i + 1].back());
    Publish(example, groups);
    std::vector<ClassNumber> alone;
    {
      const ThreadLimit one(1);
      alone = example.Find();
    }
    const ThreadLimit two(2);
    EXPECT_EQ(example.Find(), alone);
  }
}

TEST(ConfusableGroups, TwoGroupsUnderOneLabelOfAFlatColumnAreOne) {
  // Cut along leaves, {a..d} and {e..i} are both published as "*"; the women are apart.
  Example example;
  example.domains.emplace_back(
      std::make_shared<const Taxonomy>(
          Taxonomy::Flat(std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "h", "i"}).value()),
      false);
  example.domains.emplace_back(
      std::make_shared<const Taxonomy>(Taxonomy::Flat(std::vector<std::string>{"F", "M"}).value()), false);
  CodeColumn letters(9, 6), sex(2, 6);
  for (std::size_t row = 0; row < 6; ++row) letters.Set(row, static_cast<Code>(row + 1));
  for (const std::size_t man : {0, 1, 3, 4}) sex.Set(man, 1);
  example.table = {6, {std::move(letters), std::move(sex)}, std::nullopt};
  example.draft = {2, {{0, 8}, {1, 1}, {0, 8}, {0, 0}, {0, 8}, {1, 1}}, {0, 0, 1, 2, 2, 1}};
  EXPECT_EQ(example.Find(), (std::vector<ClassNumber>{0, 1, 0}));
  // A rest with holes: who is alone under the own label fits into the rest, and nobody of the rest fits there.
  example.draft = {2, {{1, 1}, {1, 1}, {0, 8}, {0, 0}, {0, 8}, {1, 1}}, {0, 2, 1, 2, 2, 1}};
  EXPECT_EQ(example.Find(), (std::vector<ClassNumber>{0, 1, 2}));
}

TEST(ConfusableGroups, WithoutColumnsThereIsOneGroup) {
  EXPECT_EQ(ConfusableGroups(EncodedTable{}, {}, CategoryForm::kTaxonomy, Classes{}), std::vector<ClassNumber>{0});
}

}  // namespace
}  // namespace pentimento::confusable_groups_test
