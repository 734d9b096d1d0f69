#include "engine/alpha_k/bind_limits.h"

#include <gtest/gtest.h>

#include "engine/alpha_k/feasible.h"

namespace pentimento::bind_limits_test {
namespace {

using Codes = std::vector<Code>;

// Five rows, a class column before the sensitive ones, and a missing illness.
EncodedInput Patients() {
  EncodedInput input;
  input.table.rows = 5;
  const auto column = [](std::string name, std::vector<std::string> values, Codes codes,
                         std::optional<Code> null_code) {
    ValueColumn made{std::move(name), {}, std::move(values), null_code, CodeColumn(8, codes.size())};
    for (std::size_t row = 0; row < codes.size(); ++row) made.codes.Set(row, codes[row]);
    return made;
  };
  input.values.push_back(column("outcome", {"home", "ward"}, {0, 1, 0, 1, 0}, std::nullopt));
  input.values.push_back(column("illness", {"HIV", "fever", "flu", ""}, {0, 1, 2, 2, 3}, 3));
  input.values.push_back(column("ward", {"a", "b"}, {0, 0, 1, 1, 1}, std::nullopt));
  return input;
}

BoundPolicy Asking(Ratio alpha, std::vector<std::string> listed, std::vector<SensitiveLimitPolicy> limits = {}) {
  BoundPolicy bound;
  const auto add = [&](std::string name, Role role, std::vector<std::string> values) {
    ColumnPolicy column;
    column.name = name;
    column.role = role;
    column.values = std::move(values);
    bound.policy.columns.push_back(std::move(column));
    bound.plan.columns.push_back({std::move(name), role, nullptr, std::nullopt});
  };
  add("outcome", Role::kClass, {});
  add("illness", Role::kSensitive, std::move(listed));
  add("ward", Role::kSensitive, {});
  bound.policy.guarantees.emplace_back(AlphaKAnonymityPolicy{alpha, 2, std::move(limits), {}});
  return bound;
}

TEST(BindLimits, APolicyWithoutTheGuaranteeBindsNothing) {
  BoundPolicy bound = Asking({1, 2}, {});
  bound.policy.guarantees = {KAnonymityPolicy{2}};
  EXPECT_FALSE(BindLimits(bound, Patients()));
}

TEST(BindLimits, AlphaIsForEveryValueTheMissingOneIncluded) {
  const EncodedInput input = Patients();
  const auto bound = BindLimits(Asking({1, 2}, {}), input);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->claim.k, 2u);
  ASSERT_EQ(bound->claim.limits.size(), 2u);
  EXPECT_EQ(bound->claim.limits[0].column, 0u);
  EXPECT_EQ(bound->claim.limits[0].values, (Codes{0, 1, 2, 3}));
  EXPECT_FALSE(bound->claim.limits[0].together);
  EXPECT_EQ(bound->claim.limits[0].at_most, (Ratio{1, 2}));
  EXPECT_EQ(bound->claim.limits[1].column, 1u);
  EXPECT_EQ(bound->claim.limits[1].values, (Codes{0, 1}));
  EXPECT_EQ(bound->columns[0], &input.values[1]);
  EXPECT_EQ(bound->codes[1], &input.values[2].codes);
  EXPECT_TRUE(bound->warnings.empty());
}

TEST(BindLimits, ListedValuesAreLimitedAloneAndLimitsKeepTheirOrder) {
  const EncodedInput input = Patients();
  const auto bound = BindLimits(Asking({1, 2}, {"flu", "HIV"}, {{"ward", {"b", "a"}, {2, 3}, {}}}), input);
  ASSERT_EQ(bound->claim.limits.size(), 3u);
  EXPECT_EQ(bound->claim.limits[0].values, (Codes{0, 2}));
  EXPECT_EQ(bound->claim.limits[2].column, 1u);
  EXPECT_EQ(bound->claim.limits[2].values, (Codes{0, 1}));
  EXPECT_TRUE(bound->claim.limits[2].together);
  EXPECT_EQ(bound->claim.limits[2].at_most, (Ratio{2, 3}));
}

TEST(BindLimits, AValueThatNoRowHasKeepsItsPlaceAndIsTold) {
  const EncodedInput input = Patients();
  const auto bound = BindLimits(Asking({1, 2}, {"hiv", "flu", "Fever"}), input);
  EXPECT_EQ(bound->claim.limits[0].values, (Codes{2, 4, 5}));
  ASSERT_EQ(bound->warnings.size(), 1u);
  EXPECT_EQ(bound->warnings[0],
            "the policy limits hiv, Fever of 'illness', which no row has; look that nothing is misspelt");
  EXPECT_TRUE(bound->idle.empty());
}

TEST(BindLimits, WhatIsSuggestedStandsInThePolicy) {
  const EncodedInput input = Patients();
  const auto bound = BindLimits(Asking({1, 2}, {"flu"}, {{"illness", {"flue", "HIV"}, {2, 3}, {}}}), input);
  ASSERT_EQ(bound->warnings.size(), 1u);
  EXPECT_EQ(
      bound->warnings[0],
      "the policy limits flue of 'illness', which no row has; look that nothing is misspelt. Did you mean 'flu'?");
  EXPECT_TRUE(bound->idle.empty());
}

TEST(BindLimits, AListOfWhichNoRowHasAnythingProtectsNobody) {
  const EncodedInput input = Patients();
  const auto bound = BindLimits(Asking({1, 2}, {"HVI", "hiv"}), input);
  EXPECT_EQ(bound->idle, bound->warnings);
  ASSERT_EQ(bound->idle.size(), 1u);
  EXPECT_EQ(bound->idle[0].find("HIV"), std::string::npos);  // it is in the data alone
}

std::string Refusal(const BoundPolicy& bound) {
  const EncodedInput input = Patients();
  const Status status = RequireFeasible(bound, input.table, BindLimits(bound, input)->codes, *BindLimits(bound, input));
  EXPECT_TRUE(status.ok() || status.error().code == ErrorCode::kRefused);
  return status.ok() ? "" : status.error().message;
}

TEST(Feasible, TheBoundaryItselfIsFeasible) {
  EXPECT_EQ(Refusal(Asking({3, 5}, {})), "");
  EXPECT_NE(Refusal(Asking({59, 100}, {})), "");
}

TEST(Feasible, ATooFrequentValueIsToldByItsColumnAndByHowMuch) {
  const std::string refusal = Refusal(Asking({1, 2}, {}));
  EXPECT_NE(refusal.find("3 of the 5 rows have the same value of column 'ward', 1 more than the 2 that alpha = 1/2"),
            std::string::npos)
      << refusal;
}

TEST(Feasible, AValueIsNamedWhereThePolicyNamesIt) {
  const std::string listed = Refusal(Asking({1, 3}, {"flu"}));
  EXPECT_EQ(listed.find("column 'ward' has 2 different values, so in any class one of them makes up at least 1/2"), 0u)
      << listed;
  BoundPolicy bound = Asking({1, 1}, {}, {{"illness", {"HIV", "flu"}, {1, 2}, {}}});
  const std::string set = Refusal(bound);
  EXPECT_EQ(set.find("3 of the 5 rows have HIV or flu in column 'illness', 1 more than the 2 that at_most = 1/2"), 0u)
      << set;
}

TEST(Feasible, FewerValuesThanAlphaNeedsIsToldInPlainWords) {
  const std::string refusal = Refusal(Asking({1, 5}, {}));
  EXPECT_EQ(
      refusal.find(
          "column 'illness' has 4 different values, so in any class one of them makes up at least 1/4 of "
          "the rows, and alpha = 1/5 is below that; write an alpha of at least 3/5, the share of the most frequent "
          "value that it limits"),
      0u)
      << refusal;
}

}  // namespace
}  // namespace pentimento::bind_limits_test
