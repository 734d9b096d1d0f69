#include "engine/column_values.h"

#include <algorithm>
#include <fstream>

#include "base/decimal.h"
#include "base/temporary_folder.h"
#include "engine/bind.h"
#include "fmt/core.h"
#include "io/cells.h"
#include "io/encode.h"

namespace pentimento {
namespace {

Result<std::vector<std::string>> ReadList(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input) return Error{ErrorCode::kBadInput, fmt::format("{}: cannot be opened for reading", file.string())};
  std::vector<std::string> values;
  for (std::string line; std::getline(input, line);) {
    if (line.ends_with('\r')) line.pop_back();
    values.push_back(line);
  }
  return values;
}

Result<std::vector<std::string>> ReadColumn(const std::filesystem::path& file, const std::string& column) {
  EncodePlan plan;
  plan.columns.push_back({column, Role::kClass, nullptr, std::nullopt});
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  PENTIMENTO_ASSIGN(EncodedInput input, EncodeTable(OpenInputs({file}, plan), plan, options));
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
