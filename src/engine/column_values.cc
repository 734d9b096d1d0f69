#include "engine/column_values.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "base/blanks.h"
#include "base/date.h"
#include "base/decimal.h"
#include "base/temporary_folder.h"
#include "engine/bind/bind.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "io/cells.h"
#include "io/encode.h"

namespace pentimento {
namespace {

Error NotAList(const std::filesystem::path& file, std::string_view why) {
  return {ErrorCode::kUsage,
          fmt::format("{}: {}, and a taxonomy is public: whole rows must not become leaves. Name the column with "
                      "--column. A list without --column has one value on each line, and no ',', ';', '|' or tab in "
                      "it; where values hold these, write a table of one column with a header, and such values in "
                      "quotes",
                      file.string(), why)};
}

using Counts = std::map<std::string, std::uint64_t>;

Result<Counts> ReadList(const std::filesystem::path& file) {
  PENTIMENTO_ASSIGN(const FileHead head, ReadFileHead(TableFile(file, kPublishedText)));
  if (head.format == FileFormat::kParquet) return NotAList(file, "is a table");
  if (!head.form.empty()) return NotAList(file, "is not a plain text");
  std::ifstream input(file);
  Counts counts;
  std::size_t number = 0;
  for (std::string line; std::getline(input, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_of(",;|\t") != std::string::npos)
      return NotAList(file, fmt::format("line {} looks like a row of several columns", number));
    ++counts[std::string(WithoutBlanks(line))];
  }
  return counts;
}

Result<EncodedInput> ReadColumns(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  EncodePlan plan;
  for (const std::string& column : columns)
    plan.columns.push_back({column, Role::kClass, nullptr, std::nullopt, {.trims = true}});
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  return EncodeTable(OpenInputs({TableFile(file, {})}, plan), plan, options);
}

// By code; empty where there is no value.
Result<std::vector<std::string>> TextsOf(const std::filesystem::path& file, const ValueColumn& column) {
  std::vector<std::string> texts;
  for (std::size_t code = 0; code < column.values.size(); ++code) {
    CellScratch scratch;
    if (column.null_code == code) {
      texts.emplace_back();
      continue;
    }
    const std::optional<std::string_view> text = CellText(column.values[code], column.type, scratch);
    if (!text)
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: column '{}' holds neither text nor plain numbers", file.string(), column.name)};
    texts.emplace_back(WithoutBlanks(*text));
  }
  return texts;
}

Result<Counts> ReadCounts(const std::filesystem::path& file, const std::string& column) {
  PENTIMENTO_ASSIGN(const EncodedInput input, ReadColumns(file, {column}));
  PENTIMENTO_ASSIGN(const std::vector<std::string> texts, TextsOf(file, input.values[0]));
  std::vector<std::uint64_t> rows(texts.size());
  for (std::size_t row = 0; row < input.table.rows; ++row) ++rows[input.values[0].codes[row]];
  Counts counts;
  for (std::size_t code = 0; code < texts.size(); ++code) counts[texts[code]] += rows[code];
  return counts;
}

bool IsIn(std::span<const std::string> texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

}  // namespace

Result<CountedValues> CountValues(const std::filesystem::path& file, const std::string& column,
                                  std::span<const std::string> missing) {
  PENTIMENTO_ASSIGN(const Counts counts, column.empty() ? ReadList(file) : ReadCounts(file, column));
  CountedValues counted;
  for (const auto& [text, rows] : counts) {
    if (text.empty()) continue;
    if (IsIn(missing, text)) {
      counted.missing.push_back(text);
      continue;
    }
    counted.values.push_back(text);
    counted.once += rows == 1 ? 1 : 0;
  }
  if (counted.values.empty())
    return Error{ErrorCode::kBadInput, fmt::format("{}: holds no values to build a taxonomy from", file.string())};
  return counted;
}

Result<std::pair<std::int64_t, std::int64_t>> WholeNumberRange(const std::filesystem::path& file,
                                                               const std::vector<std::string>& values) {
  std::pair<std::int64_t, std::int64_t> range(INT64_MAX, INT64_MIN);
  for (const std::string& value : values) {
    const std::optional<Decimal> number = ParseDecimal(value);
    if (!number || number->scale != 0) {
      return Error{
          ErrorCode::kBadInput,
          fmt::format("{}: holds a value that is not a whole number; --intervals is for whole numbers", file.string())};
    }
    range.first = std::min(range.first, number->units);
    range.second = std::max(range.second, number->units);
  }
  return range;
}

Result<std::pair<std::string, std::string>> YearRange(const std::filesystem::path& file,
                                                      const std::vector<std::string>& values) {
  int first = 9999, last = 0;
  for (const std::string& value : values) {
    const std::optional<Day> day = ParseDay(value);
    if (!day)
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: holds a value that is no day written like 2026-11-19, or one that does not exist; "
                               "--dates is for such days",
                               file.string())};
    first = std::min(first, DateOf(*day).year);
    last = std::max(last, DateOf(*day).year);
  }
  return std::pair(fmt::format("{:04}-01-01", first), fmt::format("{:04}-12-31", last));
}

Result<std::vector<TreeRow>> ReadTreeRows(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                          std::span<const std::string> missing) {
  PENTIMENTO_ASSIGN(const EncodedInput input, ReadColumns(file, columns));
  std::vector<std::vector<std::string>> texts;
  for (const ValueColumn& column : input.values) {
    PENTIMENTO_ASSIGN(std::vector<std::string> of_column, TextsOf(file, column));
    for (std::string& text : of_column)
      if (IsIn(missing, text)) text.clear();
    texts.push_back(std::move(of_column));
  }
  std::set<std::vector<Code>> seen;
  std::vector<TreeRow> rows;
  for (std::size_t row = 0; row < input.table.rows; ++row) {
    std::vector<Code> codes;
    for (const ValueColumn& column : input.values) codes.push_back(column.codes[row]);
    if (!seen.insert(codes).second) continue;
    TreeRow tree_row{{}, row + 1};
    for (std::size_t i = 0; i < codes.size(); ++i) tree_row.labels.push_back(texts[i][codes[i]]);
    rows.push_back(std::move(tree_row));
  }
  return rows;
}

}  // namespace pentimento
