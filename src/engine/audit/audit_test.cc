#include "engine/audit/audit.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"

namespace pentimento::audit_test {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

std::optional<std::uint64_t> NumberOf(const AuditOutcome& outcome, Attack attack, const std::string& name) {
  for (const AttackNumber& number : outcome.attacks[static_cast<std::size_t>(attack)].numbers) {
    if (number.name == name) return number.number;
  }
  return std::nullopt;
}

std::string FractionOf(const AuditOutcome& outcome, const std::string& name) {
  for (const AttackNumber& number : outcome.attacks[static_cast<std::size_t>(Attack::kA5)].numbers) {
    if (number.name == name) return number.fraction;
  }
  return "none";
}

const Finding* Find(const AuditOutcome& outcome, Attack attack, FindingKind kind) {
  for (const Finding& finding : outcome.findings) {
    if (finding.attack == attack && finding.kind == kind) return &finding;
  }
  return nullptr;
}

// Findings of more than one release.
std::size_t TogetherCount(const AuditOutcome& outcome) {
  return static_cast<std::size_t>(
      std::ranges::count_if(outcome.findings, [](const Finding& finding) { return finding.releases.size() > 1; }));
}

class AuditTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / fmt::format("audit_{}", test->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string Path(const std::string& name) const { return (root_ / name).string(); }
  void Write(const std::string& name, const std::string& text) const { std::ofstream(root_ / name) << text; }

  // A table of another tool. `columns`: as a policy writes them.
  std::string Table(const std::string& name, const std::string& columns, const std::string& cells,
                    const std::string& promise = "") const {
    Write(name + ".csv", cells);
    Write(name + ".toml", "version = 1\nrelease = \"" + name + "\"\n[columns]\n" + columns + promise);
    return Path(name + ".csv") + "=" + Path(name + ".toml");
  }

  AuditOptions OptionsFor(Texts releases, bool has_people = true) const {
    AuditOptions options{.releases = std::move(releases)};
    if (has_people) {
      options.people = root_ / "people.csv";
      options.people_policy = root_ / "people.toml";
    }
    return options;
  }

  void WritePeople(const std::string& cells) const {
    Write("people.csv", cells);
    Write("people.toml",
          "version = 1\nrelease = \"people\"\n[columns]\nid = { role = \"id\" }\n"
          "a = { role = \"quasi-identifier\", domain = [0, 9] }\n[[guarantee]]\ntype = \"k-anonymity\"\nk = 2\n");
  }

  fs::path root_;
};

constexpr const char* kOnlyA =
    "a = { role = \"quasi-identifier\", domain = [0, 9] }\ndisease = { role = \"sensitive\" }\n";
constexpr const char* kOnlyB =
    "b = { role = \"quasi-identifier\", domain = [0, 9] }\ndisease = { role = \"sensitive\" }\n";
constexpr const char* kKTwo = "[[guarantee]]\ntype = \"k-anonymity\"\nk = 2\n";

class CrossedPairs : public AuditTest {
 protected:
  void SetUp() override {
    AuditTest::SetUp();
    WritePeople("id,a,b\n1,0,0\n2,0,1\n3,1,0\n4,1,1\n");
  }
  // {1,2},{3,4}, then {1,3},{2,4}.
  Result<AuditOutcome> Run(const Texts& first, const Texts& second) const {
    const std::string by_a =
        "a,disease\n0," + first[0] + "\n0," + first[1] + "\n1," + first[2] + "\n1," + first[3] + "\n";
    const std::string by_b =
        "b,disease\n0," + second[0] + "\n0," + second[1] + "\n1," + second[2] + "\n1," + second[3] + "\n";
    return AuditReleases(OptionsFor({Table("r1", kOnlyA, by_a, kKTwo), Table("r2", kOnlyB, by_b, kKTwo)}));
  }
};

TEST_F(CrossedPairs, OfTwoWorldsEverybodyIsAloneAndNoValueIsCertain) {
  const auto outcome = Run({"x", "y", "x", "y"}, {"x", "y", "x", "y"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  const Finding* joint = Find(*outcome, Attack::kA3, FindingKind::kJointClasses);
  ASSERT_NE(joint, nullptr);
  EXPECT_EQ(joint->people, 4U);
  EXPECT_EQ(joint->certainty, Certainty::kExact);
  EXPECT_EQ(joint->releases, (Texts{"r1", "r2"}));
  EXPECT_EQ(joint->broken, (std::vector<BrokenPromise>{{"r1", "k = 2"}, {"r2", "k = 2"}}));
  ASSERT_EQ(joint->witness.size(), 2U);
  EXPECT_EQ(joint->witness[0].rows, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(NumberOf(*outcome, Attack::kA3, "joint_classes.alone"), 4U);
  EXPECT_EQ(NumberOf(*outcome, Attack::kA4, "disease.certain"), 0U);
  EXPECT_EQ(Find(*outcome, Attack::kA4, FindingKind::kCertainValue), nullptr);
}

TEST_F(CrossedPairs, OfOneWorldEveryValueIsCertain) {
  const auto outcome = Run({"x", "y", "z", "z"}, {"x", "z", "y", "z"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(NumberOf(*outcome, Attack::kA4, "disease.certain"), 4U);
  const Finding* certain = Find(*outcome, Attack::kA4, FindingKind::kCertainValue);
  ASSERT_NE(certain, nullptr);
  EXPECT_EQ(certain->people, 4U);
  EXPECT_EQ(certain->column, "disease");
  // r1 alone says it of those who have z.
  const Finding* alone = Find(*outcome, Attack::kA1, FindingKind::kCertainValue);
  ASSERT_NE(alone, nullptr);
  EXPECT_EQ(alone->people, 2U);
}

TEST_F(CrossedPairs, ValuesThatContradictEachOtherAreCertainForNobody) {
  const auto outcome = Run({"x", "x", "y", "y"}, {"z", "z", "w", "w"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(NumberOf(*outcome, Attack::kA4, "disease.certain"), std::nullopt);
  EXPECT_EQ(Find(*outcome, Attack::kA4, FindingKind::kCertainValue), nullptr);
}

TEST_F(CrossedPairs, ACellWithoutAValueSaysNothing) {
  // r1 says z of persons 3 and 4, so that r2's x is person 1's. Were the empty cell a value of its own, it would be
  // certain for person 2 as well.
  const auto outcome = Run({"x", "", "z", "z"}, {"x", "z", "", "z"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(NumberOf(*outcome, Attack::kA4, "disease.certain"), 3U);
}

TEST_F(CrossedPairs, WithoutPeopleNothingIsLinkedAndTheReasonIsTold) {
  Table("r1", kOnlyA, "a,disease\n0,x\n0,y\n1,z\n1,z\n");
  Table("r2", kOnlyB, "b,disease\n0,x\n0,z\n1,y\n1,z\n");
  const auto outcome = AuditReleases(
      OptionsFor({Path("r1.csv=") + Path("r1.toml"), Path("r2.csv=") + Path("r2.toml")}, /*has_people=*/false));
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  for (const Attack attack : {Attack::kA2, Attack::kA3, Attack::kA4, Attack::kA5, Attack::kA7}) {
    const AttackReport& report = outcome->attacks[static_cast<std::size_t>(attack)];
    EXPECT_EQ(report.state, AttackState::kDoesNotApply) << CodeOf(attack);
    EXPECT_FALSE(report.reasons.empty()) << CodeOf(attack);
  }
}

TEST_F(CrossedPairs, WhoIsNotListedMakesNothingCertain) {
  WritePeople("id,a,b\n1,0,0\n2,0,1\n3,1,0\n");
  const auto outcome = Run({"x", "y", "z", "z"}, {"x", "z", "y", "z"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->attacks[static_cast<std::size_t>(Attack::kA3)].state, AttackState::kDoesNotApply);
  EXPECT_EQ(TogetherCount(*outcome), 0U);
}

TEST_F(CrossedPairs, WhoMayBeAbsentMakesNothingCertain) {
  // Person 5 fits the class of 3 and 4 in r1: who of the three is in it?
  WritePeople("id,a,b\n1,0,0\n2,0,1\n3,1,0\n4,1,1\n5,1,9\n");
  const auto outcome = Run({"z", "z", "x", "y"}, {"z", "x", "z", "y"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  // Persons 1 and 2 have z. So 3 has x and 4 has y, whoever is in the second class of r1.
  EXPECT_EQ(NumberOf(*outcome, Attack::kA4, "disease.certain"), 4U);
  for (const Finding& finding : outcome->findings) {
    if (finding.releases.size() < 2) continue;
    EXPECT_NE(finding.certainty, Certainty::kExact) << finding.sentence;
  }
}

TEST_F(AuditTest, TheSameTableTwiceAndARefinementTellNothingTogether) {
  WritePeople("id,a\n1,0\n2,1\n3,4\n4,5\n5,8\n6,9\n");
  const std::string fine = "a,disease\n\"[0,1]\",x\n\"[0,1]\",y\n\"[4,5]\",y\n\"[4,5]\",z\n\"[8,9]\",x\n\"[8,9]\",z\n";
  const std::string coarse =
      "a,disease\n\"[0,5]\",x\n\"[0,5]\",y\n\"[0,5]\",y\n\"[0,5]\",z\n\"[8,9]\",x\n\"[8,9]\",z\n";
  const auto outcome = AuditReleases(OptionsFor(
      {Table("r1", kOnlyA, fine, kKTwo), Table("r2", kOnlyA, coarse, kKTwo), Table("r3", kOnlyA, fine, kKTwo)}));
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->findings.empty()) << outcome->findings.front().sentence;
  EXPECT_EQ(NumberOf(*outcome, Attack::kA3, "crowds.below_k"), 0U);
}

TEST_F(AuditTest, LabelsThatNobodyUnderstandsAreCountedAndTellNothing) {
  WritePeople("id,a\n1,0\n2,1\n3,4\n4,5\n");
  const std::string good = "a,disease\n\"[0,1]\",x\n\"[0,1]\",y\n\"[4,5]\",x\n\"[4,5]\",y\n";
  const std::string odd = "a,disease\nyoung,x\nyoung,y\nold,x\nold,y\n";
  const auto outcome = AuditReleases(OptionsFor({Table("r1", kOnlyA, good), Table("r2", kOnlyA, odd)}));
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_EQ(outcome->releases[1].unread.size(), 1U);
  EXPECT_EQ(outcome->releases[1].unread[0].labels, 2U);
  EXPECT_EQ(outcome->releases[1].unread[0].rows, 4U);
  EXPECT_EQ(outcome->releases[1].classes, 2U);
  EXPECT_EQ(TogetherCount(*outcome), 0U);
}

// Pei et al., Tables 2 and 5, whose case-ids link the rows: Table 6 is what they say together.
TEST_F(AuditTest, TheInferenceTableOfTwoReleasesIsThatOfThePaper) {
  Write("zip.csv", "20433;2043*;*\n20435;2043*;*\n20437;2043*;*\n");
  const std::string columns =
      "case = { role = \"keep\" }\nzip = { role = \"quasi-identifier\", taxonomy = \"zip.csv\" }\n"
      "gender = { role = \"quasi-identifier\", values = [\"female\", \"male\"] }\n"
      "age = { role = \"quasi-identifier\", domain = [21, 54] }\ndisease = { role = \"sensitive\" }\n";
  const std::string table2 =
      "case,zip,gender,age,disease\n1,2043*,*,21-48,bird-flu\n2,2043*,*,21-48,HIV\n3,2043*,female,26-31,insomnia\n"
      "4,2043*,female,26-31,cancer\n";
  const std::string table5 =
      "case,zip,gender,age,disease\n1,20433,female,21-26,bird-flu\n2,20437,male,48-54,HIV\n3,20433,female,21-26,"
      "insomnia\n"
      "4,2043*,female,31,cancer\n5,20437,male,48-54,obesity\n6,2043*,female,31,SARS\n";
  AuditOptions options =
      OptionsFor({Table("table2", columns, table2, kKTwo), Table("table5", columns, table5, kKTwo)}, false);
  options.key_column = "case";
  options.question.shows_inference = true;
  const auto outcome = AuditReleases(options);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_EQ(outcome->inference.size(), 1U);
  const std::vector<Texts> table6 = {{"20433", "female", "[21,27)"}, {"20437", "male", "48"},
                                     {"20433", "female", "26"},      {"2043*", "female", "31"},
                                     {"20437", "male", "[48,54]"},   {"2043*", "female", "31"}};
  ASSERT_EQ(outcome->inference[0].rows.size(), table6.size());
  for (std::size_t i = 0; i < table6.size(); ++i) {
    Texts labels = outcome->inference[0].rows[i].labels;
    // Here "*" stands for a missing value as well, so that the paper's 2043* is all of a column.
    if (labels[0] == "*") labels[0] = "2043*";
    EXPECT_EQ(labels, table6[i]) << i;
  }
  // Cases 1 and 3 by group change, 2 by subgroup expanding, 5 as a widow.
  EXPECT_EQ(NumberOf(*outcome, Attack::kA3, "cases.below_k"), 4U);
  EXPECT_EQ(NumberOf(*outcome, Attack::kA3, "cases.group change"), 2U);
  EXPECT_EQ(NumberOf(*outcome, Attack::kA3, "cases.subgroup expanding"), 1U);
  EXPECT_EQ(NumberOf(*outcome, Attack::kA3, "cases.widow"), 1U);
  EXPECT_TRUE(Fails({}, outcome->findings));
}

// Wong et al., Figures 2 and 4: o1 and o2 are in both releases, and diseases change.
TEST_F(AuditTest, TheChanceOfEverIsThatOfThePaper) {
  const std::string columns =
      "sex = { role = \"quasi-identifier\", values = [\"M\", \"F\"] }\n"
      "zip = { role = \"quasi-identifier\", domain = [65001, 65020] }\ndisease = { role = \"sensitive\" }\n";
  Write("people.csv", "id,sex,zip\no1,M,65001\no2,M,65002\no3,F,65014\no4,F,65015\no5,F,65010\n");
  Write("people.toml", "version = 1\nrelease = \"people\"\n[columns]\nid = { role = \"id\" }\n" + columns +
                           "[[guarantee]]\ntype = \"k-anonymity\"\nk = 2\n");
  const std::string t1 =
      "sex,zip,disease\nM,\"[65001,65009]\",flu\nM,\"[65001,65009]\",chlamydia\n"
      "F,\"[65014,65015]\",flu\nF,\"[65014,65015]\",fever\n";
  const std::string t2 =
      "sex,zip,disease\nM,\"[65001,65009]\",chlamydia\nM,\"[65001,65009]\",flu\n"
      "F,\"[65010,65014]\",fever\nF,\"[65010,65014]\",flu\n";
  AuditOptions options = OptionsFor({Table("t1", columns, t1), Table("t2", columns, t2)});
  options.question.change = {"disease"};
  const auto two = AuditReleases(options);
  ASSERT_TRUE(two.ok()) << two.error().message;
  EXPECT_EQ(FractionOf(*two, "disease.1/2.largest"), "3/4");
  EXPECT_EQ(Find(*two, Attack::kA5, FindingKind::kEver)->people, 3U) << "o1, o2 and o3";

  const std::string all1 = "zip,disease\n*,flu\n*,chlamydia\n*,fever\n*,cold\n";
  const std::string all2 = "zip,disease\n*,chlamydia\n*,flu\n*,cold\n*,fever\n";
  const std::string zip =
      "zip = { role = \"quasi-identifier\", domain = [65001, 65020] }\ndisease = { role = \"sensitive\" }\n";
  Write("people.csv", "id,zip\no1,65001\no2,65002\no3,65014\no4,65015\n");
  options.releases = {Table("g1", zip, all1), Table("g2", zip, all2)};
  const auto four = AuditReleases(options);
  ASSERT_TRUE(four.ok()) << four.error().message;
  EXPECT_EQ(FractionOf(*four, "disease.1/2.largest"), "7/16");
  EXPECT_EQ(Find(*four, Attack::kA5, FindingKind::kEver), nullptr);
}

TEST_F(AuditTest, TwoTablesOfAnotherToolAreReadByTheNamedClassColumn) {
  WritePeople("id,a\n1,0\n2,1\n3,4\n4,5\n");
  Write("nss.csv", "a,group\n0,g\n4,g\n1,h\n5,h\n");
  Write("ss.csv", "group,disease\ng,x\ng,y\nh,z\nh,z\n");
  Write("two.toml", std::string("version = 1\nrelease = \"two\"\n[columns]\n") + kOnlyA);
  AuditOptions options = OptionsFor({Path("nss.csv") + "+" + Path("ss.csv") + "=" + Path("two.toml")});
  const auto unnamed = AuditReleases(options);
  ASSERT_FALSE(unnamed.ok());
  EXPECT_NE(unnamed.error().message.find("--class-column"), std::string::npos) << unnamed.error().message;
  options.class_column = "group";
  const auto outcome = AuditReleases(options);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->releases[0].classes, 2U);
  EXPECT_EQ(outcome->releases[0].people, 4U);
  EXPECT_EQ(Find(*outcome, Attack::kA1, FindingKind::kCertainValue)->people, 2U);
}

TEST_F(AuditTest, PeopleWithoutAColumnAreAnError) {
  WritePeople("id,c\n1,0\n");
  const auto outcome = AuditReleases(OptionsFor({Table("r1", kOnlyA, "a,disease\n1,x\n1,y\n")}));
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::kBadInput);
  EXPECT_NE(outcome.error().message.find("'a'"), std::string::npos);
}

// A register of people and random releases of it: columns chosen at random, people cut into classes of k at random
// values, as tools do that know nothing of each other.
class RandomRegister {
 public:
  RandomRegister(std::uint64_t seed, std::size_t people) : random_(SeedFromNumber(seed), "audit test") {
    for (std::size_t p = 0; p < people; ++p) {
      rows_.push_back({});
      for (std::size_t c = 0; c < kColumns; ++c) rows_.back().push_back(random_.Below(kValues));
      disease_.push_back(random_.Below(6));
    }
  }

  static constexpr std::size_t kColumns = 4;
  static constexpr std::uint32_t kValues = 30;
  using Release = std::vector<std::vector<std::size_t>>;  // classes of people

  std::size_t people() const { return rows_.size(); }
  std::uint64_t Draw(std::uint32_t below) { return random_.Below(below); }

  std::string People() const {
    std::string text = "id,c0,c1,c2,c3\n";
    for (std::size_t p = 0; p < rows_.size(); ++p)
      text += fmt::format("{},{},{},{},{}\n", p, rows_[p][0], rows_[p][1], rows_[p][2], rows_[p][3]);
    return text;
  }
  std::string Truth() const {
    std::string text = "id,disease\n";
    for (std::size_t p = 0; p < rows_.size(); ++p) text += fmt::format("{},d{}\n", p, disease_[p]);
    return text;
  }

  // Cuts `from` on until no cut of a drawn column leaves k on both sides.
  Release Cut(const std::vector<std::size_t>& columns, std::size_t k, std::vector<std::size_t> from) {
    for (std::size_t tries = 0; tries < 4; ++tries) {
      const std::size_t column = columns[random_.Below(static_cast<std::uint32_t>(columns.size()))];
      const std::uint64_t at = random_.Below(kValues);
      std::vector<std::size_t> low, high;
      for (const std::size_t person : from) (rows_[person][column] < at ? low : high).push_back(person);
      if (low.size() < k || high.size() < k) continue;
      Release classes = Cut(columns, k, std::move(low));
      for (auto& one : Cut(columns, k, std::move(high))) classes.push_back(std::move(one));
      return classes;
    }
    return {std::move(from)};
  }

  // The smallest box around each class.
  std::string Csv(const Release& release, const std::vector<std::size_t>& columns) const {
    std::string text;
    for (const std::size_t column : columns) text += fmt::format("c{},", column);
    text += "disease\n";
    for (const auto& people : release) {
      std::string box;
      for (const std::size_t column : columns) {
        std::uint64_t lo = kValues, hi = 0;
        for (const std::size_t person : people) {
          lo = std::min(lo, rows_[person][column]);
          hi = std::max(hi, rows_[person][column]);
        }
        box += fmt::format("\"[{},{}]\",", lo, hi);
      }
      for (const std::size_t person : people) text += fmt::format("{}d{}\n", box, disease_[person]);
    }
    return text;
  }

 private:
  Random random_;
  std::vector<std::vector<std::uint64_t>> rows_;
  std::vector<std::uint64_t> disease_;
};

class RandomRegisters : public AuditTest {
 protected:
  static std::string ColumnsOf(const std::vector<std::size_t>& columns) {
    std::string text = "disease = { role = \"sensitive\" }\n";
    for (const std::size_t column : columns)
      text += fmt::format("c{} = {{ role = \"quasi-identifier\", domain = [0, 29] }}\n", column);
    return text;
  }
  void WriteRegister(const RandomRegister& people) const {
    Write("people.csv", people.People());
    Write("truth.csv", people.Truth());
    Write("people.toml", "version = 1\nrelease = \"people\"\n[columns]\nid = { role = \"id\" }\n" +
                             ColumnsOf({0, 1, 2, 3}) + "[[guarantee]]\ntype = \"k-anonymity\"\nk = 2\n");
  }
};

TEST_F(RandomRegisters, NoCertainValueIsEverWrong) {
  std::uint64_t certain = 0, alone = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomRegister people(seed, 40 + seed % 5 * 15);
    WriteRegister(people);
    std::vector<std::size_t> everybody(people.people());
    for (std::size_t p = 0; p < everybody.size(); ++p) everybody[p] = p;
    Texts releases;
    std::vector<std::map<std::size_t, std::size_t>> class_of;
    for (std::size_t r = 0; r < 2 + seed % 2; ++r) {
      std::vector<std::size_t> columns;
      for (std::size_t c = 0; c < RandomRegister::kColumns; ++c) {
        if (people.Draw(4) > 0) columns.push_back(c);
      }
      if (columns.empty()) columns = {r};
      // In some registers somebody is left out of a release.
      std::vector<std::size_t> in = everybody;
      if (seed % 3 == 0) std::erase_if(in, [&](std::size_t) { return people.Draw(10) == 0; });
      const RandomRegister::Release release = people.Cut(columns, 3, in);
      class_of.emplace_back();
      for (std::size_t c = 0; c < release.size(); ++c) {
        for (const std::size_t person : release[c]) class_of.back()[person] = c + 1;
      }
      releases.push_back(Table(fmt::format("r{}", r), ColumnsOf(columns), people.Csv(release, columns)));
    }
    AuditOptions options = OptionsFor(releases);
    options.truth = root_ / "truth.csv";
    options.question.k = 3;
    const auto outcome = AuditReleases(options);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    if (outcome->guesses) {
      EXPECT_EQ(outcome->guesses->wrong, 0U) << "seed " << seed;
      EXPECT_EQ(outcome->guesses->untold, 0U) << "seed " << seed;
      certain += outcome->guesses->right;
    }
    // Joint classes, from who really was where. What the audit counts is never more.
    std::map<std::vector<std::size_t>, std::uint64_t> joint;
    for (const std::size_t person : everybody) {
      std::vector<std::size_t> key;
      for (auto& of : class_of) key.push_back(of.contains(person) ? of[person] : 0);
      if (std::ranges::any_of(key, [](std::size_t c) { return c > 0; })) ++joint[key];
    }
    std::uint64_t below = 0;
    for (const auto& [key, count] : joint) below += count < 3 ? count : 0;
    const auto counted = NumberOf(*outcome, Attack::kA3, "joint_classes.below_k");
    if (!counted) continue;
    EXPECT_LE(*counted, below) << "seed " << seed;
    if (seed % 3 != 0) {
      EXPECT_EQ(*counted, below) << "seed " << seed << ": everybody is in every release";
    }
    alone += *counted;
  }
  EXPECT_GT(certain, 100U) << "the test would see nothing";
  EXPECT_GT(alone, 100U);
}

TEST_F(RandomRegisters, ChainsOfRefinementsTellNothingTogether) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomRegister people(seed, 60);
    WriteRegister(people);
    std::vector<std::size_t> everybody(people.people());
    for (std::size_t p = 0; p < everybody.size(); ++p) everybody[p] = p;
    const RandomRegister::Release coarse = people.Cut({0, 1}, 12, everybody);
    RandomRegister::Release fine;
    for (const auto& one : coarse) {
      for (auto& part : people.Cut({2, 3}, 4, one)) fine.push_back(std::move(part));
    }
    const std::string promise = "[[guarantee]]\ntype = \"k-anonymity\"\nk = 4\n";
    const auto outcome =
        AuditReleases(OptionsFor({Table("coarse", ColumnsOf({0, 1}), people.Csv(coarse, {0, 1}), promise),
                                  Table("fine", ColumnsOf({0, 1, 2, 3}), people.Csv(fine, {0, 1, 2, 3}), promise),
                                  Table("again", ColumnsOf({0, 1, 2, 3}), people.Csv(fine, {0, 1, 2, 3}), promise)}));
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    EXPECT_EQ(TogetherCount(*outcome), 0U) << "seed " << seed;
    EXPECT_EQ(NumberOf(*outcome, Attack::kA3, "crowds.below_k"), 0U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pentimento::audit_test
