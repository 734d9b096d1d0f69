#include "guarantee/global/classes_of_release.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::classes_of_release_test {
namespace {

TEST(ClassesOfReleaseTest, WhatIsCountedIsWhatIsThere) {
  Random random(SeedFromNumber(1), "classes of release");
  const GlobalClaim claim{
      {{0, {1}, 2, true, ""}, {0, {2, 3}, 2, true, ""}, {1, {0}, 2, true, ""}, {0, {1, 3}, 2, true, ""}}};
  int with_several = 0;
  for (std::size_t round = 0; round < TestRounds(300); ++round) {
    const std::size_t rows = 1 + random.Below(40), people = rows + random.Below(20);
    const std::uint32_t classes = 1 + random.Below(6);
    CodeColumn first(5, rows), second(2, rows);
    std::vector<ClassNumber> class_of_row;
    std::vector<std::uint32_t> person_of_row;
    for (std::size_t row = 0; row < rows; ++row) {
      first.Set(row, random.Below(5));
      second.Set(row, random.Below(2));
      class_of_row.push_back(random.Below(classes));
      // Everybody once, or anybody.
      person_of_row.push_back(round % 2 == 0 ? static_cast<std::uint32_t>(people - 1 - row)
                                             : random.Below(static_cast<std::uint32_t>(people)));
    }
    const std::vector<const CodeColumn*> sensitive = {&first, &second};
    const ReleaseClasses release = ClassesOfRelease(claim, sensitive, class_of_row, classes, person_of_row, people);

    std::vector<std::uint32_t> size(classes), holders(classes * claim.items.size());
    std::vector<std::map<ClassNumber, std::uint32_t>> rows_of(people);
    for (std::size_t row = 0; row < rows; ++row) {
      ++size[class_of_row[row]];
      ++rows_of[person_of_row[row]][class_of_row[row]];
      for (std::size_t item = 0; item < claim.items.size(); ++item) {
        const Code code = (*sensitive[claim.items[item].column])[row];
        for (const Code value : claim.items[item].values)
          holders[class_of_row[row] * claim.items.size() + item] += code == value ? 1 : 0;
      }
    }
    EXPECT_EQ(release.size, size);
    EXPECT_EQ(release.holders, holders);
    std::vector<RowsInClass> several;
    for (std::uint32_t person = 0; person < people; ++person) {
      std::uint32_t all = 0;
      for (const auto& [number, count] : rows_of[person]) all += count;
      const std::uint32_t expected = all == 0   ? ReleaseClasses::kAbsent
                                     : all == 1 ? rows_of[person].begin()->first
                                                : ReleaseClasses::kSeveral;
      EXPECT_EQ(release.class_of_person[person], expected);
      for (const auto& [number, count] : rows_of[person]) {
        if (all > 1) several.push_back({person, number, count});
      }
    }
    ASSERT_EQ(release.several_rows.size(), several.size());
    for (std::size_t i = 0; i < several.size(); ++i) {
      EXPECT_EQ(release.several_rows[i].person, several[i].person);
      EXPECT_EQ(release.several_rows[i].class_number, several[i].class_number);
      EXPECT_EQ(release.several_rows[i].rows, several[i].rows);
    }
    with_several += several.empty() ? 0 : 1;
  }
  EXPECT_GT(with_several, TestRounds(100));
}

}  // namespace
}  // namespace pentimento::classes_of_release_test
