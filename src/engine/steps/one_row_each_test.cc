#include "engine/steps/one_row_each.h"

#include <gtest/gtest.h>

namespace pentimento::one_row_each_test {
namespace {

// Three rows, none, two.
const RowPlaces kPlaces{{"a.csv", "empty.csv", "b.csv"}, {3, 3, 5}};

TEST(RowPlaces, RowsAreCountedFromOneInTheirOwnFile) {
  EXPECT_EQ(kPlaces.Of(0), "a.csv: row 1 (the header not counted)");
  EXPECT_EQ(kPlaces.Of(2), "a.csv: row 3 (the header not counted)");
  EXPECT_EQ(kPlaces.Of(3), "b.csv: row 1 (the header not counted)");
  EXPECT_EQ(kPlaces.Of(4), "b.csv: row 2 (the header not counted)");
}

TEST(RowPlaces, TwoRowsShareTheirFileInWords) {
  EXPECT_EQ(kPlaces.Of(0, 2), "a.csv: rows 1 and 3 (the header not counted)");
  EXPECT_EQ(kPlaces.Of(1, 4), "a.csv: row 2 and b.csv: row 2 (headers not counted)");
}

}  // namespace
}  // namespace pentimento::one_row_each_test
