#include "anonymize/global/budget_levels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::global::budget_levels_test {
namespace {

// What is left of a cap is a difference of shares, in whole numbers without a sign.
TEST(Cap, AGroupThatIsAllowedHasNoLargerShare) {
  for (std::uint64_t den = 1; den < 60; ++den) {
    for (std::uint64_t num = 0; num <= den; ++num) {
      const Cap cap{num, den};
      for (const std::uint64_t times : {1u, 7u, 1000u}) {
        ASSERT_TRUE(cap.Allows(num * times, den * times));
        EXPECT_GE(cap.share(), (num * times << 32) / (den * times)) << num << "/" << den;
      }
    }
  }
}

struct Budgets {
  std::vector<std::uint64_t> l;
  Signatures signatures;
  std::vector<LogCost> spent;
  std::vector<std::uint32_t> appearances;
  std::vector<std::uint64_t> holders;
  PeopleChoice chosen;

  std::size_t items() const { return l.size(); }
  PeopleBudgets people() const { return {items(), spent, appearances}; }
  ItemLimits limits() const { return {l, &signatures}; }
};

Budgets RandomBudgets(Random& random) {
  Budgets made;
  const std::size_t people = 1 + random.Below(random.Below(100) == 0 ? 200'000 : 60);
  const std::size_t items = 1 + random.Below(4);
  // Nearly nothing spent, anything, or a few different things.
  const std::uint32_t kind = random.Below(3);
  for (std::size_t item = 0; item < items; ++item) {
    made.l.push_back(2 + random.Below(5));
    made.signatures.items.push_back({{}, {1, 1}});
    made.holders.push_back(random.Below(4) == 0 ? 0 : 1 + random.Below(1000));
  }
  for (std::size_t person = 0; person < people; ++person) {
    made.appearances.push_back(random.Below(4));
    for (const std::uint64_t l : made.l) {
      const LogCost thousandth = BudgetOfLimit(l) / 1000;
      made.spent.push_back(thousandth * random.Below(kind == 0 ? 10 : kind == 1 ? 1100 : 3));
    }
  }
  if (random.Below(3) == 0) {
    made.chosen.is_chosen.resize(people);
    for (std::uint8_t& is_chosen : made.chosen.is_chosen) is_chosen = random.Below(2) == 0 ? 1 : 0;
    made.chosen.is_chosen[random.Below(static_cast<std::uint32_t>(people))] = 1;
  }
  return made;
}

Schedule RandomSchedule(Random& random) {
  constexpr std::array kHorizons = {Horizon::kKnown, Horizon::kOpen, Horizon::kPart};
  const std::uint64_t den = 1 + random.Below(20);
  return {kHorizons[random.Below(3)], 1 + random.Below(20), {1 + random.Below(static_cast<std::uint32_t>(den)), den}};
}

// Of people one by one: what each of those with this level or a higher one may spend at most.
template <typename Allowed>
Cap PlainCap(const Budgets& made, std::size_t item, const Allowed& allowed, std::span<const std::uint8_t> level_of,
             std::size_t level) {
  LogCost least = kBeyondBudget;
  for (std::size_t person = 0; person < made.appearances.size(); ++person) {
    if (!made.chosen(person) || (!level_of.empty() && level_of[person] < level)) continue;
    const LogCost budget = BudgetOfLimit(made.l[item]), spent = made.spent[person * made.items() + item];
    least = std::min(least, allowed(item, budget > spent ? budget - spent : 0, made.appearances[person]));
  }
  return least >= BudgetOfLimit(made.l[item]) ? Cap{1, made.l[item]} : Cap{LargestShare(least), kWholeClass};
}

std::vector<std::uint8_t> PlainLevels(const Budgets& made, const Spending& spending, std::size_t levels) {
  std::vector<std::uint64_t> rooms;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), widest = 0;
  const std::uint64_t most_holders = std::ranges::max(made.holders);
  for (std::size_t person = 0; person < made.appearances.size(); ++person) {
    std::uint64_t room = std::uint64_t{1} << 44;
    for (std::size_t item = 0; item < made.items(); ++item) {
      if (made.holders[item] == 0) continue;
      const std::uint64_t weight = std::min<std::uint64_t>((most_holders << 8) / made.holders[item], 1 << 20);
      const LogCost left = spending.Left(item, made.spent[person * made.items() + item]);
      room = std::min(room, (spending.Aim(item, left, made.appearances[person]) >> 30) * weight >> 8);
    }
    rooms.push_back(room + 1);
    if (!made.chosen(person)) continue;
    least = std::min(least, room + 1);
    widest = std::max(widest, room + 1);
  }
  const auto begin_of = [&](std::size_t level, int step_bits) {
    const std::size_t per_octave = std::size_t{1} << step_bits;
    return least * (per_octave + level % per_octave) >> step_bits << (level / per_octave);
  };
  int step_bits = 8;
  while (step_bits > 0 && begin_of(levels, step_bits) <= widest) --step_bits;
  std::vector<std::uint8_t> level_of;
  for (std::size_t person = 0; person < rooms.size(); ++person) {
    std::size_t of_person = 0;
    for (std::size_t level = 1; level < levels && made.chosen(person); ++level)
      of_person += rooms[person] >= begin_of(level, step_bits) ? 1 : 0;
    level_of.push_back(static_cast<std::uint8_t>(of_person));
  }
  return level_of;
}

TEST(BudgetLevels, LevelsAndCapsAreThoseOfLookingAtEverybodyAlone) {
  Random random(SeedFromNumber(9), "budget levels");
  for (std::size_t round = 0; round < TestRounds(400); ++round) {
    const Budgets made = RandomBudgets(random);
    Spending spending(RandomSchedule(random), made.l);
    const auto limit = [&](auto... of) { return spending.Limit(of...); };
    const std::vector<Cap> of_all = CapsOfAll(made.people(), spending, made.chosen, made.limits());
    ASSERT_EQ(of_all.size(), made.items());
    for (std::size_t item = 0; item < made.items(); ++item)
      EXPECT_EQ(of_all[item].share(), PlainCap(made, item, limit, {}, 0).share()) << "round " << round;
    spending.AimFor(made.holders, 10'000);
    const auto aim = [&](auto... of) { return spending.Aim(of...); };
    const std::size_t most = 1 + random.Below(kMostLevels);
    const BudgetLevels levels = LevelBudgets(made.people(), spending, made.chosen, made.limits(), made.holders, most);
    EXPECT_EQ(levels.of_person, PlainLevels(made, spending, most)) << "round " << round;
    for (std::size_t level = 0; level < levels.count; ++level) {
      for (std::size_t item = 0; item < made.items(); ++item)
        EXPECT_EQ(levels.CapsOf(level)[item].share(), PlainCap(made, item, aim, levels.of_person, level).share())
            << "round " << round;
    }
  }
}

TEST(BudgetLevels, WherePeopleAreAlikeOneStandsForAll) {
  Random random(SeedFromNumber(10), "budget levels");
  for (std::size_t round = 0; round < TestRounds(200); ++round) {
    Budgets made = RandomBudgets(random);
    made.chosen = {};
    for (std::size_t i = 0; i < made.spent.size(); ++i) made.spent[i] = made.spent[i % made.items()];
    std::ranges::fill(made.appearances, made.appearances[0]);
    ASSERT_TRUE(AreAllAlike(made.people()));
    Spending spending(RandomSchedule(random), made.l);
    spending.AimFor(made.holders, 10'000);
    const auto caps_of = [&] {
      std::vector<ClassShare> shares;
      for (const Cap& cap : CapsOfAll(made.people(), spending, made.chosen, made.limits()))
        shares.push_back(cap.share());
      return shares;
    };
    const std::vector<ClassShare> of_everybody = caps_of();
    const BudgetLevels everybody = LevelBudgets(made.people(), spending, made.chosen, made.limits(), made.holders, 16);
    made.chosen.are_alike = true;
    EXPECT_EQ(caps_of(), of_everybody);
    const BudgetLevels one = LevelBudgets(made.people(), spending, made.chosen, made.limits(), made.holders, 16);
    EXPECT_EQ(one.of_person, everybody.of_person);
    EXPECT_EQ(one.CapsOf(0)[0].share(), everybody.CapsOf(0)[0].share());
    // A single difference is enough.
    if (made.appearances.size() == 1) continue;
    (random.Below(2) == 0 ? made.spent.back() : made.spent[made.items() * (made.appearances.size() / 2)]) += 1;
    EXPECT_FALSE(AreAllAlike(made.people()));
  }
}

}  // namespace
}  // namespace pentimento::global::budget_levels_test
