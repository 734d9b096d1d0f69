// The verifier of (alpha,k)-anonymity against the definition, in both forms: random instances, all small tables,
// numbers at the very boundary, and changes that must not change a result.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "guarantee/verify.h"
#include "property/alpha_k_examples.h"
#include "property/alpha_k_large.h"

namespace pentimento::alpha_k_property_test {
namespace {

using property::AlphaKExample;
using property::AlphaKInstance;
using property::AlphaKPromise;
using property::AlphaKTable;
using property::FormOf;
using property::Ids;
using property::VerifyDraft;
using property::VerifyTables;
using property::WitnessOf;

template <typename Verified>
bool IsAccepted(const std::variant<Verified, Refusal>& result) {
  return std::holds_alternative<Verified>(result);
}

void ExpectWhatTheDefinitionSays(const AlphaKInstance& instance) {
  const auto generalized = VerifyDraft(instance);
  const std::string draft_fault = DraftFault(instance);
  ASSERT_EQ(IsAccepted(generalized), draft_fault.empty())
      << "generalized: the oracle says '" << draft_fault << "', the verifier " << WitnessOf(generalized) << "\n"
      << Describe(instance);
  const auto two_tables = VerifyTables(instance);
  const std::string tables_fault = TablesFault(instance);
  ASSERT_EQ(IsAccepted(two_tables), tables_fault.empty())
      << "two tables: the oracle says '" << tables_fault << "', the verifier " << WitnessOf(two_tables) << "\n"
      << Describe(instance);
}

TEST(AlphaKProperty, VerifierAgreesWithTheDefinitionOnRandomInstances) {
  Random random(SeedFromNumber(61), "verifier");
  for (int repeat = 0; repeat < 9000; ++repeat) {
    ExpectWhatTheDefinitionSays(property::RandomInstance(random, static_cast<Ids>(repeat % 3)));
    if (HasFatalFailure()) return;
  }
}

TEST(AlphaKProperty, VerifierAgreesWithTheDefinitionOnAllSmallTables) {
  const std::vector<Ratio> alphas = {{0, 1}, {1, 3}, {33, 100}, {1, 2}, {2, 3}, {3, 4}, {1, 1}};
  std::size_t cases = 0;
  struct Size {
    std::size_t rows;
    std::uint32_t values;
    std::size_t step;  // all limits, or every so many of them in turns
  };
  for (const Size size : {Size{1, 2, 1}, {2, 2, 1}, {3, 2, 1}, {3, 3, 2}, {4, 2, 3}, {5, 2, 7}}) {
    property::ForEachAlphaKTable(size.rows, 2, size.values, [&](const AlphaKTable& data) {
      // Of five rows only tables whose first one has the first class and the first value: the others are renamed.
      const bool renamed = data.table.quasi_identifiers[0][0] != 0 || data.sensitive[0][0] != 0;
      if (HasFatalFailure() || (size.rows == 5 && renamed)) return;
      for (std::size_t a = cases % size.step; a < alphas.size(); a += size.step) {
        const Code limited = cases % 5 == 0 ? 1 : size.values;
        AlphaKPromise promise = property::PromiseOf(alphas[a], 1 + cases % 3, {limited});
        ++cases;
        ExpectWhatTheDefinitionSays(property::InstanceByPoints(data, std::move(promise)));
      }
    });
  }
  EXPECT_GT(cases, 25'000U);
}

TEST(AlphaKProperty, VerifierAgreesWithThePaperTheVectorsAndTheTraps) {
  for (const auto& published : {property::PaperTable1(), property::PaperTable2(), property::PaperTable3()}) {
    for (const Ratio alpha : {Ratio{1, 2}, Ratio{49, 100}, Ratio{1, 1}}) {
      for (std::uint64_t k = 1; k <= 3; ++k) {
        ExpectWhatTheDefinitionSays(property::PaperInstance(published, alpha, k));
      }
    }
  }
  EXPECT_TRUE(IsAccepted(VerifyDraft(property::PaperInstance(property::PaperTable2(), {1, 2}, 2))));
  EXPECT_TRUE(IsAccepted(VerifyDraft(property::PaperInstance(property::PaperTable3(), {1, 2}, 2))));
  EXPECT_TRUE(IsAccepted(VerifyTables(property::PaperInstance(property::PaperTable3(), {1, 2}, 2))));
  for (const auto& examples : {property::BranchExamples(), property::TrapExamples()}) {
    for (const AlphaKExample& example : examples) {
      EXPECT_EQ(IsAccepted(VerifyDraft(example.instance)), example.holds_generalized) << example.name;
      EXPECT_EQ(IsAccepted(VerifyTables(example.instance)), example.holds_two_tables) << example.name;
    }
  }
}

TEST(AlphaKProperty, VerifierIsExactAtTheBoundaryOfLargeNumbers) {
  for (const AlphaKInstance& instance : property::LargeInstances()) {
    const Ratio limit = instance.promise.claim.limits.back().at_most;
    EXPECT_EQ(IsAccepted(VerifyDraft(instance)), property::KeepsByClosedForm(instance, FormOf::kGeneralized))
        << instance.data.table.rows << " rows, at most " << ToString(limit);
    EXPECT_EQ(IsAccepted(VerifyTables(instance)), property::KeepsByClosedForm(instance, FormOf::kTwoTables))
        << instance.data.table.rows << " rows, at most " << ToString(limit);
  }
}

TEST(AlphaKProperty, RefusalsNameTheGuaranteeAndHaveAWitness) {
  Random random(SeedFromNumber(62), "witness");
  for (int repeat = 0; repeat < 300; ++repeat) {
    const AlphaKInstance instance = property::RandomInstance(random, Ids::kSeveralRows);
    const auto result = VerifyDraft(instance);
    const auto* refusal = std::get_if<Refusal>(&result);
    if (refusal == nullptr) continue;
    EXPECT_EQ(refusal->guarantee, "(alpha,k)-anonymity");
    EXPECT_FALSE(refusal->witness.empty());
  }
}

// Besides (alpha,k)-anonymity one table may promise k-anonymity: both are verified.
TEST(AlphaKProperty, OneTableIsVerifiedForAllItsGuarantees) {
  const AlphaKInstance whole = property::PolicyWithLimits();
  const auto columns = whole.data.columns();
  for (std::uint64_t k = 2; k <= 4; ++k) {
    for (const bool first : {false, true}) {
      std::vector<GuaranteePolicy> guarantees = {whole.promise.policy};
      guarantees.insert(first ? guarantees.begin() : guarantees.end(), KAnonymityPolicy{k});
      const Evidence claim{whole.data.table, whole.data.domains,  CategoryForm::kTaxonomy, guarantees,
                           columns,          &whole.promise.claim};
      EXPECT_EQ(IsAccepted(Verify({whole.draft}, claim)), k <= 3);
    }
  }
}

// --- What must not change a result.

AlphaKInstance WithRowsReversed(const AlphaKInstance& instance) {
  AlphaKInstance other = instance;
  const std::size_t rows = instance.data.table.rows;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t from = rows - 1 - row;
    other.data.table.quasi_identifiers[0].Set(row, instance.data.table.quasi_identifiers[0][from]);
    for (std::size_t c = 0; c < instance.data.sensitive.size(); ++c) {
      other.data.sensitive[c].Set(row, instance.data.sensitive[c][from]);
    }
  }
  if (other.data.table.persons) std::ranges::reverse(other.data.table.persons->person_of_row);
  std::ranges::reverse(other.draft.of_row);
  std::ranges::reverse(other.tables.classes.of_row);
  return other;
}

// Every row a group of its own: equal boxes are one class all the same.
AlphaKInstance WithAGroupForEachRow(const AlphaKInstance& instance) {
  AlphaKInstance other = instance;
  other.draft.boxes.clear();
  for (ClassNumber row = 0; row < instance.data.table.rows; ++row) {
    other.draft.boxes.push_back(instance.draft.box(instance.draft.of_row[row])[0]);
    other.draft.of_row[row] = row;
  }
  return other;
}

AlphaKInstance WithPersonsRenamed(const AlphaKInstance& instance) {
  AlphaKInstance other = instance;
  if (!other.data.table.persons) return other;
  for (std::uint32_t& person : other.data.table.persons->person_of_row) {
    person = other.data.table.persons->count - 1 - person;
  }
  return other;
}

TEST(AlphaKProperty, RowOrderGroupNumbersAndNamesOfPersonsNeverChangeTheResult) {
  Random random(SeedFromNumber(63), "metamorphic");
  std::vector<AlphaKInstance> instances;
  for (int repeat = 0; repeat < 500; ++repeat) {
    instances.push_back(property::RandomInstance(random, static_cast<Ids>(repeat % 3)));
  }
  for (int repeat = 0; repeat < 10; ++repeat) {
    instances.push_back(property::RandomLarge(random));
    property::SetLimit(instances.back(), property::Boundary(instances.back(), FormOf::kTwoTables).second);
  }
  for (const AlphaKInstance& instance : instances) {
    const bool generalized = IsAccepted(VerifyDraft(instance)), two_tables = IsAccepted(VerifyTables(instance));
    for (const auto& change : {WithRowsReversed, WithAGroupForEachRow, WithPersonsRenamed}) {
      ASSERT_EQ(IsAccepted(VerifyDraft(change(instance))), generalized) << Describe(instance);
      ASSERT_EQ(IsAccepted(VerifyTables(change(instance))), two_tables) << Describe(instance);
    }
  }
}

}  // namespace
}  // namespace pentimento::alpha_k_property_test
