#include "engine/xy/attribute_codes.h"

#include <gtest/gtest.h>

namespace pentimento::attribute_codes_test {
namespace {

TEST(ReadNumberSpan, ANumberOrAnIntervalOfTwoIsRead) {
  EXPECT_EQ(ReadNumberSpan("17"), (NumberSpan{PlaceOnLine({17, 0}), PlaceOnLine({17, 0})}));
  EXPECT_EQ(ReadNumberSpan("[17,25]"), (NumberSpan{PlaceOnLine({17, 0}), PlaceOnLine({25, 0})}));
  EXPECT_EQ(ReadNumberSpan("[1.5,2)"), (NumberSpan{PlaceOnLine({15, 1}), PlaceOnLine({2, 0}) - 1}));
}

TEST(ReadNumberSpan, NothingElseIs) {
  for (const char* label : {"", "*", "x", "17,25", "[17]", "[17,25", "[17,x,25)", "[17,,25)", "[x,17,25)", "[25,17)",
                            "[17,25)x", "[17,17)"})
    EXPECT_FALSE(ReadNumberSpan(label)) << label;
}

}  // namespace
}  // namespace pentimento::attribute_codes_test
