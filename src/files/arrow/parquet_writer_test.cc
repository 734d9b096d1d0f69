// What is written into a Parquet file is what is read out of it, whichever way a column is encoded.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "files/table_file.h"
#include "io/array_builder.h"

namespace pentimento::parquet_writer_test {
namespace {

constexpr std::size_t kRows = 1'100'000;     // three row groups
constexpr std::size_t kRowsPerBatch = 7001;  // no row group ends with a batch

// Scattered over [0, 2^32), and the same at every call.
std::uint64_t Scatter(std::uint64_t number) { return number * 0x9E3779B97F4A7C15ULL >> 32; }

class ParquetFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "pentimento-parquet-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string Read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  // A table of one column, whose batches are made by column(first row, rows), as CSV: directly, and by way of Parquet.
  template <typename Column>
  void ExpectUnharmed(const FieldSpec& field, std::size_t rows, const Column& column,
                      const WriteOptions& options = {}) {
    const auto stream = [&] {
      return MakeStream({field}, [&, first = std::size_t{0}]() mutable -> Result<ArrowArray> {
        if (first == rows) return ArrowArray{};
        const std::size_t count = std::min(kRowsPerBatch, rows - first);
        return MakeBatch(count, {column(std::exchange(first, first + count), count)});
      });
    };
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    ArrowArrayStream plain = stream(), packed = stream();
    ASSERT_TRUE(WriteFile(&plain, FileFormat::kCsv, folder_ / "plain.csv").ok());
    const Result<WrittenFile> written = WriteFile(&packed, FileFormat::kParquet, folder_ / "packed.parquet", options);
    ASSERT_TRUE(written.ok());
    EXPECT_EQ(written->rows, rows);
    Result<TableSource> source = OpenTableFile(TableFile(folder_ / "packed.parquet", {}), {field.name}, {});
    ASSERT_TRUE(source.ok());
    ArrowArrayStream back = std::exchange(*source->stream(), {});
    ASSERT_TRUE(WriteFile(&back, FileFormat::kCsv, folder_ / "back.csv").ok());
    EXPECT_TRUE(Read(folder_ / "plain.csv") == Read(folder_ / "back.csv")) << field.name << ", " << rows << " rows";
  }

  std::filesystem::path folder_;
};

// Indices below `entries`; every n-th is a null, none where n is 0.
ArrowArray Indices(std::size_t first, std::size_t rows, std::size_t entries, std::size_t nth,
                   const std::shared_ptr<const ArrowArray>& dictionary) {
  std::vector<std::int32_t> indices(rows);
  Validity validity(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    indices[i] = static_cast<std::int32_t>(Scatter(first + i) % entries);
    if (nth != 0 && (first + i) % nth == 0) validity.SetNull(i);
  }
  return MakeDictionaryColumn(std::move(indices), std::move(validity), dictionary);
}

ArrowArray Numbers(std::size_t first, std::size_t rows, std::size_t nth) {
  std::vector<char> bytes(8 * rows);
  Validity validity(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto number = static_cast<std::int64_t>(Scatter(first + i)) - (std::int64_t{1} << 31);
    std::memcpy(bytes.data() + 8 * i, &number, 8);
    if (nth != 0 && (first + i) % nth == 0) validity.SetNull(i);
  }
  return MakeFixedColumn(rows, std::move(validity), std::move(bytes));
}

TEST_F(ParquetFiles, IndicesIntoADictionaryComeBackAsItsEntries) {
  std::vector<std::string> texts;
  std::vector<std::int64_t> whole;
  std::vector<double> fractions;
  for (int i = 0; i < 300; ++i) {
    texts.push_back(i == 7 ? "" : "text " + std::to_string(i));
    whole.push_back(1000 * (i - 100));
    fractions.push_back((i - 100) / 8.0);
  }
  const struct {
    const char* format;
    std::shared_ptr<const ArrowArray> dictionary;
  } kinds[] = {
      {"u", ShareTexts(texts)}, {"z", ShareTexts(texts)}, {"l", ShareNumbers(whole)}, {"g", ShareNumbers(fractions)}};
  for (const auto& kind : kinds) {
    // All entries; some; one; and with nulls, up to nothing but nulls.
    for (const auto& [entries, nth] : {std::pair{300, 0}, {300, 3}, {90, 0}, {5, 7}, {1, 0}, {1, 1}}) {
      for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{70'000}, kRows}) {
        if (rows == kRows && entries < 300) continue;  // takes its time
        ExpectUnharmed({"c", kind.format, true}, rows, [&](std::size_t first, std::size_t count) {
          return Indices(first, count, static_cast<std::size_t>(entries), static_cast<std::size_t>(nth),
                         kind.dictionary);
        });
      }
    }
  }
}

TEST_F(ParquetFiles, BatchesMayHaveDictionariesOfTheirOwn) {
  const auto one = ShareTexts(std::vector<std::string>{"a", "b", "c"});
  const auto other = ShareTexts(std::vector<std::string>{"c", "a", "d"});
  ExpectUnharmed({"c", "u", true}, kRows, [&](std::size_t first, std::size_t count) {
    return Indices(first, count, 3, 10, first / kRowsPerBatch % 2 == 0 ? one : other);
  });
}

TEST_F(ParquetFiles, NumbersComeBackPackedOrNot) {
  for (const std::vector<std::string>& dense : {std::vector<std::string>{"c"}, std::vector<std::string>{}}) {
    for (const std::size_t nth : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
      ExpectUnharmed({"c", "l", false}, kRows,
                     [&](std::size_t first, std::size_t count) { return Numbers(first, count, nth); },
                     {.dense_numbers = dense});
    }
  }
}

TEST_F(ParquetFiles, PlainTextsComeBack) {
  ExpectUnharmed({"c", "u", false}, kRows, [&](std::size_t first, std::size_t count) {
    TextColumnBuilder builder(count, 0);
    for (std::size_t i = first; i < first + count; ++i) {
      if (i % 11 == 0) {
        builder.AppendNull();
      } else {
        builder.Append(std::to_string(Scatter(i)));
      }
    }
    return std::move(builder).Finish();
  });
}

TEST_F(ParquetFiles, NumbersThatHardlyRepeatTakeLittleRoom) {
  ExpectUnharmed({"c", "l", false}, kRows,
                 [&](std::size_t first, std::size_t count) { return Numbers(first, count, 0); },
                 {.dense_numbers = {"c"}});
  EXPECT_LT(std::filesystem::file_size(folder_ / "packed.parquet"), kRows * 5);  // 32 random bits each
}

TEST_F(ParquetFiles, EntriesThatDoNotOccurAreNotInTheFile) {
  const auto texts = ShareTexts(std::vector<std::string>{"published", "SECRET"});
  ExpectUnharmed({"c", "u", true}, 1000,
                 [&](std::size_t first, std::size_t count) { return Indices(first, count, 1, 0, texts); });
  const std::string bytes = Read(folder_ / "packed.parquet");
  EXPECT_NE(bytes.find("published"), std::string::npos);
  EXPECT_EQ(bytes.find("SECRET"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::parquet_writer_test
