// The worked examples of Wong et al., "(alpha,k)-anonymity based privacy preservation by lossy join", and the vectors
// and traps that go with them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "property/alpha_k_instances.h"

namespace pentimento::property {

using Line = std::vector<std::string>;

// Table 1, the raw data; the last column is sensitive.
inline std::vector<Line> PaperTable1() {
  return {{"clerk", "1975", "4350", "HIV"},          {"manager", "1955", "4350", "flu"},
          {"clerk", "1955", "5432", "flu"},          {"factory worker", "1955", "5432", "fever"},
          {"factory worker", "1975", "4350", "flu"}, {"technical supporter", "1940", "4350", "fever"}};
}
// Tables 2 and 3: full-domain generalization and local recoding, both (0.5, 2)-anonymous.
inline std::vector<Line> PaperTable2() {
  return {{"*", "*", "4350"}, {"*", "*", "4350"}, {"*", "*", "5432"},
          {"*", "*", "5432"}, {"*", "*", "4350"}, {"*", "*", "4350"}};
}
inline std::vector<Line> PaperTable3() {
  return {{"white-collar", "*", "4350"}, {"white-collar", "*", "4350"}, {"*", "1955", "5432"},
          {"*", "1955", "5432"},         {"blue-collar", "*", "4350"},  {"blue-collar", "*", "4350"}};
}
// Table 4 adds the class of each row; Tables 5 and 6 are its two projections, NSS and SS.
inline std::vector<std::size_t> PaperClasses() { return {0, 0, 1, 1, 2, 2}; }
// Table 7: NSS joined with SS on the class.
inline std::vector<Line> PaperTable7() {
  return {{"clerk", "1975", "4350", "HIV", "1"},
          {"manager", "1955", "4350", "HIV", "1"},
          {"clerk", "1975", "4350", "flu", "1"},
          {"manager", "1955", "4350", "flu", "1"},
          {"clerk", "1955", "5432", "flu", "2"},
          {"factory worker", "1955", "5432", "flu", "2"},
          {"clerk", "1955", "5432", "fever", "2"},
          {"factory worker", "1955", "5432", "fever", "2"},
          {"factory worker", "1975", "4350", "flu", "3"},
          {"technical supporter", "1940", "4350", "flu", "3"},
          {"factory worker", "1975", "4350", "fever", "3"},
          {"technical supporter", "1940", "4350", "fever", "3"}};
}

inline const std::vector<std::string>& PaperIllnesses() {
  static const std::vector<std::string> illnesses = {"HIV", "fever", "flu"};
  return illnesses;
}

inline std::vector<Domain> PaperDomains() {
  std::vector<Domain> domains;
  for (const char* text : {"clerk;white-collar;*\nmanager;white-collar;*\nfactory worker;blue-collar;*\n"
                           "technical supporter;blue-collar;*\n",
                           "1940;*\n1955;*\n1975;*\n", "4350;*\n5432;*\n"}) {
    domains.emplace_back(std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "paper").value()), false);
  }
  return domains;
}

inline AlphaKTable PaperTable() {
  AlphaKTable data;
  const std::vector<Line> lines = PaperTable1();
  data.domains = PaperDomains();
  data.table.rows = lines.size();
  for (std::size_t c = 0; c < data.domains.size(); ++c) {
    std::vector<Code> codes;
    for (const Line& line : lines) codes.push_back(data.domains[c].ParseLabel(line[c]).value().lo);
    data.table.quasi_identifiers.push_back(ColumnOf(codes, data.domains[c].size()));
  }
  std::vector<Code> illness;
  for (const Line& line : lines) {
    illness.push_back(static_cast<Code>(std::ranges::find(PaperIllnesses(), line[3]) - PaperIllnesses().begin()));
  }
  data.sensitive.push_back(ColumnOf(illness, 3));
  data.value_counts = {3};
  return data;
}

// A published table as a draft, every line a group of its own: equal lines are one class all the same.
inline Classes DraftOfLabels(const std::vector<Line>& lines, const std::vector<Domain>& domains) {
  Classes draft{.columns = domains.size(), .boxes = {}, .of_row = {}};
  for (const Line& line : lines) {
    draft.of_row.push_back(static_cast<ClassNumber>(draft.of_row.size()));
    for (std::size_t c = 0; c < domains.size(); ++c) draft.boxes.push_back(domains[c].ParseLabel(line[c]).value());
  }
  return draft;
}

inline AlphaKInstance PaperInstance(const std::vector<Line>& published, Ratio alpha, std::uint64_t k) {
  AlphaKInstance instance{PaperTable(), PromiseOf(alpha, k, {3}), {}, {}};
  instance.draft = DraftOfLabels(published, instance.data.domains);
  instance.tables = TablesOf(instance.data, PaperClasses(), false);
  return instance;
}

struct AlphaKExample {
  std::string name;
  AlphaKInstance instance;
  bool holds_generalized;
  bool holds_two_tables;
};

// --- Any -> {A, B} with alpha = 1/2 and k = 2. A is code 0, B is code 1; a row is published as it is or as Any.
inline AlphaKTable BranchTable(const std::vector<Code>& branch, const std::vector<Code>& values) {
  AlphaKTable data = TableOf(branch, {values}, {3});
  const std::vector<std::string> labels = {"A", "B"};
  data.domains.clear();
  data.domains.emplace_back(std::make_shared<const Taxonomy>(Taxonomy::Flat(labels).value()), false);
  return data;
}

inline AlphaKInstance BranchInstance(const std::vector<Code>& branch, const std::vector<Code>& values,
                                     const std::vector<Line>& published) {
  AlphaKInstance instance{BranchTable(branch, values), PromiseOf({1, 2}, 2, {3}), {}, {}};
  instance.draft = DraftOfLabels(published, instance.data.domains);
  instance.tables = TablesOf(instance.data, oracle::alpha_k::ClassesOf(instance.draft), false);
  return instance;
}

inline std::vector<AlphaKExample> BranchExamples() {
  const std::vector<Line> all = {{"*"}, {"*"}, {"*"}};
  return {
      {"the second row of A goes back", BranchInstance({0, 0, 0, 1}, {0, 1, 2, 0}, {{"A"}, {"*"}, {"A"}, {"*"}}), true,
       true},
      {"the third row of A goes back", BranchInstance({0, 0, 0, 1}, {0, 1, 2, 0}, {{"A"}, {"A"}, {"*"}, {"*"}}), true,
       true},
      {"the remainder holds one value twice", BranchInstance({0, 0, 0, 1}, {0, 1, 2, 0}, {{"*"}, {"A"}, {"A"}, {"*"}}),
       false, false},
      {"the remainder is one row", BranchInstance({0, 0, 0, 1}, {0, 1, 2, 0}, {{"A"}, {"A"}, {"A"}, {"*"}}), false,
       false},
      {"the donor is left with one row", BranchInstance({0, 0, 1}, {0, 1, 2}, {{"A"}, {"*"}, {"*"}}), false, false},
      {"one class of three", BranchInstance({0, 0, 1}, {0, 1, 2}, all), true, true},
      {"two of three are alike", BranchInstance({0, 0, 1}, {0, 1, 0}, all), false, false},
  };
}

// --- People with several rows, exact fractions, sets of values. HIV is 0, flu is 1.
inline std::vector<AlphaKExample> TrapExamples() {
  std::vector<AlphaKExample> examples;
  const auto add = [&](std::string name, AlphaKTable data, AlphaKPromise promise, bool generalized, bool two_tables) {
    examples.push_back(
        {std::move(name), InstanceByPoints(std::move(data), std::move(promise)), generalized, two_tables});
  };
  const AlphaKTable one_person = TableOf({0, 0}, {{0, 1}}, {2}, {0, 0});
  add("two rows of one person are not two persons", one_person, PromiseOf({1, 1}, 2, {2}), false, false);
  add("one person has both values for sure", one_person, PromiseOf({1, 2}, 1, {2}), false, false);
  const AlphaKTable two_classes = TableOf({0, 0, 1, 1}, {{0, 1, 0, 1}}, {2}, {0, 1, 0, 2});
  add("two classes give three quarters", two_classes, PromiseOf({3, 4}, 2, {2}), true, true);
  add("two classes give more than a half", two_classes, PromiseOf({1, 2}, 2, {2}), false, false);
  const AlphaKTable three_values = TableOf({0, 0, 0}, {{0, 1, 2}}, {3});
  add("a third is a third", three_values, PromiseOf({1, 3}, 2, {3}), true, true);
  add("a third is more than 0.33", three_values, PromiseOf(*ParseRatio("0.33"), 2, {3}), false, false);
  AlphaKPromise together = PromiseOf({1, 3}, 2, {3});
  AddLimit(together, 0, {0, 1}, {1, 2});
  add("two thirds have one of two values", three_values, together, false, false);
  together.policy.limits[0].at_most = together.claim.limits[1].at_most = {2, 3};
  add("two thirds may have one of two values", three_values, together, true, true);
  // The hypergeometric of one class: four rows, one of them with the value, two of one person.
  const AlphaKTable two_of_four = TableOf({0, 0, 0, 0}, {{0, 1, 2, 3}}, {4}, {0, 0, 1, 2});
  add("two of four rows make a half", two_of_four, PromiseOf({1, 2}, 3, {4}), true, true);
  add("two of four rows make more than a third", two_of_four, PromiseOf({1, 3}, 3, {4}), false, false);
  // A share of people that no share of rows shows: two of three people, two of five rows.
  const AlphaKTable often = TableOf({0, 0, 0, 0, 0}, {{0, 0, 1, 2, 3}}, {4}, {0, 1, 2, 2, 2});
  AlphaKPromise hiv = PromiseOf({1, 1}, 3, {4});
  AddLimit(hiv, 0, {0}, {9, 10});
  add("the chance of three of five rows is nine tenths", often, hiv, true, true);
  const AlphaKTable shares = TableOf({0, 0, 0, 0, 0, 0}, {{0, 0, 1, 1, 2, 3}}, {4}, {0, 1, 2, 2, 3, 3});
  hiv.policy.limits[0].at_most = hiv.claim.limits[1].at_most = {3, 5};
  add("half of the people, a third of the rows, three fifths over the worlds", shares, hiv, true, true);
  hiv.policy.limits[0].at_most = hiv.claim.limits[1].at_most = {59, 100};
  add("three fifths over the worlds are more than 0.59", shares, hiv, false, false);
  // Four people with two rows each, two of them with the value: half of the people, but 13/28 over the worlds. Only the
  // generalized form shows whose rows are alike in one table, so only there the share of people counts.
  const AlphaKTable pairs = TableOf(std::vector<Code>(8, 0), {{0, 1, 0, 1, 2, 3, 2, 3}}, {4}, {0, 0, 1, 1, 2, 2, 3, 3});
  hiv.policy.limits[0].at_most = hiv.claim.limits[1].at_most = {13, 28};
  add("half of the people is more than 13/28", pairs, hiv, false, true);
  return examples;
}

// 29 of 100 rows at 0.29: the one case that arithmetic in doubles gets wrong.
inline AlphaKInstance TwentyNineOfHundred(std::size_t with_value) {
  std::vector<Code> values(100, 1);
  for (std::size_t row = 0; row < 100; ++row) values[row] = row < with_value ? 0 : static_cast<Code>(1 + row % 60);
  AlphaKPromise promise = PromiseOf(*ParseRatio("0.29"), 2, {61});
  return InstanceByPoints(TableOf(std::vector<Code>(100, 0), {values}, {61}), std::move(promise));
}

// A query on Tables 5 and 6, and what is known of its answers.
struct CountExample {
  std::string name;
  std::size_t column;  // quasi-identifier
  std::string label;
  std::string illness;
  std::int64_t actual;
  oracle::alpha_k::Fraction estimate;
  std::int64_t naive;
};

inline std::vector<CountExample> CountExamples() {
  return {{"clerk and HIV", 0, "clerk", "HIV", 1, {1, 2}, 1},
          {"clerk and flu", 0, "clerk", "flu", 1, {1, 1}, 2},
          {"born 1955 and flu", 1, "1955", "flu", 2, {3, 2}, 2}};
}

}  // namespace pentimento::property
