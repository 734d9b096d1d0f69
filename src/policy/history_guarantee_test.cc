// What the keys become. What is refused, and with which words, is in tests/policy_schema.
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "policy/policy.h"

namespace pentimento::history_guarantee_test {
namespace {

Policy Parse(const std::string& top, const std::string& keys) {
  const std::string text = "version = 1\nrelease = \"a\"\n" + top +
                           "[input]\npath = \"a.csv\"\n[columns]\nperson = { role = \"id\" }\n"
                           "age = { role = \"quasi-identifier\", domain = [0, 120] }\n"
                           "disease = { role = \"sensitive\" }\n[[guarantee]]\ntype = \"history\"\n" +
                           keys;
  Result<Policy> policy = ParsePolicy(text, "policy.toml");
  EXPECT_TRUE(policy.ok()) << policy.error().message;
  return *std::move(policy);
}

TEST(HistoryGuarantee, DefaultsAreTheWeakerAttackerAllReleasesAndNoUnknownOnes) {
  const Policy policy = Parse("", "k = 5\n");
  const auto& history = std::get<HistoryPolicy>(policy.guarantees.front());
  EXPECT_EQ(history.k, 5U);
  EXPECT_EQ(KOf(policy.guarantees.front()), 5U);
  EXPECT_FALSE(history.membership_is_known);
  EXPECT_FALSE(history.alpha);
  EXPECT_TRUE(history.over.empty());
  EXPECT_FALSE(history.allows_unknown);
  EXPECT_FALSE(policy.overlap);
  EXPECT_TRUE(policy.other_people.empty());
}

TEST(HistoryGuarantee, EveryKeyIsRead) {
  const Policy policy =
      Parse("overlap = \"measure\"\nother_people = [\"r3\"]\n",
            "k = 5\nmembership = \"known\"\nalpha = \"2/4\"\nover = [\"r1\", \"r2\"]\nunknown = \"allow\"\n");
  const auto& history = std::get<HistoryPolicy>(policy.guarantees.front());
  EXPECT_TRUE(history.membership_is_known);
  EXPECT_EQ(history.alpha, (Ratio{1, 2}));
  EXPECT_EQ(history.over, (std::vector<std::string>{"r1", "r2"}));
  EXPECT_TRUE(history.allows_unknown);
  EXPECT_EQ(policy.overlap, OverlapRule::kMeasure);
  EXPECT_EQ(policy.other_people, std::vector<std::string>{"r3"});
  EXPECT_EQ(Parse("overlap = \"refuse\"\n", "k = 5\n").overlap, OverlapRule::kRefuse);
}

}  // namespace
}  // namespace pentimento::history_guarantee_test
