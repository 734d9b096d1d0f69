#include "engine/published/interval_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace pentimento::interval_cells_test {
namespace {

using Texts = std::vector<std::optional<std::string>>;

ValueColumn Column(const Texts& texts) {
  ValueColumn column{"column", {}, {}, std::nullopt, {}};
  for (const auto& text : texts)
    if (text) column.values.push_back(*text);
  std::ranges::sort(column.values);
  column.values.erase(std::unique(column.values.begin(), column.values.end()), column.values.end());
  if (std::ranges::any_of(texts, [](const auto& text) { return !text; })) {
    column.null_code = static_cast<Code>(column.values.size());
    column.values.emplace_back();
  }
  column.codes = CodeColumn(column.values.size(), texts.size());
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const auto at = texts[row] ? std::ranges::find(column.values, *texts[row]) - column.values.begin()
                               : static_cast<std::ptrdiff_t>(*column.null_code);
    column.codes.Set(row, static_cast<Code>(at));
  }
  return column;
}

Texts Cells(const ValueColumn& column) {
  Texts cells;
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    const Code code = column.codes[row];
    cells.push_back(code == column.null_code ? std::nullopt : std::optional(column.values[code]));
  }
  return cells;
}

TEST(IntervalCells, EndsBecomeTheLabelsThatTheyStandFor) {
  const ValueColumn from = Column({"24", "80", "11", "0", std::nullopt, "24"});
  const ValueColumn to = Column({"64", "100", "12", "100", std::nullopt, "64"});
  const ValueColumn missing = Column({"false", "false", "false", "true", "true", "false"});
  const ValueColumn labels = LabelsOfEnds("age", {0, 0}, from, to, &missing);
  EXPECT_EQ(labels.name, "age");
  EXPECT_EQ(Cells(labels), (Texts{"[24,64)", "[80,100)", "[11,12)", "*", std::nullopt, "[24,64)"}));
  EXPECT_TRUE(std::ranges::is_sorted(labels.values.begin(), labels.values.end() - 1));
}

TEST(IntervalCells, WithoutMissingValuesThereIsNoThirdColumn) {
  const ValueColumn labels = LabelsOfEnds("age", {0, 0}, Column({"0.5", "0"}), Column({"1", "0.5"}), nullptr);
  EXPECT_EQ(Cells(labels), (Texts{"[0.5,1)", "[0,0.5)"}));
  EXPECT_FALSE(labels.null_code);
}

TEST(IntervalCells, WhatNobodyPublishesCannotBeRead) {
  const ValueColumn from = Column({std::nullopt, "3", std::nullopt, "7"});
  const ValueColumn to = Column({"9", std::nullopt, std::nullopt, "9"});
  const ValueColumn missing = Column({"false", "true", "false", "true"});
  // Half an interval; nothing, though nothing is missing; a missing value within a part of the domain.
  for (const auto& cell : Cells(LabelsOfEnds("age", {0, 0}, from, to, &missing))) EXPECT_EQ(cell, "[,)");
}

}  // namespace
}  // namespace pentimento::interval_cells_test
