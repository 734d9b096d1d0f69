// What verify makes of the global guarantee: who is charged, and who is not here and has too small a budget for a
// larger l.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "guarantee/verify.h"

namespace pentimento::verify_global_test {
namespace {

CodeColumn ColumnOf(const std::vector<Code>& codes) {
  CodeColumn column(10, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) column.Set(row, codes[row]);
  return column;
}

// Four people of a series of five, in two groups; each group has one of two who has the value. The last of the five is
// not here.
struct Release {
  std::vector<Domain> domains = {Domain(NumericRange{0, 9, 0, {}}, false)};
  EncodedTable table{.rows = 4, .quasi_identifiers = {ColumnOf({0, 3, 4, 9})}, .persons = std::nullopt};
  CodeColumn disease = ColumnOf({0, 1, 1, 0});
  std::vector<const CodeColumn*> sensitive = {&disease};
  std::vector<GuaranteePolicy> guarantees;
  GlobalClaim claim;
  std::vector<std::uint32_t> person_of_row = {3, 1, 0, 2};
  SpentBudgets spent = SpentBudgets(5, 0);
  std::vector<std::uint32_t> input_rows;
  Classes draft{.columns = 1, .boxes = {{0, 3}, {4, 9}}, .of_row = {0, 0, 1, 1}};
  Draft tables{ClassesWithoutBoxes(2, {0, 0, 1, 1}), {{{0}, {0, 0, 1, 1}, {0, 1, 0, 1}, {1, 1, 1, 1}}}};

  explicit Release(std::uint64_t l) {
    GlobalGuaranteePolicy asked;
    asked.l = l;
    asked.allows_alone = true;
    guarantees.emplace_back(asked);
    claim.items.push_back({.column = 0, .values = {0}, .l = l, .transient = true, .name = "HIV of 'disease'"});
  }

  // What is refused, in both forms alike; empty where it holds. Charges where it does.
  std::string Refused() {
    Evidence asked{table, domains, CategoryForm::kTaxonomy, guarantees, sensitive, nullptr, {}, input_rows};
    GlobalBudgets in_two{claim, person_of_row, 1, spent}, in_one{claim, person_of_row, 1, spent};
    asked.budgets = &in_two;
    const auto two = Verify(tables, asked);
    asked.budgets = &in_one;
    const auto one = Verify({draft}, asked);
    const auto* refusal = std::get_if<Refusal>(&one);
    const auto* other = std::get_if<Refusal>(&two);
    EXPECT_EQ(refusal == nullptr, other == nullptr);
    if (refusal == nullptr) {
      EXPECT_EQ(in_one.spent, in_two.spent);
      spent = in_one.spent;
      return "";
    }
    EXPECT_EQ(refusal->guarantee, "global guarantee");
    EXPECT_EQ(refusal->witness, other == nullptr ? "" : other->witness);
    return refusal->witness;
  }
};

TEST(VerifyGlobal, WhoeverIsHerePaysAndNobodyElse) {
  Release release(2);
  EXPECT_EQ(release.Refused(), "");
  const LogCost half = CostOfExposure(1, 2);
  EXPECT_EQ(release.spent, (SpentBudgets{half, half, half, half, 0}));
  EXPECT_EQ(release.Refused(),
            "with this release the chance that the person in row 3 of the input ever had HIV of 'disease' would be "
            "more than 0.63, and at most 1/2 is promised");
}

TEST(VerifyGlobal, AGroupBelowKIsRefusedInBothForms) {
  for (const std::uint64_t k : {0, 1, 2}) {
    Release release(2);
    std::get<GlobalGuaranteePolicy>(release.guarantees[0]).k = k;
    EXPECT_EQ(release.Refused(), "");
  }
  Release lost(2);
  std::get<GlobalGuaranteePolicy>(lost.guarantees[0]).allows_alone = false;
  EXPECT_EQ(lost.Refused(), "no guarantee has a k, and nobody said that people may be alone in their groups");
  Release release(2);
  std::get<GlobalGuaranteePolicy>(release.guarantees[0]).k = 3;
  Evidence asked{release.table, release.domains, CategoryForm::kTaxonomy, release.guarantees, release.sensitive};
  GlobalBudgets budgets{release.claim, release.person_of_row, 1, release.spent};
  const std::string words = "a class of 2 rows is published, 3 are required (row 1 of the input is in it)";
  asked.budgets = &budgets;
  EXPECT_EQ(std::get<Refusal>(Verify({release.draft}, asked)).witness, words);
  EXPECT_EQ(std::get<Refusal>(Verify(release.tables, asked)).witness, words);
}

TEST(VerifyGlobal, BudgetsBesideAJoinAreRefusedAndNeverUncharged) {
  const Release release(2);
  const XyReleases nothing;
  const XyEvidence join{{}, nothing};
  GlobalBudgets budgets{release.claim, release.person_of_row, 1, release.spent};
  Evidence both{release.table, release.domains, CategoryForm::kTaxonomy, release.guarantees, release.sensitive};
  both.budgets = &budgets;
  both.xy = &join;
  EXPECT_EQ(std::get<Refusal>(Verify({release.draft}, both)).guarantee, "one history");
}

TEST(VerifyGlobal, ColumnsThatAreTooShortAreRefusedBeforeTheyAreRead) {
  const Release release(2);
  const CodeColumn few = ColumnOf({0, 1});
  for (const CodeColumn* column : {&few, static_cast<const CodeColumn*>(nullptr)}) {
    const std::vector<const CodeColumn*> sensitive = {column};
    for (const Draft& draft : {Draft{release.draft}, release.tables}) {
      GlobalBudgets budgets{release.claim, release.person_of_row, 1, release.spent};
      Evidence evidence{release.table, release.domains, CategoryForm::kTaxonomy, release.guarantees, sensitive};
      evidence.budgets = &budgets;
      EXPECT_EQ(std::get<Refusal>(Verify(draft, evidence)).guarantee, "well-formed release");
    }
  }
}

TEST(VerifyGlobal, TheWitnessIsARowOfTheInputAlsoWhereRowsWereLeftOut) {
  Release release(2);
  release.spent.assign(5, CostOfExposure(1, 2));
  release.input_rows = {4, 7, 8, 20};
  EXPECT_NE(release.Refused().find("the person in row 9 of the input"), std::string::npos) << release.Refused();
}

TEST(VerifyGlobal, AWholeLimitOfSomebodyWhoIsGoneStopsNothing) {
  Release release(2);
  release.spent[4] = CostOfExposure(1, 2);
  EXPECT_EQ(release.Refused(), "");
}

TEST(VerifyGlobal, ALargerLMustHoldForPeopleWhoAreNotHere) {
  Release release(3);
  release.disease = ColumnOf({1, 1, 1, 1});
  release.tables = {ClassesWithoutBoxes(2, {0, 0, 1, 1}), {{{0}, {0, 1}, {1, 1}, {2, 2}}}};
  EXPECT_EQ(release.Refused(), "");
  release.spent[4] = CostOfExposure(1, 2);
  EXPECT_EQ(release.Refused(),
            "with this release the chance that somebody who was in earlier releases only ever had HIV of 'disease' "
            "would be 0.500001, and at most 1/3 is promised");
}

}  // namespace
}  // namespace pentimento::verify_global_test
