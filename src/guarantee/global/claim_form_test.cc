#include "guarantee/global/claim_form.h"

#include <gtest/gtest.h>

namespace pentimento::claim_form_test {
namespace {

// A policy with l = 3, and what is to be checked.
struct Checked {
  GlobalGuaranteePolicy asked;
  GlobalClaim claim;
  std::size_t columns = 1;

  Checked() { asked.l = 3; }
  Checked& Item(std::uint32_t column, std::uint64_t l, std::vector<Code> values = {1}) {
    claim.items.push_back({column, std::move(values), l, true, ""});
    return *this;
  }
  Checked& Set(std::uint64_t l) {
    asked.sets.push_back({});
    asked.sets.back().l = l;
    return *this;
  }
  std::string Lost() const {
    const std::vector<GuaranteePolicy> guarantees = {asked};
    return FindLostItems(guarantees, claim, columns).value_or("");
  }
};

TEST(LostItems, NothingIsLostWhereEveryColumnHasItsItems) {
  EXPECT_EQ(Checked().Item(0, 3).Lost(), "");
  EXPECT_EQ(Checked().Item(0, 5).Lost(), "");
  EXPECT_EQ(Checked().Item(0, 3, {}).Lost(), "") << "nobody has it";
}

TEST(LostItems, TheGuaranteeIsAskedForOnce) {
  const GlobalClaim claim = Checked().Item(0, 3).claim;
  EXPECT_EQ(FindLostItems({}, claim, 1), "the policy does not ask for it");
  const std::vector<GuaranteePolicy> twice = {GlobalGuaranteePolicy{}, KAnonymityPolicy{}, GlobalGuaranteePolicy{}};
  EXPECT_EQ(FindLostItems(twice, claim, 1), "the policy asks for it twice");
}

TEST(LostItems, ASmallerLIsALostPromise) {
  EXPECT_EQ(Checked().Item(0, 3).Item(0, 2).Lost(), "an item is verified with l = 2, but at least 3 is asked for");
  // A set may be promised less than single values, but it does not stand for them.
  EXPECT_EQ(Checked().Set(2).Item(0, 3).Item(0, 2, {1, 2}).Lost(), "");
  EXPECT_EQ(Checked().Set(2).Item(0, 2, {1, 2}).Lost(), "a sensitive column has no item");
  EXPECT_EQ(Checked().Set(4).Item(0, 3).Lost(), "a set with l = 4 is asked for, and no item has it");
}

TEST(LostItems, WhatOnlyAnEarlierPolicyPromisedMayHaveLessAndStandsForNothing) {
  Checked checked;
  checked.Item(0, 2, {1, 2}).claim.items[0].is_asked = false;
  EXPECT_EQ(checked.Lost(), "a sensitive column has no item");
  EXPECT_EQ(checked.Item(0, 3).Lost(), "");
  checked.claim.items[0].l = 9;
  EXPECT_EQ(checked.Set(4).Lost(), "a set with l = 4 is asked for, and no item has it");
}

TEST(LostItems, EveryColumnNeedsAnItemOfItsOwn) {
  Checked checked;
  checked.columns = 2;
  EXPECT_EQ(checked.Item(1, 3).Lost(), "a sensitive column has no item");
  // What is promised of a column that is not published now stands for none that is.
  checked.Item(2, 3, {});
  EXPECT_EQ(checked.Lost(), "a sensitive column has no item");
  EXPECT_EQ(checked.Item(0, 3).Lost(), "");
}

TEST(LostItems, WhatIsVerifiedIsThere) {
  EXPECT_EQ(Checked().Item(0, 3).Item(1, 3).Lost(), "an item is of a column that is not there");
  EXPECT_EQ(Checked().Item(0, 3, {2, 1}).Lost(), "the values of an item are out of order");
}

}  // namespace
}  // namespace pentimento::claim_form_test
