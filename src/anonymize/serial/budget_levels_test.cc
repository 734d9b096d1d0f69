#include "anonymize/serial/budget_levels.h"

#include <gtest/gtest.h>

namespace pentimento::serial {
namespace {

// What is left of a cap is a difference of shares, in whole numbers without a sign.
TEST(Cap, AGroupThatIsAllowedHasNoLargerShare) {
  for (std::uint64_t den = 1; den < 60; ++den) {
    for (std::uint64_t num = 0; num <= den; ++num) {
      const Cap cap{num, den};
      for (const std::uint64_t times : {1u, 7u, 1000u}) {
        ASSERT_TRUE(cap.Allows(num * times, den * times));
        EXPECT_GE(cap.share(), (num * times << 32) / (den * times)) << num << "/" << den;
      }
    }
  }
}

}  // namespace
}  // namespace pentimento::serial
