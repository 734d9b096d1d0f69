#include "io/input_table.h"

#include <gtest/gtest.h>

#include "io/array_builder.h"

namespace pentimento::input_table_test {
namespace {

ArrowArrayStream ThreeNames() {
  auto is_done = std::make_shared<bool>(false);
  return MakeStream({{"name", "u"}, {"", "u"}}, [=]() -> Result<ArrowArray> {
    if (std::exchange(*is_done, true)) return ArrowArray{};
    std::vector<ArrowArray> columns;
    for (int i = 0; i < 2; ++i) {
      TextColumnBuilder builder(3, 0);
      for (const char* name : {"Ada", "Bob", "Cyd"}) builder.Append(name);
      columns.push_back(std::move(builder).Finish());
    }
    return MakeBatch(3, std::move(columns));
  });
}

Result<std::size_t> CountRows(InputTable& table) {
  const EncodePlan plan{{{"name", Role::kSensitive, nullptr, std::nullopt}}, {""}};
  EncodeOptions options;
  options.spill_folder = std::filesystem::temp_directory_path();
  TableParts parts;
  parts.count = 1;
  parts.open = [&](std::size_t) { return table.Open(); };
  PENTIMENTO_ASSIGN(const EncodedInput input, EncodeTable(parts, plan, options));
  return input.table.rows;
}

TEST(InputTableTest, AStreamIsReadOnceAndLookedAtAsOftenAsOneLikesBefore) {
  const auto once = InputTable::Once("people", ThreeNames());
  const std::vector<std::string> names = {"name", ""};
  EXPECT_EQ(once->ColumnNames().value(), names);
  EXPECT_EQ(once->ColumnNames().value(), names);
  EXPECT_EQ(CountRows(*once).value(), 3U);
  const Result<std::size_t> again = CountRows(*once);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::kUsage);
  EXPECT_NE(again.error().message.find("people: this stream has been read already"), std::string::npos);
}

TEST(InputTableTest, AStreamThatNobodyReadsIsReleased) {
  int held = 0;
  ArrowArrayStream stream = ThreeNames();
  struct Lent {
    ArrowArrayStream stream;
    int* held;
  };
  stream.private_data = new Lent{stream, &++held};
  stream.release = [](ArrowArrayStream* lent) {
    auto* const own = static_cast<Lent*>(lent->private_data);
    own->stream.release(&own->stream);
    --*own->held;
    delete own;
    lent->release = nullptr;
  };
  (void)InputTable::Once("people", stream);
  EXPECT_EQ(held, 0);
}

TEST(InputTableTest, AMakerOfStreamsIsReadAsOftenAsOneLikes) {
  InputTable often("people", []() -> Result<ArrowArrayStream> { return ThreeNames(); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(CountRows(often).value(), 3U);
    EXPECT_EQ(often.ColumnNames()->size(), 2U);
  }
}

}  // namespace
}  // namespace pentimento::input_table_test
