#include <gtest/gtest.h>

#include "policy/policy.h"

namespace pentimento::import_test {
namespace {

const std::string kHead = "version = 1\nrelease = \"city-2025\"\n";
const std::string kColumns = "[columns]\nage = { role = \"quasi-identifier\", domain = [0, 120] }\n";

TEST(ImportPolicy, NeedsNeitherInputNorGuarantee) {
  const auto policy = ParsePolicy(kHead + kColumns, "p.toml", PolicyUse::kImport);
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_EQ(policy->release, "city-2025");
  EXPECT_TRUE(policy->guarantees.empty());
  EXPECT_TRUE(policy->inputs.empty());
  EXPECT_EQ(policy->missing, std::vector<std::string>{""});
  EXPECT_FALSE(ParsePolicy(kHead + kColumns, "p.toml").ok());
}

TEST(ImportPolicy, SaysWhatIsMissingAndWhatWasPromised) {
  const std::string input = "[input]\npath = \"elsewhere.csv\"\nmissing = [\"NA\"]\n";
  const auto policy = ParsePolicy(kHead + input + kColumns + "[[guarantee]]\ntype = \"k-anonymity\"\nk = 5\n", "p.toml",
                                  PolicyUse::kImport);
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_EQ(policy->missing, std::vector<std::string>{"NA"});
  EXPECT_TRUE(policy->inputs.empty());
  ASSERT_EQ(policy->guarantees.size(), 1U);
  EXPECT_EQ(std::get<KAnonymityPolicy>(policy->guarantees[0]).k, 5U);
}

TEST(ImportPolicy, WhatIsWrittenWronglyIsAMistakeHereToo) {
  const auto message = [](const std::string& text) {
    const auto policy = ParsePolicy(text, "p.toml", PolicyUse::kImport);
    return policy.ok() ? "" : policy.error().message;
  };
  EXPECT_NE(message(kHead + kColumns + "[[guarantee]]\ntype = \"k-anonymity\"\nk = 1\n").find("k = 1"),
            std::string::npos);
  EXPECT_NE(message(kHead + "[input]\nremoved = \"x.csv\"\n" + kColumns).find("'removed'"), std::string::npos);
  EXPECT_EQ(
      message(kHead + kColumns + "[[guarantee]]\ntype = \"global-guarantee\"\nl = 2\nseries = \"s\"\nreleases = 4\n"),
      "p.toml:5:1: an imported table cannot be in a series under global-guarantee: ids are never published, so "
      "nobody knows what it told of whom; leave this guarantee out");
  EXPECT_EQ(message(kHead + kColumns + "person = { role = \"id\" }\n").substr(0, 44),
            "p.toml:5:1: column 'person' has the role 'id");
}

}  // namespace
}  // namespace pentimento::import_test
