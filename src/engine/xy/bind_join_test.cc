#include "engine/xy/bind_join.h"

#include <gtest/gtest.h>

#include "engine/xy/join_testing.h"
#include "engine/xy/release_columns.h"

namespace pentimento::bind_join_test {
namespace {

using namespace join_fixture;

using Values = std::vector<std::vector<Interval>>;

constexpr ErrorCode kPolicy = ErrorCode::kBadPolicy;
constexpr ErrorCode kInput = ErrorCode::kBadInput;

// Codes: Banker 0, Broker 1, Clerk 2, Driver 3, missing 4; Money is [0,1], Other is [2,3].
constexpr std::string_view kJobs = "Banker;Money;*\nBroker;Money;*\nClerk;Other;*\nDriver;Other;*\n";

void ExpectError(const Case& given, ErrorCode code, const std::vector<std::string>& texts) {
  const Result<BoundJoin> join = given.Bind();
  ASSERT_FALSE(join.ok());
  EXPECT_EQ(join.error().code, code);
  for (const std::string& text : texts)
    EXPECT_NE(join.error().message.find(text), std::string::npos) << join.error().message << "\nlacks: " << text;
}

bool HasNote(const BoundJoin& join, std::string_view text) {
  return std::ranges::any_of(join.remarks.notes,
                             [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

// A table of jobs and diseases, and an earlier release of jobs and cities.
Case JobsTwice(std::vector<std::string> earlier_jobs, std::string_view earlier_tree = kJobs) {
  Case given({Texts("person", Role::kId, {"p", "q", "r"}), Categories("job", kJobs, {"Banker", "Clerk", "Driver"}),
              Numbers("age", 0, 99, {"20", "30", "40"}), Texts("disease", Role::kSensitive, {"flu", "HIV", "flu"})});
  std::vector<std::string> cities(earlier_jobs.size(), "Rome");
  given.earlier.push_back(Release("r1", {Categories("job", earlier_tree, std::move(earlier_jobs)),
                                         Texts("city", Role::kClass, std::move(cities))}));
  return given;
}

TEST(BindJoin, NamesBecomeColumnsOfTheirReleases) {
  Case given = JobsTwice({"Money", "Clerk", "Clerk"});
  given.AskAnonymity({"r1"}, {"age", "job", "r1:job"}, {"person", "r1:person"}, 3);
  given.AskLinkability({"r1"}, {"r1:city"}, "disease", {"HIV"});
  const BoundJoin join = given.Bind().value();
  ASSERT_EQ(join.releases.anonymity.size(), 1U);
  const XyAnonymityClaim& claim = join.releases.anonymity.front();
  EXPECT_EQ(claim.against, std::vector<std::uint32_t>{1});
  EXPECT_EQ(claim.k, 3U);
  EXPECT_EQ(claim.x, (std::vector<ReleaseColumn>{{0, 1}, {0, 0}, {1, 0}}));
  EXPECT_EQ(claim.y, (std::vector<ReleaseColumn>{{0, ReleaseColumn::kWho}, {1, ReleaseColumn::kWho}}));
  ASSERT_EQ(join.releases.linkability.size(), 1U);
  const XyLinkabilityClaim& limit = join.releases.linkability.front();
  EXPECT_EQ(limit.x, (std::vector<ReleaseColumn>{{1, 1}}));
  ASSERT_EQ(limit.targets.size(), 1U);
  EXPECT_EQ(limit.targets[0].y, (std::vector<ReleaseColumn>{{0, 2}}));  // after job and age
  EXPECT_EQ(limit.targets[0].values, (Values{{{0, 0}}}));
  EXPECT_EQ(limit.targets[0].at_most, (Ratio{1, 2}));
  ASSERT_EQ(join.exact.size(), 1U);
  EXPECT_EQ(join.exact[0], &given.input.values[0].codes);
  const EarlierRelease& earlier = join.releases.earlier.front();
  EXPECT_EQ(earlier.name, "r1");
  EXPECT_EQ(earlier.columns, 2U);
  EXPECT_EQ(earlier.cells, (std::vector<Interval>{{0, 1}, {0, 0}, {2, 2}, {0, 0}}));
  EXPECT_EQ(earlier.records, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(earlier.example, (std::vector<std::uint64_t>{0, 1}));
  ASSERT_EQ(join.releases.common.size(), 1U);
  EXPECT_EQ(join.releases.common[0].columns, (std::vector<ReleaseColumn>{{0, 0}, {1, 0}}));
  EXPECT_FALSE(join.releases.common[0].by_overlap);
}

TEST(BindJoin, RowsThatDifferInColumnsNobodyLooksAtBecomeOne) {
  Case given = JobsTwice({"Clerk", "Clerk", "Banker"});
  given.earlier[0] = Release("r1", {Texts("city", Role::kClass, {"Rome", "Bonn", "Rome"}),
                                    Categories("job", kJobs, {"Clerk", "Clerk", "Banker"})});
  given.AskAnonymity({"r1"}, {"age"}, {"person"});
  const BoundJoin join = given.Bind().value();
  EXPECT_EQ(join.releases.earlier[0].cells, (std::vector<Interval>{{2, 2}, {0, 0}}));
  EXPECT_EQ(join.releases.earlier[0].records, (std::vector<std::uint64_t>{2, 1}));
}

TEST(BindJoin, NamesThatNothingHasAreRefusedWithWhatIsLikeThem) {
  Case given = JobsTwice({"Money"});
  given.AskAnonymity({"r1"}, {"age", "jobb"}, {"person"});
  ExpectError(given, kPolicy, {"policy.toml:7:2", "this table no column 'jobb'", "Did you mean 'job'?"});
  given.bound.policy.guarantees.clear();
  given.AskAnonymity({"r1"}, {"r1:citty"}, {"person"});
  ExpectError(given, kPolicy, {"policy.toml:7:1", "release 'r1' has no column 'citty'", "Did you mean 'city'?"});
  given.bound.policy.guarantees.clear();
  given.AskAnonymity({"r1"}, {"age"}, {"r1:persona"});
  ExpectError(given, kPolicy, {"no column 'persona'", "Did you mean 'person'?"});
}

TEST(BindJoin, AColumnOfAReleaseThatIsNotJoinedIsRefused) {
  Case given = JobsTwice({"Money"});
  given.earlier.push_back(Release("r2", {Texts("town", Role::kClass, {"Rome"})}));
  given.AskAnonymity({"r1"}, {"r2:town"}, {"person"});
  given.AskAnonymity({"r2"}, {"age"}, {"person"});
  ExpectError(given, kPolicy, {"policy.toml:7:1", "release 'r2' is not in 'against' of this guarantee"});
}

TEST(BindJoin, WhoARowIsAboutStandsInYOnly) {
  Case given = JobsTwice({"Money"});
  given.AskAnonymity({"r1"}, {"person"}, {"disease"});
  ExpectError(given, kPolicy, {"'person' says who a row is about", "take it out of x"});
  given.bound.policy.guarantees.clear();
  given.AskLinkability({"r1"}, {"age"}, "person", {});
  ExpectError(given, kPolicy, {"policy.toml:7:1", "ask for xy-anonymity"});
  given.bound.policy.guarantees.clear();
  given.AskAnonymity({"r1"}, {"age"}, {"person"});
  given.AddImpossible("person", "p", "r1:city", "Rome");
  ExpectError(given, kPolicy, {"it excludes no match"});
}

TEST(BindJoin, NamesTwiceInAListAreRefused) {
  Case given = JobsTwice({"Money"});
  given.AskAnonymity({"r1"}, {"age", "age"}, {"person"});
  ExpectError(given, kPolicy, {"policy.toml:7:2", "'age' stands twice in x"});
  given.bound.policy.guarantees.clear();
  given.AskAnonymity({"r1", "r1"}, {"age"}, {"person"});
  ExpectError(given, kPolicy, {"policy.toml:5:1", "'against' names release 'r1' twice"});
}

TEST(BindJoin, KeepColumnsAreNeitherNamedNorJoined) {
  Case given({Texts("person", Role::kId, {"p"}), Texts("note", Role::kKeep, {"a"}), Numbers("age", 0, 99, {"20"})});
  given.earlier.push_back(Release("r1", {Texts("city", Role::kClass, {"Rome"})}));
  given.AskAnonymity({"r1"}, {"note"}, {"person"});
  ExpectError(given, kPolicy, {"policy.toml:7:1", "'note' has the role keep"});
  given.bound.policy.guarantees.clear();
  given.AskAnonymity({"r1"}, {"age"}, {"person"});
  EXPECT_TRUE(given.Bind().ok());
  given.earlier[0] = Release("r1", {Texts("note", Role::kClass, {"a"})});
  ExpectError(given, kPolicy,
              {"policy.toml:21:1", "column 'note' has the role keep and is in release 'r1'",
               "make it a quasi-identifier, drop it, or rename it"});
}

TEST(BindJoin, ACommonColumnStandsInXOnBothSidesOrOnNone) {
  Case given = JobsTwice({"Money"});
  given.AskAnonymity({"r1"}, {"age", "job"}, {"person"});
  ExpectError(given, kPolicy, {"policy.toml:7:2", "x holds 'job', a common column, on one side only", "'r1:job'"});
  given.bound.policy.guarantees.clear();
  given.AskAnonymity({"r1"}, {"r1:job"}, {"person"});
  ExpectError(given, kPolicy, {"policy.toml:7:1", "x holds 'r1:job'", "add 'job' to x"});
  given.bound.policy.guarantees.clear();
  given.AskAnonymity({}, {"job"}, {"person"});  // alone, there is no other side
  EXPECT_TRUE(given.Bind().ok());
}

TEST(BindJoin, XAndYDoNotMeetThroughTheOtherSide) {
  Case given = JobsTwice({"Money"});
  given.AskAnonymity({"r1"}, {"job"}, {"job"});
  ExpectError(given, kPolicy, {"policy.toml:7:1", "'job' is in x and in y"});
  given.bound.policy.guarantees.clear();
  given.AskAnonymity({"r1"}, {"job"}, {"person", "r1:job"});
  ExpectError(given, kPolicy, {"policy.toml:7:2", "'r1:job' in y is the other side's copy of 'job' in x"});
}

TEST(BindJoin, MissingValuesHaveTheirOwnCodeUnderTheRoot) {
  Case given = JobsTwice({"", "*", "Other"});
  given.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  EXPECT_EQ(given.Bind().value().releases.earlier[0].cells, (std::vector<Interval>{{4, 4}, {0, 4}, {2, 3}}));
  given.earlier[0].missing.clear();  // then "*" is any value that there is
  EXPECT_EQ(given.Bind().value().releases.earlier[0].cells, (std::vector<Interval>{{4, 4}, {0, 3}, {2, 3}}));
}

TEST(BindJoin, AMissingValueThatCannotBeHereIsRefused) {
  Case given({Texts("person", Role::kId, {"p"}), Categories("job", kJobs, {"Clerk"})}, {});
  given.earlier.push_back(Release("r1", {Categories("job", kJobs, {"Clerk", ""})}));
  given.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  ExpectError(given, kInput, {"release 'r1', record 2, column 'job'", "missing = [\"\"]"});
}

TEST(BindJoin, LeavesInAnotherOrderAreTheSameLeaves) {
  Case given = JobsTwice({"Money", "Driver"}, "Driver;Other;*\nClerk;Other;*\nBroker;Money;*\nBanker;Money;*\n");
  given.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  EXPECT_EQ(given.Bind().value().releases.earlier[0].cells, (std::vector<Interval>{{0, 1}, {3, 3}}));
}

TEST(BindJoin, ACoarserTaxonomyThereMeansNodesHere) {
  Case given = JobsTwice({"Money", "Other"}, "Money;*\nOther;*\n");
  given.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  EXPECT_EQ(given.Bind().value().releases.earlier[0].cells, (std::vector<Interval>{{0, 1}, {2, 3}}));
}

TEST(BindJoin, AFinerTaxonomyThereIsReadWhereNothingBecomesOne) {
  constexpr std::string_view kFiner =
      "Teller;Banker;Money;*\nManager;Banker;Money;*\nBroker;Money;*\nClerk;Other;*\nDriver;Other;*\n";
  Case given = JobsTwice({"Teller", "Broker"}, kFiner);
  given.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  EXPECT_EQ(given.Bind().value().releases.earlier[0].cells, (std::vector<Interval>{{0, 0}, {1, 1}}));

  Case told_apart = JobsTwice({"Teller", "Manager"}, kFiner);
  told_apart.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  ExpectError(
      told_apart, kInput,
      {"release 'r1', column 'job': record 1 and record 2 have different values", "take the taxonomy of release 'r1'"});
  told_apart.bound.policy.guarantees.clear();
  told_apart.AskAnonymity({"r1"}, {"age"}, {"person"});  // which of them it was shows nowhere
  const BoundJoin join = told_apart.Bind().value();
  EXPECT_EQ(join.releases.earlier[0].cells, (std::vector<Interval>{{0, 0}}));
  EXPECT_EQ(join.releases.earlier[0].records, (std::vector<std::uint64_t>{2}));
}

TEST(BindJoin, TaxonomiesThatDisagreeAreRefusedWithTheFirstDifference) {
  const auto bind = [](const std::string& label, std::string_view tree) {
    Case given = JobsTwice({label}, tree);
    given.AskAnonymity({"r1"}, {"age"}, {"person"});
    return given;
  };
  ExpectError(bind("Pilot", "Banker;Money;*\nPilot;Other;*\n"), kInput,
              {"release 'r1', column 'job'", "the label 'Pilot', which the other one lacks", "take the taxonomy of"});
  ExpectError(bind("Outdoors", "Banker;Outdoors;*\nDriver;Outdoors;*\nClerk;*\nBroker;*\n"), kInput,
              {"release 'r1', column 'job'", "in 'Outdoors'", "'Broker' comes between them"});
  ExpectError(bind("Money", "Banker;Money;*\nBroker;Other;*\nClerk;Other;*\nDriver;Other;*\n"), kInput,
              {"release 'r1', column 'job'", "the label 'Money' of its taxonomy covers other leaves"});
  ExpectError(bind("Desk", "Broker;Desk;*\nClerk;Desk;*\nBanker;*\nDriver;*\n"), kInput,
              {"release 'r1', column 'job'", "'Money' and 'Desk' share some of their leaves only"});
  // A difference that shows in no cell is no difference.
  EXPECT_TRUE(bind("Clerk", "Broker;Desk;*\nClerk;Desk;*\nBanker;*\nPilot;*\n").Bind().ok());
}

TEST(BindJoin, SetsAreIntervalsOfLeavesAndComparedByOverlap) {
  Case given = JobsTwice({"{Broker|Clerk}", "Driver"});
  given.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  const BoundJoin join = given.Bind().value();
  EXPECT_EQ(join.releases.earlier[0].cells, (std::vector<Interval>{{1, 2}, {3, 3}}));
  EXPECT_TRUE(join.releases.common[0].by_overlap);

  Case apart = JobsTwice({"Money", "{Banker|Driver}"});
  apart.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  ExpectError(apart, kInput, {"release 'r1', record 2, column 'job'", "do not lie side by side"});

  Case otherwise = JobsTwice({"{Banker|Driver}"}, "Banker;*\nDriver;*\nBroker;*\nClerk;*\n");
  otherwise.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  ExpectError(otherwise, kInput, {"release 'r1', column 'job'", "in a set", "'Broker' comes between them"});

  Case sets_here = JobsTwice({"Money"});
  sets_here.bound.policy.categories = CategoryForm::kSets;
  sets_here.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  EXPECT_TRUE(sets_here.Bind().value().releases.common[0].by_overlap);
}

TEST(BindJoin, ACellThatItsOwnTaxonomyLacksIsRefusedWithoutBeingNamed) {
  Case given = JobsTwice({"Money", "Astronaut"});
  given.AskAnonymity({"r1"}, {"age"}, {"person"});
  ExpectError(given, kInput, {"release 'r1', record 2, column 'job'", "its taxonomy or domain does not know"});
  EXPECT_EQ(given.Bind().error().message.find("Astronaut"), std::string::npos);
}

TEST(BindJoin, NumbersAreJoinedOnlyWhereAGuaranteeSaysSo) {
  Case given({Texts("person", Role::kId, {"p", "q"}), Numbers("age", 10, 99, {"20", "30"})});
  given.earlier.push_back(
      Release("r1", {Numbers("age", 0, 120, {"[5,21)", "[21,120]", "*", "", "37", "[20.5,22.5)"})}));
  given.AskAnonymity({"r1"}, {"age", "r1:age"}, {"person"}).overlap = {"age"};
  const BoundJoin join = given.Bind().value();
  ASSERT_EQ(join.releases.common.size(), 1U);
  EXPECT_TRUE(join.releases.common[0].by_overlap);
  EXPECT_EQ(join.releases.earlier[0].cells,  // codes of [10,99], then the missing value
            (std::vector<Interval>{{0, 10}, {11, 89}, {0, 90}, {90, 90}, {27, 27}, {11, 12}}));
  EXPECT_FALSE(HasNote(join, "is not joined"));

  std::get<XyAnonymityPolicy>(given.bound.policy.guarantees[0]).overlap.clear();
  const BoundJoin apart = given.Bind().value();
  EXPECT_TRUE(apart.releases.common.empty());
  EXPECT_TRUE(HasNote(apart, "column 'age' is in this table and in release 'r1', as numbers, and is not joined"));
  EXPECT_TRUE(HasNote(apart, "overlap = [\"age\"]"));
  // Ends in order: 5, 20.5, 21-, 21, 22.5-, 37, 120.
  EXPECT_EQ(apart.releases.earlier[0].cells, (std::vector<Interval>{{0, 2}, {3, 6}, {0, 7}, {7, 7}, {5, 5}, {1, 4}}));
}

TEST(BindJoin, NumbersThatAreNobodysHereOrBecomeOneAreRefused) {
  Case given({Texts("person", Role::kId, {"p"}), Numbers("age", 10, 99, {"20"})});
  given.earlier.push_back(Release("r1", {Numbers("age", 0, 120, {"50", "[0,10)"})}));
  given.AskAnonymity({"r1"}, {"age", "r1:age"}, {"person"}).overlap = {"age"};
  ExpectError(given, kInput, {"release 'r1', record 2, column 'age'", "covers no value"});
  given.earlier[0] = Release("r1", {Numbers("age", 0, 120, {"[0,21)", "[1,21)"})});
  ExpectError(given, kInput, {"column 'age': record 1 and record 2", "take the column out of overlap"});
  given.earlier[0] = Release("r1", {Numbers("age", 0, 120, {"[90,99]", "[90,100)"})});
  ExpectError(given, kInput, {"column 'age': record 1 and record 2"});
  given.earlier[0] = Release("r1", {Numbers("age", 0, 120, {"ten"})});
  ExpectError(given, kInput, {"release 'r1', record 1, column 'age'", "does not know"});
}

TEST(BindJoin, OverlapNamesNumbersThatSeveralReleasesHave) {
  Case given = JobsTwice({"Money"});
  given.AskAnonymity({"r1"}, {"disease"}, {"person"}).overlap = {"age"};
  ExpectError(given, kPolicy, {"policy.toml:5:1", "overlap names 'age'"});
  std::get<XyAnonymityPolicy>(given.bound.policy.guarantees[0]).overlap = {"job"};
  ExpectError(given, kPolicy, {"policy.toml:5:1", "overlap names 'job'"});
  given.earlier[0] = Release("r1", {Numbers("age", 0, 99, {"20"})});
  std::get<XyAnonymityPolicy>(given.bound.policy.guarantees[0]).overlap = {"agee"};
  ExpectError(given, kPolicy, {"overlap names 'agee'", "Did you mean 'age'?"});
}

TEST(BindJoin, NumbersHereAndCategoriesThereAreRefused) {
  Case given({Texts("person", Role::kId, {"p"}), Numbers("age", 0, 99, {"20"})});
  given.earlier.push_back(Release("r1", {Categories("age", "young;*\nold;*\n", {"old"})}));
  given.AskAnonymity({"r1"}, {"age"}, {"person"});
  ExpectError(given, kPolicy,
              {"policy.toml:21:1", "column 'age' is a column of numbers in one release",
               "declare it as it was declared there"});
}

TEST(BindJoin, SensitiveColumnsAreJoinedByTheirTexts) {
  Case given({Texts("person", Role::kId, {"p", "q"}), Texts("disease", Role::kSensitive, {"flu", "HIV"})});
  given.earlier.push_back(Release("r1", {Texts("disease", Role::kClass, {"mumps", "flu", "HIV"})}));
  given.AskAnonymity({"r1"}, {"disease", "r1:disease"}, {"person"});
  const BoundJoin join = given.Bind().value();
  ASSERT_EQ(join.releases.common.size(), 1U);
  EXPECT_EQ(join.exact[0], &given.input.values[0].codes);  // HIV 0, flu 1
  EXPECT_EQ(join.releases.earlier[0].cells, (std::vector<Interval>{{2, 2}, {1, 1}, {0, 0}}));
}

TEST(BindJoin, TextsHereMeetATaxonomyThereByItsLeaves) {
  Case given({Texts("person", Role::kId, {"p", "q", "r"}), Texts("job", Role::kClass, {"Driver", "Banker", "?"})},
             {"", "?"});
  given.earlier.push_back(Release("r1", {Categories("job", kJobs, {"Money", "*", ""})}));
  given.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  const BoundJoin join = given.Bind().value();
  ASSERT_EQ(join.exact.size(), 1U);
  EXPECT_EQ((*join.exact[0])[0], 3U);
  EXPECT_EQ((*join.exact[0])[1], 0U);
  EXPECT_EQ((*join.exact[0])[2], 4U);
  EXPECT_EQ(join.releases.earlier[0].cells, (std::vector<Interval>{{0, 1}, {0, 4}, {4, 4}}));

  Case other({Texts("person", Role::kId, {"p", "q"}), Texts("job", Role::kClass, {"Driver", "Pilot"})});
  other.earlier = given.earlier;
  other.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  ExpectError(other, kInput, {"this table, row 2, column 'job'", "no leaf of the taxonomy"});
  EXPECT_EQ(other.Bind().error().message.find("Pilot"), std::string::npos);
}

TEST(BindJoin, DifferentTextsForAMissingValueStayDifferent) {
  Case given({Texts("person", Role::kId, {"p", "q"}), Texts("job", Role::kClass, {"NA", "?"})}, {"NA", "?"});
  given.earlier.push_back(Release("r1", {Categories("job", kJobs, {"", "*"})}));
  given.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  const BoundJoin join = given.Bind().value();
  EXPECT_NE((*join.exact[0])[0], (*join.exact[0])[1]);
  EXPECT_EQ(join.releases.earlier[0].cells, (std::vector<Interval>{{4, 5}, {0, 5}}));

  Case reversed = JobsTwice({"Money"});  // here the domain has one code for both
  reversed.earlier[0] = Release("r1", {Texts("job", Role::kClass, {"Clerk", "NA", "?"})}, {"NA", "?"});
  reversed.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  ExpectError(reversed, kInput, {"release 'r1', column 'job': record 2 and record 3"});
}

TEST(BindJoin, TextsThereMeetATaxonomyHereByItsLeaves) {
  Case given = JobsTwice({"Money"});
  given.earlier[0] = Release("r1", {Texts("job", Role::kKeep, {"Driver", "NA", "Clerk"})}, {"NA"});
  given.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  EXPECT_EQ(given.Bind().value().releases.earlier[0].cells, (std::vector<Interval>{{3, 3}, {4, 4}, {2, 2}}));
  given.earlier[0] = Release("r1", {Texts("job", Role::kClass, {"Driver", "Money"})});
  ExpectError(given, kInput, {"release 'r1', record 2, column 'job'", "no leaf of the taxonomy"});
}

TEST(BindJoin, EarlierReleasesShareColumnsThatTheNewOneLacks) {
  Case given({Texts("person", Role::kId, {"p"}), Numbers("age", 0, 99, {"20"})});
  given.earlier.push_back(Release("r1", {Categories("job", kJobs, {"Clerk", "Money"})}));
  given.earlier.push_back(Release("r2", {Texts("city", Role::kClass, {"Rome", "Rome"}),
                                         Categories("job", "Clerk;*\nMoney;*\nDriver;*\n", {"Money", "Driver"})}));
  given.AskAnonymity({"r1"}, {"age"}, {"person"});
  given.AskAnonymity({"r2"}, {"age"}, {"person"});
  EXPECT_TRUE(given.Bind().value().releases.common.empty());  // nobody joins the two with each other
  given.AskAnonymity({"r2", "r1"}, {"age"}, {"person"});
  const BoundJoin join = given.Bind().value();
  EXPECT_EQ(join.releases.anonymity.back().against, (std::vector<std::uint32_t>{1, 2}));
  ASSERT_EQ(join.releases.common.size(), 1U);
  EXPECT_EQ(join.releases.common[0].columns, (std::vector<ReleaseColumn>{{1, 0}, {2, 0}}));
  EXPECT_EQ(join.releases.earlier[0].cells, (std::vector<Interval>{{2, 2}, {0, 1}}));
  EXPECT_EQ(join.releases.earlier[1].cells, (std::vector<Interval>{{0, 1}, {3, 3}}));
}

TEST(BindJoin, GroupingsOfTwoEarlierReleasesMustNotCross) {
  Case given({Texts("person", Role::kId, {"p"}), Categories("job", "Banker;*\nClerk;*\nDriver;*\n", {"Clerk"})});
  given.earlier.push_back(Release("r1", {Categories("job", "Banker;In;*\nClerk;In;*\nDriver;*\n", {"In"})}));
  given.earlier.push_back(Release("r2", {Categories("job", "Banker;*\nClerk;Low;*\nDriver;Low;*\n", {"Low"})}));
  given.AskAnonymity({"r1", "r2"}, {"job", "r1:job", "r2:job"}, {"person"});
  ExpectError(given, kInput, {"release 'r2', column 'job'", "'In' and 'Low' share some of their leaves only"});
}

TEST(BindJoin, NumbersOfEarlierReleasesAreRankedTogether) {
  Case given({Texts("person", Role::kId, {"p"}), Categories("job", kJobs, {"Clerk"})});
  given.earlier.push_back(Release("r1", {Numbers("age", 0, 99, {"[0,25)", "[25,99]"})}));
  given.earlier.push_back(Release("r2", {Numbers("age", 0, 50, {"24.5", "[25,50]"})}));
  given.AskAnonymity({"r1", "r2"}, {"job"}, {"person"}).overlap = {"age"};
  const BoundJoin join = given.Bind().value();
  // 0, 24.5, 25-, 25, 50, 99
  EXPECT_EQ(join.releases.earlier[0].cells, (std::vector<Interval>{{0, 2}, {3, 5}}));
  EXPECT_EQ(join.releases.earlier[1].cells, (std::vector<Interval>{{1, 1}, {3, 4}}));
  EXPECT_TRUE(join.releases.common[0].by_overlap);
}

TEST(BindJoin, ValuesOfALimitAreKnownToTheirColumn) {
  Case given = JobsTwice({"Money", "Clerk"});
  given.AskLinkability({"r1"}, {"age"}, "disease", {"flu"});
  given.AskLinkability({"r1"}, {"age"}, "disease", {});
  given.AskLinkability({"r1"}, {"age"}, "job", {"Other", "Banker"});
  given.AskLinkability({"r1"}, {"job", "r1:job"}, "age", {"[20,30)"});
  const BoundJoin join = given.Bind().value();
  const auto& claims = join.releases.linkability;
  EXPECT_EQ(claims[0].targets[0].values, (Values{{{1, 1}}}));
  ASSERT_EQ(claims[1].targets.size(), 1U);
  EXPECT_TRUE(claims[1].targets[0].values.empty());
  EXPECT_EQ(claims[2].targets[0].values, (Values{{{2, 3}}, {{0, 0}}}));
  EXPECT_EQ(claims[3].targets[0].values, (Values{{{20, 29}}}));

  given.AskLinkability({"r1"}, {"age"}, "job", {"Pilot"});
  ExpectError(given, kPolicy, {"policy.toml:7:1", "'Pilot' is not a value of 'job'", "a label of its taxonomy"});
}

TEST(BindJoin, ALimitOnAValueThatNobodyHasProtectsNobody) {
  const std::vector<std::pair<std::string, std::string>> absent = {
      {"disease", "mumps"}, {"job", "Broker"}, {"age", "[50,60)"}, {"r1:city", "Oslo"}, {"r1:job", "Driver"}};
  for (const auto& [column, value] : absent) {
    Case given = JobsTwice({"Money", "Clerk"});
    given.AskLinkability({"r1"}, {column == "age" ? "disease" : "age"}, column, {value});
    ExpectError(
        given, kPolicy,
        {"policy.toml:7:1", "y limits '" + value + "' of '" + column + "', which nobody has", "protect nobody"});
  }
}

TEST(BindJoin, ACombinationHasColumnsAndValuesInItsOwnOrder) {
  Case given = JobsTwice({"Money", "Clerk"});
  given.AskCombination({"r1"}, {"age"}, {"r1:city", "disease", "job"}, {{"Rome", "HIV", "Other"}});
  given.AskCombination({}, {"age"}, {"disease", "job"}, {});
  const BoundJoin join = given.Bind().value();
  const auto& claims = join.releases.linkability;
  EXPECT_EQ(claims[0].targets[0].y, (std::vector<ReleaseColumn>{{1, 1}, {0, 2}, {0, 0}}));
  EXPECT_EQ(claims[0].targets[0].values, (Values{{{0, 0}, {0, 0}, {2, 3}}}));
  EXPECT_EQ(claims[1].targets[0].y, (std::vector<ReleaseColumn>{{0, 2}, {0, 0}}));
  EXPECT_TRUE(claims[1].targets[0].values.empty());
}

TEST(BindJoin, ACombinationThatNobodyHasProtectsNobody) {
  // The Banker has the flu, the Clerk has HIV, the Driver has the flu.
  const auto with = [](const std::vector<std::string>& y, const std::vector<std::string>& value) {
    Case given = JobsTwice({"Money", "Clerk"});
    given.AskCombination({"r1"}, {"age"}, y, {value});
    return given;
  };
  EXPECT_TRUE(with({"disease", "job"}, {"HIV", "Other"}).Bind().ok());
  ExpectError(with({"disease", "job"}, {"HIV", "Money"}), kPolicy,
              {"policy.toml:7:1", "y limits 'HIV', 'Money' of 'disease', 'job' together, which nobody has",
               "take the combination out"});
  ExpectError(with({"disease", "job"}, {"HIV", "Pilot"}), kPolicy,
              {"policy.toml:7:2", "'Pilot' is not a value of 'job'"});
  ExpectError(with({"disease", "r1:city"}, {"mumps", "Rome"}), kPolicy,
              {"y limits 'mumps', 'Rome' of 'disease', 'r1:city' together, which nobody has"});
  // What has parts in two releases is looked for in their join, elsewhere.
  EXPECT_TRUE(with({"disease", "r1:job"}, {"HIV", "Money"}).Bind().ok());
}

TEST(BindJoin, ImpossiblePairsAreIntervalsOfTwoReleases) {
  Case given = JobsTwice({"Money", "Clerk"});
  given.AskAnonymity({"r1"}, {"age"}, {"person"});
  given.AddImpossible("r1:job", "Money", "disease", "HIV");
  given.AddImpossible("age", "[0,18)", "r1:city", "Rome");
  const BoundJoin join = given.Bind().value();
  ASSERT_EQ(join.releases.impossible.size(), 2U);
  const ImpossiblePair& pair = join.releases.impossible[0];
  EXPECT_EQ(pair.left, (ReleaseColumn{1, 0}));
  EXPECT_EQ(pair.left_values, (Interval{0, 1}));
  EXPECT_EQ(pair.right, (ReleaseColumn{0, 2}));
  EXPECT_EQ(pair.right_values, (Interval{0, 0}));
  EXPECT_EQ(join.releases.impossible[1].left_values, (Interval{0, 17}));
  EXPECT_EQ(join.exact.size(), 1U);
}

TEST(BindJoin, ImpossiblePairsOfUnknownValuesOrOneReleaseAreRefused) {
  Case given = JobsTwice({"Money", "Clerk"});
  given.AskAnonymity({"r1"}, {"age"}, {"person"});
  const auto with = [&](const std::string& left, const std::string& value, const std::string& right,
                        const std::string& right_value) {
    given.bound.policy.impossible.clear();
    given.AddImpossible(left, value, right, right_value);
  };
  with("job", "Pilot", "r1:city", "Rome");
  ExpectError(given, kPolicy, {"policy.toml:7:1", "'Pilot' is not a value of 'job'"});
  with("job", "Money", "r1:city", "Oslo");
  ExpectError(given, kPolicy, {"'Oslo' is not a value of 'r1:city'", "one that the column holds"});
  with("disease", "mumps", "r1:city", "Rome");
  ExpectError(given, kPolicy, {"'mumps' is not a value of 'disease'"});
  with("job", "Money", "disease", "flu");
  ExpectError(given, kPolicy, {"are columns of one release"});
  with("job", "Money", "r9:city", "Rome");
  ExpectError(given, kPolicy, {"release 'r9' is not in 'against' of any guarantee"});
}

TEST(BindJoin, MoreMatchesThanCanBeCountedAreRefused) {
  Case given = JobsTwice({"Money"});
  given.earlier.push_back(Release("r2", {Texts("town", Role::kClass, {"Rome"})}));
  given.AskAnonymity({"r1", "r2"}, {"age"}, {"person"});
  // 3 rows here: 3 * 2^62 * 2^62 stays below 2^126, 4 times as much does not.
  given.earlier[0].records[0] = std::uint64_t{1} << 62;
  given.earlier[1].records[0] = std::uint64_t{1} << 62;
  EXPECT_TRUE(given.Bind().ok());
  given.earlier[1].records[0] = std::uint64_t{1} << 63;
  ExpectError(given, kPolicy, {"policy.toml:5:1", "2^126"});
}

TEST(BindJoin, GeneralizedIsWhatStandsInXOrEverythingForKAnonymity) {
  Case given = JobsTwice({"Money"});
  given.AskAnonymity({"r1"}, {"age"}, {"person"});
  BoundJoin join = given.Bind().value();
  EXPECT_EQ(join.is_generalized, (std::vector<bool>{false, true}));
  EXPECT_TRUE(HasNote(join, "quasi-identifiers that are in no x are published as they are: 'job'"));
  given.bound.policy.guarantees.emplace_back(KAnonymityPolicy{5});
  join = given.Bind().value();
  EXPECT_EQ(join.is_generalized, (std::vector<bool>{true, true}));
  EXPECT_FALSE(HasNote(join, "published as they are"));
}

TEST(BindJoin, NotesSayWhatARequirementAmountsTo) {
  const auto notes = [](const std::vector<std::string>& x, const std::vector<std::string>& y, bool with_pair = false) {
    Case given = JobsTwice({"Money", "Clerk"});
    given.AskAnonymity({"r1"}, x, y, 7);
    if (with_pair) given.AddImpossible("disease", "HIV", "r1:job", "Money");
    return given.Bind().value();
  };
  constexpr std::string_view kSame = "k-anonymity of this table on 'age', 'job', with k = 7";
  constexpr std::string_view kNothing = "what this release generalizes matters for who matches anything";
  constexpr std::string_view kPairs = "this does not protect the person; write y = [\"person\"]";
  EXPECT_TRUE(HasNote(notes({"age", "job", "r1:job"}, {"person"}), kSame));
  EXPECT_TRUE(HasNote(notes({"age", "job", "r1:job"}, {"person"}), "policy.toml:5:1: xy-anonymity"));
  EXPECT_FALSE(HasNote(notes({"age"}, {"person"}), "k-anonymity of this table"));
  EXPECT_FALSE(HasNote(notes({"age", "job", "r1:job"}, {"disease"}), "k-anonymity of this table"));
  EXPECT_FALSE(HasNote(notes({"age", "job", "r1:job"}, {"person"}, true), kSame));
  EXPECT_TRUE(HasNote(notes({"job", "r1:job"}, {"r1:city"}), kNothing));
  EXPECT_FALSE(HasNote(notes({"age"}, {"r1:city"}), kNothing));
  EXPECT_FALSE(HasNote(notes({"job", "r1:job"}, {"r1:city", "disease"}), kNothing));
  EXPECT_TRUE(HasNote(notes({"age"}, {"person", "r1:person"}), kPairs));
  EXPECT_FALSE(HasNote(notes({"age"}, {"person"}), kPairs));
}

TEST(BindJoin, AgainstNothingEveryColumnIsOfThisTable) {
  Case given = JobsTwice({"Money"});
  given.earlier.clear();
  given.AskAnonymity({}, {"age", "job"}, {"person"}, 7);
  given.AskLinkability({}, {"age"}, "disease", {"HIV"});
  const BoundJoin join = given.Bind().value();
  EXPECT_TRUE(join.releases.earlier.empty());
  EXPECT_TRUE(join.releases.common.empty());
  EXPECT_TRUE(join.releases.linkability[0].against.empty());
  EXPECT_EQ(join.is_generalized, (std::vector<bool>{true, true}));
  EXPECT_TRUE(HasNote(join,
                      "policy.toml:5:1: xy-anonymity: y is the person of this table: this is k-anonymity of this "
                      "table on 'age', 'job', with k = 7"));
}

TEST(BindJoin, AGuaranteeAboutThisTableAloneStandsBesideOneOverAJoin) {
  Case given = JobsTwice({"Money", "Clerk"});
  given.AskAnonymity({"r1"}, {"job", "r1:job"}, {"person"});
  given.AskLinkability({}, {"job"}, "disease", {});  // without the copy in r1, which nobody joins here
  const BoundJoin join = given.Bind().value();
  EXPECT_EQ(join.releases.common.size(), 1U);
  EXPECT_TRUE(join.releases.linkability[0].against.empty());
}

TEST(ColumnsToRead, AreTheNamedAndTheCommonOnes) {
  const PublishedRelease described = Release(
      "r1", {Categories("job", kJobs, {"Clerk"}), Numbers("age", 0, 99, {"3"}), Texts("person", Role::kKeep, {"1"}),
             Texts("city", Role::kClass, {"Rome"}), Texts("note", Role::kKeep, {"n"}),
             Texts("town", Role::kClass, {"Bonn"}), Texts("state", Role::kClass, {"x"})});
  Case one = JobsTwice({"Money"});
  one.AskAnonymity({"r1"}, {"r1:city"}, {"person"});
  one.AskLinkability({"r1"}, {"job"}, "r1:town", {});
  one.AddImpossible("job", "Money", "r1:state", "x");
  EXPECT_EQ(ColumnsToRead(one.bound, described), (std::vector<std::string>{"job", "city", "town", "state"}));
  std::get<XyAnonymityPolicy>(one.bound.policy.guarantees[0]).overlap = {"age"};
  EXPECT_EQ(ColumnsToRead(one.bound, described), (std::vector<std::string>{"job", "age", "city", "town", "state"}));
  // What two earlier releases have in common is known only when both are described.
  Case two = JobsTwice({"Money"});
  two.AskAnonymity({"r1", "r2"}, {"age"}, {"person"});
  EXPECT_EQ(ColumnsToRead(two.bound, described),
            (std::vector<std::string>{"job", "city", "town", "state"}));  // nobody can verify what is out as it came
}

}  // namespace
}  // namespace pentimento::bind_join_test
