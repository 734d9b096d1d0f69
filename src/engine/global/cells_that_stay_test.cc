#include "engine/global/cells_that_stay.h"

#include <gtest/gtest.h>

namespace pentimento::cells_that_stay_test {
namespace {

std::string NoteOn(const std::vector<std::pair<std::string, Role>>& columns, std::optional<std::uint64_t> releases) {
  Policy policy;
  for (const auto& [name, role] : columns) {
    policy.columns.emplace_back();
    policy.columns.back().name = name;
    policy.columns.back().role = role;
  }
  GlobalGuaranteePolicy guarantee;
  guarantee.releases = releases;
  return NoteOnCellsThatStay(policy, guarantee).value_or("");
}

TEST(CellsThatStay, AreToldOfColumnsThatArePublishedAsTheyCame) {
  const std::string rest =
      " published as it came. Where a person's cell stays the same from release to release it tells which rows are "
      "that "
      "person's, and the person is in all of their groups; the account does not count that";
  EXPECT_EQ(NoteOn({{"id", Role::kId}, {"weight", Role::kKeep}}, 4), "'weight' is" + rest);
  EXPECT_EQ(NoteOn({{"weight", Role::kKeep}, {"income", Role::kClass}}, std::nullopt),
            "'weight', 'income' are each" + rest);
}

TEST(CellsThatStay, AreNoConcernOfOneReleaseNorOfOtherRoles) {
  EXPECT_EQ(NoteOn({{"weight", Role::kKeep}}, 1), "");
  EXPECT_EQ(NoteOn({{"id", Role::kId}, {"age", Role::kQuasiIdentifier}, {"disease", Role::kSensitive}}, 4), "");
}

}  // namespace
}  // namespace pentimento::cells_that_stay_test
