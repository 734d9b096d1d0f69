#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "files/arrow/csv_diagnosis.h"
#include "files/table_file.h"
#include "files/text_form.h"
#include "io/array_builder.h"

namespace pentimento::file_test {
namespace {

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "pentimento-io-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  static std::string Read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  // Reads the columns and writes them into another file.
  Result<WrittenFile> Copy(const std::filesystem::path& from, const std::vector<std::string>& columns,
                           FileFormat format, const std::string& to) {
    PENTIMENTO_ASSIGN(TableSource source, OpenTableFile(TableFile(from, {}), columns, {}));
    ArrowArrayStream stream = std::exchange(*source.stream(), {});
    return WriteFile(&stream, format, folder_ / to);
  }

  std::filesystem::path folder_;
};

TEST_F(Files, CsvCellsSurviveACopyByteForByte) {
  const std::string text = "a,b\nx,\"p,q\"\n,\"\"\n\"line\nbreak\",\"say \"\"hi\"\"\"\nÄ, blank \n";
  ASSERT_TRUE(Copy(Write("in.csv", text), {"a", "b"}, FileFormat::kCsv, "out.csv").ok());
  EXPECT_EQ(Read(folder_ / "out.csv"), text);
}

TEST_F(Files, WholeNumbersArePrintedFromTheLeastToTheGreatest) {
  const std::int64_t numbers[] = {INT64_MIN, 0, 7, INT64_MAX};
  bool is_done = false;
  ArrowArrayStream stream = MakeStream({{"n", "l"}, {"gap", "l"}}, [&]() -> Result<ArrowArray> {
    if (std::exchange(is_done, true)) return ArrowArray{};
    std::vector<char> bytes(sizeof numbers);
    std::memcpy(bytes.data(), numbers, sizeof numbers);
    Validity validity(4);
    validity.SetNull(2);
    return MakeBatch(4, {MakeFixedColumn(4, Validity(4), bytes), MakeFixedColumn(4, std::move(validity), bytes)});
  });
  ASSERT_TRUE(WriteFile(&stream, FileFormat::kCsv, folder_ / "numbers.csv").ok());
  EXPECT_EQ(Read(folder_ / "numbers.csv"),
            "n,gap\n-9223372036854775808,-9223372036854775808\n0,0\n7,\n9223372036854775807,9223372036854775807\n");
}

TEST_F(Files, AnEmptyLineIsACellOfTheOnlyColumnAndNothingBesideOthers) {
  const struct {
    const char* text;
    const char* copy;
  } cases[] = {{"a\n\nx\n\n", "a\n\"\"\nx\n\"\"\n"},
               {"a\r\n\r\nx\r\n", "a\n\"\"\nx\n"},
               {"a\n\n", "a\n\"\"\n"},
               {"a\n\nx", "a\n\"\"\nx\n"},
               {"\n\r\n\na\n\nx\n", "a\n\"\"\nx\n"},
               {"\xEF\xBB\xBF\r\na\n\nx\n", "a\n\"\"\nx\n"},
               {"\xEF\xBB\xBF\"a\"\n\n\"p\n\nq\"\n", "a\n\"\"\n\"p\n\nq\"\n"},
               {"\na,b\n\nx,y\n\r\n\n", "a,b\nx,y\n"}};
  for (const auto& test : cases) {
    const auto source = Write("in.csv", test.text);
    ASSERT_TRUE(Copy(source, *ReadColumnNames(TableFile(source, {})), FileFormat::kCsv, "out.csv").ok()) << test.text;
    EXPECT_EQ(Read(folder_ / "out.csv"), test.copy) << test.text;
    std::filesystem::remove(folder_ / "out.csv");
  }
}

// The reader takes 2 MiB at a time; wherever its blocks are cut, no line is lost and none is seen twice.
TEST_F(Files, EmptyLinesAreCountedWhereverABlockIsCut) {
  for (const std::string end : {"\n", "\r\n"}) {
    const std::string three_rows = "x" + end + end + end;
    for (std::size_t shift = 1; shift <= three_rows.size(); ++shift) {
      const std::string name(shift, 'a');
      std::string text = name + end;
      std::uint64_t rows = 0;
      for (; text.size() < (2 << 20) + 100; rows += 3) text += three_rows;
      const auto copied = Copy(Write("in.csv", text), {name}, FileFormat::kParquet, "out.parquet");
      ASSERT_TRUE(copied.ok());
      EXPECT_EQ(copied->rows, rows) << shift;
      std::filesystem::remove(folder_ / "out.parquet");
    }
    std::string blank = "a" + end;
    for (int i = 0; i < 5'000'000; ++i) blank += end;
    EXPECT_EQ(Copy(Write("in.csv", blank), {"a"}, FileFormat::kParquet, "out.parquet")->rows, 5'000'000U);
    std::filesystem::remove(folder_ / "out.parquet");
  }
}

// More than a block of Arrow's; the long cells shift where blocks are cut.
TEST_F(Files, OtherEncodingsAndSeparatorsAreTheSameTable) {
  const struct {
    const char* e;
    const char* euro;
    bool is_utf16;
  } writings[] = {{"\xC3\xA9", "\xE2\x82\xAC", false}, {"\xE9", "\x80", false}, {"\xE9", "\xAC\x20", true}};
  const TextSetting settings[] = {{}, {{}, TextEncoding::kWindows1252}, {}};
  for (std::size_t w = 0; w < std::size(writings); ++w) {
    std::string text;
    const auto add = [&](std::string_view ascii) {
      for (const char c : ascii) text += writings[w].is_utf16 ? std::string{c, '\0'} : std::string{c};
    };
    if (writings[w].is_utf16) text = "\xFF\xFE";
    add("sep=;\na;b\n");
    for (int i = 0; i < 300'000; ++i) {
      add(i % 1000 == 0 ? std::string(static_cast<std::size_t>(i / 1000), 'x') + ";y" : "x;y");
      text += writings[w].e;
      if (writings[w].is_utf16) text += '\0';
      text += writings[w].euro;
      add("\n");
    }
    const TableFile file(Write("in.csv", text), settings[w]);
    Result<TableSource> source = OpenTableFile(file, {"a", "b"}, {});
    ASSERT_TRUE(source.ok()) << source.error().message;
    ArrowArrayStream stream = std::exchange(*source->stream(), {});
    ASSERT_TRUE(WriteFile(&stream, FileFormat::kCsv, folder_ / "out.csv").ok());
    EXPECT_TRUE(Read(folder_ / "out.csv").substr(0, 3) == "a,b" && Read(folder_ / "out.csv").size() > 2'000'000) << w;
    if (w == 0) std::filesystem::copy(folder_ / "out.csv", folder_ / "first.csv");
    EXPECT_TRUE(Read(folder_ / "out.csv") == Read(folder_ / "first.csv")) << w;
    std::filesystem::remove(folder_ / "out.csv");
  }
}

TEST_F(Files, WhatIsNoTextInItsEncodingIsRefusedByItsLine) {
  const struct {
    const char* text;
    TextEncoding encoding;
    const char* says;
  } cases[] = {
      {"a\n1\n\x81SECRET\n", TextEncoding::kWindows1252, "in.csv:3: the line holds bytes that are not windows-1252"},
      {"a\n\x80SECRET\n", TextEncoding::kLatin1, "write encoding = \"windows-1252\""},
      {"a\nSECRET\xE9\n", TextEncoding::kUtf8, "encoding = \"windows-1252\" under [input]"}};
  for (const auto& test : cases) {
    Result<TableSource> source = OpenTableFile(TableFile(Write("in.csv", test.text), {{}, test.encoding}), {"a"}, {});
    const std::string message = source.ok() ? source->Explain(EINVAL).message : source.error().message;
    EXPECT_NE(message.find(test.says), std::string::npos) << message;
    EXPECT_EQ(message.find("SECRET"), std::string::npos) << message;
  }
}

TEST_F(Files, ParquetKeepsTextNullsAndOrder) {
  const std::string text = "a,b\nx,1\n,2\n\"\",3\n";
  ASSERT_TRUE(Copy(Write("in.csv", text), {"a", "b"}, FileFormat::kParquet, "mid.parquet").ok());
  EXPECT_EQ(ReadFileHead(TableFile(folder_ / "mid.parquet", {}))->format, FileFormat::kParquet);
  EXPECT_EQ(*ReadColumnNames(TableFile(folder_ / "mid.parquet", {})), (std::vector<std::string>{"a", "b"}));
  ASSERT_TRUE(Copy(folder_ / "mid.parquet", {"a", "b"}, FileFormat::kCsv, "out.csv").ok());
  EXPECT_EQ(Read(folder_ / "out.csv"), text);
}

TEST_F(Files, TypedColumnsArePrintedPlainly) {
  const std::vector<FieldSpec> fields = {{"i", "l", false}, {"d", "tdD", false}, {"f", "g", false}};
  bool done = false;
  ArrowArrayStream stream = MakeStream(fields, [&]() -> Result<ArrowArray> {
    if (std::exchange(done, true)) return ArrowArray{};
    const auto bytes = [](const auto& value) {
      const char* data = reinterpret_cast<const char*>(&value);
      return std::vector<char>(data, data + sizeof value);
    };
    return MakeBatch(
        1, {MakeFixedColumn(1, Validity(1), bytes(std::int64_t{-42})),
            MakeFixedColumn(1, Validity(1), bytes(std::int32_t{20454})), MakeFixedColumn(1, Validity(1), bytes(2.5))});
  });
  ASSERT_TRUE(WriteFile(&stream, FileFormat::kCsv, folder_ / "typed.csv").ok());
  EXPECT_EQ(Read(folder_ / "typed.csv"), "i,d,f\n-42,2026-01-01,2.5\n");
}

TEST_F(Files, TheHashIsThatOfTheFile) {
  const auto written = Copy(Write("in.csv", "a\n1\n2\n"), {"a"}, FileFormat::kCsv, "out.csv");
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written->rows, 2U);
  EXPECT_EQ(written->bytes, 6U);
  EXPECT_EQ(written->sha256, HashContent("a\n1\n2\n"));
}

TEST_F(Files, AnExistingFileIsNeverOverwritten) {
  Write("out.csv", "precious");
  EXPECT_FALSE(Copy(Write("in.csv", "a\n1\n"), {"a"}, FileFormat::kCsv, "out.csv").ok());
  EXPECT_EQ(Read(folder_ / "out.csv"), "precious");
}

TEST_F(Files, ADamagedParquetFileIsAnError) {
  const auto result = OpenTableFile(TableFile(Write("bad.parquet", "PAR1 this is not one"), {}), {"a"}, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
}

TEST(QuoteCheck, IsStrictWhereverABlockIsCut) {
  const struct {
    const char* text;
    bool fine;
  } cases[] = {{"a,b\n\"x\",y\n", true},
               {"\"a\"\r\n\"say \"\"hi\"\"\"", true},
               {"a\n\"\"\n", true},
               {"5\" pipe,b\n", true},
               {"a\n\"two\nlines\"\n", true},
               {"a\n\"open\n1\n2\n", false},
               {"a\n\"open\n\"x\"\n", false},
               {"a\n\"x\"y\n", false},
               {"\"\"\"", false}};
  for (const auto& test : cases) {
    const std::string_view text = test.text;
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      QuoteCheck check;
      const bool fine = check.Accept(text.substr(0, cut)) && check.Accept(text.substr(cut)) && check.End();
      EXPECT_EQ(fine, test.fine) << text << " cut at " << cut;
    }
  }
}

TEST_F(Files, AnOpenQuoteNeverSwallowsTheRowsBelowIt) {
  for (const char* text : {"a,b\n1,x\n2,\"open\n3,SECRET\n", "a,b\n1,\"open\n2,SECRET\n3,\"closed\"\n"}) {
    const auto copied = Copy(Write("in.csv", text), {"a", "b"}, FileFormat::kCsv, "out.csv");
    EXPECT_FALSE(copied.ok());
    std::filesystem::remove(folder_ / "out.csv");
  }
}

TEST_F(Files, TheDiagnosisNamesTheLineAndNeverQuotes) {
  const struct {
    const char* text;
    const char* says;
  } cases[] = {
      {"a,b\n1,2\n3,4,SECRET\n", "in.csv:3: the line has 3 cells, but the header has 2"},
      {"a,b\n1,2\nSECRET\n", "in.csv:3: the line has 1 cells"},
      {"a,b\n\"x\ny\",2\n3\n", "in.csv:4: the line has 1 cells"},
      {"a,b\n1,\"SECRET\n3,4\n", "in.csv:2: the line opens a quoted cell"},
      {"a,b\n1,2\n3,\xFFSECRET\n", "in.csv:3: the line holds bytes that are not UTF-8"},
      {"a,b\n1,\xC3\xA4\n3,\xE2\x82\n", "in.csv:3: the line holds bytes that are not UTF-8"},
      {"a,b,c\n1,2,3\n4;5;SECRET\n", "in.csv:3: the line has 1 cells, but the header has 3; it is separated by ';'"},
  };
  for (const auto& test : cases) {
    const std::string message = DiagnoseCsv(TableFile(Write("in.csv", test.text), {}), {}).message;
    EXPECT_NE(message.find(test.says), std::string::npos) << message;
    EXPECT_EQ(message.find("SECRET"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace pentimento::file_test
