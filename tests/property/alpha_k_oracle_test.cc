// The oracle of (alpha,k)-anonymity must itself be right: the paper's tables, the known vectors, and closed forms that
// say the same as counting worlds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "oracle/two_tables_oracle.h"
#include "property/alpha_k_examples.h"
#include "property/alpha_k_large.h"
#include "property/alpha_k_mutants.h"

namespace pentimento::alpha_k_oracle_test {
namespace {

using oracle::alpha_k::Chance;
using oracle::alpha_k::ChancesByWorlds;
using oracle::alpha_k::ClassOfRow;
using oracle::alpha_k::CountAnswer;
using oracle::alpha_k::CountByWorlds;
using oracle::alpha_k::Fraction;
using property::AlphaKExample;
using property::AlphaKInstance;
using property::Ids;
using property::Line;

TEST(AlphaKOracle, TablesTwoAndThreeOfThePaperAreTwoAnonymousAtOneHalf) {
  for (const auto& published : {property::PaperTable2(), property::PaperTable3()}) {
    EXPECT_EQ(DraftFault(property::PaperInstance(published, {1, 2}, 2)), "");
    EXPECT_NE(DraftFault(property::PaperInstance(published, {49, 100}, 2)), "");
    EXPECT_NE(DraftFault(property::PaperInstance(published, {1, 2}, 3)), "");
  }
  EXPECT_NE(DraftFault(property::PaperInstance(property::PaperTable1(), {1, 1}, 2)), "");
}

TEST(AlphaKOracle, TablesFiveAndSixOfThePaperAreTwoAnonymousAtOneHalf) {
  EXPECT_EQ(TablesFault(property::PaperInstance(property::PaperTable3(), {1, 2}, 2)), "");
  EXPECT_NE(TablesFault(property::PaperInstance(property::PaperTable3(), {49, 100}, 2)), "");
  EXPECT_NE(TablesFault(property::PaperInstance(property::PaperTable3(), {1, 2}, 3)), "");
}

TEST(AlphaKOracle, JoiningTablesFiveAndSixGivesTableSeven) {
  const AlphaKInstance instance = property::PaperInstance(property::PaperTable3(), {1, 2}, 2);
  const SensitiveCounts& counts = instance.tables.sensitive.at(0);
  std::multiset<Line> joined;
  for (std::size_t row = 0; row < instance.data.table.rows; ++row) {
    for (std::size_t e = 0; e < counts.entries(); ++e) {
      if (counts.class_of_entry[e] != instance.tables.classes.of_row[row]) continue;
      Line line = property::PaperTable1()[row];
      line[3] = property::PaperIllnesses().at(counts.values[e]);
      line.push_back(std::to_string(1 + counts.class_of_entry[e]));
      for (std::uint64_t times = 0; times < counts.count[e]; ++times) joined.insert(line);
    }
  }
  const std::vector<Line> table7 = property::PaperTable7();
  EXPECT_EQ(joined, std::multiset<Line>(table7.begin(), table7.end()));
}

TEST(AlphaKOracle, CountsFromTablesFiveAndSixAreTheKnownOnes) {
  const AlphaKInstance instance = property::PaperInstance(property::PaperTable3(), {1, 2}, 2);
  const std::vector<Line> lines = property::PaperTable1();
  for (const property::CountExample& example : property::CountExamples()) {
    std::vector<bool> meets_quasi;
    std::map<std::size_t, std::size_t> with_value;
    std::int64_t actual = 0;
    for (std::size_t row = 0; row < lines.size(); ++row) {
      meets_quasi.push_back(lines[row][example.column] == example.label);
      const bool has_value = lines[row][3] == example.illness;
      if (has_value) ++with_value[property::PaperClasses()[row]];
      actual += meets_quasi.back() && has_value ? 1 : 0;
    }
    const CountAnswer answer = CountByWorlds(property::PaperClasses(), meets_quasi, with_value);
    EXPECT_EQ(actual, example.actual) << example.name;
    EXPECT_EQ(answer.estimate, example.estimate) << example.name;
    EXPECT_EQ(answer.naive, example.naive) << example.name;
  }
}

TEST(AlphaKOracle, MeanAndVarianceOverWorldsAreTheClosedForms) {
  for (std::int64_t n = 2; n <= 7; ++n) {
    for (std::int64_t a = 0; a <= n; ++a) {
      for (std::int64_t b = 0; b <= n; ++b) {
        std::vector<bool> meets(static_cast<std::size_t>(n));
        std::fill_n(meets.begin(), a, true);
        std::map<std::size_t, std::size_t> with_value;
        if (b > 0) with_value[0] = static_cast<std::size_t>(b);
        const CountAnswer answer = CountByWorlds(ClassOfRow(static_cast<std::size_t>(n), 0), meets, with_value);
        EXPECT_EQ(answer.estimate, Fraction(a * b, n));
        EXPECT_EQ(answer.variance, Fraction(a * b * (n - a) * (n - b), n * n * (n - 1)));
      }
    }
  }
}

TEST(AlphaKOracle, KnownVectorsAndTrapsComeOut) {
  for (const auto& examples : {property::BranchExamples(), property::TrapExamples()}) {
    for (const AlphaKExample& example : examples) {
      EXPECT_EQ(DraftFault(example.instance).empty(), example.holds_generalized)
          << example.name << ": " << DraftFault(example.instance);
      EXPECT_EQ(TablesFault(example.instance).empty(), example.holds_two_tables)
          << example.name << ": " << TablesFault(example.instance);
    }
  }
}

// Worlds once more, without the shortcut that only the number of rows with the value matters: every order of the rows'
// own values inside their classes.
Chance ChanceByOrders(const ClassOfRow& class_of_row, const std::vector<bool>& has_value,
                      const std::vector<std::size_t>& person_of_row, std::size_t person) {
  Chance chance;
  std::vector<std::size_t> order(class_of_row.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    bool keeps_classes = true, concerned = false;
    for (std::size_t row = 0; row < order.size(); ++row) {
      keeps_classes = keeps_classes && class_of_row[order[row]] == class_of_row[row];
      concerned = concerned || (person_of_row[row] == person && has_value[order[row]]);
    }
    if (!keeps_classes) continue;
    ++chance.worlds;
    chance.worlds_with += concerned ? 1 : 0;
  } while (std::ranges::next_permutation(order).found);
  return chance;
}

TEST(AlphaKOracle, WorldsOfRowsAndWorldsOfOrdersGiveTheSameChance) {
  Random random(SeedFromNumber(51), "orders");
  for (int repeat = 0; repeat < 40; ++repeat) {
    const std::uint32_t rows = 1 + random.Below(6);
    ClassOfRow class_of_row;
    std::vector<bool> has_value;
    std::vector<std::size_t> person_of_row;
    std::map<std::size_t, std::size_t> with_value;
    for (std::uint32_t row = 0; row < rows; ++row) {
      class_of_row.push_back(random.Below(2));
      has_value.push_back(random.Below(2) == 0);
      person_of_row.push_back(random.Below(3));
      if (has_value.back()) ++with_value[class_of_row.back()];
    }
    for (const auto& [person, chance] : ChancesByWorlds(class_of_row, with_value, person_of_row)) {
      const Chance other = ChanceByOrders(class_of_row, has_value, person_of_row, person);
      EXPECT_EQ(chance.worlds_with * other.worlds, other.worlds_with * chance.worlds);
    }
  }
}

TEST(AlphaKOracle, ClosedFormAndWorldsGiveTheSameResults) {
  Random random(SeedFromNumber(52), "closed form");
  std::size_t broken_by_a_chance = 0;
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    const AlphaKInstance instance = property::RandomInstance(random, Ids::kSeveralRows);
    const bool by_worlds = TablesFault(instance).empty();
    ASSERT_EQ(property::KeepsByClosedForm(instance, property::FormOf::kTwoTables), by_worlds) << Describe(instance);
    ASSERT_EQ(property::KeepsByClosedForm(instance, property::FormOf::kGeneralized), DraftFault(instance).empty())
        << Describe(instance);
    broken_by_a_chance += TablesFault(instance).starts_with("person") ? 1 : 0;
  }
  EXPECT_GT(broken_by_a_chance, 1000U);
}

// What the random instances are worth: both results are frequent, in both forms and with every kind of ids.
TEST(AlphaKOracle, RandomInstancesMeetBothResultsOften) {
  Random random(SeedFromNumber(53), "balance");
  for (const Ids ids : {Ids::kNone, Ids::kOneRowEach, Ids::kSeveralRows}) {
    std::size_t held = 0, held_in_one_form = 0;
    for (int repeat = 0; repeat < 3000; ++repeat) {
      const AlphaKInstance instance = property::RandomInstance(random, ids);
      held += DraftFault(instance).empty() ? 1 : 0;
      held_in_one_form += DraftFault(instance).empty() != TablesFault(instance).empty() ? 1 : 0;
    }
    EXPECT_GT(held, 150U);
    EXPECT_LT(held, 2850U);
    EXPECT_EQ(held_in_one_form > 0, ids == Ids::kSeveralRows);
  }
}

TEST(AlphaKOracle, TheCheckerFromWhichMutantsAreMadeIsRight) {
  Random random(SeedFromNumber(56), "right");
  property::Checker generalized, two_tables;
  two_tables.form = property::FormOf::kTwoTables;
  for (int repeat = 0; repeat < 3000; ++repeat) {
    const AlphaKInstance instance = property::RandomInstance(random, static_cast<Ids>(repeat % 3));
    ASSERT_EQ(generalized(instance), DraftFault(instance).empty()) << Describe(instance);
    ASSERT_EQ(two_tables(instance), TablesFault(instance).empty()) << Describe(instance);
  }
}

TEST(AlphaKOracle, EveryMutantDisagreesWithTheDefinitionSomewhere) {
  std::vector<property::AlphaKMutant> alive = property::AlphaKMutants();
  const auto meet = [&](const AlphaKInstance& instance) {
    const bool generalized = DraftFault(instance).empty(), two_tables = TablesFault(instance).empty();
    std::erase_if(alive, [&](const property::AlphaKMutant& mutant) {
      return mutant.form == property::FormOf::kGeneralized ? mutant.holds(instance) != generalized
                                                           : mutant.holds(instance) != two_tables;
    });
  };
  Random random(SeedFromNumber(54), "mutants");
  for (int repeat = 0; repeat < 6000; ++repeat) {
    meet(property::RandomInstance(random, static_cast<Ids>(repeat % 3)));
  }
  for (const auto& examples : {property::BranchExamples(), property::TrapExamples()}) {
    for (const AlphaKExample& example : examples) meet(example.instance);
  }
  for (const property::AlphaKMutant& mutant : alive) {
    EXPECT_TRUE(mutant.dies_on_large_instances) << "survives: a checker that " << mutant.mistake;
  }
  for (const AlphaKInstance& instance : property::LargeInstances()) {
    std::erase_if(alive, [&](const property::AlphaKMutant& mutant) {
      return mutant.holds(instance) != property::KeepsByClosedForm(instance, mutant.form);
    });
  }
  for (const property::AlphaKMutant& mutant : alive) ADD_FAILURE() << "survives: a checker that " << mutant.mistake;
}

}  // namespace
}  // namespace pentimento::alpha_k_oracle_test
