#include "anonymize/history/within_atoms.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/rounds_testing.h"
#include "guarantee/history/draft_release.h"
#include "guarantee/history/history.h"
#include "guarantee/history/joint_classes.h"

namespace pentimento::within_atoms_test {
namespace {

EncodedTable TableOf(const std::vector<Code>& codes) {
  EncodedTable table{.rows = codes.size(), .quasi_identifiers = {CodeColumn(10, codes.size())}, .persons = {}};
  for (std::size_t row = 0; row < codes.size(); ++row) table.quasi_identifiers[0].Set(row, codes[row]);
  return table;
}

const std::vector<Domain>& Domains() {
  static const std::vector<Domain> kDomains = {Domain(NumericRange{0, 9, 0, {}}, false)};
  return kDomains;
}

TEST(WithinAtoms, CutsWithinAtomsOnly) {
  const std::vector<std::uint32_t> atoms = {0, 0, 1, 1, 0, 0, 1, 1};
  const auto made = PartitionWithinAtoms(TableOf({0, 1, 2, 3, 4, 5, 6, 7}), Domains(), {.k = 2}, atoms, 2);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->uncut_rows, 0U);
  EXPECT_EQ(made->classes.of_row, (std::vector<ClassNumber>{0, 0, 2, 2, 1, 1, 3, 3}));
}

TEST(WithinAtoms, SmallAtomsShareAClassOrEverybodyDoes) {
  const auto made = PartitionWithinAtoms(TableOf({0, 1, 2, 3, 4, 5}), Domains(), {.k = 2},
                                         std::vector<std::uint32_t>{0, 0, 0, 0, 1, 2}, 3);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->uncut_rows, 2U);
  EXPECT_EQ(made->classes.of_row, (std::vector<ClassNumber>{0, 0, 1, 1, 2, 2}));
  const auto all =
      PartitionWithinAtoms(TableOf({0, 1, 2}), Domains(), {.k = 2}, std::vector<std::uint32_t>{0, 0, 1}, 2);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->classes.of_row, (std::vector<ClassNumber>{0, 0, 0}));
  EXPECT_EQ(all->uncut_rows, 3U);
  EXPECT_FALSE(PartitionWithinAtoms(TableOf({0}), Domains(), {.k = 2}, std::vector<std::uint32_t>{0}, 1).ok());
  EXPECT_FALSE(PartitionWithinAtoms(TableOf({}), Domains(), {.k = 2}, {}, 0).ok());
}

// All tables of six people with three values, and every history of one release that keeps k.
TEST(WithinAtoms, WhatIsMadeKeepsTheHistoryOfAllSmallTables) {
  constexpr std::uint32_t kPeople = 6;
  constexpr std::uint32_t kChoices = 3 * 3 * 3 * 3 * 3 * 3;
  std::size_t made_of = 0;
  for (std::size_t codes = 0; codes < kChoices; codes += TestStep(5)) {
    for (std::uint32_t classes = 0; classes < kChoices; ++classes) {
      std::vector<Code> code_of_row;
      CommonReleases common{kPeople, {{"r", {}, std::vector<std::uint32_t>(3)}}};
      std::size_t code = codes;
      for (std::uint32_t person = 0, number = classes; person < kPeople; ++person) {
        code_of_row.push_back(static_cast<Code>(code % 3));
        common.releases[0].class_of.push_back(number % 3);
        ++common.releases[0].rows[number % 3];
        code /= 3, number /= 3;
      }
      if (FindHistoryViolation(common, AllReleases(common), {2, Membership::kKnown})) continue;
      const JointClasses atoms = FindJointClasses(common, AllReleases(common));
      const auto made = PartitionWithinAtoms(TableOf(code_of_row), Domains(), {.k = 2}, atoms.of_person,
                                             static_cast<std::uint32_t>(atoms.people.size()));
      ASSERT_TRUE(made.ok());
      const std::vector<std::uint32_t> person_of_row = {0, 1, 2, 3, 4, 5};
      const CommonReleases earlier = common;
      common.releases.push_back(ReleaseOfDraft({made->classes}, "new", kPeople, {earlier, person_of_row}));
      ASSERT_FALSE(FindHistoryViolation(common, AllReleases(common), {2, Membership::kKnown}));
      ++made_of;
    }
  }
  EXPECT_GT(made_of, TestRounds(10000));
}

}  // namespace
}  // namespace pentimento::within_atoms_test
