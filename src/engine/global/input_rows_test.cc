#include "engine/global/input_rows.h"

#include <gtest/gtest.h>

#include "table/take_rows.h"

namespace pentimento::input_rows_test {
namespace {

CodeColumn ColumnOf(std::uint64_t values, const std::vector<Code>& codes) {
  CodeColumn column(values, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) column.Set(row, codes[row]);
  return column;
}
std::vector<Code> CodesOf(const CodeColumn& column) {
  std::vector<Code> codes;
  for (std::size_t row = 0; row < column.size(); ++row) codes.push_back(column[row]);
  return codes;
}

EncodedInput Patients() {
  EncodedInput input;
  input.table.rows = 4;
  input.table.quasi_identifiers = {ColumnOf(100, {30, 40, 50, 60}), ColumnOf(70'000, {1, 65'536, 3, 69'999})};
  input.values.push_back({"illness", {}, {"HIV", "flu", "gout"}, std::nullopt, ColumnOf(3, {1, 0, 2, 1})});
  return input;
}

TEST(RowChoice, ChosenRowsKeepTheirCodesWhateverTheirWidth) {
  const EncodedInput input = Patients();
  const EncodedTable taken = TakeRows(input.table, std::vector<std::uint32_t>{1, 3});
  EXPECT_EQ(taken.rows, 2U);
  ASSERT_EQ(taken.quasi_identifiers.size(), 2U);
  EXPECT_EQ(CodesOf(taken.quasi_identifiers[0]), (std::vector<Code>{40, 60}));
  EXPECT_EQ(CodesOf(taken.quasi_identifiers[1]), (std::vector<Code>{65'536, 69'999}));
  EXPECT_EQ(taken.quasi_identifiers[1].bits(), input.table.quasi_identifiers[1].bits());
  EXPECT_EQ(TakeRows(input.table, {}).rows, 0U);
}

TEST(RowChoice, WhereAllRowsArePublishedNothingChanges) {
  EncodedInput input = Patients();
  PublishOnly(input, std::vector<std::uint32_t>{0, 1, 2, 3});
  EXPECT_TRUE(input.form_of_row.empty());
  EXPECT_EQ(input.values[0].values.size(), 3U);
}

TEST(RowChoice, OtherRowsAreSkippedAndTheirValuesForgotten) {
  EncodedInput input = Patients();
  PublishOnly(input, std::vector<std::uint32_t>{0, 3});
  EXPECT_EQ(input.form_of_row, (std::vector{RowForm::kWhole, RowForm::kSkipped, RowForm::kSkipped, RowForm::kWhole}));
  EXPECT_EQ(input.verified(0), 0U);
  EXPECT_EQ(input.verified(3), 1U);
  const ValueColumn& illness = input.values[0];
  // A published dictionary would list HIV, which nobody has any more.
  for (const std::string& value : illness.values) EXPECT_TRUE(value == "flu" || value.empty()) << value;
  EXPECT_EQ(illness.values[illness.codes[0]], "flu");
  EXPECT_EQ(illness.values[illness.codes[3]], "flu");
}

}  // namespace
}  // namespace pentimento::input_rows_test
