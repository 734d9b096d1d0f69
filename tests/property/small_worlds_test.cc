// What a generalized table under (alpha,k) tells to an attacker who knows the algorithm, everybody's quasi-identifiers
// and the table: all ways to hand out the values are tried, each with every draw of the algorithm, and those that lead
// to another table are ruled out. Chances are exact fractions. PENTIMENTO_SMALL_WORLDS=7 looks at all tables of 7 rows
// and prints what it finds; the numbers that are expected here are those of 5, and the claim page has more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "anonymize/anatomy/anatomy.h"
#include "anonymize/limits/signatures.h"
#include "anonymize/partition/partition.h"
#include "anonymize/recode/recode.h"
#include "base/random.h"
#include "base/ratio.h"

namespace pentimento::small_worlds_test {
namespace {

// People with the same leaf are alike to everybody, so a world is known by how many of each leaf have which value.
using World = std::vector<std::vector<std::uint32_t>>;  // [leaf][value]

struct Setting {
  Domain domain;
  std::vector<std::uint32_t> people;  // by leaf
  Code values;
  Ratio alpha;
};

struct Row {
  Code leaf;
  Code value;
  friend auto operator<=>(const Row&, const Row&) = default;
};

std::vector<Row> RowsOf(const World& world) {
  std::vector<Row> rows;
  for (Code leaf = 0; leaf < world.size(); ++leaf) {
    for (Code value = 0; value < world[leaf].size(); ++value)
      rows.insert(rows.end(), world[leaf][value], {leaf, value});
  }
  return rows;
}

std::uint64_t Factorial(std::uint64_t n) { return n < 2 ? 1 : n * Factorial(n - 1); }

// In how many ways the people of each leaf can have these values.
std::uint64_t WaysOf(const World& world) {
  std::uint64_t ways = 1;
  for (const auto& counts : world) {
    ways *= Factorial(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    for (const std::uint32_t count : counts) ways /= Factorial(count);
  }
  return ways;
}

void ForEachSplit(std::uint32_t rows, std::size_t parts, std::vector<std::uint32_t>& split,
                  const std::function<void()>& visit) {
  if (split.size() + 1 == parts) {
    split.push_back(rows);
    visit();
    split.pop_back();
    return;
  }
  for (std::uint32_t first = 0; first <= rows; ++first) {
    split.push_back(first);
    ForEachSplit(rows - first, parts, split, visit);
    split.pop_back();
  }
}

void ForEachWorld(const Setting& setting, World& world, const std::function<void(const World&)>& visit) {
  if (world.size() == setting.people.size()) return visit(world);
  std::vector<std::uint32_t> split;
  ForEachSplit(setting.people[world.size()], setting.values, split, [&] {
    world.push_back(split);
    ForEachWorld(setting, world, visit);
    world.pop_back();
  });
}

// A table as everybody sees it: its classes.
struct SeenClass {
  Interval box;
  std::vector<std::uint32_t> values;  // how many have which
  friend bool operator<(const SeenClass& a, const SeenClass& b) {
    return a.box != b.box ? a.box < b.box : a.values < b.values;
  }
};
using Seen = std::vector<SeenClass>;

using Maker = std::function<Result<Classes>(const EncodedTable&, std::span<const Domain>, const Signatures&)>;

constexpr std::uint64_t kK = 2;

struct Input {
  EncodedTable table;
  Signatures signatures;
};

Input InputOf(const Setting& setting, const std::vector<Row>& rows) {
  Input input{{}, {CodeColumn(setting.values, rows.size()), setting.values, {}}};
  input.table.rows = rows.size();
  input.table.quasi_identifiers.emplace_back(setting.domain.size(), rows.size());
  for (Code value = 0; value < setting.values; ++value) input.signatures.items.push_back({{value}, setting.alpha});
  for (std::size_t row = 0; row < rows.size(); ++row) {
    input.table.quasi_identifiers[0].Set(row, rows[row].leaf);
    input.signatures.of_row.Set(row, rows[row].value);
  }
  return input;
}

// Nothing where the table is refused.
Seen Publish(const Setting& setting, const std::vector<Row>& rows, const Maker& maker) {
  const Input input = InputOf(setting, rows);
  const Result<Classes> draft = maker(input.table, {&setting.domain, 1}, input.signatures);
  if (!draft.ok()) return {};
  std::map<Interval, std::vector<std::uint32_t>> classes;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    auto& values = classes[draft->box(draft->of_row[row])[0]];
    values.resize(setting.values);
    ++values[rows[row].value];
  }
  Seen seen;
  for (const auto& [box, values] : classes) seen.push_back({box, values});
  return seen;
}

// All ways to hand out the values that lead to one table, each as heavy as it is likely.
struct Known {
  std::uint64_t weight = 0;
  std::vector<std::vector<std::uint64_t>> having;  // [leaf][value]: weight times people
};

struct Told {
  std::uint64_t people = 0;   // in all worlds, each as heavy as it is likely
  std::uint64_t above = 0;    // those for whom some value is likelier than alpha
  std::uint64_t certain = 0;  // those whose value is certain
  Ratio most_excess{0, 1};    // of a chance over the greatest share of the value in a class that the person may be in
};

// The value's greatest share in a class that somebody of this leaf may be in.
Ratio ShareOf(const Seen& seen, Code leaf, Code value) {
  Ratio share{0, 1};
  for (const SeenClass& one : seen) {
    if (!one.box.Contains(leaf)) continue;
    share = std::max(share, Ratio{one.values[value], std::accumulate(one.values.begin(), one.values.end(), 0U)});
  }
  return share;
}

void AddTo(const Setting& setting, const Seen& seen, const Known& known, Told& told) {
  for (Code leaf = 0; leaf < setting.people.size(); ++leaf) {
    if (setting.people[leaf] == 0) continue;
    const std::uint64_t whole = known.weight * setting.people[leaf];
    told.people += whole;
    bool is_above = false, is_certain = false;
    for (Code value = 0; value < setting.values; ++value) {
      const Ratio chance{known.having[leaf][value], whole};
      is_above = is_above || chance > setting.alpha;
      is_certain = is_certain || chance.num == chance.den;
      const Ratio share = ShareOf(seen, leaf, value);
      if (chance > share) {
        const Ratio excess{chance.num * share.den - share.num * chance.den, chance.den * share.den};
        told.most_excess = std::max(told.most_excess, excess);
      }
    }
    told.above += is_above ? whole : 0;
    told.certain += is_certain ? whole : 0;
  }
}

// `draws`: whether what the maker does depends on the order of the rows. Then every order is as likely.
void Attack(const Setting& setting, const Maker& maker, bool draws, Told& told) {
  std::map<Seen, Known> known;
  World begun;
  const auto all = std::accumulate(setting.people.begin(), setting.people.end(), std::uint64_t{0});
  ForEachWorld(setting, begun, [&](const World& world) {
    std::map<Seen, std::uint64_t> times;
    std::uint64_t orders = 0;
    std::vector<Row> rows = RowsOf(world);
    do {
      const Seen seen = Publish(setting, rows, maker);
      if (seen.empty()) return;
      ++times[seen];
      ++orders;
    } while (draws && std::ranges::next_permutation(rows).found);
    for (const auto& [seen, count] : times) {
      const std::uint64_t weight = WaysOf(world) * count * (Factorial(all) / orders);
      Known& of_seen = known[seen];
      of_seen.having.resize(world.size(), std::vector<std::uint64_t>(setting.values));
      of_seen.weight += weight;
      for (Code leaf = 0; leaf < world.size(); ++leaf) {
        for (Code value = 0; value < setting.values; ++value)
          of_seen.having[leaf][value] += weight * world[leaf][value];
      }
    }
  });
  for (const auto& [seen, of_seen] : known) AddTo(setting, seen, of_seen, told);
}

Domain Tree(std::string_view text) {
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "test").value()), false);
}

// Every number of people in each leaf, of flat taxonomies, a deep one and a number.
std::vector<Setting> Settings(std::uint32_t rows) {
  const std::vector<std::pair<Domain, std::size_t>> domains = {{Tree("A;*\nB;*\n"), 2},
                                                               {Tree("A;*\nB;*\nC;*\n"), 3},
                                                               {Tree("a;x;*\nb;x;*\nc;*\n"), 3},
                                                               {Domain(NumericRange{0, 2, 0, {}}, false), 3}};
  std::vector<Setting> settings;
  for (const auto& entry : domains) {
    const auto& domain = entry.first;
    const auto& leaves = entry.second;
    std::vector<std::uint32_t> people;
    ForEachSplit(rows, leaves, people, [&] {
      if (std::ranges::count(people, 0U) > 0) return;
      for (const Ratio alpha : {Ratio{1, 2}, Ratio{2, 3}}) settings.push_back({domain, people, 3, alpha});
    });
  }
  return settings;
}

Told AttackAll(const Maker& maker, bool draws, std::uint32_t rows) {
  Told told;
  for (const Setting& setting : Settings(rows)) Attack(setting, maker, draws, told);
  return told;
}

// For campaigns by hand.
void Print(const char* maker, std::uint32_t rows, const Told& told) {
  const auto percent = [&](std::uint64_t part) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(told.people);
  };
  const std::uint64_t common = std::gcd(told.most_excess.num, told.most_excess.den);
  std::printf(
      "%s, %u rows: some value likelier than alpha for %.2f %%, certain for %.2f %%, %zu/%zu above its share at most\n",
      maker, rows, percent(told.above), percent(told.certain), static_cast<std::size_t>(told.most_excess.num / common),
      static_cast<std::size_t>(told.most_excess.den / common));
}

Result<Classes> Recode(const EncodedTable& table, std::span<const Domain> domains, const Signatures& signatures) {
  return AnonymizeByRecoding(table, domains, {kK, &signatures});
}

Result<Classes> Partition(const EncodedTable& table, std::span<const Domain> domains, const Signatures& signatures) {
  PartitionOptions options{kK, CategoryForm::kTaxonomy, BoxKind::kMembers};
  options.signatures = &signatures;
  return AnonymizeByPartition(table, domains, options);
}

TEST(SmallWorlds, RecodingTellsOfWhatWasNotAllowedAndOfNobodyForSure) {
  const Told told = AttackAll(Recode, true, 5);
  EXPECT_EQ(told.certain, 0U);
  EXPECT_LT(told.above * 100, told.people * 6);
  EXPECT_EQ(told.most_excess.num * 20, told.most_excess.den * 3);
}

TEST(SmallWorlds, PartitionTellsOfWhatWasNotAllowed) {
  const Told told = AttackAll(Partition, false, 5);
  EXPECT_LT(told.certain * 100, told.people);
  EXPECT_LT(told.above * 100, told.people * 5);
  EXPECT_EQ(told.most_excess.num * 5, told.most_excess.den * 4);
}

TEST(SmallWorlds, AsLongAsYouLike) {
  const char* const asked = std::getenv("PENTIMENTO_SMALL_WORLDS");
  if (asked == nullptr) GTEST_SKIP() << "PENTIMENTO_SMALL_WORLDS is not set";
  const auto rows = static_cast<std::uint32_t>(std::atoi(asked));
  Print("partition", rows, AttackAll(Partition, false, rows));
  Print("recode", rows, AttackAll(Recode, true, rows));
}

// 3 times A, once B; s1, s1, s2, s3. Whatever table is seen, everything is as likely as its share.
TEST(SmallWorlds, NobodyOfTheFourRowTableIsFoundOut) {
  Told told;
  Attack({Tree("A;*\nB;*\n"), {3, 1}, 3, {1, 2}}, Recode, true, told);
  EXPECT_GT(told.people, 0U);
  EXPECT_EQ(told.certain, 0U);
  EXPECT_EQ(told.most_excess.num, 0U);
}

// Anatomy draws among the people who have a value, whoever they are, so nobody's class says which of its values is
// whose.
TEST(SmallWorlds, AnatomyTellsNothingBeyondTheShare) {
  std::vector<Row> rows = {{0, 0}, {0, 0}, {0, 1}, {0, 2}};
  const Setting setting{Tree("A;*\nB;*\n"), {4}, 3, {1, 2}};
  std::map<std::vector<std::uint32_t>, std::map<std::pair<std::size_t, Code>, double>> times;
  std::map<std::vector<std::uint32_t>, double> all;
  constexpr std::uint64_t kSeeds = 500;
  do {
    const Input input = InputOf(setting, rows);
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const Classes made = GroupByAnatomy(input.table, {kK, &input.signatures, SeedFromNumber(seed)}).value();
      std::vector<std::uint32_t> seen(4 * made.count());  // by class: whether each row is in it; then its values
      for (std::size_t row = 0; row < 4; ++row) seen[4 * made.of_row[row] + row] = 1;
      std::vector<std::uint32_t> values(3 * made.count());
      for (std::size_t row = 0; row < 4; ++row) ++values[3 * made.of_row[row] + rows[row].value];
      seen.insert(seen.end(), values.begin(), values.end());
      ++all[seen];
      for (std::size_t row = 0; row < 4; ++row) ++times[seen][{row, rows[row].value}];
    }
  } while (std::ranges::next_permutation(rows).found);
  for (const auto& [seen, of_seen] : times) {
    // Two classes of two different values each: a half. Five standard deviations.
    for (const auto& [who, count] : of_seen) EXPECT_NEAR(count / all[seen], 0.5, 2.5 / std::sqrt(all[seen]));
  }
}

// --- One table of 20,000 people whose values have nothing to do with the rest of their rows. Where a class has finer
// ones inside of its box, those of its members who fit into none of these are known to be in it.

struct Class {
  std::vector<std::uint32_t> values;
  std::uint32_t size = 0;
};

bool IsFiner(std::span<const Interval> a, std::span<const Interval> b) {
  bool is_finer = false;
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (a[c].lo < b[c].lo || a[c].hi > b[c].hi) return false;
    is_finer = is_finer || a[c] != b[c];
  }
  return is_finer;
}

TEST(SmallWorlds, WhoIsKnownToBeInAClassHasItsTopValueAsOftenAsItsShareSays) {
  constexpr std::size_t kRows = 20'000;
  constexpr Code kValues = 8;
  Random random(SeedFromNumber(11), "people");
  const std::vector<Domain> domains = {Tree("a;x;*\nb;x;*\nc;y;*\nd;y;*\ne;y;*\n"),
                                       Domain(NumericRange{0, 99, 0, {}}, false), Tree("p;*\nq;*\nr;*\ns;*\n")};
  EncodedTable table;
  table.rows = kRows;
  Signatures signatures{CodeColumn(kValues, kRows), kValues, {}};
  for (Code value = 0; value < kValues; ++value) signatures.items.push_back({{value}, {1, 3}});
  for (const Domain& domain : domains) {
    CodeColumn column(domain.size(), kRows);
    for (std::size_t row = 0; row < kRows; ++row) column.Set(row, random.Below(domain.size()));
    table.quasi_identifiers.push_back(std::move(column));
  }
  for (std::size_t row = 0; row < kRows; ++row) signatures.of_row.Set(row, random.Below(kValues));
  const Classes draft = AnonymizeByRecoding(table, domains, {kK, &signatures}).value();
  std::vector<Class> classes(draft.count(), {std::vector<std::uint32_t>(kValues), 0});
  for (std::size_t row = 0; row < kRows; ++row) {
    ++classes[draft.of_row[row]].values[signatures.of_row[row]];
    ++classes[draft.of_row[row]].size;
  }
  std::vector<std::vector<ClassNumber>> finer(classes.size());
  for (ClassNumber a = 0; a < classes.size(); ++a) {
    for (ClassNumber b = 0; b < classes.size(); ++b) {
      if (IsFiner(draft.box(b), draft.box(a))) finer[a].push_back(b);
    }
  }
  double people = 0, having = 0, expected = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    const ClassNumber group = draft.of_row[row];
    const auto holds = [&](ClassNumber other) {
      for (std::size_t c = 0; c < domains.size(); ++c) {
        if (!draft.box(other)[c].Contains(table.quasi_identifiers[c][row])) return false;
      }
      return true;
    };
    if (finer[group].empty()) continue;
    const bool is_moved = std::ranges::any_of(finer[group], holds);
    const auto top = std::ranges::max_element(classes[group].values);
    if (is_moved || std::ranges::count(classes[group].values, *top) > 1) continue;
    ++people;
    expected += static_cast<double>(*top) / classes[group].size;
    having += signatures.of_row[row] == static_cast<Code>(top - classes[group].values.begin()) ? 1 : 0;
  }
  EXPECT_GT(classes.size(), 1'000U);
  // Five standard deviations. Where values decided who was moved, 2,990 people were known to be in such a class, and
  // 41.9 % of them had its top value, whose share was 33.3 %.
  EXPECT_LE(having, expected + 5 * std::sqrt(expected)) << people;
}

}  // namespace
}  // namespace pentimento::small_worlds_test
