// What verify makes of (alpha,k)-anonymity: it is verified in both forms, beside nothing that it does not go with, and
// only as the policy asks for it.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "guarantee/verify.h"

namespace pentimento::verify_alpha_k_test {
namespace {

static_assert(!std::is_constructible_v<VerifiedRelease, Draft>);
static_assert(!std::is_default_constructible_v<VerifiedRelease>);
static_assert(!std::is_copy_constructible_v<VerifiedRelease>);

CodeColumn ColumnOf(const std::vector<Code>& codes) {
  CodeColumn column(10, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) column.Set(row, codes[row]);
  return column;
}

AlphaKAnonymityPolicy Asked() {
  AlphaKAnonymityPolicy asked{.alpha = {1, 2}, .k = 2, .limits = {}, .position = {}};
  asked.limits.push_back({.column = "disease", .values = {"HIV", "Hepatitis"}, .at_most = {1, 2}, .position = {}});
  return asked;
}

// Four rows with an age, a disease and an income, in two classes.
struct Release {
  std::vector<Domain> domains = {Domain(NumericRange{0, 9, 0, {}}, false)};
  EncodedTable table{.rows = 4, .quasi_identifiers = {ColumnOf({0, 3, 4, 9})}, .persons = std::nullopt};
  CodeColumn disease = ColumnOf({0, 1, 2, 0});
  CodeColumn income = ColumnOf({0, 1, 0, 1});
  std::vector<const CodeColumn*> sensitive = {&disease, &income};
  std::vector<GuaranteePolicy> guarantees = {Asked()};
  // Hepatitis is nobody's, so its code is nobody's.
  AlphaKClaim claim{2, {{0, {0, 1, 2}, false, {1, 2}}, {1, {0, 1}, false, {1, 2}}, {0, {0, 7}, true, {1, 2}}}};
  bool hands_over_claim = true;
  Classes draft{.columns = 1, .boxes = {{0, 3}, {4, 9}}, .of_row = {0, 0, 1, 1}};
  Draft tables{ClassesWithoutBoxes(2, {0, 0, 1, 1}),
               {{{0}, {0, 0, 1, 1}, {0, 1, 0, 2}, {1, 1, 1, 1}}, {{1}, {0, 0, 1, 1}, {0, 1, 0, 1}, {1, 1, 1, 1}}}};

  pentimento::Evidence AsEvidence() const {
    return {table, domains, CategoryForm::kTaxonomy, guarantees, sensitive, hands_over_claim ? &claim : nullptr};
  }
};

template <typename Checked>
void ExpectRefusal(const Checked& result, std::string_view guarantee, std::string_view words) {
  const auto* refusal = std::get_if<Refusal>(&result);
  ASSERT_NE(refusal, nullptr) << words;
  EXPECT_EQ(refusal->guarantee, guarantee);
  EXPECT_NE(refusal->witness.find(words), std::string::npos) << words << " in: " << refusal->witness;
}

// In both forms.
void ExpectRefused(const Release& release, std::string_view words, std::string_view guarantee = "(alpha,k)-anonymity") {
  ExpectRefusal(Verify({release.draft}, release.AsEvidence()), guarantee, words);
  ExpectRefusal(Verify(release.tables, release.AsEvidence()), guarantee, words);
}

TEST(VerifyAlphaK, AcceptsAGoodReleaseUnchangedInBothForms) {
  const Release release;
  const auto generalized = Verify({release.draft}, release.AsEvidence());
  ASSERT_TRUE(std::holds_alternative<VerifiedRelease>(generalized));
  EXPECT_EQ(std::get<VerifiedRelease>(generalized).classes().boxes, release.draft.boxes);
  const auto tables = Verify(release.tables, release.AsEvidence());
  ASSERT_TRUE(std::holds_alternative<VerifiedRelease>(tables));
  EXPECT_EQ(std::get<VerifiedRelease>(tables).draft().classes.of_row, release.tables.classes.of_row);
  EXPECT_EQ(std::get<VerifiedRelease>(tables).draft().sensitive[0].count, release.tables.sensitive[0].count);
}

TEST(VerifyAlphaK, RefusesWhatBreaksTheLimits) {
  Release release;
  release.disease.Set(1, 0);
  release.tables.sensitive[0] = {{0}, {0, 1, 1}, {0, 0, 2}, {2, 1, 1}};
  ExpectRefused(release, "in a class of 2 rows 2 have the same value of sensitive column 1");
  Release set;
  set.disease.Set(1, 7);
  set.tables.sensitive[0].values[1] = 7;
  ExpectRefused(set, "in a class of 2 rows 2 have one of the listed values of sensitive column 1");
}

TEST(VerifyAlphaK, NamesTheColumnWhereItIsToldTheName) {
  Release release;
  release.disease.Set(1, 0);
  const std::vector<std::string> names = {"disease", "income"};
  Evidence claim = release.AsEvidence();
  claim.sensitive_names = names;
  ExpectRefusal(Verify({release.draft}, claim), "(alpha,k)-anonymity",
                "have the same value of column \"disease\", more");
}

TEST(VerifyAlphaK, RefusesClassesOfTooFewPeople) {
  Release release;
  release.table.persons = Persons{{0, 1, 2, 2}, 3};
  ExpectRefused(release, "a class of 1 person is published, 2 are required (row 3 of the input is in it)");
}

TEST(VerifyAlphaK, NamesRowsAsTheInputCountsThemWhereSomeAreLeftOut) {
  Release release;
  release.table.persons = Persons{{0, 1, 2, 2}, 3};
  const std::vector<std::uint32_t> input_rows = {0, 1, 5, 8};
  Evidence claim = release.AsEvidence();
  claim.input_rows = input_rows;
  for (const Draft& draft : {Draft{release.draft}, release.tables})
    ExpectRefusal(Verify(draft, claim), "(alpha,k)-anonymity", "(row 6 of the input is in it)");
}

TEST(VerifyAlphaK, RefusesSomebodyWhoIsInTwoClasses) {
  Release release;
  release.table.persons = Persons{{0, 1, 2, 0}, 3};
  ExpectRefused(release,
                "a person with 2 rows in 2 classes has the same value of sensitive column 1 in one of them "
                "with a chance of 3/4");
}

TEST(VerifyAlphaK, GoesWithPlainKAnonymityInOneTableAndWithNothingInTwo) {
  Release release;
  release.guarantees.push_back(KAnonymityPolicy{2});
  EXPECT_TRUE(std::holds_alternative<VerifiedRelease>(Verify({release.draft}, release.AsEvidence())));
  ExpectRefusal(Verify(release.tables, release.AsEvidence()), "two tables", "another guarantee");
  release.guarantees.back() = KAnonymityPolicy{3};
  ExpectRefusal(Verify({release.draft}, release.AsEvidence()), "k-anonymity", "3 are required");
  Release other;
  other.guarantees = {KAnonymityPolicy{2}};
  other.hands_over_claim = false;
  ExpectRefusal(Verify(other.tables, other.AsEvidence()), "two tables", "another guarantee");
}

TEST(VerifyAlphaK, RefusesTwoTablesThatAreMalformedOrFalse) {
  Release malformed;
  malformed.tables.sensitive[0].count[0] = 2;
  ExpectRefusal(Verify(malformed.tables, malformed.AsEvidence()), "well-formed release", "add up to 3");
  Release untrue;
  untrue.tables.sensitive[0].values[1] = 2;
  ExpectRefusal(Verify(untrue.tables, untrue.AsEvidence()), "truthful release", "class 1 is said to have other");
  Release lost;
  lost.tables.sensitive.pop_back();
  ExpectRefusal(Verify(lost.tables, lost.AsEvidence()), "well-formed release", "sensitive column 2 is in 0");
}

TEST(VerifyAlphaK, RefusesWhatPromisesNothing) {
  Release release;
  release.guarantees.clear();
  release.hands_over_claim = false;
  ExpectRefused(release, "ask for one", "at least one guarantee");
}

TEST(VerifyAlphaK, AClaimThatIsNotThereOrWasNotAskedForDoesNotPass) {
  Release lost;
  lost.hands_over_claim = false;
  ExpectRefused(lost, "the sensitive values were not looked at");
  Release unasked;
  unasked.guarantees = {KAnonymityPolicy{2}};
  ExpectRefusal(Verify({unasked.draft}, unasked.AsEvidence()), "(alpha,k)-anonymity", "asks for 0 of them, 1 was");
  Release twice;
  twice.guarantees.push_back(Asked());
  ExpectRefused(twice, "asks for 2 of them, 1 was to be verified");
}

TEST(VerifyAlphaK, SensitiveColumnsThatDoNotFitDoNotPass) {
  Release none;
  none.sensitive.clear();
  ExpectRefused(none, "there is no sensitive column");
  Release fewer;
  fewer.sensitive.pop_back();
  ExpectRefused(fewer, "limit 2 is for sensitive column 2 of 1");
  Release more;
  more.sensitive.push_back(&more.income);
  ExpectRefused(more, "alpha in 3 columns and for 1 limits, 3 limits");
  Release not_handed_over;
  not_handed_over.sensitive[1] = nullptr;
  ExpectRefused(not_handed_over, "sensitive column 2 was not handed over");
  Release short_one;
  short_one.income = ColumnOf({0, 1, 0});
  ExpectRefused(short_one, "sensitive column 2 has 3 codes for 4 rows");
}

TEST(VerifyAlphaK, AClaimThatLostSomethingDoesNotPass) {
  const auto refused = [](std::string_view words, auto&& change) {
    Release release;
    change(release.claim);
    ExpectRefused(release, words);
  };
  refused("asks for k = 2, 1 was", [](AlphaKClaim& claim) { claim.k = 1; });
  refused("asks for k = 2, 3 was", [](AlphaKClaim& claim) { claim.k = 3; });
  refused("2 limits were to be verified", [](AlphaKClaim& claim) { claim.limits.pop_back(); });
  refused("limit 1 is 1/2 in the policy, 1 was", [](AlphaKClaim& claim) { claim.limits[0].at_most = {1, 1}; });
  refused("limit 3 is 1/2 in the policy, 2/3 was", [](AlphaKClaim& claim) { claim.limits[2].at_most = {2, 3}; });
  refused("limit 2 is for other values", [](AlphaKClaim& claim) { claim.limits[1].column = 0; });
  refused("limit 1 is for other values", [](AlphaKClaim& claim) { claim.limits[0].together = true; });
  refused("limit 3 is for other values", [](AlphaKClaim& claim) { claim.limits[2].together = false; });
  refused("limit 3 names 2 values in the policy, 1 were", [](AlphaKClaim& claim) { claim.limits[2].values = {0}; });
  refused("limit 3 is for no value at all", [](AlphaKClaim& claim) { claim.limits[2].values.clear(); });
  refused("limit 1 is for no value at all", [](AlphaKClaim& claim) { claim.limits[0].values.clear(); });
  refused("limit 3 are not in order", [](AlphaKClaim& claim) { claim.limits[2].values = {7, 0}; });
  refused("limit 1 is no fraction", [](AlphaKClaim& claim) { claim.limits[0].at_most = {1, 0}; });
}

TEST(VerifyAlphaK, ANameThatStandsTwiceInAPolicyIsOneValue) {
  Release release;
  std::get<AlphaKAnonymityPolicy>(release.guarantees[0]).limits[0].values.push_back("HIV");
  EXPECT_TRUE(std::holds_alternative<VerifiedRelease>(Verify({release.draft}, release.AsEvidence())));
}

Evidence AsJoined(const Release& release) {
  static const XyReleases kNothing;
  static const XyEvidence kJoin{{}, kNothing};
  Evidence evidence = release.AsEvidence();
  evidence.xy = &kJoin;
  return evidence;
}

TEST(VerifyAlphaK, IsRefusedOverAJoinAndInASeries) {
  const Release release;
  ExpectRefusal(Verify({release.draft}, AsJoined(release)), "(alpha,k)-anonymity", "earlier releases");
  const IncrementalChange change;
  Evidence in_series = release.AsEvidence();
  in_series.change = &change;
  ExpectRefusal(Verify({release.draft}, in_series), "(alpha,k)-anonymity", "a series");
  // Also where the policy forgot to ask.
  Release unasked;
  unasked.guarantees = {KAnonymityPolicy{2}};
  ExpectRefusal(Verify({unasked.draft}, AsJoined(unasked)), "(alpha,k)-anonymity", "earlier releases");
}

}  // namespace
}  // namespace pentimento::verify_alpha_k_test
