// The judge of the global guarantee and the accountant against possible worlds, counted one by one: people who join,
// leave and come back, some with two rows, values and sets.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/ratio.h"
#include "guarantee/global/charge.h"
#include "guarantee/global/small_series.h"
#include "guarantee/global_guarantee.h"
#include "oracle/possible_worlds_oracle.h"

namespace pentimento::property {
namespace {

namespace ow = oracle::worlds;

constexpr int kPeople = 5;

// Up to three releases with up to four rows each, of five people, in one or two classes, with three values.
std::vector<ow::Release> DrawSeries(Random& random) {
  std::vector<ow::Release> series;
  const bool has_several_rows = random.Below(3) == 0;
  for (std::uint32_t left = 1 + random.Below(3); left > 0; --left) {
    ow::Release release;
    const std::uint32_t rows = 1 + random.Below(4);
    std::vector<bool> is_there(kPeople);
    while (release.size() < rows) {
      const int person = static_cast<int>(random.Below(kPeople));
      if (is_there[person] && !has_several_rows) continue;
      is_there[person] = true;
      // Class 0 is never empty: classes are numbered without gaps.
      const int class_number = release.empty() ? 0 : static_cast<int>(random.Below(2));
      release.push_back({person, class_number, static_cast<int>(random.Below(3))});
    }
    series.push_back(release);
  }
  return series;
}

std::vector<ReleaseClasses> Classes(const std::vector<ow::Release>& series, const GlobalClaim& claim) {
  std::vector<ReleaseClasses> history;
  for (const ow::Release& release : series) {
    std::vector<SmallRow> rows;
    for (const auto& [person, class_number, value] : release)
      rows.push_back(
          {static_cast<std::uint32_t>(person), static_cast<std::uint32_t>(class_number), static_cast<Code>(value)});
    history.push_back(SmallRelease(rows, claim));
  }
  return history;
}

// The first person whose chance is above 1/l; kPeople where there is none.
int FirstAbove(const std::vector<ow::CountedWorlds>& counted, std::uint64_t l) {
  int person = 0;
  while (person < kPeople && counted[person].linked * l <= counted[person].all) ++person;
  return person;
}

std::string Reduced(const ow::CountedWorlds& counted) {
  const std::uint64_t divisor = std::gcd(counted.linked, counted.all);
  return ToString(Ratio{counted.linked / divisor, counted.all / divisor});
}

bool AccountantBears(const std::vector<ReleaseClasses>& history, const GlobalClaim& claim) {
  SpentBudgets spent(kPeople);
  for (std::uint32_t number = 0; number < history.size(); ++number) {
    ChargedRelease charged = *ChargeRelease(claim, history[number], number, std::move(spent));
    if (charged.violation) return false;
    spent = std::move(charged.spent);
  }
  return true;
}

TEST(PossibleWorlds, GiveThePapersExampleThreeQuartersAndSevenSixteenths) {
  // Flu is 0, chlamydia 1, fever 2; o1 is person 0.
  const std::vector<ow::Release> figure_two{{{0, 0, 0}, {1, 0, 1}, {2, 1, 0}, {3, 1, 2}},
                                            {{0, 0, 1}, {1, 0, 0}, {2, 1, 2}, {4, 1, 0}}};
  EXPECT_EQ(Reduced(ow::CountWorlds(figure_two, 1, {1})), "3/4");
  const std::vector<ow::Release> figure_four{{{0, 0, 0}, {1, 0, 1}, {2, 0, 0}, {3, 0, 2}},
                                             {{0, 0, 1}, {1, 0, 0}, {2, 0, 2}, {4, 0, 0}}};
  const ow::CountedWorlds counted = ow::CountWorlds(figure_four, 1, {1});
  EXPECT_EQ(counted.all, 24u * 24u);
  EXPECT_EQ(Reduced(counted), "7/16");
}

TEST(PossibleWorlds, AgreeWithTheJudgeOnVerdictWitnessAndChance) {
  Random random(SeedFromNumber(41), "possible worlds");
  std::size_t above = 0, within = 0, ties = 0;
  for (int round = 0; round < 600; ++round) {
    const std::vector<ow::Release> series = DrawSeries(random);
    for (const std::set<int>& values : {std::set<int>{0}, std::set<int>{1}, std::set<int>{0, 2}}) {
      std::vector<ow::CountedWorlds> counted;
      for (int person = 0; person < kPeople; ++person) counted.push_back(ow::CountWorlds(series, person, values));
      for (std::uint64_t l = 2; l <= 6; ++l) {
        const GlobalClaim claim{{{0, {values.begin(), values.end()}, l, true, ""}}};
        const std::vector<ReleaseClasses> history = Classes(series, claim);
        const int first = FirstAbove(counted, l);
        const auto found = FindGlobalViolation(history, claim);
        ASSERT_TRUE(found.ok()) << found.error().message;
        ASSERT_EQ(found->has_value(), first < kPeople) << "round " << round << ", l = " << l;
        const bool bears = AccountantBears(history, claim);
        ASSERT_FALSE(bears && first < kPeople) << "round " << round << ", l = " << l;
        above += first < kPeople;
        within += first == kPeople;
        ties += first == kPeople && !bears;
        if (first == kPeople) continue;
        ASSERT_EQ((*found)->person, static_cast<std::uint32_t>(first));
        ASSERT_EQ((*found)->chance, Reduced(counted[first]));
      }
    }
  }
  EXPECT_GT(above, 1'000u);
  EXPECT_GT(within, 1'000u);
  EXPECT_LT(ties, within / 10) << "the accountant is stricter than a hair";
}

}  // namespace
}  // namespace pentimento::property
