#include "engine/query/read_cells.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "base/temporary_folder.h"
#include "engine/bind/bind.h"
#include "engine/published/datapackage.h"
#include "engine/published/manifest.h"
#include "engine/published/published_counts.h"
#include "fmt/core.h"
#include "io/csv_rows.h"

namespace pentimento {
namespace {

using Files = std::vector<std::filesystem::path>;

struct HashOfIdentity {
  std::size_t operator()(const IdentityHash& hash) const { return hash.low; }
};
using ClassNumbers = tsl::robin_map<IdentityHash, std::uint32_t, HashOfIdentity>;

enum class ClassIds { kLeftOut, kRead };

// What reading says of an empty cell of an identity is about people, and a class is none.
Error OfClasses(Error error) {
  const std::string begin = fmt::format("column '{}': the cell ", kClassIdColumn);
  if (const std::size_t at = error.message.find(begin); at != std::string::npos) {
    error.message.resize(at + begin.size());
    error.message += "names no class; the release was changed after it was published";
  }
  return error;
}

// Everything as text, class ids as hashes: they are many, and nobody asks what they are called.
Result<EncodedInput> ReadText(const Files& files, const std::vector<std::string>& names, ClassIds ids,
                              Progress* progress) {
  EncodePlan plan;
  for (const std::string& name : names) plan.columns.push_back({name, Role::kClass, nullptr, std::nullopt});
  if (ids == ClassIds::kRead) plan.columns.push_back({kClassIdColumn, Role::kId, nullptr, std::nullopt});
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  options.keep_identities = ids == ClassIds::kRead;
  options.progress = progress;
  Result<EncodedInput> input = EncodeTable(OpenInputs(files, plan), plan, options);
  if (!input.ok() && ids == ClassIds::kRead) return OfClasses(input.error());
  return input;
}

std::vector<std::string> NamesOf(std::span<const QueryColumn> columns, std::span<const std::uint32_t> wanted) {
  std::vector<std::string> names;
  for (const std::uint32_t column : wanted) names.push_back(columns[column].name);
  return names;
}

Result<std::vector<CellColumn>> TakeColumns(EncodedInput& input, const Manifest& manifest,
                                            std::span<const QueryColumn> columns, std::span<const std::uint32_t> wanted,
                                            CellStyle style, const std::string& source) {
  std::vector<CellColumn> taken;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    PENTIMENTO_ASSIGN(LabelMeanings labels, LabelMeanings::Read(columns[wanted[i]], style, CsvTexts(input.values[i]),
                                                                manifest.missing, source));
    taken.push_back({std::move(labels), std::move(input.values[i].codes)});
  }
  return taken;
}

Error DoNotFit(const Files& files, std::string_view why) {
  return {ErrorCode::kBadInput,
          fmt::format("{}: {}; the release was changed after it was published", files.front().string(), why)};
}

// Each row as often as it is counted.
template <typename T>
std::vector<T> Repeat(const std::vector<T>& values, const std::vector<std::uint64_t>& counts) {
  std::vector<T> repeated;
  for (std::size_t row = 0; row < values.size(); ++row) repeated.insert(repeated.end(), counts[row], values[row]);
  return repeated;
}

CodeColumn RepeatCodes(const CodeColumn& codes, std::size_t code_count, const std::vector<std::uint64_t>& counts,
                       std::size_t rows) {
  CodeColumn repeated(code_count, rows);
  std::size_t at = 0;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    const Code code = codes[row];
    for (std::uint64_t i = 0; i < counts[row]; ++i) repeated.Set(at++, code);
  }
  return repeated;
}

// Numbers the classes of NSS and counts their rows.
std::vector<std::uint32_t> NumberClasses(const std::vector<IdentityHash>& ids, ClassNumbers& numbers,
                                         std::vector<std::uint32_t>& sizes) {
  std::vector<std::uint32_t> class_of_row;
  class_of_row.reserve(ids.size());
  for (const IdentityHash& id : ids) {
    const std::uint32_t number = numbers.try_emplace(id, static_cast<std::uint32_t>(numbers.size())).first->second;
    if (number == sizes.size()) sizes.push_back(0);
    ++sizes[number];
    class_of_row.push_back(number);
  }
  return class_of_row;
}

struct SensitiveRows {
  CellTable table;
  std::vector<std::uint32_t> class_of_row;
};

// Adds up the counts by class before anything is repeated: a count that was tampered with cannot fill the memory.
Result<std::vector<std::uint32_t>> ClassesOfEntries(const Files& files, const std::vector<IdentityHash>& ids,
                                                    const std::vector<std::uint64_t>& counts,
                                                    const ClassNumbers& numbers,
                                                    const std::vector<std::uint32_t>& sizes) {
  std::vector<std::uint32_t> class_of_entry;
  std::vector<std::uint64_t> counted(sizes.size(), 0);
  for (std::size_t entry = 0; entry < ids.size(); ++entry) {
    const auto number = numbers.find(ids[entry]);
    if (number == numbers.end()) return DoNotFit(files, "a class is not in the table of quasi-identifiers");
    class_of_entry.push_back(number->second);
    counted[number->second] += counts[entry];
  }
  if (!std::ranges::equal(counted, sizes))
    return DoNotFit(files, "the counts of a class do not add up to its rows in the table of quasi-identifiers");
  return class_of_entry;
}

Result<SensitiveRows> ReadSensitive(const Manifest& manifest, std::size_t table, std::span<const QueryColumn> columns,
                                    std::span<const std::uint32_t> wanted, const ClassNumbers& numbers,
                                    const std::vector<std::uint32_t>& sizes) {
  const Files files = {manifest.sensitive_tables[table].path};
  std::vector<std::string> names = NamesOf(columns, wanted);
  names.push_back(kCountColumn);
  PENTIMENTO_ASSIGN(EncodedInput input, ReadText(files, names, ClassIds::kRead, nullptr));
  PENTIMENTO_ASSIGN(const std::vector<std::uint64_t> counts, ReadPublishedCounts(input.values.back(), files.front()));
  PENTIMENTO_ASSIGN(const std::vector<std::uint32_t> class_of_entry,
                    ClassesOfEntries(files, input.identity_of_row, counts, numbers, sizes));
  SensitiveRows read;
  read.class_of_row = Repeat(class_of_entry, counts);
  read.table.rows = read.class_of_row.size();
  PENTIMENTO_ASSIGN(read.table.columns,
                    TakeColumns(input, manifest, columns, wanted, CellStyle::kAsCollected, files.front().string()));
  for (CellColumn& column : read.table.columns)
    column.codes = RepeatCodes(column.codes, column.labels.size(), counts, read.table.rows);
  return read;
}

}  // namespace

Result<CellTable> ReadCellTable(const Files& files, const Manifest& manifest, std::span<const QueryColumn> columns,
                                std::span<const std::uint32_t> wanted, CellStyle style, Progress* progress) {
  std::vector<std::string> names = NamesOf(columns, wanted);
  if (names.empty()) names.push_back(columns.front().name);  // rows can only be counted where something is read
  PENTIMENTO_ASSIGN(EncodedInput input, ReadText(files, names, ClassIds::kLeftOut, progress));
  CellTable table{input.table.rows, {}};
  PENTIMENTO_ASSIGN(table.columns, TakeColumns(input, manifest, columns, wanted, style, files.front().string()));
  return table;
}

Result<ClassTables> ReadClassTables(const Manifest& manifest, std::span<const QueryColumn> columns,
                                    const std::vector<std::vector<std::uint32_t>>& wanted, Progress* progress) {
  ClassTables read;
  PENTIMENTO_ASSIGN(EncodedInput nss,
                    ReadText(manifest.tables, NamesOf(columns, wanted[0]), ClassIds::kRead, progress));
  ClassNumbers numbers;
  read.class_of_row.push_back(NumberClasses(nss.identity_of_row, numbers, read.class_sizes));
  read.tables.push_back({nss.table.rows, {}});
  PENTIMENTO_ASSIGN(read.tables[0].columns, TakeColumns(nss, manifest, columns, wanted[0], CellStyle::kAsCollected,
                                                        manifest.tables.front().string()));
  for (std::size_t table = 1; table < wanted.size(); ++table) {
    SensitiveRows sensitive;
    if (!wanted[table].empty()) {
      PENTIMENTO_ASSIGN(sensitive,
                        ReadSensitive(manifest, table - 1, columns, wanted[table], numbers, read.class_sizes));
    }
    read.tables.push_back(std::move(sensitive.table));
    read.class_of_row.push_back(std::move(sensitive.class_of_row));
  }
  return read;
}

}  // namespace pentimento
