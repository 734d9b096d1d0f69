#include "guarantee/verify.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pentimento::verify_test {
namespace {

// Whoever could build one of these without Verify() could publish something unchecked.
static_assert(!std::is_constructible_v<VerifiedRelease, Classes>);
static_assert(!std::is_default_constructible_v<VerifiedRelease>);
static_assert(!std::is_copy_constructible_v<VerifiedRelease>);

std::shared_ptr<const Taxonomy> SmallTaxonomy() {
  return std::make_shared<const Taxonomy>(Taxonomy::Parse("a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n", "test").value());
}

// Four rows, an age from 0 to 9 and a category that may be missing; rows 0 and 1, and rows 2 and 3, share a group.
struct Release {
  std::vector<Domain> domains = {Domain(NumericRange{0, 9, 0, {}}, false), Domain(SmallTaxonomy(), true)};
  EncodedTable table = MakeTable();
  Classes draft = {.columns = 2, .boxes = {{0, 3}, {0, 1}, {4, 9}, {0, 4}}, .of_row = {0, 0, 1, 1}};
  CategoryForm form = CategoryForm::kTaxonomy;
  std::vector<GuaranteePolicy> guarantees = {KAnonymityPolicy{2}};

  static EncodedTable MakeTable() {
    EncodedTable table{.rows = 4, .quasi_identifiers = {CodeColumn(10, 4), CodeColumn(5, 4)}, .persons = std::nullopt};
    const std::vector<Code> ages = {0, 3, 4, 9};
    const std::vector<Code> categories = {0, 1, 2, 4};
    for (std::size_t row = 0; row < 4; ++row) {
      table.quasi_identifiers[0].Set(row, ages[row]);
      table.quasi_identifiers[1].Set(row, categories[row]);
    }
    return table;
  }
  std::variant<VerifiedRelease, Refusal> Check() const { return Verify({draft}, {table, domains, form, guarantees}); }
};

void ExpectRefused(const Release& release, std::string_view guarantee, std::string_view in_witness) {
  const auto result = release.Check();
  const auto* refusal = std::get_if<Refusal>(&result);
  ASSERT_NE(refusal, nullptr) << in_witness;
  EXPECT_EQ(refusal->guarantee, guarantee);
  EXPECT_NE(refusal->witness.find(in_witness), std::string::npos) << refusal->witness;
}

TEST(Verify, AcceptsAGoodReleaseUnchanged) {
  const Release release;
  const auto result = release.Check();
  ASSERT_TRUE(std::holds_alternative<VerifiedRelease>(result));
  EXPECT_EQ(std::get<VerifiedRelease>(result).classes().boxes, release.draft.boxes);
  EXPECT_EQ(std::get<VerifiedRelease>(result).classes().of_row, release.draft.of_row);
}

TEST(Verify, RefusesWhenNoGuaranteeIsAskedFor) {
  Release release;
  release.guarantees.clear();
  ExpectRefused(release, "at least one guarantee", "ask for one");
}

TEST(Verify, RefusesATooSmallClassAndNamesARowOfIt) {
  Release release;
  release.draft.of_row = {0, 0, 1, 2};
  release.draft.boxes.insert(release.draft.boxes.end(), {{5, 9}, {0, 4}});
  ExpectRefused(release, "k-anonymity", "a class of 1 row is published, 2 are required (row 3 of the input is in it)");
}

TEST(Verify, CountsPersonsWhereTheTableNamesThem) {
  Release release;
  release.table.persons = Persons{{0, 1, 2, 2}, 3};
  ExpectRefused(release, "k-anonymity",
                "a class of 1 person is published, 2 are required (row 3 of the input is in it)");
}

TEST(Verify, RefusesWhenOnlyOneOfSeveralGuaranteesFails) {
  Release release;
  release.guarantees = {KAnonymityPolicy{2}, KAnonymityPolicy{3}};
  ExpectRefused(release, "k-anonymity", "2 rows is published, 3 are required");
}

TEST(Verify, RefusesARowOutsideItsBoxAndNamesTheFirst) {
  Release release;
  release.table.quasi_identifiers[1].Set(1, 2);
  release.table.quasi_identifiers[0].Set(3, 3);
  ExpectRefused(release, "truthful release", "row 2 of the input lies outside its published box in quasi-identifier 2");
}

TEST(Verify, TruthComesBeforeTheGuarantees) {
  Release release;
  release.table.quasi_identifiers[0].Set(3, 3);
  release.guarantees.clear();
  ExpectRefused(release, "truthful release", "row 4");
}

TEST(Verify, RefusesGroupsOutOfRange) {
  Release release;
  release.draft.of_row = {0, 2, 1, 4'000'000'000};
  ExpectRefused(release, "well-formed release", "row 2 of the table is in a class that has no box");
}

TEST(Verify, RefusesRowsWithoutABoxAtAll) {
  Release release;
  release.draft.boxes.clear();
  ExpectRefused(release, "well-formed release", "row 1 of the table is in a class that has no box");
}

TEST(Verify, RefusesAWrongNumberOfIntervals) {
  Release release;
  release.draft.boxes.push_back({0, 1});
  ExpectRefused(release, "well-formed release", "5 intervals are no whole number of boxes of 2 columns");
}

TEST(Verify, RefusesMissingAndSuperfluousRows) {
  Release release;
  release.draft.of_row = {0, 0, 1};
  ExpectRefused(release, "well-formed release", "3 rows have a class, the table has 4");
  release.draft.of_row = {0, 0, 1, 1, 1};
  ExpectRefused(release, "well-formed release", "5 rows have a class, the table has 4");
}

TEST(Verify, RefusesAnotherNumberOfColumns) {
  Release release;
  release.draft.columns = 1;
  ExpectRefused(release, "well-formed release", "2 quasi-identifiers");
  release.draft.columns = 0;
  ExpectRefused(release, "well-formed release", "2 quasi-identifiers");
  release.draft.columns = 2;
  release.domains.pop_back();
  ExpectRefused(release, "well-formed release", "1 domains");
}

TEST(Verify, RefusesAColumnOfAnotherLengthThanTheTable) {
  Release release;
  release.table.quasi_identifiers[1] = CodeColumn(5, 3);
  ExpectRefused(release, "well-formed release", "quasi-identifier 2 has 3 codes for 4 rows");
}

TEST(Verify, RefusesPersonsThatDoNotFitTheRows) {
  Release release;
  release.table.persons = Persons{{0, 1, 2}, 3};
  ExpectRefused(release, "well-formed release", "3 rows have a person");
  release.table.persons = Persons{{0, 1, 3, 2}, 3};
  ExpectRefused(release, "well-formed release", "row 3 of the table is about a person who is not counted");
}

TEST(Verify, RefusesIntervalsThatEndBeforeTheyBegin) {
  Release release;
  release.draft.boxes[2] = {9, 4};
  ExpectRefused(release, "well-formed release", "the interval of class 1 in quasi-identifier 1 ends before it begins");
}

TEST(Verify, RefusesIntervalsOutsideTheDomain) {
  Release release;
  release.draft.boxes[2] = {4, 10};
  ExpectRefused(release, "well-formed release",
                "the interval of class 1 in quasi-identifier 1 leaves the declared domain");
}

TEST(Verify, RefusesABadBoxThatNoRowUses) {
  Release release;
  release.draft.boxes.insert(release.draft.boxes.end(), {{0, 0}, {1, 2}});
  ExpectRefused(release, "well-formed release",
                "the interval of class 2 in quasi-identifier 2 is not a value that can be published");
}

TEST(Verify, RefusesEverythingThatIsNotPublishable) {
  // Of all pairs of codes over a, b, c, d and missing: the leaves, ab, cd, missing alone and the root may be published,
  // and as sets also every other interval that does not mix missing with values.
  const std::vector<Interval> nodes = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {0, 1}, {2, 3}, {0, 4}};
  for (const CategoryForm form : {CategoryForm::kTaxonomy, CategoryForm::kSets}) {
    for (Code lo = 0; lo <= 6; ++lo) {
      for (Code hi = 0; hi <= 6; ++hi) {
        Release release;
        release.form = form;
        release.draft.boxes.insert(release.draft.boxes.end(), {{0, 0}, {lo, hi}});
        const bool is_set = form == CategoryForm::kSets && lo <= hi && hi <= 3;
        const bool publishable = is_set || std::ranges::find(nodes, Interval{lo, hi}) != nodes.end();
        EXPECT_EQ(std::holds_alternative<VerifiedRelease>(release.Check()), publishable) << lo << " to " << hi;
      }
    }
  }
}

TEST(Verify, AnEmptyTableIsAcceptedWhereAGuaranteeIsAskedFor) {
  Release release;
  release.table = {.rows = 0, .quasi_identifiers = {CodeColumn(10), CodeColumn(5)}, .persons = std::nullopt};
  release.draft = {.columns = 2, .boxes = {}, .of_row = {}};
  EXPECT_TRUE(std::holds_alternative<VerifiedRelease>(release.Check()));
  release.guarantees.clear();
  ExpectRefused(release, "at least one guarantee", "no guarantee");
}

TEST(Verify, WithoutQuasiIdentifiersEveryRowIsInOneClass) {
  Release release;
  release.domains.clear();
  release.table = {.rows = 2, .quasi_identifiers = {}, .persons = std::nullopt};
  release.draft = {.columns = 0, .boxes = {}, .of_row = {0, 0}};
  EXPECT_TRUE(std::holds_alternative<VerifiedRelease>(release.Check()));
  release.guarantees = {KAnonymityPolicy{3}};
  ExpectRefused(release, "k-anonymity", "2 rows");
  release.draft.boxes = {{0, 0}};
  ExpectRefused(release, "well-formed release", "1 intervals");
  release.draft = {.columns = 0, .boxes = {}, .of_row = {0, 1}};
  ExpectRefused(release, "well-formed release", "row 2");
  release.draft = {.columns = 0, .boxes = {}, .of_row = {0, 1}, .without_boxes = 2};
  ExpectRefused(release, "well-formed release", "in one class, not in 2");
}

TEST(Verify, CodesOfEveryWidthAreComparedInFull) {
  for (const std::int64_t hi : {255, 256, 257, 65'535, 65'536, 65'537}) {
    Release release;
    release.domains = {Domain(NumericRange{0, hi, 0, {}}, false)};
    release.table = {
        .rows = 2, .quasi_identifiers = {CodeColumn(release.domains[0].size(), 2)}, .persons = std::nullopt};
    const auto last = static_cast<Code>(hi);
    release.draft = {.columns = 1, .boxes = {{0, last - 1}, {last, last}}, .of_row = {0, 0}};
    EXPECT_TRUE(std::holds_alternative<VerifiedRelease>(release.Check())) << hi;
    release.table.quasi_identifiers[0].Set(1, last);
    ExpectRefused(release, "truthful release", "row 2");
    // Narrow boxes under wide codes: 256 must not be taken for 0, nor 65536.
    release.draft.boxes = {{0, 0}};
    ExpectRefused(release, "truthful release", "row 2");
  }
}

// The same four rows as a release of a series: two of them were there before, in one box.
struct IncrementalStepClaim {
  Release release;
  IncrementalChange change;

  IncrementalStepClaim() {
    release.guarantees = {IncrementalKAnonymityPolicy{2, "series", false}};
    change.classes = release.draft;
    change.case_of_row = {0, 1, 2, 3};
    change.previous_of_row = {0, 0, IncrementalChange::kNew, IncrementalChange::kNew};
    change.previous_boxes = {{0, 9}, {0, 4}};
    change.staying_in_previous = {0};
    change.staying_in_group = {0, 0};
    change.is_withdrawn = {0, 0, 0, 0};
    change.arrival_of_row = {0, 0, 1, 1};
  }
  std::variant<VerifiedRelease, Refusal> Check() const {
    Evidence evidence{release.table, release.domains, release.form, release.guarantees};
    evidence.change = &change;
    return Verify({change.classes}, evidence);
  }
  std::string RefusedFor() const {
    const auto result = Check();
    const auto* refusal = std::get_if<Refusal>(&result);
    return refusal == nullptr ? "" : refusal->guarantee;
  }
};

TEST(VerifyIncremental, AcceptsAGoodStepUnchanged) {
  const IncrementalStepClaim claim;
  const auto result = claim.Check();
  ASSERT_TRUE(std::holds_alternative<VerifiedRelease>(result));
  EXPECT_EQ(std::get<VerifiedRelease>(result).classes().boxes, claim.change.classes.boxes);
}

TEST(VerifyIncremental, RefusesWhatLooksGoodAloneAndIsNotWithTheReleasesBefore) {
  IncrementalStepClaim claim;
  claim.change.previous_boxes = {{1, 9}, {0, 4}};
  EXPECT_EQ(claim.RefusedFor(), "incremental k-anonymity");
}

TEST(VerifyIncremental, RefusesAClassThatIsTooSmallAndOneThatCountsOnPeopleWhoLeft) {
  IncrementalStepClaim small;
  small.release.guarantees = {IncrementalKAnonymityPolicy{3, "series", false}};
  EXPECT_EQ(small.RefusedFor(), "incremental k-anonymity");
  IncrementalStepClaim left;
  left.change.is_withdrawn[0] = 1;
  EXPECT_EQ(left.RefusedFor(), "incremental k-anonymity");
}

TEST(VerifyIncremental, HoldsAPlainGuaranteeBesideTheOtherToItsOwnK) {
  IncrementalStepClaim claim;
  claim.release.guarantees = {IncrementalKAnonymityPolicy{2, "series", false}, KAnonymityPolicy{3}};
  EXPECT_EQ(claim.RefusedFor(), "k-anonymity");
}

TEST(VerifyIncremental, RefusesWhatIsFalseMalformedOrPromisesNothing) {
  IncrementalStepClaim false_cell;
  false_cell.release.table.quasi_identifiers[0].Set(0, 5);
  EXPECT_EQ(false_cell.RefusedFor(), "truthful release");
  IncrementalStepClaim malformed;
  malformed.change.classes.of_row[0] = 7;
  EXPECT_EQ(malformed.RefusedFor(), "well-formed release");
  IncrementalStepClaim nothing;
  nothing.release.guarantees.clear();
  EXPECT_EQ(nothing.RefusedFor(), "at least one guarantee");
}

TEST(VerifyIncremental, ATableAloneNeverPassesForAReleaseOfASeries) {
  Release release;
  release.guarantees = {IncrementalKAnonymityPolicy{2, "series", false}};
  ExpectRefused(release, "incremental k-anonymity", "history");
}

// The release above, joined by its category with an earlier one: category and a sensitive value.
struct JoinedRelease : Release {
  JoinedRelease() {
    releases.earlier.push_back({.name = "earlier",
                                .columns = 2,
                                .cells = {{0, 1}, {0, 0}, {0, 1}, {1, 1}, {2, 4}, {0, 0}, {2, 4}, {1, 1}},
                                .records = {1, 1, 1, 1},
                                .example = {0, 1, 2, 3}});
    releases.common.push_back({{{0, 1}, {1, 0}}, false});
    guarantees = {XyAnonymityPolicy{.against = {"earlier"}, .x = {}, .y = {}, .overlap = {}, .k = 2, .position = {}}};
    releases.anonymity.push_back({{1}, {{0, 0}, {0, 1}}, {{1, 1}}, 2});
  }
  void AddLinkability(Ratio at_most) {
    guarantees.push_back(
        XyLinkabilityPolicy{.against = {"earlier"}, .x = {}, .y = {{}}, .overlap = {}, .position = {}});
    releases.linkability.push_back({{1}, {{0, 0}}, {{{{0, 2}}, {}, at_most}}});
  }
  void ExpectRefusedFor(std::string_view guarantee, std::string_view in_witness) const {
    const auto result = CheckJoined();
    const auto* refusal = std::get_if<Refusal>(&result);
    ASSERT_NE(refusal, nullptr) << in_witness;
    EXPECT_EQ(refusal->guarantee, guarantee);
    EXPECT_NE(refusal->witness.find(in_witness), std::string::npos) << refusal->witness;
  }
  std::variant<VerifiedRelease, Refusal> CheckJoined() const {
    const std::vector<const CodeColumn*> exact = {&label};
    const XyEvidence join{exact, releases};
    Evidence evidence{table, domains, form, guarantees};
    evidence.xy = &join;
    return Verify({draft}, evidence);
  }

  XyReleases releases;
  CodeColumn label{2, 4};
};

TEST(VerifyJoined, AcceptsAGoodReleaseUnchanged) {
  JoinedRelease release;
  release.label.Set(0, 1);
  release.label.Set(2, 1);
  release.AddLinkability({1, 2});
  release.guarantees.push_back(KAnonymityPolicy{2});
  const auto result = release.CheckJoined();
  ASSERT_TRUE(std::holds_alternative<VerifiedRelease>(result)) << std::get<Refusal>(result).witness;
  EXPECT_EQ(std::get<VerifiedRelease>(result).classes().of_row, release.draft.of_row);
}

TEST(VerifyJoined, RefusesWhatTheJoinGivesAway) {
  JoinedRelease release;
  release.releases.earlier[0].cells[3] = {0, 0};
  release.ExpectRefusedFor("(X,Y)-anonymity", "meets 1 value on y, 2 are required (row 1 of the input has it");
  JoinedRelease linked;
  linked.AddLinkability({1, 2});
  linked.ExpectRefusedFor("(X,Y)-linkability", "more than the 1/2 that are allowed");
}

TEST(VerifyJoined, CountsThePersonsOfTheTable) {
  JoinedRelease release;
  release.releases.anonymity[0].y = {{0, ReleaseColumn::kWho}};
  EXPECT_TRUE(std::holds_alternative<VerifiedRelease>(release.CheckJoined()));
  release.table.persons = Persons{{0, 1, 2, 2}, 3};
  release.ExpectRefusedFor("(X,Y)-anonymity", "meets 1 person, 2 are required (row 3 of the input has it");
}

TEST(VerifyJoined, StillChecksFormTruthAndPlainGuarantees) {
  JoinedRelease malformed;
  malformed.draft.of_row.pop_back();
  malformed.ExpectRefusedFor("well-formed release", "3 rows have a class");
  JoinedRelease untrue;
  untrue.table.quasi_identifiers[0].Set(3, 3);
  untrue.ExpectRefusedFor("truthful release", "row 4");
  JoinedRelease small;
  small.guarantees.push_back(KAnonymityPolicy{3});
  small.ExpectRefusedFor("k-anonymity", "3 are required");
  JoinedRelease without;
  without.guarantees.clear();
  without.releases.anonymity.clear();
  without.ExpectRefusedFor("at least one guarantee", "ask for one");
  JoinedRelease series;
  series.guarantees.push_back(IncrementalKAnonymityPolicy{2, "patients"});
  series.ExpectRefusedFor("incremental k-anonymity", "was not looked at");
}

TEST(VerifyJoined, AClaimThatGotLostDoesNotPass) {
  JoinedRelease lost;
  lost.releases.anonymity.clear();
  lost.ExpectRefusedFor("(X,Y)-anonymity", "asks for 1 of them, 0 were to be verified");
  JoinedRelease weaker;
  weaker.releases.anonymity[0].k = 1;
  weaker.ExpectRefusedFor("(X,Y)-anonymity", "with another k");
  JoinedRelease unasked;
  unasked.guarantees = {KAnonymityPolicy{2}};
  unasked.ExpectRefusedFor("(X,Y)-anonymity", "asks for 0 of them, 1 were to be verified");
  JoinedRelease linked;
  linked.AddLinkability({1, 1});
  linked.releases.linkability.clear();
  linked.ExpectRefusedFor("(X,Y)-linkability", "asks for 1 of them, 0 were to be verified");
  JoinedRelease dangling;
  dangling.AddLinkability({1, 1});
  dangling.releases.linkability[0].allows_dangling = true;
  dangling.ExpectRefusedFor("(X,Y)-linkability", "or for other rows");
  JoinedRelease other_rows;
  other_rows.releases.anonymity[0].allows_dangling = true;
  other_rows.ExpectRefusedFor("(X,Y)-anonymity", "or for other rows");
  JoinedRelease alone;
  alone.releases.anonymity[0].against.clear();
  alone.ExpectRefusedFor("(X,Y)-anonymity", "or against other releases");
  JoinedRelease linked_alone;
  linked_alone.AddLinkability({1, 1});
  linked_alone.releases.linkability[0].against.clear();
  linked_alone.ExpectRefusedFor("(X,Y)-linkability", "or against other releases");
  JoinedRelease fewer_limits;
  fewer_limits.AddLinkability({1, 1});
  std::get<XyLinkabilityPolicy>(fewer_limits.guarantees[1]).y.emplace_back();
  fewer_limits.ExpectRefusedFor("(X,Y)-linkability", "or with fewer limits");
  // As many limits in all, but one has slid from the join to this release alone.
  JoinedRelease slid;
  slid.AddLinkability({1, 1});
  slid.AddLinkability({1, 1});
  std::get<XyLinkabilityPolicy>(slid.guarantees[1]).y.emplace_back();
  std::get<XyLinkabilityPolicy>(slid.guarantees[2]).against.clear();
  slid.releases.linkability[1].against.clear();
  slid.releases.linkability[1].targets.push_back(slid.releases.linkability[1].targets[0]);
  slid.ExpectRefusedFor("(X,Y)-linkability", "or with fewer limits");
}

}  // namespace
}  // namespace pentimento::verify_test
