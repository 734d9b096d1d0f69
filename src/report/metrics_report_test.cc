#include "report/metrics_report.h"

#include <gtest/gtest.h>

namespace pentimento::metrics_report_test {
namespace {

TEST(PercentText, IsCutOffSoThatOnlyAllIsAHundred) {
  EXPECT_EQ(PercentText({1, 1}), "100 %");
  EXPECT_EQ(PercentText({999'999, 1'000'000}), "99.99 %");
  EXPECT_EQ(PercentText({1, 3}), "33.33 %");
  EXPECT_EQ(PercentText({1, 20}), "5.00 %");
  EXPECT_EQ(PercentText({0, 1}), "0.00 %");
}

TEST(PercentText, HoldsCountsOfAnySize) { EXPECT_EQ(PercentText({UINT64_MAX - 1, UINT64_MAX}), "99.99 %"); }

}  // namespace
}  // namespace pentimento::metrics_report_test
