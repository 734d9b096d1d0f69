#include "io/encode.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "io/array_builder.h"
#include "io/column_encoder.h"
#include "io/keep_records.h"
#include "io/text_codes.h"

namespace pentimento::encode_test {
namespace {

using Rows = std::vector<std::vector<std::optional<std::string>>>;

// A stream of text columns, cut into batches of `batch` rows.
ArrowArrayStream TextStream(const std::vector<std::string>& names, Rows rows, std::size_t batch) {
  std::vector<FieldSpec> fields;
  for (const std::string& name : names) fields.push_back({name, "u", false});
  auto next = std::make_shared<std::size_t>(0);
  return MakeStream(fields, [=, columns = names.size()]() -> Result<ArrowArray> {
    const std::size_t first = *next, last = std::min(rows.size(), first + batch);
    *next = last;
    if (first == last) return ArrowArray{};
    std::vector<ArrowArray> arrays;
    for (std::size_t column = 0; column < columns; ++column) {
      TextColumnBuilder builder(last - first, 0);
      for (std::size_t row = first; row < last; ++row) {
        const auto& cell = rows[row][column];
        if (cell) {
          builder.Append(*cell);
        } else {
          builder.AppendNull();
        }
      }
      arrays.push_back(std::move(builder).Finish());
    }
    return MakeBatch(last - first, std::move(arrays));
  });
}

Result<EncodedInput> Encode(const EncodePlan& plan, const std::vector<std::string>& names, const Rows& rows,
                            std::size_t batch = 2) {
  EncodeOptions options;
  options.spill_folder = std::filesystem::temp_directory_path();
  TableParts parts;
  parts.count = 1;
  parts.open = [&](std::size_t) -> Result<TableSource> { return TableSource("rows", TextStream(names, rows, batch)); };
  return EncodeTable(parts, plan, options);
}

ColumnPlan Numeric(const std::string& name, const char* lo, const char* hi) {
  return {name, Role::kQuasiIdentifier, nullptr, std::pair(*ParseDecimal(lo), *ParseDecimal(hi))};
}

ColumnPlan Categorical(const std::string& name, const std::vector<std::string>& values) {
  return {name, Role::kQuasiIdentifier, std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), std::nullopt};
}

std::vector<Code> Codes(const CodeColumn& column) {
  std::vector<Code> codes;
  for (std::size_t row = 0; row < column.size(); ++row) codes.push_back(column[row]);
  return codes;
}

TEST(Encode, SmallRangesAreCodedByTheirGrid) {
  const auto input =
      Encode({{Numeric("age", "10", "20")}, {""}}, {"age"}, {{"10"}, {"20"}, {std::nullopt}, {" 13"}, {"13.0"}});
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(Codes(input->table.quasi_identifiers[0]), (std::vector<Code>{0, 10, 11, 3, 3}));
  EXPECT_EQ(input->table.quasi_identifiers[0].bits(), 8);
}

TEST(Encode, AValueBetweenTheGridPointsTurnsTheColumnIntoRanks) {
  const auto input = Encode({{Numeric("age", "10", "20")}, {""}}, {"age"}, {{"10"}, {"20"}, {"12.25"}, {""}, {"13"}});
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(Codes(input->table.quasi_identifiers[0]), (std::vector<Code>{0, 3, 1, 4, 2}));
  EXPECT_EQ(input->domains[0].Label({1, 2}), "[12.25,13.01)");
}

TEST(Encode, LargeRangesAreCodedByRank) {
  const auto input = Encode({{Numeric("salary", "0", "10000000")}, {}}, {"salary"}, {{"51000"}, {"7"}, {"51000"}});
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(Codes(input->table.quasi_identifiers[0]), (std::vector<Code>{2, 1, 2}));
}

TEST(Encode, BadCellsOfAllColumnsAreCountedByCauseAndNeverQuoted) {
  const EncodePlan plan{{Numeric("age", "0", "99"), Categorical("sex", {"F", "M"})}, {}};
  const Rows rows = {{"1", "F"},   {"2", "M"}, {"3", "SECRET"}, {"SECRET", "F"}, {"100", "F"},
                     {"200", "f"}, {"7", "m"}, {"8", "f"},      {"100", "M"}};
  for (const std::size_t batch : {1, 2, 100}) {
    const auto input = Encode(plan, {"age", "sex"}, rows, batch);
    ASSERT_FALSE(input.ok());
    EXPECT_EQ(input.error().code, ErrorCode::kBadInput);
    const std::string& message = input.error().message;
    EXPECT_EQ(message.find("SECRET"), std::string::npos) << message;
    const auto has = [&](const char* row, const char* column, const char* cause, const char* counts) {
      const std::size_t line =
          message.find(std::string("rows: ") + row + " (the header not counted), column '" + column);
      ASSERT_NE(line, std::string::npos) << message;
      const std::string rest = message.substr(line, message.find('\n', line) - line);
      EXPECT_NE(rest.find(cause), std::string::npos) << rest;
      EXPECT_TRUE(rest.ends_with(counts)) << rest;
    };
    has("row 4", "age", "is not a number", ")");
    has("row 5", "age", "outside the declared domain", " (3 rows, 2 different values)");
    has("row 3", "sex", "not a leaf", "");
    has("row 6", "sex", "in other letters", " (3 rows, 2 different values)");
  }
}

TEST(Encode, NumbersOutsideTheDomainAreRefusedInBothForms) {
  for (const char* hi : {"99", "10000000"}) {
    for (const char* cell : {"-1", "10000001", "abc", "1e3", "", "99999999999999999999"}) {
      const auto input = Encode({{Numeric("n", "0", hi)}, {}}, {"n"}, {{"5"}, {cell}});
      ASSERT_FALSE(input.ok()) << hi << " " << cell;
      EXPECT_NE(input.error().message.find("row 2"), std::string::npos) << input.error().message;
    }
  }
}

TEST(Encode, MissingCountsOnlyByThePolicysList) {
  const EncodePlan listed{{Categorical("sex", {"F", "M"})}, {"?", ""}};
  const auto input = Encode(listed, {"sex"}, {{"F"}, {"?"}, {std::nullopt}, {""}, {"M"}});
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(Codes(input->table.quasi_identifiers[0]), (std::vector<Code>{0, 2, 2, 2, 1}));
  EXPECT_FALSE(Encode({{Categorical("sex", {"F", "M"})}, {"?"}}, {"sex"}, {{std::nullopt}}).ok());
  EXPECT_FALSE(Encode({{Categorical("sex", {"F", "M"})}, {}}, {"sex"}, {{"?"}}).ok());
}

TEST(Encode, ANumberThatIsListedAsMissingIsNoNumber) {
  for (const char* hi : {"120", "999", "10000000"}) {
    const auto input = Encode({{Numeric("age", "0", hi)}, {"999"}}, {"age"}, {{"7"}, {"999"}});
    ASSERT_TRUE(input.ok()) << hi;
    EXPECT_FALSE(input->domains[0].IsMissing(input->table.quasi_identifiers[0][0]));
    EXPECT_TRUE(input->domains[0].IsMissing(input->table.quasi_identifiers[0][1])) << hi;
  }
}

TEST(Encode, ColumnsMissingOrTwiceAreNamed) {
  const EncodePlan plan{{Categorical("sex", {"F"})}, {}};
  EXPECT_NE(Encode(plan, {"sez"}, {{"F"}}).error().message.find("Did you mean 'sez'?"), std::string::npos);
  EXPECT_NE(Encode(plan, {"sex", "sex"}, {{"F", "F"}}).error().message.find("twice"), std::string::npos);
}

TEST(Encode, PersonsAreNumberedOnlyWhereSomebodyRepeats) {
  const EncodePlan plan{{{"who", Role::kId, nullptr, std::nullopt}, Categorical("sex", {"F", "M"})}, {""}};
  const auto once = Encode(plan, {"who", "sex"}, {{"a", "F"}, {"b", "M"}});
  ASSERT_TRUE(once.ok());
  EXPECT_FALSE(once->table.persons);
  EXPECT_EQ(once->people.size(), 2U);
  const auto twice = Encode(plan, {"who", "sex"}, {{"a", "F"}, {"b", "M"}, {"a", "M"}});
  ASSERT_TRUE(twice.ok());
  EXPECT_EQ(twice->table.persons->count, 2U);
  EXPECT_EQ(twice->table.persons->person_of_row[0], twice->table.persons->person_of_row[2]);
  EXPECT_FALSE(Encode(plan, {"who", "sex"}, {{"a", "F"}, {"", "M"}}).ok()) << "every row is about somebody";
}

TEST(Encode, ValuesAreSortedSoThatTheirOrderTellsNothing) {
  const EncodePlan plan{{{"disease", Role::kSensitive, nullptr, std::nullopt}}, {}};
  const auto input = Encode(plan, {"disease"}, {{"flu"}, {"HIV"}, {std::nullopt}, {"flu"}, {"asthma"}});
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input->values[0].values, (std::vector<std::string>{"HIV", "asthma", "flu", ""}));
  EXPECT_EQ(input->values[0].null_code, 3U);
  EXPECT_EQ(Codes(input->values[0].codes), (std::vector<Code>{2, 0, 3, 2, 1}));
}

// What limits count as several values, readers would take for one.
TEST(Encode, SensitiveValuesThatMeanTheSameAreOneWhereLimitsCountThem) {
  EncodePlan plan{{{"disease", Role::kSensitive, nullptr, std::nullopt}, {"ward", Role::kClass, nullptr, std::nullopt}},
                  {"", "?", "NA"}};
  const Rows rows = {{"flu", "?"}, {"?", "a"}, {std::nullopt, "b"}, {"NA", ""}, {"", std::nullopt}};
  const auto apart = Encode(plan, {"disease", "ward"}, rows);
  ASSERT_TRUE(apart.ok());
  EXPECT_EQ(apart->values[0].values, (std::vector<std::string>{"", "?", "NA", "flu", ""}));
  plan.unites_sensitive_values = true;
  const auto united = Encode(plan, {"disease", "ward"}, rows);
  ASSERT_TRUE(united.ok());
  EXPECT_EQ(united->values[0].values, (std::vector<std::string>{"flu", ""}));
  EXPECT_EQ(united->values[0].null_code, 1U);
  EXPECT_EQ(Codes(united->values[0].codes), (std::vector<Code>{0, 1, 1, 1, 1}));
  EXPECT_EQ(united->values[1].values, apart->values[1].values) << "a class column is as it came";
}

template <typename Bits>
ValueEncoder::Chunk ChunkOf(std::vector<Bits> numbers) {
  ValueEncoder::Chunk chunk;
  for (const Bits& number : numbers)
    chunk.codes.push_back(chunk.texts.FindOrAdd({reinterpret_cast<const char*>(&number), sizeof number}));
  return chunk;
}

TEST(Encode, ZerosOfBothSignsAreOneValueAndSoAreAllNaNs) {
  const MissingRule missing({});
  const auto codes_of = [&](const char* format, auto chunk) {
    std::vector<ValueEncoder::Chunk> chunks;
    const int width = static_cast<int>(chunk.texts.texts()[0].size());
    chunks.push_back(std::move(chunk));
    return Codes(ValueEncoder::Finish("x", {format, width}, std::move(chunks), &missing).codes);
  };
  // 0, -0, two NaNs, 1, infinity and its opposite.
  const std::vector<Code> doubles =
      codes_of("g", ChunkOf<std::uint64_t>({0, 1ULL << 63, 0x7FF8000000000000, 0xFFF0000000000001, 0x3FF0000000000000,
                                            0x7FF0000000000000, 0xFFF0000000000000}));
  EXPECT_EQ(doubles[0], doubles[1]);
  EXPECT_EQ(doubles[2], doubles[3]);
  EXPECT_EQ(std::set<Code>(doubles.begin(), doubles.end()).size(), 5U);
  const std::vector<Code> floats = codes_of("f", ChunkOf<std::uint32_t>({0, 1U << 31, 0x7FC00000, 0x7F800001}));
  EXPECT_EQ(std::set<Code>(floats.begin(), floats.end()).size(), 2U);
  const std::vector<Code> halves = codes_of("e", ChunkOf<std::uint16_t>({0, 1U << 15, 0x7E00, 0xFC01, 0x7C00}));
  EXPECT_EQ(std::set<Code>(halves.begin(), halves.end()).size(), 3U);
  const std::vector<Code> whole = codes_of("l", ChunkOf<std::uint64_t>({0, 1ULL << 63}));
  EXPECT_NE(whole[0], whole[1]) << "the least of whole numbers is no zero";
}

TEST(KeepRecords, CellsComeBackAsTheyWereWhateverTheirLength) {
  const std::vector<std::optional<std::string>> cells = {"",
                                                         "a",
                                                         std::nullopt,
                                                         std::string(253, 'x'),
                                                         std::string(254, 'y'),
                                                         std::string(255, 'z'),
                                                         std::string(70000, 'w')};
  TextColumnBuilder builder(cells.size(), 0);
  for (const auto& cell : cells) cell ? builder.Append(*cell) : builder.AppendNull();
  ArrowArray array = std::move(builder).Finish();
  const CellLayout layout;
  const std::vector<std::uint8_t> buckets(cells.size(), 7);
  const BucketedRecords filed = FileByBucket(std::vector<KeepColumn>{{&array, &layout}}, buckets);
  const std::vector<CellType> types = {CellType{}};
  const RecordReader reader(filed.bytes, types, cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    ASSERT_EQ(reader.at(i, 0).null(), !cells[i].has_value()) << i;
    if (cells[i]) {
      EXPECT_EQ(std::string_view(reader.at(i, 0).data, reader.at(i, 0).length), *cells[i]);
    }
  }
  array.release(&array);
}

TEST(TextCodes, StaysRightWhenCopiedMovedAndGrown) {
  TextCodes codes;
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(codes.FindOrAdd("value " + std::to_string(i * 7)), static_cast<Code>(i));
  const TextCodes copy = codes;
  const TextCodes moved = std::move(codes);
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(copy.Find("value " + std::to_string(i * 7)), static_cast<Code>(i));
    EXPECT_EQ(moved.Find("value " + std::to_string(i * 7)), static_cast<Code>(i));
  }
  EXPECT_EQ(copy.Find("value"), TextCodes::kAbsent);
  EXPECT_EQ(copy.Find(""), TextCodes::kAbsent);
}

TEST(TextCodes, TellsShortTextsApart) {
  TextCodes codes;
  std::set<std::string> texts = {""};
  for (int a = 0; a < 256; ++a) {
    texts.insert(std::string(1, static_cast<char>(a)));
    for (int b = 0; b < 256; b += 5) texts.insert({static_cast<char>(a), static_cast<char>(b)});
    texts.insert({static_cast<char>(a), 'x', static_cast<char>(255 - a)});
  }
  Code next = 0;
  for (const std::string& text : texts) codes.Add(text, next++);
  next = 0;
  for (const std::string& text : texts) EXPECT_EQ(codes.Find(text), next++);
}

}  // namespace
}  // namespace pentimento::encode_test
