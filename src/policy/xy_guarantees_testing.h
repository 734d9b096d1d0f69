// For tests: policies with guarantees over a join, and what is read from them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "policy/policy.h"

namespace pentimento::xy_testing {

// The columns stand on lines 6 to 12, the guarantees begin at line 13.
inline std::string Written(const std::string& guarantees, const std::string& more_columns = "") {
  return R"(version = 1
release = "taxation-2026"
[input]
path = "taxation.csv"
[columns]
person  = { role = "id" }
age     = { role = "quasi-identifier", domain = [0, 120] }
job     = { role = "quasi-identifier", taxonomy = "job.csv" }
sex     = { role = "quasi-identifier", values = ["Female", "Male"] }
disease = { role = "sensitive" }
income  = { role = "class" }
weight  = { role = "keep" }
)" + more_columns +
         guarantees;
}

inline const std::string kAgainst = "against = [\"immigration-2025\"]\n";
// The keys of the guarantee stand on lines 15 (against), 16 (x), 17 (y) and 18.
inline std::string Anonymity(const std::string& x, const std::string& y, const std::string& more = "k = 10\n") {
  return "[[guarantee]]\ntype = \"xy-anonymity\"\n" + kAgainst + "x = " + x + "\ny = " + y + "\n" + more;
}
inline std::string Linkability(const std::string& x, const std::string& y, const std::string& more = "") {
  return "[[guarantee]]\ntype = \"xy-linkability\"\n" + kAgainst + "x = " + x + "\ny = " + y + "\n" + more;
}
// x and y are as short as can be: the next line is 19.
inline const std::string kShortest = Anonymity("[\"age\"]", "[\"person\"]");

inline Policy Parsed(const std::string& text) {
  Result<Policy> policy = ParsePolicy(text, "p.toml");
  EXPECT_TRUE(policy.ok()) << policy.error().message << "\n" << text;
  return policy.ok() ? std::move(policy).value() : Policy();
}

template <typename Guarantee>
Guarantee Only(const std::string& text) {
  const Policy policy = Parsed(text);
  if (policy.guarantees.size() != 1 || !std::holds_alternative<Guarantee>(policy.guarantees[0])) {
    ADD_FAILURE() << "not the one guarantee that was expected in\n" << text;
    return {};
  }
  return std::get<Guarantee>(policy.guarantees[0]);
}

inline void ExpectError(const std::string& text, const std::string& expected) {
  const Result<Policy> policy = ParsePolicy(text, "p.toml");
  ASSERT_FALSE(policy.ok()) << "accepted, but should say: " << expected << "\n" << text;
  EXPECT_EQ(policy.error().code, ErrorCode::kBadPolicy);
  EXPECT_EQ(policy.error().message, "p.toml:" + expected);
}

inline void ExpectName(const ColumnName& name, const std::string& release, const std::string& column,
                       std::uint32_t place) {
  EXPECT_EQ(name.release, release);
  EXPECT_EQ(name.column, column);
  EXPECT_EQ(name.position.column, place);
}

using Strings = std::vector<std::string>;

}  // namespace pentimento::xy_testing
