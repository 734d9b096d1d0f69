#include "io/cells.h"

#include <gtest/gtest.h>

#include <functional>

#include "io/array_builder.h"
#include "io/encode.h"
#include "io/input_table.h"

namespace pentimento::cells_test {
namespace {

using Texts = std::vector<std::optional<std::string>>;

template <typename T>
std::string Bytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

__extension__ using Int128 = __int128;

std::string TextOf(const std::string& bytes, const std::string& format) {
  CellScratch scratch;
  return std::string(CellText(bytes, {format, static_cast<int>(bytes.size())}, scratch).value_or("none"));
}

// An array of text views as other engines send it: long texts lie in several buffers, taken in turn.
class ViewArray {
 public:
  ViewArray(const Texts& cells, std::size_t buffers) : texts_(buffers), validity_(cells.size() / 8 + 1) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      char view[16] = {};
      const std::string cell = cells[i].value_or("");
      const auto length = static_cast<std::int32_t>(cell.size());
      std::memcpy(view, &length, 4);
      if (cell.size() <= 12) {
        std::memcpy(view + 4, cell.data(), cell.size());
      } else {
        const auto buffer = static_cast<std::int32_t>(i % buffers);
        std::string& text = texts_[i % buffers];
        const auto offset = static_cast<std::int32_t>(text.size());
        text += cell;
        std::memcpy(view + 4, cell.data(), 4);
        std::memcpy(view + 8, &buffer, 4);
        std::memcpy(view + 12, &offset, 4);
      }
      views_.append(view, sizeof view);
      if (cells[i]) validity_[i / 8] = static_cast<std::uint8_t>(validity_[i / 8] | 1 << i % 8);
    }
    buffers_ = {validity_.data(), views_.data()};
    for (const std::string& text : texts_) {
      buffers_.push_back(text.data());
      lengths_.push_back(static_cast<std::int64_t>(text.size()));
    }
    buffers_.push_back(lengths_.data());
    array_.length = static_cast<std::int64_t>(cells.size());
    array_.null_count = -1;
    array_.n_buffers = static_cast<std::int64_t>(buffers_.size());
    array_.buffers = buffers_.data();
  }
  ViewArray(const ViewArray&) = delete;

  ArrowArray Slice(std::int64_t offset, std::int64_t length) const {
    ArrowArray slice = array_;
    slice.offset = offset;
    slice.length = length;
    return slice;
  }

 private:
  std::vector<std::string> texts_;
  std::string views_;
  std::vector<std::uint8_t> validity_;
  std::vector<std::int64_t> lengths_;
  std::vector<const void*> buffers_;
  ArrowArray array_{};
};

CellLayout LayoutOf(const char* format) {
  ArrowSchema schema{};
  schema.format = format;
  schema.name = "x";
  return ReadLayout(schema).value();
}

const Texts kTexts = {"",
                      "a",
                      std::nullopt,
                      "twelve bytes",
                      "thirteen byte",
                      "Bachelor",
                      std::nullopt,
                      std::string(300, 'x'),
                      "ä",
                      std::string(5000, 'y'),
                      "13 letters ok",
                      std::nullopt};

TEST(Cells, TextViewsAreReadWhereverTheirTextStands) {
  for (const std::size_t buffers : {1, 2, 3}) {
    const ViewArray array(kTexts, buffers);
    for (const char* format : {"vu", "vz"}) {
      const CellLayout layout = LayoutOf(format);
      EXPECT_EQ(layout.type.arrow_format, std::string(1, format[1]));
      EXPECT_TRUE(layout.type.is_text());
      for (std::int64_t offset = 0; offset < 12; ++offset) {
        const ArrowArray slice = array.Slice(offset, 12 - offset);
        const Cells cells(slice, layout);
        for (std::int64_t row = 0; row < cells.size(); ++row) {
          const auto& expected = kTexts[static_cast<std::size_t>(offset + row)];
          ASSERT_EQ(cells.IsNull(row), !expected) << row;
          EXPECT_EQ(expected ? cells.Bytes(row) : "", expected.value_or("")) << row;
        }
      }
    }
  }
}

TEST(Cells, DatesAreIsoTexts) {
  const std::pair<std::int32_t, const char*> days[] = {
      {0, "1970-01-01"},       {-1, "1969-12-31"},     {20775, "2026-11-18"},   {11016, "2000-02-29"},
      {-25509, "1900-02-28"},  {-25508, "1900-03-01"}, {2932896, "9999-12-31"}, {2932897, "none"},
      {-719528, "0000-01-01"}, {-719529, "none"},      {INT32_MAX, "none"},     {INT32_MIN, "none"}};
  for (const auto& [day, text] : days) {
    EXPECT_EQ(TextOf(Bytes(day), "tdD"), text);
    EXPECT_EQ(TextOf(Bytes(std::int64_t{day} * 86'400'000), "tdm"), text);
    EXPECT_EQ(TextOf(Bytes(std::int64_t{day} * 86'400'000 + 86'399'999), "tdm"), text);
  }
}

TEST(Cells, PointsInTimeAreTextsWithTheDigitsOfTheirUnit) {
  EXPECT_EQ(TextOf(Bytes<std::int64_t>(20775 * 86400LL + 8 * 3600 + 5 * 60 + 9), "tss:"), "2026-11-18 08:05:09");
  EXPECT_EQ(TextOf(Bytes<std::int64_t>(-1), "tss:"), "1969-12-31 23:59:59");
  EXPECT_EQ(TextOf(Bytes<std::int64_t>(-1), "tsm:"), "1969-12-31 23:59:59.999");
  EXPECT_EQ(TextOf(Bytes<std::int64_t>(1'000'042), "tsu:"), "1970-01-01 00:00:01.000042");
  EXPECT_EQ(TextOf(Bytes<std::int64_t>(7), "tsn:"), "1970-01-01 00:00:00.000000007");
  EXPECT_EQ(TextOf(Bytes<std::int64_t>(0), "tsm:Europe/Vienna"), "1970-01-01 00:00:00.000Z");
  EXPECT_EQ(TextOf(Bytes<std::int64_t>(INT64_MIN), "tss:"), "none");
  EXPECT_EQ(TextOf(Bytes<std::int64_t>(INT64_MIN), "tsn:"), "1677-09-21 00:12:43.145224192");
}

TEST(Cells, DecimalsAreTextsWithAllTheirDigits) {
  EXPECT_EQ(TextOf(Bytes<Int128>(1250), "d:10,2"), "12.50");
  EXPECT_EQ(TextOf(Bytes<Int128>(-5), "d:10,2"), "-0.05");
  EXPECT_EQ(TextOf(Bytes<Int128>(0), "d:10,2"), "0.00");
  EXPECT_EQ(TextOf(Bytes<Int128>(7), "d:10,0"), "7");
  EXPECT_EQ(TextOf(Bytes<Int128>(0), "d:10,0,128"), "0");
  EXPECT_EQ(TextOf(Bytes<Int128>(-12), "d:10,-2"), "-1200");
  EXPECT_EQ(TextOf(Bytes<Int128>(0), "d:10,-2"), "0");
  EXPECT_EQ(TextOf(Bytes<std::int32_t>(-12345), "d:9,3,32"), "-12.345");
  EXPECT_EQ(TextOf(Bytes<std::int64_t>(-12345), "d:18,5,64"), "-0.12345");
  Int128 most = 1;
  for (int i = 0; i < 38; ++i) most *= 10;
  EXPECT_EQ(TextOf(Bytes<Int128>(most - 1), "d:38,0"), std::string(38, '9'));
  EXPECT_EQ(TextOf(Bytes<Int128>(1 - most), "d:38,38"), "-0." + std::string(38, '9'));
  EXPECT_EQ(LayoutOf("d:9,3,32").type.width, 4);
  EXPECT_EQ(LayoutOf("d:18,3,64").type.width, 8);
  EXPECT_EQ(LayoutOf("d:38,3").type.width, 16);
  EXPECT_EQ(LayoutOf("d:76,3,256").type.width, 32);
  EXPECT_FALSE(HasText(LayoutOf("d:76,3,256").type));
}

// A stream of one batch, whose columns are what `make` returns.
std::shared_ptr<InputTable> OneBatch(std::vector<FieldSpec> fields, std::function<ArrowArray()> make) {
  auto is_done = std::make_shared<bool>(false);
  return InputTable::Once("rows", MakeStream(std::move(fields), [=]() -> Result<ArrowArray> {
                            if (std::exchange(*is_done, true)) return ArrowArray{};
                            return make();
                          }));
}

Result<EncodedInput> Encode(const std::shared_ptr<InputTable>& table, const EncodePlan& plan) {
  EncodeOptions options;
  options.spill_folder = std::filesystem::temp_directory_path();
  TableParts parts;
  parts.count = 1;
  parts.open = [&](std::size_t) { return table->Open(); };
  return EncodeTable(parts, plan, options);
}

ColumnPlan Leaves(const std::string& name, const std::vector<std::string>& values) {
  return {name, Role::kQuasiIdentifier, std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), std::nullopt};
}

std::vector<Code> Codes(const CodeColumn& column) {
  std::vector<Code> codes;
  for (std::size_t row = 0; row < column.size(); ++row) codes.push_back(column[row]);
  return codes;
}

template <typename T>
ArrowArray Fixed(const std::vector<T>& cells, std::optional<std::size_t> null = std::nullopt) {
  std::vector<char> bytes(cells.size() * sizeof(T));
  std::memcpy(bytes.data(), cells.data(), bytes.size());
  Validity validity(cells.size());
  if (null) validity.SetNull(*null);
  return MakeFixedColumn(cells.size(), std::move(validity), std::move(bytes));
}

TEST(Cells, DatesAndDecimalsBecomeCodes) {
  const EncodePlan plan{{Leaves("day", {"2026-11-17", "2026-11-18"}),
                         {"price", Role::kQuasiIdentifier, nullptr, std::pair(Decimal{0, 0}, Decimal{20, 0})}},
                        {""}};
  const auto make = [] {
    return MakeBatch(3, {Fixed<std::int32_t>({20775, 20774, 20775}, 2), Fixed<Int128>({1200, 700, 0})});
  };
  const auto input = Encode(OneBatch({{"day", "tdD"}, {"price", "d:10,2"}}, make), plan);
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_EQ(Codes(input->table.quasi_identifiers[0]), (std::vector<Code>{1, 0, 2}));
  EXPECT_EQ(Codes(input->table.quasi_identifiers[1]), (std::vector<Code>{12, 7, 0}));
  const EncodePlan number{{{"day", Role::kQuasiIdentifier, nullptr, std::pair(Decimal{0, 0}, Decimal{20, 0})}}, {""}};
  const auto refused =
      Encode(OneBatch({{"day", "tdD"}}, [] { return MakeBatch(1, {Fixed<std::int32_t>({5})}); }), number);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("dates"), std::string::npos) << refused.error().message;
}

TEST(Cells, ABatchThatIsCutOutOfALargerOneHasItsOwnRows) {
  const EncodePlan plan{{Leaves("day", {"2026-11-17", "2026-11-18"}), {"n", Role::kSensitive, nullptr, std::nullopt}},
                        {""}};
  const auto make = [](std::int64_t offset, std::int64_t length) {
    return [=] {
      ArrowArray batch =
          MakeBatch(4, {Fixed<std::int32_t>({20775, 20774, 20775, 20774}, 0), Fixed<std::int64_t>({5, 6, 7, 5}, 2)});
      batch.offset = offset;
      batch.length = length;
      return batch;
    };
  };
  const std::vector<FieldSpec> fields = {{"day", "tdD"}, {"n", "l"}};
  const auto input = Encode(OneBatch(fields, make(1, 3)), plan);
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_EQ(Codes(input->table.quasi_identifiers[0]), (std::vector<Code>{0, 1, 0}));
  EXPECT_EQ(input->values[0].values, (std::vector<std::string>{Bytes<std::int64_t>(5), Bytes<std::int64_t>(6), ""}));
  EXPECT_EQ(Codes(input->values[0].codes), (std::vector<Code>{1, 2, 0}));
  EXPECT_EQ(Encode(OneBatch(fields, make(2, 3)), plan).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace pentimento::cells_test
