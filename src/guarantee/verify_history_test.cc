// The guarantee over all releases on record, through the one door.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "guarantee/history/history_testing.h"
#include "guarantee/verify.h"
#include "taxonomy/domain.h"

namespace pentimento::verify_history_test {
namespace {

using history_testing::AddBags;
using history_testing::HistoryOf;
using history_testing::kAway;

// Four people, one quasi-identifier with the codes 0 to 3.
class VerifyHistory : public testing::Test {
 protected:
  VerifyHistory() : domains_{Domain(NumericRange{0, 3, 0, {}}, false)} {
    table_.rows = 4;
    table_.quasi_identifiers = {CodeColumn(4, 4)};
    for (Code code = 0; code < 4; ++code) table_.quasi_identifiers[0].Set(code, code);
  }

  std::variant<VerifiedRelease, Refusal> Run(std::vector<Interval> boxes, std::vector<ClassNumber> of_row) {
    const HistoryEvidence history{earlier_, person_of_row_, untold_, sensitive_, names_, accounted_};
    const std::vector<GuaranteePolicy> guarantees = {policy_};
    Evidence evidence{table_, domains_, CategoryForm::kTaxonomy, guarantees};
    if (has_evidence_) evidence.history = &history;
    return Verify({{.columns = 1, .boxes = std::move(boxes), .of_row = std::move(of_row)}}, evidence);
  }
  bool Accepts(std::vector<Interval> boxes, std::vector<ClassNumber> of_row) {
    return std::holds_alternative<VerifiedRelease>(Run(std::move(boxes), std::move(of_row)));
  }
  bool AcceptsHalves() { return Accepts({{0, 1}, {2, 3}}, {0, 0, 1, 1}); }

  EncodedTable table_;
  std::vector<Domain> domains_;
  CommonReleases earlier_ = HistoryOf({{0, 0, 1, 1}});
  std::vector<std::uint32_t> person_of_row_ = {0, 1, 2, 3};
  std::vector<std::string> untold_;
  std::vector<const CodeColumn*> sensitive_;
  std::vector<std::string> names_;
  std::vector<std::string> accounted_;
  HistoryPolicy policy_{.k = 2, .alpha = {}, .over = {}, .position = {}};
  bool has_evidence_ = true;
};

TEST_F(VerifyHistory, TheSameClassesAgainAreAccepted) { EXPECT_TRUE(AcceptsHalves()); }

TEST_F(VerifyHistory, ClassesAcrossThoseOnRecordAreRefused) {
  earlier_ = HistoryOf({{0, 1, 0, 1}});
  const auto result = Run({{0, 1}, {2, 3}}, {0, 0, 1, 1});
  ASSERT_TRUE(std::holds_alternative<Refusal>(result));
  EXPECT_EQ(std::get<Refusal>(result).guarantee, "history");
  EXPECT_EQ(std::get<Refusal>(result).witness,
            "over 'r1', 'this release' somebody has a crowd of 1 person, 2 are required");
  EXPECT_TRUE(Accepts({{0, 3}}, {0, 0, 0, 0}));
}

TEST_F(VerifyHistory, RowsAreFoundByPersonAndNotByPlace) {
  person_of_row_ = {0, 2, 1, 3};
  EXPECT_FALSE(AcceptsHalves());
}

TEST_F(VerifyHistory, GroupsWithEqualBoxesAreOneClass) {
  EXPECT_TRUE(Accepts({{0, 3}, {0, 3}}, {0, 1, 0, 1}));
  earlier_ = HistoryOf({{0, 0, 0, 0}});
  policy_.k = 3;
  EXPECT_TRUE(Accepts({{0, 3}, {0, 3}}, {0, 1, 0, 1}));
}

TEST_F(VerifyHistory, WithoutEvidenceItIsRefused) {
  has_evidence_ = false;
  EXPECT_FALSE(AcceptsHalves());
}

TEST_F(VerifyHistory, WhoCannotBeToldIsRefusedUnlessThePolicyAllowsIt) {
  untold_ = {"import"};
  EXPECT_FALSE(AcceptsHalves());
  policy_.allows_unknown = true;
  EXPECT_TRUE(AcceptsHalves());
}

TEST_F(VerifyHistory, AColumnOnAnAccountIsRefusedWhateverElseHolds) {
  accounted_ = {"disease"};
  const auto result = Run({{0, 1}, {2, 3}}, {0, 0, 1, 1});
  ASSERT_TRUE(std::holds_alternative<Refusal>(result));
  EXPECT_NE(std::get<Refusal>(result).witness.find("column 'disease' is on the account"), std::string::npos);
  policy_.allows_unknown = true;
  EXPECT_FALSE(AcceptsHalves());
}

TEST_F(VerifyHistory, OnlyReleasesThatAreNamedCountAndTheyMustBeThere) {
  earlier_ = HistoryOf({{0, 0, 1, 1}, {0, 1, 0, 1}});
  EXPECT_FALSE(AcceptsHalves());
  policy_.over = {"r1"};
  EXPECT_TRUE(AcceptsHalves());
  policy_.over = {"r1", "r7"};
  EXPECT_FALSE(AcceptsHalves());
}

TEST_F(VerifyHistory, PeopleThatDoNotFitAreRefused) {
  person_of_row_ = {0, 1, 2};
  EXPECT_FALSE(AcceptsHalves());
  person_of_row_ = {0, 1, 2, 4};
  EXPECT_FALSE(AcceptsHalves());
  person_of_row_ = {0, 1, 2, 3};
  earlier_.releases[0].class_of[3] = 9;
  EXPECT_FALSE(AcceptsHalves());
}

TEST_F(VerifyHistory, AlphaNeedsTheSensitiveColumnsAndCountsThemInTheDraft) {
  policy_.alpha = Ratio{1, 2};
  EXPECT_FALSE(AcceptsHalves());
  CodeColumn disease(2, 4);
  sensitive_ = {&disease};
  names_ = {"disease"};
  disease.Set(1, 1);
  disease.Set(3, 1);
  AddBags(earlier_.releases[0], "disease", {0, 1, 0, 1});
  EXPECT_TRUE(AcceptsHalves());
  disease.Set(0, 1);
  EXPECT_FALSE(AcceptsHalves());
}

TEST_F(VerifyHistory, SomebodyWithSeveralRowsIsInAClassOfTheirOwnKind) {
  // One person in both classes, two in either.
  person_of_row_ = {0, 1, 1, 2};
  earlier_ = HistoryOf({{0, 0, 0, kAway}});
  EXPECT_FALSE(AcceptsHalves());
  EXPECT_FALSE(Accepts({{0, 3}}, {0, 0, 0, 0}));  // the one with two rows is seen to have two
  person_of_row_ = {0, 1, 1, 0};
  earlier_ = HistoryOf({{0, 0}});
  EXPECT_TRUE(AcceptsHalves());
}

}  // namespace
}  // namespace pentimento::verify_history_test
