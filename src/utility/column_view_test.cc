#include "utility/column_view.h"

#include <gtest/gtest.h>

#include <memory>

namespace pentimento {
namespace column_view_test {

Domain Ages() { return Domain(NumericRange{.lo = 0, .hi = 23, .scale = 0, .points = {}}, /*allows_missing=*/true); }

double AfterIn(const ColumnView& view) {
  double rows = 0;
  for (const ValueBin& bin : view.bins) rows += bin.after;
  return rows;
}

TEST(ColumnView, SpreadsALabelEvenlyOverItsValues) {
  const Domain ages = Ages();
  const std::vector<LabelledRows> rows = {{{0, 3}, 8}, {{4, 4}, 1}, {{24, 24}, 2}};
  const ColumnView view = ViewColumn("age", ages, rows);
  ASSERT_EQ(view.bins.size(), 13U);  // twelve of two years, and the missing value
  EXPECT_DOUBLE_EQ(view.bins[0].after + view.bins[1].after + view.bins[2].after, 9);
  EXPECT_DOUBLE_EQ(AfterIn(view), 11);
  EXPECT_FALSE(view.bins[0].before.has_value());
}

TEST(ColumnView, CountsRowsByTheWidthOfTheirLabel) {
  const Domain ages = Ages();
  const std::vector<LabelledRows> rows = {{{5, 5}, 1},  {{0, 1}, 2},  {{0, 11}, 3},
                                          {{0, 20}, 4}, {{0, 24}, 5}, {{24, 24}, 6}};
  const ColumnView view = ViewColumn("age", ages, rows);
  EXPECT_EQ(view.rows_by_width, (std::array<std::uint64_t, kLabelWidths>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(view.labels, 6U);
}

TEST(ColumnView, OfManyLabelsTheLargestAreShownAndTheOthersTogether) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back("name " + std::to_string(i));
  const Domain domain(std::make_shared<const Taxonomy>(*Taxonomy::Flat(names)), false);
  std::vector<LabelledRows> rows;
  for (Code i = 0; i < 3000; ++i) rows.push_back({{i, i}, i == 1234 ? 500U : 1U});
  const ColumnView view = ViewColumn("name", domain, rows, &domain, rows);
  ASSERT_EQ(view.bins.size(), kMostValueBins);
  EXPECT_EQ(view.bins.back().label, kOtherValues);
  EXPECT_EQ(view.other_labels, 2989U);
  EXPECT_DOUBLE_EQ(AfterIn(view), 3499);
  EXPECT_TRUE(std::ranges::any_of(view.bins, [](const ValueBin& bin) { return bin.label == "name 1234"; }));
  std::uint64_t before = 0;
  for (const ValueBin& bin : view.bins) before += *bin.before;
  EXPECT_EQ(before, 3499U);
}

TEST(ColumnView, TakesTheDeepestLevelThatHasRoom) {
  const auto taxonomy = Taxonomy::Parse("a;x;*\nb;x;*\nc;y;*\n", "t.csv");
  const Domain domain(std::make_shared<const Taxonomy>(*taxonomy), false);
  const std::vector<LabelledRows> rows = {{{0, 1}, 4}, {{2, 2}, 1}};
  const ColumnView view = ViewColumn("t", domain, rows);
  ASSERT_EQ(view.bins.size(), 3U);
  EXPECT_EQ(view.bins[0].label, "a");
  EXPECT_DOUBLE_EQ(view.bins[0].after, 2);
}

TEST(ColumnView, WideNumbersKeepTheirPlaces) {
  const Domain domain(NumericRange{.lo = -1'000'000'000'000,
                                   .hi = 1'000'000'000'000,
                                   .scale = 3,
                                   .points = {-1'000'000'000'000, 0, 1'000'000'000'000}},
                      false);
  const std::vector<LabelledRows> rows = {{{0, 2}, 24}, {{1, 1}, 1}};
  const ColumnView view = ViewColumn("wide", domain, rows);
  EXPECT_LE(view.bins.size(), kMostValueBins + 1);
  EXPECT_NEAR(AfterIn(view), 25, 1e-6);
}

}  // namespace column_view_test
}  // namespace pentimento
