#include "guarantee/form/rows_of_classes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace pentimento::rows_of_classes_test {
namespace {

// Few and many classes, in one task and in several, and a last block of any size.
TEST(RowsOfClasses, LayRowsOutAsAStableSortByClassDoes) {
  Random random(SeedFromNumber(1), "test");
  for (const std::size_t rows : {1, 127, 128, 1'000, 131'071, 131'072, 200'003}) {
    for (const std::size_t classes : {1, 7, 60'000}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << classes << " classes");
      std::vector<ClassNumber> class_of_row(rows);
      std::vector<std::uint32_t> number(rows);
      for (ClassNumber& of_row : class_of_row) of_row = random.Below(static_cast<std::uint32_t>(classes));
      std::iota(number.begin(), number.end(), 0U);
      const RowsOfClasses layout = LayOutClasses(class_of_row, classes);
      std::vector<std::uint32_t> sorted = number;
      std::ranges::stable_sort(sorted, {}, [&](std::uint32_t row) { return class_of_row[row]; });
      EXPECT_EQ(ByClass<std::uint32_t>(layout, number), sorted);
      ASSERT_EQ(layout.classes(), classes);
      EXPECT_EQ(layout.rows(), rows);
      for (std::size_t i = 0; i < rows; ++i) {
        ASSERT_LE(layout.begin[class_of_row[sorted[i]]], i);
        ASSERT_GT(layout.begin[class_of_row[sorted[i]] + std::size_t{1}], i);
      }
    }
  }
}

}  // namespace
}  // namespace pentimento::rows_of_classes_test
