#include "taxonomy/foreign_label.h"

#include <gtest/gtest.h>

#include <ostream>
#include <set>

#include "fmt/core.h"

namespace pentimento::foreign_label_test {
namespace {

Domain Whole(std::int64_t lo, std::int64_t hi, bool allows_missing = false) {
  return {NumericRange{lo, hi, 0, {}}, allows_missing};
}
Domain Hundredths(std::int64_t lo, std::int64_t hi) { return {NumericRange{lo, hi, 2, {}}, false}; }

Domain Tree(std::string_view text, bool allows_missing = false) {
  return {std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "t.csv").value()), allows_missing};
}

// "exact 20 29", "wider 2 29", "beyond", "unknown": codes, and of numbers the points.
std::string Reading(const Domain& domain, std::string_view label) {
  const ForeignLabel read = ForeignLabelReader(domain).Read(label);
  if (read.reading == LabelReading::kBeyond) return "beyond";
  if (read.reading == LabelReading::kUnknown) return "unknown";
  const std::string_view word = read.reading == LabelReading::kExact ? "exact" : "wider";
  const auto point = [&](Code code) {
    if (!domain.is_numeric()) return static_cast<std::int64_t>(code);
    return domain.range().point(code);
  };
  return fmt::format("{} {} {}", word, point(read.codes.lo), point(read.codes.hi));
}

struct Expected {
  const char* label;
  const char* reading;
};

void ExpectReadings(const Domain& domain, const std::vector<Expected>& table) {
  for (const Expected& row : table) EXPECT_EQ(Reading(domain, row.label), row.reading) << '"' << row.label << '"';
}

const Domain& Age() {
  static const Domain domain = Whole(0, 120);
  return domain;
}

TEST(ForeignNumberLabels, Arx) {
  ExpectReadings(Age(), {{"[20, 30[", "exact 20 29"},
                         {"[0, 1[", "exact 0 0"},
                         {"[110, 121[", "exact 110 120"},
                         {"]20, 30]", "exact 21 30"},
                         {"]20, 30[", "exact 21 29"},
                         {"[20, 29]", "exact 20 29"},
                         {"<18", "exact 0 17"},
                         {">=80", "exact 80 120"},
                         {"{17, 18, 19}", "exact 17 19"},
                         {"{19, 17, 18}", "exact 17 19"},
                         {"{17}", "exact 17 17"},
                         {"{17, 23, 31}", "wider 17 31"},
                         {"*", "exact 0 120"}});
}

TEST(ForeignNumberLabels, SdcMicroCutsAsROfTheRightEnd) {
  ExpectReadings(Age(), {{"(20,30]", "exact 21 30"},
                         {"(-1,20]", "exact 0 20"},
                         {"[0,20]", "exact 0 20"},
                         {"(90,Inf]", "exact 91 120"},
                         {"(90, Inf)", "exact 91 120"},
                         {"[-Inf,18)", "exact 0 17"},
                         {"(1e+05,2e+05]", "unknown"},
                         {"NA", "unknown"}});
}

TEST(ForeignNumberLabels, Amnesia) {
  ExpectReadings(Age(), {{"20-29", "exact 20 29"},
                         {"20 - 29", "exact 20 29"},
                         {"20.0-29.0", "exact 20 29"},
                         {"0-120", "exact 0 120"},
                         {"20-20", "exact 20 20"},
                         {"(null)", "unknown"}});
}

TEST(ForeignNumberLabels, Pandas) {
  ExpectReadings(Age(), {{"(20.5, 30.25]", "exact 21 30"},
                         {"(-0.001, 25.0]", "exact 0 25"},
                         {"(9.918, 37.333]", "exact 10 37"},
                         {"[20, 30)", "exact 20 29"},
                         {"[20.0, 30.5)", "exact 20 30"},
                         {"(60.0, inf]", "exact 61 120"},
                         {"(-inf, 20.0]", "exact 0 20"},
                         {"(-inf, inf)", "exact 0 120"},
                         {"nan", "unknown"}});
  ExpectReadings(Hundredths(0, 12'000), {{"(20.5, 30.25]", "exact 2051 3025"},
                                         {"[20.5, 30.25)", "exact 2050 3024"},
                                         {"(20.505, 30.25]", "exact 2051 3025"},
                                         {"(-0.001, 2.0]", "exact 0 200"}});
}

TEST(ForeignNumberLabels, ADashBetweenBrackets) {
  ExpectReadings(Age(), {{"[21-48]", "exact 21 48"},
                         {"[21 - 48]", "exact 21 48"},
                         {"[21–48]", "exact 21 48"},
                         {"[20-30)", "exact 20 29"},
                         {"[20-30[", "exact 20 29"},
                         {"(20-30]", "exact 21 30"},
                         {"[20..30]", "exact 20 30"},
                         {"[30-20]", "unknown"},
                         {"(20-20]", "unknown"},
                         {"[20-130]", "beyond"},
                         {"[20]", "unknown"},
                         {"[-20]", "unknown"},
                         {"[50+]", "unknown"},
                         {"[20-30", "unknown"},
                         {"[20-30-40]", "unknown"}});
}

TEST(ForeignNumberLabels, WordsAndSigns) {
  ExpectReadings(Age(), {{">=50", "exact 50 120"},
                         {">50", "exact 51 120"},
                         {"<=50", "exact 0 50"},
                         {"<50", "exact 0 49"},
                         {"≥50", "exact 50 120"},
                         {"≤ 50", "exact 0 50"},
                         {"> 50", "exact 51 120"},
                         {"50+", "exact 50 120"},
                         {"50 +", "exact 50 120"},
                         {"20..29", "exact 20 29"},
                         {"1.5..2.5", "exact 2 2"},
                         {"20 to 29", "exact 20 29"},
                         {"20–29", "exact 20 29"},
                         {" 20-29 ", "exact 20 29"},
                         {"05-09", "exact 5 9"},
                         {"17|18", "exact 17 18"},
                         {"{17|18}", "exact 17 18"}});
}

TEST(ForeignNumberLabels, NumbersBelowZero) {
  ExpectReadings(Whole(-50, 50), {{"-5--1", "exact -5 -1"},
                                  {"-5 - -1", "exact -5 -1"},
                                  {"-5-1", "exact -5 1"},
                                  {"-5..-1", "exact -5 -1"},
                                  {"-5 to 5", "exact -5 5"},
                                  {"[-5, 0[", "exact -5 -1"},
                                  {"<-5", "exact -50 -6"},
                                  {"-1--5", "unknown"},
                                  {"--5", "unknown"}});
}

TEST(ForeignNumberLabels, WhatHasNoReadingIsUnknown) {
  for (const char* label : {"20-10",
                            "20-29-30",
                            "[30,20]",
                            "(20,20]",
                            "[20,20[",
                            "1e5",
                            "2020-01-31",
                            "31-01-2020",
                            "2*3",
                            "*3",
                            "2*-3*",
                            "17,23",
                            "[20,5, 30,5[",
                            "[20;30]",
                            "[20,30",
                            "20,30]",
                            "[20 30]",
                            "{17,}",
                            "{}",
                            "{17;18}",
                            "{a,b}",
                            "20-",
                            "-",
                            "+",
                            "+50+",
                            ">",
                            "=50",
                            "=>50",
                            ">=50<60",
                            "20 29",
                            "20to29",
                            "20...29",
                            "20~29",
                            "20%",
                            "20-29 years",
                            "twenty",
                            "0x10",
                            "NA",
                            "null",
                            "?",
                            " ",
                            "-inf",
                            "[inf, 3]",
                            "[3, -inf]",
                            "(,30]",
                            "20.-30",
                            "20-30-",
                            "99999999999999999999",
                            "1.2.3",
                            "a20-29",
                            "2043*x",
                            "123456789012345678*"}) {
    EXPECT_EQ(Reading(Whole(0, 3000), label), "unknown") << '"' << label << '"';
  }
}

TEST(ForeignNumberLabels, AnEndOutsideOfTheDomainByAUnitIsBeyondIt) {
  ExpectReadings(Age(), {{"[110, 121[", "exact 110 120"},
                         {"[110, 121.5[", "beyond"},
                         {"[110, 122[", "beyond"},
                         {"110-120.9", "exact 110 120"},
                         {"110-121", "beyond"},
                         {"(-1, 5]", "exact 0 5"},
                         {"[-1, 5]", "beyond"},
                         {"(-1.5, 5]", "beyond"},
                         {"[-0.999, 5]", "exact 0 5"},
                         {">120", "beyond"},
                         {">=120", "exact 120 120"},
                         {"<0", "beyond"},
                         {"<=0", "exact 0 0"},
                         {">=-1", "beyond"},
                         {">-1", "exact 0 120"},
                         {"130-140", "beyond"},
                         {"(20.2, 20.8)", "beyond"},
                         {"{17, 121}", "beyond"},
                         {"{17, 17.5}", "beyond"},
                         {"121", "beyond"}});
  // The unit of the declared ends counts, also where the data is finer.
  ExpectReadings(Hundredths(0, 12'000),
                 {{"(-0.5, 5]", "exact 0 500"}, {"[-1, 5]", "beyond"}, {"110-120.99", "exact 11000 12000"}});
  ExpectReadings(Hundredths(50, 12'000), {{"(0.4, 5]", "exact 50 500"}, {"(0.39, 5]", "beyond"}});
}

TEST(ForeignNumberLabels, AMaskHidesDigitsOrTheBlanksOfPadding) {
  ExpectReadings(Whole(1000, 9999), {{"2043*", "beyond"},
                                     {"204*", "exact 2040 2049"},
                                     {"20**", "exact 2000 2099"},
                                     {"****", "exact 1000 9999"},
                                     {"9***", "exact 9000 9999"},
                                     {"0***", "beyond"}});
  ExpectReadings(Age(), {{"2*", "wider 2 29"},
                         {"35*", "exact 35 35"},
                         {"3**", "wider 3 39"},
                         {"12*", "wider 12 120"},
                         {"**", "wider 0 99"},
                         {"***", "wider 0 120"},
                         {"0*", "exact 0 9"}});
  ExpectReadings(Whole(10, 99), {{"2*", "exact 20 29"}, {"**", "exact 10 99"}, {"***", "beyond"}});
  ExpectReadings(Whole(18, 65), {{"1*", "exact 18 19"}, {"6*", "exact 60 65"}});
  ExpectReadings(Hundredths(0, 12'000), {{"2*", "unknown"}});
}

// By the definition: a mask may be every number that is written with its digits and a digit for each of at most as many
// stars; with all of them where the digit count is fixed.
TEST(ForeignNumberLabels, MasksAgreeWithMaskingEveryNumber) {
  for (const auto& [lo, hi] : {std::pair(0, 120), std::pair(10, 99), std::pair(5, 1205), std::pair(100, 999)}) {
    const Domain domain = Whole(lo, hi);
    for (const std::string label : {"1*", "12*", "1**", "9*", "99*", "***", "**", "10*", "5*", "120*", "11**"}) {
      const std::string prefix = label.substr(0, label.find('*'));
      std::set<int> fits, full;
      for (int n = lo; n <= hi; ++n) {
        const std::string digits = std::to_string(n);
        if (!digits.starts_with(prefix) || digits.size() > label.size()) continue;
        if (label.size() > std::to_string(hi).size()) continue;
        fits.insert(n);
        if (digits.size() == label.size()) full.insert(n);
      }
      std::string expected = "beyond";
      if (!fits.empty()) {
        const bool side_by_side = *fits.rbegin() - *fits.begin() + 1 == static_cast<int>(fits.size());
        const bool one_reading = full.empty() || full == fits;
        expected =
            fmt::format("{} {} {}", side_by_side && one_reading ? "exact" : "wider", *fits.begin(), *fits.rbegin());
      }
      EXPECT_EQ(Reading(domain, label), expected) << label << " in " << lo << " to " << hi;
    }
  }
}

// By the definition, over every small interval: the points that the two comparisons let pass.
TEST(ForeignNumberLabels, BracketsAgreeWithComparingEveryPoint) {
  for (const int scale : {0, 1}) {
    const NumericRange range{0, scale == 0 ? 6 : 60, scale, {}};
    const Domain domain(range, false);
    for (int lo = 0; lo <= 60; lo += 5) {
      for (int hi = lo; hi <= 60; hi += 5) {
        for (const auto& [open, close] : {std::pair('[', ']'), std::pair('[', '['), std::pair('(', ']'),
                                          std::pair(']', ')'), std::pair(']', ']'), std::pair('[', ')')}) {
          std::optional<Interval> expected;
          for (Code code = 0; code < domain.size(); ++code) {
            const std::int64_t tenths = range.point(code) * (scale == 0 ? 10 : 1);
            const bool above = open == '[' ? tenths >= lo : tenths > lo;
            const bool below = close == ']' ? tenths <= hi : tenths < hi;
            if (!above || !below) continue;
            if (!expected) expected = Interval{code, code};
            expected->hi = code;
          }
          const std::string label = fmt::format("{}{}.{}, {}.{}{}", open, lo / 10, lo % 10, hi / 10, hi % 10, close);
          const ForeignLabel read = ForeignLabelReader(domain).Read(label);
          EXPECT_EQ(read.reading == LabelReading::kExact, expected.has_value()) << label;
          EXPECT_EQ(read.codes, expected.value_or(Interval())) << label;
        }
      }
    }
  }
}

TEST(ForeignNumberLabels, PointsThatAreNotAGrid) {
  const Domain domain(NumericRange{0, 900, 1, {0, 40, 75, 900}}, false);
  ExpectReadings(domain,
                 {{"(4, 7.5]", "exact 75 75"}, {"0-7", "exact 0 40"}, {">7", "exact 75 900"}, {"5-6", "beyond"}});
}

constexpr std::string_view kZip =
    "20431;2043*;204**;*\n20432;2043*;204**;*\n20441;2044*;204**;*\n20511;2051*;205**;*\n";
constexpr std::string_view kPlainZip = "20431;*\n20432;*\n20441;*\n20511;*\n";
constexpr std::string_view kJob = "Nurse;Care;Any\nDoctor;Care;Any\nClerk;Office;Any\nLawyer;Office;Any\n";

TEST(ForeignCategoryLabels, LabelsOfTheTaxonomyWithBlanksAround) {
  ExpectReadings(Tree(kJob, true), {{"Care", "exact 0 1"},
                                    {" Nurse", "exact 0 0"},
                                    {"Office ", "exact 2 3"},
                                    {"*", "exact 0 4"},
                                    {"Any", "exact 0 4"},
                                    {"", "exact 4 4"},
                                    {" ", "unknown"},
                                    {" *", "unknown"},
                                    {"care", "unknown"},
                                    {"NA", "unknown"},
                                    {"All", "unknown"}});
  EXPECT_EQ(Reading(Tree(kJob, false), ""), "unknown");
}

TEST(ForeignCategoryLabels, SetsOfLabels) {
  ExpectReadings(Tree(kJob, true), {{"{Nurse, Doctor}", "exact 0 1"},
                                    {"{Doctor,Clerk}", "exact 1 2"},
                                    {"{Clerk,Doctor}", "exact 1 2"},
                                    {"{Doctor|Clerk}", "exact 1 2"},
                                    {"{ Doctor | Clerk }", "exact 1 2"},
                                    {"Doctor|Clerk", "exact 1 2"},
                                    {"Doctor | Clerk", "exact 1 2"},
                                    {"{Care, Clerk}", "exact 0 2"},
                                    {"{Care, Nurse}", "exact 0 1"},
                                    {"{Care, Office}", "exact 0 3"},
                                    {"{Nurse}", "exact 0 0"},
                                    {"{Nurse, Clerk}", "wider 0 2"},
                                    {"Nurse|Lawyer", "wider 0 3"},
                                    {"Nurse,Doctor", "unknown"},
                                    {"{Nurse, Pilot}", "unknown"},
                                    {"{Nurse, Any}", "unknown"},
                                    {"{Nurse, *}", "unknown"},
                                    {"{Nurse,}", "unknown"},
                                    {"{Nurse|Doctor,Clerk}", "unknown"},
                                    {"{}", "unknown"},
                                    {"{", "unknown"},
                                    {"}", "unknown"},
                                    {"|", "unknown"},
                                    {"{Nurse", "unknown"}});
}

TEST(ForeignCategoryLabels, ASetHasOneWayToSplitOrNoReading) {
  const Domain names = Tree("Smith, John;*\nDoe;*\nRoe, Ann;*\n");
  ExpectReadings(names,
                 {{"{Smith, John, Doe}", "exact 0 1"}, {"{Doe, Roe, Ann}", "exact 1 2"}, {"{Smith}", "unknown"}});
  const Domain twice = Tree("a,b;*\na;*\nb;*\nc;*\n");
  ExpectReadings(twice, {{"{a,b}", "unknown"}, {"{b,c}", "exact 2 3"}, {"{a,b,c}", "unknown"}, {"a,b", "exact 0 0"}});
  const Domain bars = Tree("a|b;*\na;*\nb;*\nx,y;*\n");
  ExpectReadings(bars, {{"a|b", "exact 0 0"}, {"{b|x,y}", "exact 2 3"}});
}

TEST(ForeignCategoryLabels, MasksAreNodesOrLeavesThatBeginSo) {
  for (const std::string_view text : {kZip, kPlainZip}) {
    ExpectReadings(Tree(text), {{"2043*", "exact 0 1"}, {"204**", "exact 0 2"}, {"205**", "exact 3 3"}});
  }
  ExpectReadings(Tree(kPlainZip, true), {{"20***", "exact 0 4"},
                                         {"*****", "exact 0 4"},
                                         {"20*", "exact 0 4"},
                                         {"204*", "exact 0 2"},
                                         {"****", "beyond"},
                                         {"20**", "beyond"},
                                         {"2043**", "beyond"},
                                         {"20431*", "beyond"},
                                         {"99*", "beyond"},
                                         {"2*3", "unknown"},
                                         {"*31", "unknown"},
                                         {"2*4*", "unknown"}});
}

TEST(ForeignCategoryLabels, AMaskOfLeavesOfManyLengthsMayHaveTwoReadings) {
  const Domain codes = Tree("20;*\n201;*\n202;*\n2021;*\n3;*\n");
  ExpectReadings(codes, {{"20*", "wider 0 3"}, {"20**", "wider 0 3"}, {"201*", "exact 1 1"}, {"3*", "exact 4 4"}});
}

TEST(ForeignCategoryLabels, LeavesThatDoNotLieSideBySideAreWider) {
  ExpectReadings(Tree("201;*\n301;*\n202;*\n"), {{"20*", "wider 0 2"}});
}

TEST(ForeignCategoryLabels, AMaskCountsCharactersAndNotBytes) {
  const Domain names = Tree("née;*\nnés;*\nnuit;*\n");
  ExpectReadings(names, {{"né*", "exact 0 1"}, {"n**", "exact 0 1"}, {"n*", "exact 0 2"}});
}

// A label of ours means the same to both readers, whatever the domain.
void ExpectOwnLabelsStay(const Domain& domain) {
  const ForeignLabelReader reader(domain);
  for (const CategoryForm form : {CategoryForm::kTaxonomy, CategoryForm::kSets}) {
    for (Code lo = 0; lo < domain.size(); ++lo) {
      for (Code hi = lo; hi < domain.size(); ++hi) {
        const Interval codes = domain.Cover({lo, hi}, form);
        const std::string label = domain.Label(codes);
        EXPECT_EQ(reader.Read(label), (ForeignLabel{LabelReading::kExact, codes})) << label;
        EXPECT_EQ(reader.Translate(label), label);
      }
    }
  }
}

TEST(ForeignLabelReader, OurOwnLabelsMeanTheSame) {
  for (const bool missing : {false, true}) {
    for (const std::string_view text :
         {kZip, kPlainZip, kJob, std::string_view("a,b;*\na;*\nb;*\nc;*\n"), std::string_view("a|b;X;*\na;X;*\nb;*\n"),
          std::string_view("20-29;*\n>=50;*\n2*;*\n[1,2);*\n(null);*\n"), std::string_view("\\x};*\na};*\n|;*\n")})
      ExpectOwnLabelsStay(Tree(text, missing));
    ExpectOwnLabelsStay(Whole(-3, 9, missing));
    ExpectOwnLabelsStay(Whole(1, 30, missing));
    ExpectOwnLabelsStay({NumericRange{-25, 25, 1, {}}, missing});
    ExpectOwnLabelsStay({NumericRange{0, 1000, 2, {0, 7, 100, 250, 999, 1000}}, missing});
  }
}

// What is translated is read as the same codes by the strict reader; what is not exact is not translated.
TEST(ForeignLabelReader, TranslationsAreOurLabelsOfTheSameCodes) {
  const std::vector<Domain> domains = {Whole(0, 30), Whole(-9, 9, true), Hundredths(0, 300),
                                       Domain(NumericRange{0, 30, 0, {0, 3, 7, 20, 30}}, true)};
  std::size_t translated = 0;
  for (const Domain& domain : domains) {
    const ForeignLabelReader reader(domain);
    for (int lo = -10; lo <= 31; ++lo) {
      for (int hi = lo - 1; hi <= 31; ++hi) {
        for (const std::string& label :
             {fmt::format("[{}, {}[", lo, hi), fmt::format("({}, {}]", lo, hi), fmt::format("]{}, {}[", lo, hi),
              fmt::format("{}-{}", lo, hi), fmt::format("{{{}, {}}}", lo, hi), fmt::format("({}.5, {}.25)", lo, hi),
              fmt::format(">={}", lo), fmt::format("<{}", hi), fmt::format("{}*", lo)}) {
          const ForeignLabel read = reader.Read(label);
          const std::optional<std::string> own = reader.Translate(label);
          ASSERT_EQ(own.has_value(), read.reading == LabelReading::kExact) << label;
          if (!own) continue;
          ASSERT_EQ(domain.ParseLabel(*own), read.codes) << label << " is " << *own;
          ++translated;
        }
      }
    }
  }
  EXPECT_GT(translated, 1000U);
}

TEST(ForeignLabelReader, TranslationsKeepEndsAsTheyAre) {
  const Domain age = Age();
  const ForeignLabelReader reader(age);
  EXPECT_EQ(reader.Translate("20-29"), "[20,29]");
  EXPECT_EQ(reader.Translate("(20,30]"), "[21,30]");
  EXPECT_EQ(reader.Translate("[20, 30["), "[20,30)");
  EXPECT_EQ(reader.Translate("[110, 120.5["), "[110,120]");
  EXPECT_EQ(reader.Translate(">119"), "120");
  EXPECT_EQ(reader.Translate(">=0"), "[0,120]");
  EXPECT_EQ(reader.Translate("2*"), std::nullopt);
  EXPECT_EQ(reader.Translate("NA"), std::nullopt);
  const Domain job = Tree(kJob, true);
  const ForeignLabelReader jobs(job);
  EXPECT_EQ(jobs.Translate("{Nurse, Doctor}"), "Care");
  EXPECT_EQ(jobs.Translate("Doctor|Clerk"), "{Doctor|Clerk}");
  EXPECT_EQ(jobs.Translate("{Care, Office}"), "{Care|Office}");
  EXPECT_EQ(jobs.Translate("Any"), "Any");
  EXPECT_EQ(jobs.Translate(" Clerk "), "Clerk");
}

}  // namespace
}  // namespace pentimento::foreign_label_test
