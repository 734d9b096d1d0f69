#include "engine/incremental/lone_case.h"

#include <gtest/gtest.h>

#include "audit/paper_patients.h"

namespace pentimento::lone_case_test {
namespace {

// Row i is case i; the paper's cases begin with 1, so row 0 is nobody.
EncodedTable People(const std::map<CaseNumber, Box>& truth) {
  EncodedTable people;
  people.rows = truth.size() + 1;
  for (std::size_t c = 0; c < 3; ++c) {
    CodeColumn column(128, people.rows);
    for (const auto& [number, box] : truth) column.Set(number, box[c].lo);
    people.quasi_identifiers.push_back(std::move(column));
  }
  return people;
}

const EncodedTable& Patients() {
  static const EncodedTable people = People(paper::Together(paper::kTable1, paper::kTable3));
  return people;
}

// Alone in Table 6 are Anna, Bob, Carol and Eddy. Both tables are needed for Bob and Carol, but Bob may also be Eddy's
// case, and Carol Anna's. Nobody but Anna can be Anna.
TEST(LoneCase, IsTheMostTellingOneThatCanBeNobodyElse) {
  const IncrementalRelease first = paper::Publish(paper::kTable2);
  std::map<CaseNumber, Box> second = paper::kTable5;
  std::optional<LoneCase> lone = FindLoneCase(first, paper::Publish(second), Patients());
  ASSERT_TRUE(lone);
  EXPECT_EQ(lone->number, 1U);
  second[1][2] = paper::Years(21, 25);  // now Anna's box does not fit Carol
  lone = FindLoneCase(first, paper::Publish(second), Patients());
  ASSERT_TRUE(lone);
  EXPECT_EQ(lone->number, 3U);
  EXPECT_EQ(lone->first, paper::kTable2.at(3));
  EXPECT_EQ(lone->second, paper::kTable5.at(3));
  EXPECT_EQ(lone->together, paper::kTable6.at(3));
}

TEST(LoneCase, ReleasesThatRefineEachOtherLeaveNobodyAlone) {
  const auto second = paper::Publish(paper::Together(paper::kTable2, paper::kTable4));
  EXPECT_EQ(FindLoneCase(paper::Publish(paper::kTable2), second, Patients()), std::nullopt);
}

}  // namespace
}  // namespace pentimento::lone_case_test
