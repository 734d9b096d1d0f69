#include "engine/global/bind_items.h"

#include <gtest/gtest.h>

namespace pentimento::bind_items_test {
namespace {

using Codes = std::vector<Code>;
using Strings = std::vector<std::string>;

ValueColumn Column(std::string name, Strings values, const Codes& codes, std::optional<Code> null_code = {}) {
  ValueColumn made{std::move(name), {}, std::move(values), null_code, CodeColumn(8, codes.size())};
  for (std::size_t row = 0; row < codes.size(); ++row) made.codes.Set(row, codes[row]);
  return made;
}

// A class column before the sensitive ones, and a missing illness.
EncodedInput Patients(Strings illnesses = {"HIV", "fever", "flu", ""}, std::optional<Code> null_code = 3) {
  EncodedInput input;
  input.table.rows = 5;
  input.values.push_back(Column("outcome", {"home", "ward"}, {0, 1, 0, 1, 0}));
  input.values.push_back(Column("illness", std::move(illnesses), {0, 1, 2, 2, 3}, null_code));
  return input;
}

// The columns stand on lines 6 and 7, the guarantee on line 9.
struct Asked {
  BoundPolicy bound;
  GlobalGuaranteePolicy guarantee;

  explicit Asked(Strings values, std::uint64_t l = 2) {
    bound.policy.source = "p.toml";
    Add("outcome", Role::kClass, {});
    Add("illness", Role::kSensitive, std::move(values));
    guarantee.l = l;
    guarantee.series = "clinic";
    guarantee.position = {9, 1};
  }
  Asked With(const Strings& values, std::uint64_t l) const {
    Asked asked = *this;
    asked.guarantee.sets.push_back({"illness", values, l, {}});
    return asked;
  }
  Asked Transient(const Strings& values) const {
    Asked asked = *this;
    asked.bound.policy.columns[1].transient = values;
    return asked;
  }
  Asked Missing(const Strings& texts) const {
    Asked asked = *this;
    asked.bound.policy.missing = texts;
    return asked;
  }
  void Add(std::string name, Role role, Strings values) {
    ColumnPolicy column;
    column.name = name;
    column.role = role;
    column.values = std::move(values);
    column.position = {static_cast<std::uint32_t>(6 + bound.policy.columns.size()), 1};
    bound.policy.columns.push_back(std::move(column));
    bound.plan.columns.push_back({std::move(name), role, nullptr, std::nullopt});
  }
};

Account Empty() { return *Account::Open(nullptr, "clinic"); }
BoundItems Bind(const Asked& asked, const EncodedInput& input, Account& account) {
  Result<BoundItems> items = BindItems(asked.bound, asked.guarantee, input, account);
  EXPECT_TRUE(items.ok()) << items.error().message;
  return items.ok() ? *std::move(items) : BoundItems();
}
// A release goes out.
void Publish(const BoundItems& items, Account& account, const std::string& name = "q1") {
  account.Charge({}, std::vector<LogCost>(account.spent().size()), {name, name, 5, {}});
  for (std::size_t item = 0; item < items.claim.items.size(); ++item) account.Promise(item, items.claim.items[item].l);
}
std::string Refusal(const Asked& asked, const EncodedInput& input, Account& account) {
  const Result<BoundItems> items = BindItems(asked.bound, asked.guarantee, input, account);
  if (items.ok()) return "";
  EXPECT_EQ(items.error().code, ErrorCode::kRefused);
  return items.error().message;
}
Codes ValuesOf(const BoundItems& items, std::size_t item) { return items.claim.items.at(item).values; }
Strings NamesOf(const BoundItems& items) {
  Strings names;
  for (const SensitiveItem& item : items.claim.items) names.push_back(item.name);
  return names;
}

TEST(BindItems, ListedValuesThenSetsAreItems) {
  const EncodedInput input = Patients();
  Account account = Empty();
  const BoundItems items = Bind(Asked({"flu", "HIV"}).With({"flu", "fever"}, 4), input, account);
  EXPECT_EQ(items.columns, std::vector<const ValueColumn*>{&input.values[1]});
  EXPECT_EQ(items.value_counts, Codes{4});
  EXPECT_EQ(NamesOf(items), (Strings{"flu of 'illness'", "HIV of 'illness'", "fever or flu of 'illness'"}));
  EXPECT_EQ(ValuesOf(items, 0), Codes{2});
  EXPECT_EQ(ValuesOf(items, 1), Codes{0});
  EXPECT_EQ(ValuesOf(items, 2), (Codes{1, 2}));
  EXPECT_EQ(items.claim.items[1].l, 2U);
  EXPECT_EQ(items.claim.items[2].l, 4U);
  EXPECT_EQ(account.items(), 3U);
  EXPECT_TRUE(account.about().every_value.empty());
}

TEST(BindItems, EveryValueIsAnItemTheMissingOneIncludedAndNoneIsNamed) {
  const EncodedInput input = Patients();
  Account account = Empty();
  const BoundItems items = Bind(Asked({}), input, account);
  EXPECT_EQ(NamesOf(items), Strings(4, "a value of 'illness'"));
  for (Code code = 0; code < 4; ++code) EXPECT_EQ(ValuesOf(items, code), Codes{code});
  EXPECT_EQ(account.about().every_value, Strings{"illness"});
  EXPECT_TRUE(account.about().items[3].is_missing);
}

TEST(BindItems, RowsThatAreLeftOutHaveNoMissingValue) {
  EncodedInput input = Patients();
  input.form_of_row = {RowForm::kWhole, RowForm::kWhole, RowForm::kWhole, RowForm::kWhole, RowForm::kSkipped};
  Account account = Empty();
  EXPECT_EQ(Bind(Asked({}), input, account).claim.items.size(), 3U);
}

TEST(BindItems, AValueThatNoRowHasKeepsItsPlaceAndIsTold) {
  Account account = Empty();
  const EncodedInput input = Patients();
  const BoundItems items = Bind(Asked({"hiv", "flu"}), input, account);
  EXPECT_EQ(ValuesOf(items, 0), Codes());
  EXPECT_EQ(ValuesOf(items, 1), Codes{2});
  EXPECT_EQ(items.notes,
            Strings{"the policy protects hiv of 'illness', which no row has; look that nothing is misspelt"});
}

TEST(BindItems, AValueThatStaysIsRefusedInPlainWords) {
  Account account = Empty();
  const EncodedInput input = Patients();
  EXPECT_EQ(
      Refusal(Asked({"flu", "HIV"}).Transient({"flu"}), input, account),
      "p.toml:7:1: HIV of 'illness' is protected, but the policy says that it does not come and go. The global "
      "guarantee counts every release as a fresh draw; of a value that stays, two releases tell more: whoever has it "
      "is found by comparing who shared a group with whom in each of them. Nothing was published; protect other "
      "values, or declare it transient if people really get and lose it");
  EXPECT_EQ(account.items(), 0U);
  EXPECT_EQ(Refusal(Asked({"flu"}).Transient({"flu"}), input, account), "");
  Account other = Empty();
  EXPECT_NE(Refusal(Asked({"flu"}).Transient({}), input, other), "");
  EXPECT_NE(Refusal(Asked({"flu"}).With({"flu", "HIV"}, 4).Transient({"flu"}), input, other), "");
  // A missing value cannot be listed, so only a column of which all values come and go has it.
  EXPECT_NE(Refusal(Asked({}).Transient({"HIV", "fever", "flu"}), input, other), "");
  EXPECT_EQ(Refusal(Asked({}), input, other), "");
}

TEST(BindItems, WhatStaysIsRefusedAlsoWhereOnlyAnEarlierPolicyListedIt) {
  Account account = Empty();
  const EncodedInput input = Patients();
  Publish(Bind(Asked({"flu", "HIV"}), input, account), account);
  EXPECT_NE(Refusal(Asked({"flu"}).Transient({"flu"}), input, account), "");
}

TEST(BindItems, WhatWentOutWithoutAccountIsNotProtectedLater) {
  Account account = Empty();
  const EncodedInput input = Patients();
  Publish(Bind(Asked({"HIV"}), input, account), account);
  const std::string rest =
      " of 'illness' is protected now, but one release of the series 'clinic' went out without an account of it, so "
      "nobody knows what they gave away; begin another series, or leave it out";
  EXPECT_EQ(Refusal(Asked({"HIV", "flu"}), input, account), "p.toml:9:1: flu" + rest);
  EXPECT_EQ(Refusal(Asked({"HIV"}).With({"flu", "HIV"}, 4), input, account), "p.toml:9:1: HIV or flu" + rest);
  // A value of the data has no name here.
  EXPECT_EQ(Refusal(Asked({}), input, account).find("p.toml:9:1: a value of 'illness' is protected now"), 0U);
  EXPECT_EQ(account.items(), 1U);
}

TEST(BindItems, WhereEveryValueIsProtectedNewOnesMayCome) {
  Account account = Empty();
  const EncodedInput before = Patients({"HIV", "fever", "flu"}, std::nullopt);
  Publish(Bind(Asked({}, 4), before, account), account);
  const EncodedInput after = Patients({"HIV", "fever", "gout", "plague"}, std::nullopt);
  const BoundItems items = Bind(Asked({}, 2), after, account);
  ASSERT_EQ(items.claim.items.size(), 5U);
  EXPECT_EQ(ValuesOf(items, 2), Codes());   // nobody has flu
  EXPECT_EQ(ValuesOf(items, 3), Codes{2});  // in the order of the account
  EXPECT_EQ(ValuesOf(items, 4), Codes{3});
  // The promise of every value is of these as well.
  for (const SensitiveItem& item : items.claim.items) EXPECT_EQ(item.l, 4U);
  EXPECT_EQ(items.notes, Strings{"a value of 'illness' was promised with l = 4 before; that stays"});
}

TEST(BindItems, WhereEveryValueWasProtectedAShorterListChangesNothing) {
  Account account = Empty();
  const EncodedInput before = Patients({"HIV", "fever", "flu"}, std::nullopt);
  Publish(Bind(Asked({}), before, account), account);
  const EncodedInput after = Patients({"HIV", "fever", "gout"}, std::nullopt);
  const BoundItems items = Bind(Asked({"HIV"}), after, account);
  ASSERT_EQ(items.claim.items.size(), 4U);
  EXPECT_EQ(ValuesOf(items, 3), Codes{2});
  EXPECT_EQ(NamesOf(items),
            (Strings{"HIV of 'illness'", "a value of 'illness'", "a value of 'illness'", "a value of 'illness'"}));
  EXPECT_EQ(items.notes,
            Strings{"every value of 'illness' was protected in earlier releases of the series; that stays"});
}

TEST(BindItems, AValueThatWasProtectedDoesNotBecomeMissing) {
  Account account = Empty();
  const EncodedInput input = Patients();
  Publish(Bind(Asked({"HIV"}).With({"flu", "fever"}, 4), input, account), account);
  const std::string rest =
      "counts as missing, but earlier releases of the series 'clinic' protected it as a value of 'illness'. Nothing "
      "was published; take it out of [input] missing";
  EXPECT_EQ(Refusal(Asked({"flu"}).Missing({"", "HIV"}), input, account), "p.toml:9:1: 'HIV' " + rest);
  EXPECT_EQ(Refusal(Asked({"HIV"}).Missing({"flu"}), input, account), "p.toml:9:1: 'flu' " + rest);
  // Nobody protects what is missing here, so other texts may come and go.
  EXPECT_EQ(Refusal(Asked({"HIV"}).Missing({"", "gout"}), input, account), "");
  EXPECT_EQ(Refusal(Asked({"HIV"}).Missing({}), input, account), "");
}

TEST(BindItems, WhereEveryValueIsProtectedWhatCountedAsMissingDoesNotBecomeAValue) {
  Account account = Empty();
  const EncodedInput input = Patients();
  Publish(Bind(Asked({}).Missing({"", "NA"}), input, account), account);
  EXPECT_EQ(
      Refusal(Asked({}).Missing({""}), input, account),
      "p.toml:9:1: 'NA' counted as missing in earlier releases of the series 'clinic', which protects every value "
      "of 'illness'. Nothing was published; list it in [input] missing again");
  // An empty cell is missing whatever the list says, and nobody had '?' so far.
  EXPECT_EQ(Refusal(Asked({}).Missing({"?", "NA"}), input, account), "");
  Publish(Bind(Asked({}).Missing({"?", "NA"}), input, account), account, "q2");
  EXPECT_NE(Refusal(Asked({}).Missing({"", "NA"}), input, account), "");
}

TEST(BindItems, AColumnThatWasSensitiveIsNotPublishedAsSomethingElse) {
  Account account = Empty();
  const EncodedInput input = Patients();
  Publish(Bind(Asked({"HIV"}), input, account), account);
  for (const Role role : {Role::kKeep, Role::kClass, Role::kQuasiIdentifier}) {
    Asked other({});
    other.bound.policy.columns[1].role = role;
    EXPECT_EQ(Refusal(other, input, account),
              "p.toml:7:1: 'illness' was sensitive in earlier releases of the series 'clinic', and nobody may be "
              "linked to its values; give it the role 'sensitive' again, or leave it out");
  }
}

TEST(BindItems, AColumnThatIsLeftOutGivesNothingAway) {
  Account account = Empty();
  EncodedInput input = Patients();
  Asked both({"HIV"});
  both.Add("ward", Role::kSensitive, {"a"});
  input.values.push_back(Column("ward", {"a", "b"}, {0, 0, 1, 1, 1}));
  Publish(Bind(both, input, account), account);
  const BoundItems items = Bind(Asked({"HIV"}), Patients(), account);
  ASSERT_EQ(items.claim.items.size(), 2U);
  EXPECT_EQ(ValuesOf(items, 1), Codes());
  EXPECT_EQ(items.claim.items[1].name, "a value of 'ward'");
  EXPECT_EQ(items.claim.items[1].column, 1U) << "it passes for an item of a column that is there";
}

TEST(BindItems, TheLargerPromiseStays) {
  Account account = Empty();
  const EncodedInput input = Patients();
  Publish(Bind(Asked({"HIV", "flu"}, 4), input, account), account);
  const BoundItems smaller = Bind(Asked({"HIV"}, 2), input, account);
  EXPECT_EQ(smaller.claim.items[0].l, 4U);
  EXPECT_EQ(smaller.claim.items[1].l, 4U);  // this policy does not list it, but it was promised
  EXPECT_EQ(smaller.notes, Strings{"HIV of 'illness' was promised with l = 4 before; that stays"});
  const BoundItems larger = Bind(Asked({"HIV"}, 5), input, account);
  EXPECT_EQ(larger.claim.items[0].l, 5U);
  EXPECT_TRUE(larger.claim.items[0].is_asked);
  EXPECT_EQ(larger.claim.items[1].l, 4U);  // no policy asks for more
  EXPECT_FALSE(larger.claim.items[1].is_asked);
  EXPECT_TRUE(larger.notes.empty());
}

TEST(BindItems, WhereEveryValueIsProtectedALargerPromiseIsOneOfThoseThatNobodyHasNow) {
  Account account = Empty();
  Publish(Bind(Asked({}, 2), Patients(), account), account);
  const EncodedInput later = Patients({"gout", "fever", "flu", ""});
  const BoundItems items = Bind(Asked({}, 5), later, account);
  ASSERT_EQ(items.claim.items.size(), 5U);
  EXPECT_EQ(ValuesOf(items, 0), Codes()) << "nobody has HIV now";
  for (const SensitiveItem& item : items.claim.items) {
    EXPECT_EQ(item.l, 5U);
    EXPECT_TRUE(item.is_asked);
  }
}

TEST(BindItems, BindingAgainAddsNothing) {
  Account account = Empty();
  const EncodedInput input = Patients();
  const Asked asked = Asked({}).With({"flu", "HIV"}, 3);
  Bind(asked, input, account);
  const std::size_t before = account.items();
  Bind(asked, input, account);
  EXPECT_EQ(account.items(), before);
}

}  // namespace
}  // namespace pentimento::bind_items_test
