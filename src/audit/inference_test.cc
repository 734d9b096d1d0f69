#include "audit/inference.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "audit/audit_testing.h"
#include "base/check_testing.h"

namespace pentimento::inference_test {
namespace {

using Rows = std::map<CaseNumber, Box>;

Rows RowsOf(const InferenceTable& table) {
  Rows rows;
  for (std::size_t i = 0; i < table.inferred.cases.size(); ++i) {
    const auto box = table.inferred.box(table.inferred.box_of_case[i]);
    rows[table.inferred.cases[i]] = Box(box.begin(), box.end());
  }
  return rows;
}

// One column is enough for what is not in the paper.
IncrementalRelease OneColumn(const std::map<CaseNumber, Interval>& rows) {
  Rows boxes;
  for (const auto& [number, interval] : rows) boxes[number] = {interval};
  IncrementalRelease release = paper::Publish(boxes);
  release.columns = 1;
  return release;
}

const IncrementalHistory& PaperHistory() {
  static const IncrementalHistory history = {paper::Publish(paper::kTable2), paper::Publish(paper::kTable5)};
  return history;
}

TEST(Inference, TablesTwoAndFiveOfThePaperGiveTableSix) {
  const InferenceTable table = Infer(PaperHistory());
  EXPECT_EQ(RowsOf(table), paper::kTable6);
  EXPECT_EQ(table.inferred.box_of_case, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 3}));
  EXPECT_EQ(table.class_sizes, (std::vector<std::uint64_t>{1, 1, 1, 2, 1}));
  EXPECT_TRUE(table.contradictory.empty());
}

// The paper's tables word for word, without the diseases: case-id, zip code, gender, age.
constexpr const char* kPrintedTable2 =
    "1 2043* NA [21-48]\n"
    "2 2043* NA [21-48]\n"
    "3 2043* female [26-31]\n"
    "4 2043* female [26-31]\n";
constexpr const char* kPrintedTable5 =
    "1 20433 female [21-26]\n"
    "2 20437 male [48-54]\n"
    "3 20433 female [21-26]\n"
    "4 2043* female 31\n"
    "5 20437 male [48-54]\n"
    "6 2043* female 31\n";
constexpr const char* kPrintedTable6 =
    "1 20433 female [21-26]\n"
    "2 20437 male 48\n"
    "3 20433 female 26\n"
    "4 2043* female 31\n"
    "5 20437 male [48-54]\n"
    "6 2043* female 31\n";

Rows ReadPrinted(const std::string& table) {
  Rows rows;
  std::istringstream lines(table);
  CaseNumber number = 0;
  for (std::string zip, gender, age; lines >> number >> zip >> gender >> age;) {
    const Code digit = static_cast<Code>(zip.back() - '0');
    Interval years;
    if (age.front() == '[') {
      years = {static_cast<Code>(std::stoul(age.substr(1, 2))), static_cast<Code>(std::stoul(age.substr(4, 2)))};
    } else {
      years = paper::Years(static_cast<Code>(std::stoul(age)));
    }
    const Interval sex = gender == "NA" ? paper::kNotAvailable : gender == "male" ? paper::kMale : paper::kFemale;
    rows[number] = paper::Patient(zip.back() == '*' ? paper::k2043x : Interval{digit, digit}, sex, years);
  }
  return rows;
}

std::string Print(const InferenceTable& table) {
  std::string printed;
  for (const auto& [number, box] : RowsOf(table)) {
    const std::string zip = box[0] == paper::k2043x ? "*" : std::to_string(box[0].lo);
    const std::string gender = box[1] == paper::kNotAvailable ? "NA" : box[1] == paper::kMale ? "male" : "female";
    const std::string age = box[2].size() == 1
                                ? std::to_string(box[2].lo)
                                : "[" + std::to_string(box[2].lo) + "-" + std::to_string(box[2].hi) + "]";
    printed += std::to_string(number) + " 2043" + zip + " " + gender + " " + age + "\n";
  }
  return printed;
}

TEST(Inference, ThePapersTablesComeOutWordForWord) {
  const IncrementalRelease second = paper::Publish(ReadPrinted(kPrintedTable2));
  const IncrementalRelease fifth = paper::Publish(ReadPrinted(kPrintedTable5));
  EXPECT_EQ(Print(Refine({}, second)), kPrintedTable2);
  EXPECT_EQ(Print(Refine({}, fifth)), kPrintedTable5);
  EXPECT_EQ(Print(Infer({second, fifth})), kPrintedTable6);
  EXPECT_EQ(Print(Infer({fifth, second})), kPrintedTable6) << "in any order";
}

TEST(Inference, InThePapersTableSixOnlyCasesFourAndSixAreSafe) {
  const InferenceTable table = Infer(PaperHistory());
  EXPECT_EQ(UnsafeCases(table, 2), (std::vector<CaseNumber>{1, 2, 3, 5}));
  EXPECT_EQ(SafeRatio(table, 2), (Ratio{1, 3}));
  EXPECT_EQ(UnsafeCases(table, 1), std::vector<CaseNumber>{});
  EXPECT_EQ(SafeRatio(table, 1), (Ratio{1, 1}));
  EXPECT_EQ(UnsafeCases(table, 3), (std::vector<CaseNumber>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(SafeRatio(table, 3), (Ratio{0, 1}));
}

TEST(Inference, EachReleaseOfThePaperAloneIsTwoAnonymous) {
  for (const std::size_t release : {0, 1}) {
    const InferenceTable table = Infer(PaperHistory(), std::vector<std::size_t>{release});
    EXPECT_EQ(RowsOf(table), release == 0 ? paper::kTable2 : paper::kTable5);
    EXPECT_EQ(SafeRatio(table, 2), (Ratio{1, 1}));
    EXPECT_TRUE(UnsafeCases(table, 2).empty());
  }
}

TEST(Inference, PublishingTheUpdateByItselfGivesNothingAway) {
  const Rows second = paper::Together(paper::kTable2, paper::kTable4);
  const InferenceTable table = Infer({paper::Publish(paper::kTable2), paper::Publish(second)});
  EXPECT_EQ(RowsOf(table), second);
  EXPECT_EQ(SafeRatio(table, 2), (Ratio{1, 1}));
}

TEST(Inference, WhatIsInferredOfThePapersPatientsIsTrue) {
  const Rows truth = paper::Together(paper::kTable1, paper::kTable3);
  const Rows inferred = RowsOf(Infer(PaperHistory()));
  ASSERT_EQ(inferred.size(), truth.size());
  for (const auto& [number, person] : truth) {
    for (std::size_t c = 0; c < person.size(); ++c) EXPECT_TRUE(inferred.at(number)[c].Contains(person[c])) << number;
  }
}

TEST(Inference, OfAMonotoneSeriesTheLastReleaseIsAllThereIsToKnow) {
  const IncrementalHistory history = {
      OneColumn({{1, {0, 9}}, {2, {0, 9}}}), OneColumn({{1, {0, 4}}, {2, {5, 9}}, {3, {0, 4}}, {4, {5, 9}}}),
      OneColumn({{1, {0, 2}}, {2, {5, 9}}, {3, {3, 4}}, {4, {5, 9}}, {5, {0, 2}}, {6, {3, 4}}})};
  EXPECT_EQ(RowsOf(Infer(history)), RowsOf(Refine({}, history.back())));
  EXPECT_EQ(SafeRatio(Infer(history), 2), (Ratio{1, 1}));
}

TEST(Inference, BoundingBoxesOfGroupsThatNestStillLeak) {
  const IncrementalHistory history = {
      paper::Publish({{1, {{1, 2}, {1, 10}}}, {2, {{1, 2}, {1, 10}}}}),
      paper::Publish({{1, {{0, 1}, {1, 1}}}, {2, {{2, 3}, {10, 10}}}, {3, {{0, 1}, {1, 1}}}, {4, {{2, 3}, {10, 10}}}})};
  EXPECT_EQ(Infer(history).class_sizes, (std::vector<std::uint64_t>{1, 1, 1, 1}));
}

// Its row is out and cannot be called back: whoever does not know when people came and went still counts it.
TEST(Inference, AWithdrawnCaseStillCountsInItsClass) {
  const IncrementalHistory history = {OneColumn({{1, {1, 2}}, {2, {1, 2}}, {3, {3, 4}}, {4, {3, 4}}}),
                                      OneColumn({{1, {1, 4}}, {3, {1, 4}}, {4, {1, 4}}})};
  EXPECT_EQ(Infer(history).class_sizes, (std::vector<std::uint64_t>{2, 2}));
}

TEST(Inference, EqualBoxesUnderDifferentNumbersAreOneClass) {
  const IncrementalRelease release = {
      .columns = 1, .boxes = {{0, 1}, {7, 7}, {0, 1}}, .cases = {3, 5, 8}, .box_of_case = {2, 0, 2}};
  const InferenceTable table = Refine({}, release);
  EXPECT_EQ(table.class_sizes, std::vector<std::uint64_t>{3});
  EXPECT_EQ(table.inferred.boxes, (std::vector<Interval>{{0, 1}}));  // a box without cases is no class
}

TEST(Inference, DifferentPairsOfBoxesWithOneIntersectionAreOneClass) {
  const IncrementalHistory history = {OneColumn({{1, {0, 2}}, {2, {0, 3}}}), OneColumn({{1, {1, 3}}, {2, {1, 2}}})};
  EXPECT_EQ(Infer(history).class_sizes, std::vector<std::uint64_t>{2});
  EXPECT_EQ(Refine({}, history[0]).class_sizes, (std::vector<std::uint64_t>{1, 1}));
}

TEST(Inference, ContradictoryCasesAreListedApartForEverAndAreNeverSafe) {
  const IncrementalHistory history = {OneColumn({{1, {0, 1}}, {2, {0, 1}}, {3, {0, 1}}}),
                                      OneColumn({{1, {2, 3}}, {2, {0, 1}}, {3, {0, 1}}}),
                                      OneColumn({{1, {0, 3}}, {2, {2, 3}}, {3, {0, 1}}, {4, {0, 1}}})};
  const InferenceTable table = Infer(history);
  EXPECT_EQ(table.contradictory, (std::vector<CaseNumber>{1, 2}));
  EXPECT_EQ(table.inferred.cases, (std::vector<CaseNumber>{3, 4}));
  EXPECT_EQ(table.case_count(), 4U);
  EXPECT_EQ(SafeRatio(table, 2), (Ratio{1, 2}));
  EXPECT_TRUE(UnsafeCases(table, 2).empty());
}

TEST(Inference, BoxesThatTouchInOneCodeDoNotContradict) {
  const InferenceTable table = Infer({OneColumn({{1, {0, 4}}}), OneColumn({{1, {4, 9}}})});
  EXPECT_EQ(RowsOf(table), (Rows{{1, {{4, 4}}}}));
}

TEST(Inference, NothingPublishedIsNothingUnsafe) {
  EXPECT_EQ(Infer(IncrementalHistory{}).case_count(), 0U);
  EXPECT_EQ(SafeRatio({}, 2), (Ratio{1, 1}));
  const InferenceTable table = Infer({OneColumn({}), OneColumn({{4294967295, {0, 0}}})});
  EXPECT_EQ(UnsafeCases(table, 2), std::vector<CaseNumber>{4294967295});
}

TEST(Inference, WithoutQuasiIdentifiersEverybodyIsInOneClass) {
  const IncrementalRelease release = {.columns = 0, .boxes = {}, .cases = {1, 2}, .box_of_case = {0, 0}};
  const IncrementalRelease later = {.columns = 0, .boxes = {}, .cases = {1, 2, 3}, .box_of_case = {0, 0, 0}};
  EXPECT_EQ(Infer({release, later}).class_sizes, std::vector<std::uint64_t>{3});
}

TEST(Inference, ReleasesThatAreNoSeriesAreABugOfOurs) {
  const IncrementalRelease twice = {.columns = 1, .boxes = {{0, 0}}, .cases = {1, 1}, .box_of_case = {0, 0}};
  EXPECT_NE(FailedCheckIn([&] { (void)Infer({twice}); }).find("ascend"), std::string::npos);
  const IncrementalHistory no_series = {OneColumn({{1, {0, 0}}}), paper::Publish(paper::kTable2)};
  EXPECT_NE(FailedCheckIn([&] { (void)Infer(no_series); }).find("share"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::inference_test
