#include "io/take_input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/array_builder.h"

namespace pentimento::take_input_test {
namespace {

using Row = std::vector<std::optional<std::string>>;

const std::vector<std::string> kNames = {"sex", "disease", "note", "ward"};

ArrowArrayStream StreamOfRows(const std::vector<Row>& rows) {
  std::vector<FieldSpec> fields;
  for (const std::string& name : kNames) fields.push_back({name, "u", false});
  auto is_read = std::make_shared<bool>(false);
  return MakeStream(fields, [rows, is_read]() -> Result<ArrowArray> {
    if (std::exchange(*is_read, true) || rows.empty()) return ArrowArray{};
    std::vector<ArrowArray> arrays;
    for (std::size_t column = 0; column < kNames.size(); ++column) {
      TextColumnBuilder builder(rows.size(), 0);
      for (const Row& row : rows) {
        if (row[column]) {
          builder.Append(*row[column]);
        } else {
          builder.AppendNull();
        }
      }
      arrays.push_back(std::move(builder).Finish());
    }
    return MakeBatch(rows.size(), std::move(arrays));
  });
}

EncodeOptions Options() {
  EncodeOptions options;
  options.seed = SeedFromNumber(7);
  options.spill_folder = std::filesystem::temp_directory_path();
  return options;
}

EncodedInput Read(const std::vector<Row>& rows) {
  const std::vector<std::string> sexes = {"F", "M"};
  const EncodePlan plan{
      {{"sex", Role::kQuasiIdentifier, std::make_shared<const Taxonomy>(Taxonomy::Flat(sexes).value()), std::nullopt},
       {"disease", Role::kSensitive, nullptr, std::nullopt},
       {"note", Role::kKeep, nullptr, std::nullopt},
       {"ward", Role::kKeep, nullptr, std::nullopt}},
      {""}};
  TableParts parts;
  parts.count = 1;
  parts.open = [&](std::size_t) -> Result<TableSource> { return TableSource("rows", StreamOfRows(rows)); };
  return EncodeTable(parts, plan, Options()).value();
}

std::vector<Row> SomeRows() {
  std::vector<Row> rows;
  for (int i = 0; i < 300; ++i) {
    rows.push_back({i % 3 == 0 ? "F" : "M", "d" + std::to_string(i % 7), std::string(static_cast<std::size_t>(i), 'n'),
                    i % 5 == 0 ? std::optional<std::string>() : "w" + std::to_string(i)});
  }
  return rows;
}

std::string DiseaseOf(const EncodedInput& input, std::size_t row) {
  return input.values[0].values[input.values[0].codes[row]];
}

TEST(TakeInput, RowsAreAsThoughTheTableHadHeldThemAlone) {
  const std::vector<Row> all = SomeRows();
  std::vector<std::uint32_t> rows;
  std::vector<Row> some;
  for (std::uint32_t i = 1; i < all.size(); i += 1 + i % 4) {
    rows.push_back(i);
    some.push_back(all[i]);
  }
  const EncodedInput taken = TakeInput(Read(all), rows, Options()).value();
  const EncodedInput alone = Read(some);
  ASSERT_EQ(taken.table.rows, alone.table.rows);
  EXPECT_EQ(taken.order.All(), alone.order.All());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(taken.table.quasi_identifiers[0][row], alone.table.quasi_identifiers[0][row]);
    EXPECT_EQ(DiseaseOf(taken, row), DiseaseOf(alone, row));
  }
  for (std::size_t bucket = 0; bucket < kShuffleBuckets; ++bucket)
    EXPECT_EQ(taken.keep_records->ReadBucket(bucket).value(), alone.keep_records->ReadBucket(bucket).value()) << bucket;
}

TEST(TakeInput, ValuesOfOthersAreForgotten) {
  const EncodedInput taken = TakeInput(Read({{"F", "a", "", ""}, {"F", "b", "", ""}, {"M", "c", "", ""}}),
                                       std::vector<std::uint32_t>{1}, Options())
                                 .value();
  EXPECT_EQ(std::ranges::count(taken.values[0].values, "b"), 1);
  EXPECT_EQ(std::ranges::count(taken.values[0].values, "a") + std::ranges::count(taken.values[0].values, "c"), 0);
}

TEST(HashCells, AreEqualWhereCellsAreAndOnlyThere) {
  const EncodedInput here = Read({{"F", "a", "x", "y"}, {"M", "b", std::nullopt, "z"}});
  const EncodedInput there =
      Read({{"M", "b", "", "z"}, {"M", "a", "x", "y"}, {"F", "a", "y", "x"}, {"F", "a", "x", ""}});
  const std::set<std::string> columns = {"disease", "note", "ward"};
  const std::vector<std::uint64_t> one = HashCells(here, columns).value();
  const std::vector<std::uint64_t> other = HashCells(there, columns).value();
  EXPECT_EQ(one[0], other[1]);  // the quasi-identifier is not looked at
  EXPECT_EQ(one[1], other[0]);  // an empty text is published like no value
  EXPECT_NE(one[0], other[2]);  // the same texts in other columns
  EXPECT_NE(one[0], other[3]);
  EXPECT_NE(one[0], one[1]);
}

TEST(HashCells, LookAtTheColumnsAlone) {
  const EncodedInput input = Read({{"F", "a", "x", "y"}, {"F", "a", "x", "z"}, {"F", "b", "x", "y"}});
  const std::vector<std::uint64_t> without_ward = HashCells(input, {"disease", "note"}).value();
  EXPECT_EQ(without_ward[0], without_ward[1]);
  EXPECT_NE(without_ward[0], without_ward[2]);
  const std::vector<std::uint64_t> ward = HashCells(input, {"ward"}).value();
  EXPECT_EQ(ward[0], ward[2]);
  EXPECT_NE(ward[0], ward[1]);
  EXPECT_EQ(HashCells(input, {}).value(), std::vector<std::uint64_t>(3, 0));
}

}  // namespace
}  // namespace pentimento::take_input_test
