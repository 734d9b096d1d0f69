#include "base/text_looks.h"

#include <gtest/gtest.h>

namespace pentimento::text_looks_test {
namespace {

TEST(TextLooks, DaysAreSeenInTheFormsThatPeopleWrite) {
  for (const char* text :
       {"2026-11-18", "18.11.2026", "18.11.26", "1/2/2026", "2026-11-18 07:30:00", "2026-11-18T07:30"})
    EXPECT_TRUE(LooksLikeDate(text)) << text;
  for (const char* text :
       {"", "2026", "2026-11", "18-11.2026", "1.2.3", "10.0.0.1", "555-123-4567", "2026-11-18x", "1-2-345"})
    EXPECT_FALSE(LooksLikeDate(text)) << text;
}

TEST(TextLooks, MarksOfMissingValuesAreKnownInBothCases) {
  for (const char* text : {"?", "NA", "n/a", "NULL", "NaN", "-"}) EXPECT_TRUE(LooksLikeMissing(text)) << text;
  for (const char* text : {"", "0", "Namibia", "no"}) EXPECT_FALSE(LooksLikeMissing(text)) << text;
}

TEST(TextLooks, ZerosInFrontAreLeftAwayButNotTheLast) {
  EXPECT_EQ(WithoutZerosInFront("00120"), "120");
  EXPECT_EQ(WithoutZerosInFront("000"), "0");
  EXPECT_EQ(WithoutZerosInFront(""), "");
}

}  // namespace
}  // namespace pentimento::text_looks_test
