// The worked examples of "Anonymizing Sequential Releases" (Wang and Fung, KDD 2006) with every number that the paper
// states, as data. Where the text has no number for something that its example shows, the number is counted by hand.
// Before them: small releases in words, which a reader can check by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "oracle/xy_oracle.h"

namespace pentimento::join_examples {

// The examples are written in the oracle's words, wherever the engine has the same words for its own types.
using oracle::join::Column;
using oracle::join::Columns;
using oracle::join::Instance;
using oracle::join::Interval;
using oracle::join::Linkability;
using oracle::join::LinkabilityLimit;
using oracle::join::Row;
using oracle::join::Value;
using oracle::join::ValueSet;

// What labels mean. A tree in words, "any(d(d1 d2) d3)", has its leaves numbered from left to right. Without a tree the
// attribute has numbers: "7" or "0-9".
class Attribute {
 public:
  Attribute() = default;
  explicit Attribute(const std::string& tree) {
    std::vector<std::string> open;
    std::string label;
    std::uint32_t leaves = 0;
    for (const char c : tree) {
      if (c == '(') {
        labels_[label].lo = leaves;
        open.push_back(label);
        label.clear();
      } else if (c == ' ' || c == ')') {
        if (!label.empty()) labels_[label] = {leaves, leaves};
        leaves += label.empty() ? 0 : 1;
        label.clear();
        if (c == ' ') continue;
        labels_[open.back()].hi = leaves - 1;
        open.pop_back();
      } else {
        label += c;
      }
    }
  }

  Interval operator()(const std::string& label) const {
    if (!labels_.empty()) return labels_.at(label);
    const std::size_t dash = label.find('-');
    const auto lo = static_cast<std::uint32_t>(std::stoul(label));
    return {lo, dash == std::string::npos ? lo : static_cast<std::uint32_t>(std::stoul(label.substr(dash + 1)))};
  }

 private:
  std::map<std::string, Interval> labels_;
};

// "c1 d3, c3 d1 x9": a label for each attribute, and how often the row occurs.
inline std::vector<Row> Rows(const std::vector<Attribute>& attributes, const std::string& text) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line, ',');) {
    std::istringstream labels(line);
    std::string label;
    Row row;
    for (const Attribute& attribute : attributes) {
      labels >> label;
      row.push_back(attribute(label));
    }
    const std::size_t times = labels >> label ? std::stoul(label.substr(1)) : 1;
    rows.insert(rows.end(), times, row);
  }
  return rows;
}

// The rows with one more column: a key.
inline std::vector<Row> WithKey(std::vector<Row> rows) {
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i].push_back({i, i});
  return rows;
}

// A_Y(X) is `least`; a_Y(x) is stated for some values x.
struct AnonymityFact {
  Columns x;
  Columns y;
  std::uint64_t least = 0;
  std::map<Value, std::uint64_t> of_x;
};

// L_Y(X) is exactly the limit, num/den in any terms; the counts a(x,y) of a(x) are stated for some x and sets.
struct LinkabilityFact {
  Columns x;
  LinkabilityLimit greatest;
  std::vector<Linkability> of_xy;
};

struct Example {
  Instance instance;
  std::size_t matches = 0;                           // rows of the join
  std::vector<std::set<std::size_t>> dangling = {};  // by release; left out where no row dangles
  std::vector<AnonymityFact> anonymities = {};
  std::vector<LinkabilityFact> linkabilities = {};
};

// Table 1. The person identifiers are "included only for discussion": the releases do not have them, and they do not
// join, but they are keys to count persons and rows with.
namespace table1 {
inline const Attribute kName("any(Alice Bob Cathy)");
inline const Attribute kJob("ANY(Office(Banker Clerk) Field(Driver Engineer))");
inline const Attribute kClass("any(c1 c2 c3 c4)");
inline const Attribute kPid("any(1 2 3 4 5)");
inline const Attribute kDisease("any(Cancer HIV)");
inline constexpr Column kT1Name{0, 0}, kT1Job{0, 1}, kT1Class{0, 2}, kT1Pid{0, 3};
inline constexpr Column kT2Job{1, 0}, kT2Disease{1, 1}, kT2Pid{1, 2};

inline Instance Releases() {
  return {.releases = {Rows({kName, kJob, kClass, kPid},
                            "Alice Banker c1 1, Alice Banker c1 2, Bob Clerk c2 3, Bob Driver c3 4, "
                            "Cathy Engineer c4 5"),
                       Rows({kJob, kDisease, kPid},
                            "Banker Cancer 1, Banker Cancer 2, Clerk HIV 3, Driver Cancer 4, Engineer HIV 5")},
          .common = {{.columns = {kT1Job, kT2Job}}},
          .impossible = {}};
}
}  // namespace table1

// Example 1: the group {Bob, HIV} of the join has size 1 and {Alice, Cancer} has 4, Alice leads to Cancer with
// certainty. The 4 are rows: by Definition 3.1 with the persons of T1, or those of T2, as Y they are 2, which is no
// more than the group Alice has in T1 alone. So what "join weakens identification" says is true of rows only.
inline Example Example1() {
  using namespace table1;
  const Value bob_hiv = {kName("Bob"), kDisease("HIV")}, alice_cancer = {kName("Alice"), kDisease("Cancer")};
  const Value alice = {kName("Alice")}, bob = {kName("Bob")}, cathy = {kName("Cathy")};
  const ValueSet cancer = {{kDisease("Cancer")}}, hiv = {{kDisease("HIV")}};
  return {.instance = Releases(),
          .matches = 7,
          .anonymities = {{{kT1Name, kT2Disease}, {kT1Pid, kT2Pid}, 1, {{bob_hiv, 1}, {alice_cancer, 4}}},
                          {{kT1Name, kT2Disease}, {kT1Pid}, 1, {{bob_hiv, 1}, {alice_cancer, 2}}},
                          {{kT1Name, kT2Disease}, {kT2Pid}, 1, {{bob_hiv, 1}, {alice_cancer, 2}}},
                          {{kT1Name}, {kT2Disease}, 1, {{alice, 1}, {bob, 2}, {cathy, 1}}}},
          .linkabilities = {{{kT1Name},
                             {{kT2Disease}, std::nullopt, 1, 1},
                             {{4, 4, alice, cancer}, {0, 4, alice, hiv}, {1, 2, bob, cancer}, {1, 2, bob, hiv}}}}};
}

// Example 1, "when T1 and T2 are examined separately": Bob and HIV have size 2, Alice and Cancer less than 4.
inline Example Example1NewReleaseAlone() {
  using namespace table1;
  return {.instance = {{Releases().releases[0]}, {}, {}},
          .matches = 5,
          .anonymities = {{{{0, 0}}, {{0, 3}}, 1, {{{kName("Bob")}, 2}, {{kName("Alice")}, 2}}}}};
}

inline Example Example1EarlierReleaseAlone() {
  using namespace table1;
  return {.instance = {{Releases().releases[1]}, {}, {}},
          .matches = 5,
          .anonymities = {{{{0, 1}}, {{0, 2}}, 2, {{{kDisease("HIV")}, 2}, {{kDisease("Cancer")}, 3}}}}};
}

// Example 2: the paper has the schema and "at least 3 tests"; here two patients with three tests each.
inline Example Example2() {
  const Attribute job("any(j)"), zip("any(z)"), place("any(p)"), pid("any(1 2)"), test("any(HIV Flu Diabetes)");
  const Columns x = {{0, 1}, {0, 2}, {0, 3}};
  return {.instance = {{WithKey(Rows({pid, job, zip, place, test},
                                     "1 j z p HIV, 1 j z p Flu, 1 j z p Diabetes, 2 j z p HIV, 2 j z p Flu, "
                                     "2 j z p Diabetes"))},
                       {},
                       {}},
          .matches = 6,
          .anonymities = {{x, {{0, 5}}, 6, {}}, {x, {{0, 0}}, 2, {}}, {x, {{0, 4}}, 3, {}}}};
}

// Example 3: (j, z, p) with HIV in 9 rows and with Diabetes in 1 has a confidence of 90 %.
inline Example Example3() {
  const Attribute who("any(jzp)"), test("any(HIV Diabetes)");
  const Value jzp = {who("jzp")};
  const ValueSet hiv = {{test("HIV")}}, diabetes = {{test("Diabetes")}};
  return {.instance = {{Rows({who, test}, "jzp HIV x9, jzp Diabetes")}, {}, {}},
          .matches = 10,
          .linkabilities = {{{{0, 0}}, {{{0, 1}}, std::nullopt, 9, 10}, {{9, 10, jzp, hiv}, {1, 10, jzp, diabetes}}},
                            {{{0, 0}}, {{{0, 1}}, {{diabetes}}, 1, 10}, {}}}};
}

// After Definition 3.2: values of their own, as Y1 = {HIV} on Test and Y2 = {Banker} on Job, each with its own limit.
inline Example ValuesOfTheirOwn() {
  using namespace table1;
  const ValueSet hiv = {{kDisease("HIV")}}, banker = {{kJob("Banker")}}, clerk = {{kJob("Clerk")}};
  const Value bob = {kName("Bob")}, cathy = {kName("Cathy")}, alice = {kName("Alice")};
  return {.instance = Releases(),
          .matches = 7,
          .linkabilities = {
              {{kT1Name}, {{kT2Disease}, {{hiv}}, 1, 1}, {{0, 4, alice, hiv}, {1, 2, bob, hiv}, {1, 1, cathy, hiv}}},
              {{kT1Name}, {{kT1Job}, {{banker}}, 1, 1}, {{4, 4, alice, banker}, {0, 2, bob, banker}}},
              {{kT1Name}, {{kT1Job}, {{clerk}}, 1, 2}, {{1, 2, bob, clerk}}},
              {{kT1Class}, {{kT2Disease}, {{hiv}}, 1, 1}, {}}}};
}

// Not in the paper: a set of values with one limit. Apart they have 1/3 and 1/6, together 1/2, as the node above them.
inline Example ValuesCountedTogether() {
  const Attribute who("any(x)"), disease("any(STD(HIV Syphilis) Flu)");
  const Value hiv = {disease("HIV")}, syphilis = {disease("Syphilis")}, std_node = {disease("STD")};
  return {.instance = {{Rows({who, disease}, "x HIV x2, x Syphilis, x Flu x3")}, {}, {}},
          .matches = 6,
          .linkabilities = {{{{0, 0}}, {{{0, 1}}, {{{hiv}, {syphilis}}}, 1, 3}, {}},
                            {{{0, 0}}, {{{0, 1}}, {{{syphilis}}}, 1, 6}, {}},
                            {{{0, 0}}, {{{0, 1}}, {{{hiv, syphilis}}}, 1, 2}, {}},
                            {{{0, 0}}, {{{0, 1}}, {{{std_node}}}, 1, 2}, {}},
                            {{{0, 0}}, {{{0, 1}}, {{{hiv, std_node}}}, 1, 2}, {}}}};
}

// Not in the paper: 29 of 100 at 0.29 is allowed, and is refused by whoever multiplies in floating point.
inline Example TwentyNineOfAHundred() {
  const Attribute who("any(x)"), disease("any(s t)");
  return {.instance = {{Rows({who, disease}, "x s x29, x t x71")}, {}, {}},
          .matches = 100,
          .linkabilities = {{{{0, 0}}, {{{0, 1}}, {{{{disease("s")}}}}, 29, 100}, {}}}};
}

// Section 3.3, consistency predicate: Male matches Single_Male.
inline Example SamePath() {
  const Attribute sex("ANY(Male(Single_Male Married_Male) Female(Single_Female Married_Female))");
  return {.instance = {{Rows({sex}, "Male, Single_Male, ANY, Married_Male, Female"), Rows({sex}, "Single_Male")},
                       {{.columns = {{0, 0}, {1, 0}}}},
                       {}},
          .matches = 3,
          .dangling = {{3, 4}, {}}};
}

// Section 3.3, inconsistency predicate: Male and Pregnant exclude each other, so do Married_Male and 6_Month_Pregnant.
// Whatever is more general than one of the two excludes nothing.
inline Example CommonSense() {
  const Attribute sex("ANY(Male(Single_Male Married_Male) Female)");
  const Attribute condition("ANY(Pregnant(3_Month_Pregnant 6_Month_Pregnant) Other)");
  return {.instance = {{Rows({sex}, "Male, Single_Male, Married_Male, Female, ANY"),
                        Rows({condition}, "Pregnant, 6_Month_Pregnant, Other, ANY")},
                       {},
                       {{{0, 0}, sex("Male"), {1, 0}, condition("Pregnant")}}},
          .matches = 14};
}

// Theorem 3.1: with a common key as Y and the only join attribute, what counts is k-anonymity of T1.
inline Example CommonKey() {
  using namespace table1;
  Instance instance = Releases();
  instance.common = {{.columns = {kT1Pid, kT2Pid}}};
  return {
      .instance = instance,
      .matches = 5,
      .anonymities = {{{kT1Name}, {kT1Pid}, 1, {{{kName("Alice")}, 2}, {{kName("Bob")}, 2}, {{kName("Cathy")}, 1}}}}};
}

// Section 4: T1 = {c1 d3, c2 d}, T2 = {d3 y3, d3 y2, d1 y1}: 3 matches, A = a(c2 d d1) = 1. With c2 d2 in place of c2
// d: 2 matches, A = a(c1 d3 d3) = 2. Before that step no row dangles: only the unabridged T1 shows what will.
inline Example Section4(bool is_specialized) {
  const Attribute c("any(c1 c2)"), d("any(d(d1 d2) d3)"), y("any(y1 y2 y3)");
  const Columns x = {{0, 0}, {0, 1}, {1, 0}};
  const Value c1 = {c("c1"), d("d3"), d("d3")}, c2 = {c("c2"), d("d"), d("d1")};
  Example example{
      .instance = {{Rows({c, d}, is_specialized ? "c1 d3, c2 d2" : "c1 d3, c2 d"), Rows({d, y}, "d3 y3, d3 y2, d1 y1")},
                   {{.columns = {{0, 1}, {1, 0}}}},
                   {}},
      .matches = 3,
      .anonymities = {{x, {{1, 1}}, 1, {{c1, 2}, {c2, 1}}}}};
  if (!is_specialized) return example;
  example.matches = 2;
  example.dangling = {{1}, {2}};
  example.anonymities = {{x, {{1, 1}}, 2, {{c1, 2}}}};
  return example;
}

// Section 6.1, Set B, says that a_K1(x) and a_K1,K2(x) are equal where every row of T1 matches every row of T2. By the
// definition the second is the first times the rows of T2 with that x.
inline Example EverythingMatches() {
  const Attribute c("any(c)"), d("ANY(d1 d2)");
  const Columns x = {{0, 0}, {0, 1}, {1, 0}};
  const Value first = {c("c"), d("ANY"), d("d1")}, second = {c("c"), d("ANY"), d("d2")};
  return {.instance = {{WithKey(Rows({c, d}, "c ANY x5")), WithKey(Rows({d}, "d1 x3, d2 x2"))},
                       {{.columns = {{0, 1}, {1, 0}}}},
                       {}},
          .matches = 25,
          .anonymities = {{x, {{0, 2}}, 5, {{first, 5}, {second, 5}}},
                          {x, {{0, 2}, {1, 1}}, 10, {{first, 15}, {second, 10}}}}};
}

// Section 7: T2 and T3 each match T1, and still not each other. Joining each with T1 alone would give 8 rows and A = 4.
inline Example ThreeReleases() {
  const Attribute c("any(c)"), d("any(d(d1 d2) d3)"), y("any(y1 y2)"), z("any(z1 z2)");
  return {.instance = {{Rows({c, d}, "c d x2"), Rows({d, y}, "d1 y1, d2 y2"), Rows({d, z}, "d1 z1, d2 z2")},
                       {{.columns = {{0, 1}, {1, 0}, {2, 0}}}},
                       {}},
          .matches = 4,
          .anonymities = {{{{0, 0}}, {{1, 1}, {2, 1}}, 2, {}}, {{{0, 0}}, {{1, 1}}, 2, {}}},
          .linkabilities = {{{{0, 0}}, {{{1, 1}, {2, 1}}, std::nullopt, 1, 2}, {}}}};
}

// Section 7: common sense between two earlier releases. a(x,y) and a(x) are products of rows: 2 of 6 for each y.
inline Example CommonSenseBetweenEarlierReleases() {
  const Attribute c("any(c)"), sex("any(Male Female)"), condition("any(Pregnant Other)");
  return {.instance = {{Rows({c}, "c x2"), Rows({sex}, "Male, Female"), Rows({condition}, "Pregnant, Other")},
                       {},
                       {{{2, 0}, condition("Pregnant"), {1, 0}, sex("Male")}}},
          .matches = 6,
          .anonymities = {{{{0, 0}}, {{1, 0}, {2, 0}}, 3, {}}, {{{1, 0}}, {{2, 0}}, 1, {}}},
          .linkabilities = {{{{0, 0}},
                             {{{1, 0}, {2, 0}}, std::nullopt, 1, 3},
                             {{2, 6, {c("c")}, {{sex("Female"), condition("Pregnant")}}}}}}};
}

inline std::vector<Example> OfThePaper() {
  return {Example1(),
          Example1NewReleaseAlone(),
          Example1EarlierReleaseAlone(),
          Example2(),
          Example3(),
          ValuesOfTheirOwn(),
          ValuesCountedTogether(),
          TwentyNineOfAHundred(),
          SamePath(),
          CommonSense(),
          CommonKey(),
          Section4(false),
          Section4(true),
          EverythingMatches(),
          ThreeReleases(),
          CommonSenseBetweenEarlierReleases()};
}

}  // namespace pentimento::join_examples
