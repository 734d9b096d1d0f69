#include "taxonomy/domain.h"

#include <gtest/gtest.h>

#include <map>

#include "base/check_testing.h"
#include "base/random.h"
#include "base/rounds_testing.h"
#include "fmt/core.h"

namespace pentimento::domain_test {
namespace {

std::shared_ptr<const Taxonomy> Read(std::string_view text) {
  return std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "t.csv").value());
}

constexpr std::string_view kSchool =
    "9th;Junior;Secondary;*\n"
    "10th;Junior;Secondary;*\n"
    "11th;Senior;Secondary;*\n"
    "Bachelors;University;*\n"
    "Masters;University;*\n"
    "None;*\n";

NumericRange Grid(std::int64_t lo, std::int64_t hi, int scale) { return {lo, hi, scale, {}}; }

// Every interval that may be published reads back as itself, no two share a label, and covering is settled after
// one step and never loses a code.
void ExpectLabelsReadBack(const Domain& domain, CategoryForm form) {
  std::map<std::string, Interval> written;
  for (Code lo = 0; lo < domain.size(); ++lo) {
    for (Code hi = lo; hi < domain.size(); ++hi) {
      const Interval cover = domain.Cover({lo, hi}, form);
      EXPECT_TRUE(cover.Contains(Interval{lo, hi}));
      EXPECT_EQ(domain.Cover(cover, form), cover);
      const std::string label = domain.Label(cover);
      EXPECT_EQ(domain.ParseLabel(label), cover) << label;
      const auto [found, is_new] = written.try_emplace(label, cover);
      EXPECT_EQ(found->second, cover) << label;
    }
  }
}

void ExpectLabelsReadBackInEveryWay(std::string_view text) {
  for (const bool missing : {false, true}) {
    for (const CategoryForm form : {CategoryForm::kTaxonomy, CategoryForm::kSets}) {
      ExpectLabelsReadBack(Domain(Read(text), missing), form);
    }
  }
}

TEST(DomainLabels, EveryCategoryReadsBack) {
  for (const std::string_view text : {kSchool, std::string_view("only;*\n"), std::string_view("a;X;*\n"),
                                      std::string_view("a;X;*\nb;X;*\n"), std::string_view("a;X;Y;Any\nb;X;Y;Any\n"),
                                      std::string_view("a;*\nb;*\n"), std::string_view("a;X;*\nb;Y;*\nc;Y;*\n")}) {
    ExpectLabelsReadBackInEveryWay(text);
  }
}

TEST(DomainLabels, LabelsFullOfSpecialCharactersReadBack) {
  ExpectLabelsReadBackInEveryWay(
      "a|b;}x;*\na;}x;*\nb;*\n\\;*\n\\\\;*\na\\|b;*\n};*\nx{;*\nx{y|z};*\n\" "
      "a\";*\na,b;*\n\"a;b\";*\n[1,2);*\n**;*\n\"\"\"\";*\n");
}

TEST(DomainLabels, RandomTaxonomiesReadBack) {
  Random random(SeedFromNumber(3), "domain test");
  for (std::size_t round = 0; round < TestRounds(200); ++round) {
    std::vector<std::string> path_up = {"*"};
    const auto any = [&] { return path_up[random.Below(static_cast<std::uint32_t>(path_up.size()))]; };
    for (std::uint32_t i = random.Below(6); i > 0; --i) path_up.push_back(fmt::format("n|{};{}", i, any()));
    std::string text;
    for (std::uint32_t i = random.Below(8) + 1; i > 0; --i) text += fmt::format("leaf}}{};{}\n", i, any());
    ExpectLabelsReadBackInEveryWay(text);
  }
}

TEST(DomainLabels, EveryNumericIntervalReadsBack) {
  for (const bool missing : {false, true}) {
    for (const NumericRange& range : {Grid(0, 12, 0), Grid(-7, 6, 0), Grid(-15, 15, 1), Grid(95, 105, 2), Grid(5, 5, 0),
                                      Grid(-1, 0, 18), NumericRange{0, 1000, 1, {0, 1, 5, 10, 100, 1000}},
                                      NumericRange{-INT64_MAX, INT64_MAX, 0, {-INT64_MAX, 0, INT64_MAX}}}) {
      ExpectLabelsReadBack(Domain(range, missing), CategoryForm::kTaxonomy);
    }
  }
}

TEST(DomainLabels, CategoriesAreWrittenAsTheTaxonomyHasThem) {
  const Domain school(Read(kSchool), false);
  EXPECT_EQ(school.Label({0, 0}), "9th");
  EXPECT_EQ(school.Label({0, 2}), "Secondary");
  EXPECT_EQ(school.Label({2, 2}), "11th");
  EXPECT_EQ(school.Label(school.root()), "*");
  EXPECT_EQ(school.Label({1, 2}), "{10th|11th}");
  EXPECT_EQ(school.Label({0, 4}), "{Secondary|University}");
  EXPECT_EQ(school.Label({1, 5}), "{10th|11th|University|None}");
}

TEST(DomainLabels, ARootOfAnotherNameIsPublishedAsAStarAndReadByBoth) {
  const Domain domain(Read("a;Any\nb;Any\n"), true);
  EXPECT_EQ(domain.Label(domain.root()), "*");
  EXPECT_EQ(domain.ParseLabel("Any"), domain.root());
}

TEST(DomainLabels, SpecialCharactersAreEscapedOnlyInsideSets) {
  const Domain domain(Read("a|b;*\nc\\d;*\n}e{;*\nf;*\n"), false);
  EXPECT_EQ(domain.Label({0, 0}), "a|b");
  EXPECT_EQ(domain.Label({2, 2}), "}e{");
  EXPECT_EQ(domain.Label({0, 2}), "{a\\|b|c\\\\d|\\}e\\{}");
}

TEST(DomainLabels, NumbersAreHalfOpenUntilTheEndOfTheRange) {
  const Domain age(Grid(0, 120, 0), false);
  EXPECT_EQ(age.Label({37, 37}), "37");
  EXPECT_EQ(age.Label({30, 39}), "[30,40)");
  EXPECT_EQ(age.Label({30, 119}), "[30,120)");
  EXPECT_EQ(age.Label({30, 120}), "[30,120]");
  EXPECT_EQ(age.Label(age.root()), "[0,120]");
  const Domain price(Grid(0, 1000, 2), false);
  EXPECT_EQ(price.Label({0, 49}), "[0,0.5)");
  EXPECT_EQ(price.Label({125, 125}), "1.25");
  const Domain sparse({0, 1000, 0, {0, 7, 30, 1000}}, false);
  EXPECT_EQ(sparse.Label({1, 2}), "[7,31)") << "one unit past the last value: the next value may be somebody else's";
  EXPECT_EQ(sparse.Label({1, 3}), "[7,1000]");
  EXPECT_EQ(sparse.Label({1, 1}), "7");
}

TEST(DomainLabels, MissingIsWrittenAsNothingAndHiddenOnlyByTheRoot) {
  const Domain school(Read(kSchool), true);
  EXPECT_EQ(school.missing_code(), 6U);
  EXPECT_TRUE(school.IsMissing(6));
  EXPECT_EQ(school.Label({6, 6}), "");
  EXPECT_EQ(school.ParseLabel(""), (Interval{6, 6}));
  EXPECT_EQ(school.Label({0, 6}), "*");
  EXPECT_EQ(school.ParseLabel("*"), (Interval{0, 6}));
  EXPECT_EQ(school.Label({0, 5}), "{Secondary|University|None}");
  const Domain age(Grid(0, 9, 0), true);
  EXPECT_EQ(age.Label({0, 9}), "[0,9]");
  EXPECT_EQ(age.Label({0, 10}), "*");
  EXPECT_EQ(age.ParseLabel("*"), (Interval{0, 10}));
}

TEST(DomainLabels, WhereNothingMayBeMissingAnEmptyLabelIsNone) {
  EXPECT_FALSE(Domain(Read(kSchool), false).ParseLabel(""));
  EXPECT_FALSE(Domain(Grid(0, 9, 0), false).ParseLabel(""));
  EXPECT_FALSE(Domain(Read(kSchool), false).missing_code());
  EXPECT_FALSE(Domain(Read(kSchool), false).IsMissing(6));
}

TEST(DomainLabels, WhatIsNoLabelIsNotRead) {
  const Domain school(Read(kSchool), true);
  for (const char* bad : {"?",
                          "9th ",
                          "{",
                          "}",
                          "{}",
                          "{|}",
                          "{9th}",
                          "{9th|11th}",
                          "{9th|9th}",
                          "{Junior|9th}",
                          "{9th|10th",
                          "9th|10th}",
                          "{9th|10th}}",
                          "{9th|10th\\}",
                          "{9th|\\10th}",
                          "{*|9th}",
                          "{9th||10th}",
                          "{9th|10th|}",
                          "{None|}",
                          "[0,5]"}) {
    EXPECT_FALSE(school.ParseLabel(bad)) << bad;
  }
  EXPECT_EQ(school.ParseLabel("{10th|9th}"), (Interval{0, 1}));
  const Domain age(Grid(0, 120, 0), true);
  for (const char* bad : {"121",   "-1",      "1.5",   "[",    "[]",   "[,]",    "[1]",   "[1,)",    "[,1)", "[5,5)",
                          "[6,5]", "[0,121]", "(0,5]", "[0,5", "0,5]", "[0,5]]", "[0;5]", "[0,5,6]", "abc",  "{1|2}"}) {
    EXPECT_FALSE(age.ParseLabel(bad)) << bad;
  }
  EXPECT_EQ(age.ParseLabel("[3,5]"), (Interval{3, 5}));
  EXPECT_EQ(age.ParseLabel("[3.0, 5.00)"), (Interval{3, 4}));
  EXPECT_FALSE(Domain({0, 9, 0, {0, 4, 9}}, false).ParseLabel("[0,4)"));
}

TEST(DomainCover, ATaxonomyNodeTheSetItselfOrTheNumbersThemselves) {
  const Domain school(Read(kSchool), true);
  EXPECT_EQ(school.Cover({0, 1}, CategoryForm::kTaxonomy), (Interval{0, 1}));
  EXPECT_EQ(school.Cover({1, 2}, CategoryForm::kTaxonomy), (Interval{0, 2}));
  EXPECT_EQ(school.Cover({1, 2}, CategoryForm::kSets), (Interval{1, 2}));
  EXPECT_EQ(school.Cover({2, 3}, CategoryForm::kTaxonomy), school.root());
  EXPECT_EQ(school.Cover({6, 6}, CategoryForm::kTaxonomy), (Interval{6, 6}));
  EXPECT_EQ(school.Cover({5, 6}, CategoryForm::kSets), school.root());
  const Domain age(Grid(0, 9, 0), true);
  EXPECT_EQ(age.Cover({2, 5}, CategoryForm::kTaxonomy), (Interval{2, 5}));
  EXPECT_EQ(age.Cover({9, 10}, CategoryForm::kTaxonomy), age.root());
}

TEST(DomainCover, ANodeOverAllValuesIsLessThanTheRootWhereValuesMayBeMissing) {
  const Domain domain(Read("a;Known;*\nb;Known;*\n"), true);
  EXPECT_EQ(domain.Cover({0, 1}, CategoryForm::kTaxonomy), (Interval{0, 1}));
  EXPECT_EQ(domain.Label({0, 1}), "Known");
  EXPECT_EQ(domain.ParseLabel("Known"), (Interval{0, 1}));
}

TEST(DomainWidth, RunsFromExactToRoot) {
  const Domain school(Read(kSchool), true);
  EXPECT_EQ(school.RelativeWidth({3, 3}), 0);
  EXPECT_EQ(school.RelativeWidth({6, 6}), 0);
  EXPECT_EQ(school.RelativeWidth({0, 2}), 0.5);
  EXPECT_EQ(school.RelativeWidth(school.root()), 1);
  const Domain age(Grid(0, 100, 0), false);
  EXPECT_EQ(age.RelativeWidth({20, 45}), 0.25);
  EXPECT_EQ(age.RelativeWidth({20, 20}), 0);
  EXPECT_EQ(age.RelativeWidth(age.root()), 1);
  const Domain sparse({0, 100, 0, {0, 50, 100}}, true);
  EXPECT_EQ(sparse.RelativeWidth({0, 1}), 0.5);
  EXPECT_EQ(sparse.RelativeWidth({0, 2}), 1);
  EXPECT_EQ(sparse.RelativeWidth(sparse.root()), 1);
  const Domain point(Grid(5, 5, 0), true);
  EXPECT_EQ(point.RelativeWidth({0, 0}), 0);
  EXPECT_EQ(point.RelativeWidth(point.root()), 1);
  EXPECT_EQ(Domain({-INT64_MAX, INT64_MAX, 0, {-INT64_MAX, 0, INT64_MAX}}, false).RelativeWidth({0, 1}), 0.5);
}

TEST(DomainDepth, CountsTheEdgesDownToTheSmallestNodeThatCovers) {
  const Domain school(Read(kSchool), true);
  EXPECT_EQ(school.Depth({0, 0}), 3);
  EXPECT_EQ(school.Depth({0, 1}), 2);
  EXPECT_EQ(school.Depth({0, 2}), 1);
  EXPECT_EQ(school.Depth({1, 2}), 1) << "a set stands where the node above it does";
  EXPECT_EQ(school.Depth({2, 3}), 0);
  EXPECT_EQ(school.Depth({6, 6}), 1) << "a missing value is right below the root";
  EXPECT_EQ(school.Depth(school.root()), 0);
  EXPECT_EQ(Domain(Read(kSchool), false).Depth({0, 5}), 0);
  EXPECT_EQ(Domain(Grid(0, 9, 0), true).Depth({0, 10}), 0);
}

TEST(Domain, AMixOfMissingAndSomeValuesCannotBeWritten) {
  const std::string said = FailedCheckIn([] { (void)Domain(Read(kSchool), true).Label({5, 6}); });
  EXPECT_NE(said.find("root"), std::string::npos) << said;
}

TEST(Domain, CodesOutsideTheDomainAreABug) {
  const std::string outside = FailedCheckIn([] { (void)Domain(Read(kSchool), false).Label({5, 6}); });
  EXPECT_NE(outside.find("domain"), std::string::npos) << outside;
  const std::string too_many = FailedCheckIn([] { Domain(Grid(0, INT64_C(1) << 40, 0), false); });
  EXPECT_NE(too_many.find("code"), std::string::npos) << too_many;
}

}  // namespace
}  // namespace pentimento::domain_test
