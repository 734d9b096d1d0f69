// The verifiers of the global guarantee against possible worlds, counted one by one: people who join, leave and come
// back, some with several rows, values and a set with limits of their own, one table and two. Releases go through
// Verify, as those of the program do; the exact verifier gets the classes that are counted there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.h"
#include "base/ratio.h"
#include "guarantee/global/classes_of_release.h"
#include "guarantee/global/whole_series_testing.h"
#include "guarantee/verify.h"
#include "oracle/possible_worlds_oracle.h"

namespace pentimento::property::possible_worlds_test {
namespace {

namespace ow = oracle::worlds;

constexpr std::uint32_t kPeople = 6;
constexpr std::uint32_t kCells = 4;
constexpr std::uint64_t kMostWorlds = 20'000;

// Up to six rows in up to three groups.
ow::PublishedTable DrawTable(Random& random, bool has_several_rows) {
  ow::PublishedTable table;
  std::vector<bool> is_there(kPeople);
  std::map<std::uint32_t, std::uint32_t> number_of_group;  // without gaps
  const std::uint32_t groups = 1 + random.Below(3);
  const std::uint32_t rare = random.Below(3);
  for (std::uint32_t left = 1 + random.Below(6); left > 0; --left) {
    const std::uint32_t person = random.Below(kPeople);
    if (is_there[person] && !has_several_rows) continue;
    is_there[person] = true;
    const auto next = static_cast<std::uint32_t>(number_of_group.size());
    const std::uint32_t group = number_of_group.try_emplace(random.Below(groups), next).first->second;
    table.push_back({person, group, random.Below(3) < rare ? 0 : random.Below(kCells)});
  }
  return table;
}

std::vector<ow::PublishedTable> DrawSeries(Random& random) {
  const bool has_several_rows = random.Below(3) == 0;
  std::vector<ow::PublishedTable> series;
  for (std::uint32_t left = 1 + random.Below(4); left > 0; --left)
    series.push_back(DrawTable(random, has_several_rows));
  return series;
}

// Two values, and a set that is none of them.
struct Promise {
  std::vector<ow::Item> items = {{1}, {2}, {2, 3}};
  GlobalClaim claim;
  std::vector<GuaranteePolicy> guarantees;

  explicit Promise(Random& random) {
    GlobalGuaranteePolicy asked;
    asked.allows_alone = true;
    asked.l = 2;
    for (const ow::Item& item : items)
      claim.items.push_back({0, {item.begin(), item.end()}, 2 + random.Below(5), true, ""});
    guarantees.emplace_back(asked);
  }
};

CodeColumn ColumnOf(const std::vector<Code>& codes) {
  CodeColumn column(100, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) column.Set(row, codes[row]);
  return column;
}

// A table as the program would have it, in both forms. Boxes tell groups apart; where they overlap, see
// overlapping_boxes_test.cc.
struct Release {
  std::vector<std::uint32_t> person_of_row;
  std::vector<Domain> domains = {Domain(NumericRange{0, 99, 0, {}}, false)};
  EncodedTable table;
  CodeColumn cells;
  Classes draft{.columns = 1, .boxes = {}, .of_row = {}};
  Draft two;

  explicit Release(const ow::PublishedTable& published) : cells(ColumnOf({})) {
    std::vector<Code> places, values;
    std::map<std::pair<std::uint32_t, Code>, std::uint64_t> counts;
    for (const auto& [person, group, cell] : published) {
      person_of_row.push_back(person);
      places.push_back(10 * group + person);
      values.push_back(cell);
      draft.of_row.push_back(group);
      two.classes.without_boxes = std::max(two.classes.count(), group + 1);
      ++counts[{group, cell}];
    }
    two.classes.of_row = draft.of_row;
    SensitiveCounts& ss = two.sensitive.emplace_back();
    ss.columns = {0};
    for (const auto& [place, count] : counts) {
      ss.class_of_entry.push_back(place.first);
      ss.values.push_back(place.second);
      ss.count.push_back(count);
    }
    for (Code group = 0; group < two.classes.count(); ++group) draft.boxes.push_back({10 * group, 10 * group + 9});
    table.rows = published.size();
    table.quasi_identifiers.push_back(ColumnOf(places));
    cells = ColumnOf(values);
  }

  ReleaseClasses Seen(const GlobalClaim& claim) const {
    return ClassesOfRelease(claim, std::array{&cells}, draft.of_row, two.classes.count(), person_of_row, kPeople);
  }

  // Whether both forms are let through, which they are alike; charges `spent` where they are.
  bool IsLetThrough(const Promise& promise, std::uint32_t number, SpentBudgets& spent) const {
    const std::array<const CodeColumn*, 1> sensitive{&cells};
    Evidence claim{table, domains, CategoryForm::kTaxonomy, promise.guarantees, sensitive};
    GlobalBudgets of_one{promise.claim, person_of_row, number, spent},
        of_two{promise.claim, person_of_row, number, spent};
    claim.budgets = &of_one;
    const auto one = Verify({draft}, claim);
    claim.budgets = &of_two;
    const auto two_tables = Verify(two, claim);
    const auto* refusal = std::get_if<Refusal>(&one);
    const auto* other = std::get_if<Refusal>(&two_tables);
    EXPECT_EQ(refusal == nullptr ? "" : refusal->witness, other == nullptr ? "" : other->witness);
    if (refusal != nullptr) {
      EXPECT_EQ(refusal->guarantee, "global guarantee") << refusal->witness;
      return false;
    }
    EXPECT_EQ(of_one.spent, of_two.spent);
    spent = std::move(of_one.spent);
    return true;
  }
};

struct WorldsResult {
  std::uint32_t person = kPeople;  // the first with a chance above the limit, and its first item; none where it holds
  std::size_t item = 0;
  bool has_tie = false;  // somebody's chance is exactly the limit
};

WorldsResult CheckWorlds(const ow::Worlds& worlds, const GlobalClaim& claim) {
  WorldsResult result;
  for (const auto& [link, linked] : worlds.linked) {
    const std::uint64_t scaled = linked * claim.items[link.second].l;
    result.has_tie = result.has_tie || scaled == worlds.all;
    if (scaled > worlds.all && result.person == kPeople) std::tie(result.person, result.item) = link;
  }
  return result;
}

std::string Reduced(std::uint64_t linked, std::uint64_t all) {
  const std::uint64_t divisor = std::gcd(linked, all);
  return ToString(Ratio{linked / divisor, all / divisor});
}

TEST(PossibleWorlds, GiveThePapersExampleThreeQuartersAndSevenSixteenths) {
  // Flu is 0, chlamydia 1, fever 2; o1 is person 0.
  const std::vector<ow::PublishedTable> figure_two{{{0, 0, 0}, {1, 0, 1}, {2, 1, 0}, {3, 1, 2}},
                                                   {{0, 0, 1}, {1, 0, 0}, {2, 1, 2}, {4, 1, 0}}};
  const ow::Worlds two = ow::WorldCounter::Count(figure_two, {{1}}, kMostWorlds);
  EXPECT_EQ(two.all, 16u) << "the four of Figure 3, each with four of the other groups";
  EXPECT_EQ(Reduced(two.linked.at({1, 0}), two.all), "3/4");
  const std::vector<ow::PublishedTable> figure_four{{{0, 0, 0}, {1, 0, 1}, {2, 0, 0}, {3, 0, 2}},
                                                    {{0, 0, 1}, {1, 0, 0}, {2, 0, 2}, {4, 0, 0}}};
  const ow::Worlds four = ow::WorldCounter::Count(figure_four, {{1}}, kMostWorlds);
  EXPECT_EQ(four.all, 12u * 12u) << "the paper's 4! * 4!, with the two cells of flu alike";
  EXPECT_EQ(Reduced(four.linked.at({1, 0}), four.all), "7/16");
}

TEST(PossibleWorlds, AgreeWithTheVerifiersAfterEveryRelease) {
  Random random(SeedFromNumber(41), "possible worlds");
  std::size_t above = 0, within = 0, only_ties = 0, with_several_rows = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Promise promise(random);
    const std::vector<ow::PublishedTable> series = DrawSeries(random);
    std::vector<ow::PublishedTable> so_far;
    std::vector<ReleaseClasses> history;
    SpentBudgets spent(kPeople * promise.items.size());
    bool goes_on = true;
    for (std::uint32_t number = 0; number < series.size() && goes_on; ++number) {
      so_far.push_back(series[number]);
      const ow::Worlds worlds = ow::WorldCounter::Count(so_far, promise.items, kMostWorlds);
      if (worlds.all == 0) break;
      const WorldsResult result = CheckWorlds(worlds, promise.claim);
      const bool holds = result.person == kPeople;
      const Release release(series[number]);
      history.push_back(release.Seen(promise.claim));
      const auto found = FindGlobalViolation(history, promise.claim);
      ASSERT_TRUE(found.ok()) << found.error().message;
      ASSERT_EQ(found->has_value(), !holds) << "round " << round;
      // The accountant refuses what breaks the guarantee, and beyond that nothing but exact ties.
      goes_on = release.IsLetThrough(promise, number, spent);
      ASSERT_TRUE(holds || !goes_on) << "round " << round;
      ASSERT_TRUE(!holds || goes_on || (result.has_tie && number > 0)) << "round " << round;
      (holds ? within : above) += 1;
      only_ties += holds && !goes_on;
      with_several_rows += !history.back().several_rows.empty();
      if (holds) continue;
      ASSERT_EQ((*found)->person, result.person) << "round " << round;
      ASSERT_EQ((*found)->item, result.item) << "round " << round;
      const std::string chance = Reduced(worlds.linked.at({result.person, result.item}), worlds.all);
      const bool is_readable = chance.size() < 8;  // a longer fraction is told as a decimal
      ASSERT_TRUE(!is_readable || (*found)->chance == chance) << "round " << round << ": " << (*found)->chance;
    }
  }
  EXPECT_GT(above, 5'000u);
  EXPECT_GT(within, 5'000u);
  EXPECT_GT(only_ties, 0u);
  EXPECT_GT(with_several_rows, 3'000u);
}

}  // namespace
}  // namespace pentimento::property::possible_worlds_test
