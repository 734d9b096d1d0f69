#include "engine/column_values.h"

#include <algorithm>
#include <fstream>

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
                      "--column. A list without --column has one value on each line, and no ',', ';' or tab in it; "
                      "where values hold these, write a table of one column with a header, and such values in quotes",
                      file.string(), why)};
}

Result<std::vector<std::string>> ReadList(const std::filesystem::path& file) {
  PENTIMENTO_ASSIGN(const FileHead head, ReadFileHead(TableFile(file, kPublishedText)));
  if (head.format == FileFormat::kParquet) return NotAList(file, "is a table");
  std::ifstream input(file);
  std::vector<std::string> values;
  for (std::string line; std::getline(input, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_of(",;\t") != std::string::npos)
      return NotAList(file, fmt::format("line {} looks like a row of several columns", values.size() + 1));
    values.push_back(line);
  }
  return values;
}

Result<std::vector<std::string>> ReadColumn(const std::filesystem::path& file, const std::string& column) {
  EncodePlan plan;
  plan.columns.push_back({column, Role::kClass, nullptr, std::nullopt});
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  PENTIMENTO_ASSIGN(EncodedInput input, EncodeTable(OpenInputs({TableFile(file, {})}, plan), plan, options));
  ValueColumn& read = input.values[0];
  if (read.null_code) read.values.erase(read.values.begin() + *read.null_code);
  std::vector<std::string> values;
  for (const std::string& bytes : read.values) {
    CellScratch scratch;
    const std::optional<std::string_view> text = CellText(bytes, read.type, scratch);
    if (!text)
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: column '{}' holds neither text nor plain numbers", file.string(), column)};
    values.emplace_back(*text);
  }
  return values;
}

}  // namespace

Result<std::vector<std::string>> DistinctValues(const std::filesystem::path& file, const std::string& column) {
  PENTIMENTO_ASSIGN(std::vector<std::string> values, column.empty() ? ReadList(file) : ReadColumn(file, column));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::erase(values, "");
  if (values.empty())
    return Error{ErrorCode::kBadInput, fmt::format("{}: holds no values to build a taxonomy from", file.string())};
  return values;
}

Result<std::pair<std::int64_t, std::int64_t>> WholeNumberRange(const std::filesystem::path& file,
                                                               const std::string& column) {
  PENTIMENTO_ASSIGN(const std::vector<std::string> values, DistinctValues(file, column));
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

}  // namespace pentimento
