#include "engine/bind/guarantee_words.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pentimento::guarantee_words_test {
namespace {

BoundPolicy Clinic(std::vector<std::string> values) {
  BoundPolicy bound;
  ColumnPolicy column;
  column.name = "disease";
  column.role = Role::kSensitive;
  column.values = std::move(values);
  bound.policy.columns.push_back(column);
  bound.quasi_identifiers = {"age"};
  GlobalGuaranteePolicy asked;
  asked.l = 2;
  asked.series = "clinic";
  bound.policy.guarantees.emplace_back(asked);
  return bound;
}

const std::string kBegin = "Global guarantee with l = 2: over all releases of the series 'clinic' together, ";
const std::string kEnd =
    " It is about values that come and go from release to release, and about this series alone. "
    "Groups were cut where the values allowed it: whoever runs the program again on guesses can learn more.";

TEST(GuaranteeWords, TheGlobalGuaranteeSaysWhoLearnsWhat) {
  EXPECT_EQ(
      PromiseOf(Clinic({"HIV"})).InOneLine(),
      kBegin +
          "nobody can be surer than 1/2 that somebody ever had HIV of disease, even knowing all quasi-identifiers "
          "and who was in which release." +
          kEnd);
}

TEST(GuaranteeWords, SeveralValuesCountByThemselvesAndSetsAsOneThing) {
  BoundPolicy bound = Clinic({"HIV", "flu"});
  std::get<GlobalGuaranteePolicy>(bound.policy.guarantees[0]).sets.push_back({"disease", {"HIV", "flu"}, 4, {}});
  EXPECT_EQ(PromiseOf(bound).InOneLine(),
            kBegin +
                "nobody can be surer than 1/2 that somebody ever had HIV or flu of disease, even knowing all "
                "quasi-identifiers and who was in which release. That is for each value by itself. For HIV or flu of "
                "disease taken as one thing nobody can be surer than 1/4." +
                kEnd);
}

TEST(GuaranteeWords, EveryValueIsNotNamedAndTwoTablesSayWhatTheyGiveAway) {
  BoundPolicy bound = Clinic({});
  bound.policy.form = PublishForm::kTwoTables;
  const std::string words = PromiseOf(bound).InOneLine();
  EXPECT_NE(words.find("ever had any particular value of disease, even"), std::string::npos) << words;
  EXPECT_NE(words.find("That is for each value by itself."), std::string::npos) << words;
  EXPECT_TRUE(words.ends_with("that somebody is in the release is plain to whoever knows their quasi-identifiers."))
      << words;
}

TEST(GuaranteeWords, TheGlobalGuaranteeAsJsonIsAsThePageSays) {
  BoundPolicy bound = Clinic({"HIV"});
  auto& asked = std::get<GlobalGuaranteePolicy>(bound.policy.guarantees[0]);
  asked.blind = true;
  asked.k = 5;
  asked.sets.push_back({"disease", {"HIV", "flu"}, 4, {}});
  auto json = nlohmann::json::parse(PromiseOf(bound).json).at(0);
  json.erase("words");
  EXPECT_EQ(json, nlohmann::json::parse(R"({"type":"global-guarantee","l":2,"series":"clinic",
    "quasi_identifiers":["age"],"sensitive":[{"column":"disease","values":["HIV"]}],"form":"generalized","k":5,"blind":true,
    "limits":[{"column":"disease","values":["HIV","flu"],"l":4}]})"));
  asked.k = 0;
  asked.allows_alone = true;
  const auto alone = nlohmann::json::parse(PromiseOf(bound).json).at(0);
  EXPECT_EQ(alone.at("alone"), "allowed");
  EXPECT_FALSE(alone.contains("k"));
}

BoundPolicy AboutAgeAndDisease(std::vector<std::string> against) {
  BoundPolicy bound;
  bound.policy.impossible.push_back({{"", "sex", {}}, "Male", {"r1", "status", {}}, "Pregnant"});
  XyAnonymityPolicy anonymity;
  anonymity.against = against;
  anonymity.x = {{"", "age", {}}};
  anonymity.y = {{"", "disease", {}}};
  anonymity.k = 3;
  bound.policy.guarantees.emplace_back(anonymity);
  XyLinkabilityPolicy linkability;
  linkability.against = against;
  linkability.x = {{"", "age", {}}};
  linkability.y = {{{{"", "disease", {}}}, {{"HIV"}, {"flu"}}, {1, 4}}, {{{"", "disease", {}}}, {}, {1, 2}}};
  bound.policy.guarantees.emplace_back(linkability);
  return bound;
}

TEST(GuaranteeWords, OfThisReleaseAloneNoJoinIsToldOf) {
  const BoundPolicy alone = AboutAgeAndDisease({});
  EXPECT_EQ(PromiseOf(alone).words,
            (std::vector<std::string>{
                "(X,Y)-anonymity: in this release by itself, every value on age meets at least 3 different values on "
                "disease. It covers this release alone.",
                "(X,Y)-linkability: in this release by itself, no value on age leads to disease among HIV, flu with "
                "more than 1/4, nor to any value of disease with more than 1/2 of the rows that have it. It covers "
                "this release alone."}));
  const auto json = nlohmann::json::parse(PromiseOf(alone).json);
  EXPECT_EQ(json.at(1).at("against"), nlohmann::json::array());
  EXPECT_FALSE(json.at(0).contains("impossible"));
  const BoundPolicy joined = AboutAgeAndDisease({"r1", "r2"});
  EXPECT_EQ(PromiseOf(joined).words.at(1),
            "(X,Y)-linkability: when this release is joined with any of r1, r2 or several of them together, no value "
            "on age leads to disease among HIV, flu with more than 1/4, nor to any value of disease with more than 1/2 "
            "of the rows of that join that have it. Matches that the policy declares impossible do not count.");
  EXPECT_TRUE(nlohmann::json::parse(PromiseOf(joined).json).at(0).contains("impossible"));
}

TEST(GuaranteeWords, CombinationsAreToldAsCombinations) {
  BoundPolicy bound;
  XyLinkabilityPolicy asked;
  asked.against = {"r1"};
  asked.x = {{"", "age", {}}};
  const std::vector<ColumnName> columns = {{"", "disease", {}}, {"r1", "job", {}}};
  asked.y = {{columns, {{"HIV", "Clerk"}, {"flu", "Driver"}}, {1, 4}}, {columns, {}, {1, 2}}};
  bound.policy.guarantees.emplace_back(asked);
  EXPECT_EQ(PromiseOf(bound).InOneLine(),
            "(X,Y)-linkability: when this release is joined with r1, no value on age leads to disease, r1:job among "
            "(HIV, Clerk), (flu, Driver) with more than 1/4, nor to any combination of disease, r1:job with more than "
            "1/2 of the rows of that join that have it.");
  EXPECT_EQ(nlohmann::json::parse(PromiseOf(bound).json).at(0).at("y"),
            nlohmann::json::parse(R"([{"columns":["disease","r1:job"],"at_most":"1/4",
              "values":[["HIV","Clerk"],["flu","Driver"]]},{"columns":["disease","r1:job"],"at_most":"1/2"}])"));
}

}  // namespace
}  // namespace pentimento::guarantee_words_test
