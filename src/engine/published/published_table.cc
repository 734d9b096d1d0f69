#include "engine/published/published_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/fold_case.h"
#include "base/temporary_folder.h"
#include "engine/bind/bind.h"
#include "engine/published/datapackage.h"
#include "engine/published/foreign_cells.h"
#include "engine/published/interval_cells.h"
#include "engine/published/published_cells.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "policy/interval_columns.h"

namespace pentimento {
namespace {

// What the cells or columns of a table that we published cannot be.
Error ChangedSincePublished(const std::filesystem::path& file, std::string_view why) {
  return {ErrorCode::kBadInput,
          fmt::format("{}: {}; the release was changed after it was published", file.string(), why)};
}

using Files = std::vector<std::filesystem::path>;

Status RequireColumns(const TableFile& file, const std::vector<std::string>& names) {
  PENTIMENTO_ASSIGN(const std::vector<std::string> header, ReadColumnNames(file));
  for (const std::string& name : names) {
    if (std::ranges::find(header, name) != header.end()) continue;
    return ChangedSincePublished(
        file.path, fmt::format("there is no column '{}', which {} names", name, std::string_view(kManifestName)));
  }
  return {};
}

std::vector<std::string> NamesOf(const std::vector<PublishedColumn>& columns) {
  std::vector<std::string> names;
  for (const PublishedColumn& column : columns) names.push_back(column.name);
  return names;
}

// As they are called in the files.
std::vector<std::string> NamesInFiles(const std::vector<PublishedColumn>& columns) {
  std::vector<std::string> names;
  for (const PublishedColumn& column : columns) {
    const IntervalColumns ends = IntervalColumnsOf(column.name);
    if (column.has_ends) {
      names.insert(names.end(), {ends.from, ends.to});
    } else {
      names.push_back(column.name);
    }
  }
  return names;
}

// The wanted texts, with the columns that the files have for those that are ends of intervals.
Result<std::vector<std::string>> TextsInFiles(const std::vector<TableFile>& files, const WantedColumns& wanted) {
  if (wanted.ends.empty()) return wanted.texts;
  PENTIMENTO_ASSIGN(const std::vector<std::string> header, ReadColumnNames(files.front()));
  std::vector<std::string> texts;
  for (const std::string& name : wanted.texts) {
    if (!wanted.ends.contains(name)) {
      texts.push_back(name);
      continue;
    }
    const IntervalColumns ends = IntervalColumnsOf(name);
    texts.insert(texts.end(), {ends.from, ends.to});
    if (std::ranges::find(header, ends.missing) != header.end()) texts.push_back(ends.missing);
  }
  return texts;
}

// The columns that were read, as they are wanted.
std::vector<ValueColumn> WithLabelsOfEnds(std::vector<ValueColumn> read, const WantedColumns& wanted) {
  if (wanted.ends.empty()) return read;
  std::vector<ValueColumn> columns;
  std::size_t at = 0;
  for (const std::string& name : wanted.texts) {
    const auto domain_lo = wanted.ends.find(name);
    if (domain_lo == wanted.ends.end()) {
      columns.push_back(std::move(read[at++]));
      continue;
    }
    const bool has_missing = at + 2 < read.size() && read[at + 2].name == IntervalColumnsOf(name).missing;
    columns.push_back(
        LabelsOfEnds(name, domain_lo->second, read[at], read[at + 1], has_missing ? &read[at + 2] : nullptr));
    at += has_missing ? 3 : 2;
  }
  for (; at < read.size(); ++at) columns.push_back(std::move(read[at]));
  return columns;
}

Result<PublishedTable> ReadFiles(const std::vector<TableFile>& files, const WantedColumns& wanted,
                                 const std::vector<std::string>& missing, Progress* progress) {
  EncodePlan plan;
  if (!wanted.sensitive.empty()) plan.missing = missing;
  plan.unites_sensitive_values = true;
  PENTIMENTO_ASSIGN(const std::vector<std::string> texts, TextsInFiles(files, wanted));
  for (const std::string& name : texts)
    plan.columns.push_back({name, Role::kClass, nullptr, std::nullopt, {.trims = wanted.trims}});
  for (const std::string& name : wanted.sensitive)
    plan.columns.push_back({name, Role::kSensitive, nullptr, std::nullopt});
  if (!wanted.id.empty())
    plan.columns.push_back({wanted.id, Role::kId, nullptr, std::nullopt, {.trims = wanted.trims_id}});
  const bool only_counts = plan.columns.empty();
  if (only_counts) {  // rows can only be counted where something is read
    PENTIMENTO_ASSIGN(const std::vector<std::string> header, ReadColumnNames(files.front()));
    plan.columns.push_back({header.front(), Role::kClass, nullptr, std::nullopt});
  }
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  options.keep_identities = !wanted.id.empty();
  options.id_form = FormOfId(wanted.id);
  options.progress = progress;
  PENTIMENTO_ASSIGN(EncodedInput input, EncodeTable(OpenInputs(files, plan), plan, options));
  if (only_counts) input.values.clear();
  Files names;
  for (const TableFile& file : files) names.emplace_back(file.name);
  return PublishedTable{std::move(names), std::move(input.rows_after_part), input.table.rows,
                        WithLabelsOfEnds(std::move(input.values), wanted), std::move(input.identity_of_row)};
}

// No two leaves, and no leaf and a missing value, differ in their case alone. Whether the release folded case is not
// known; where this holds, doing so finds the same leaves.
bool FoldsWell(const Taxonomy& taxonomy, const std::vector<std::string>& missing) {
  if (taxonomy.calendar()) return false;  // which has no letters that matter
  std::set<std::string> folded;
  for (Code leaf = 0; leaf < taxonomy.leaf_count(); ++leaf)
    if (!folded.insert(FoldCase(taxonomy.leaf_label(leaf))).second) return false;
  return std::ranges::none_of(missing, [&](const std::string& token) { return folded.contains(FoldCase(token)); });
}

// The labels of an imported table become ours, so that nobody who reads a release has to know others.
Status PutInOwnLabels(const Manifest& manifest, const WantedColumns& wanted, PublishedTable& table) {
  for (std::size_t i = 0; i < wanted.texts.size(); ++i) {
    const auto column = std::ranges::find(manifest.quasi_identifiers, wanted.texts[i], &PublishedColumn::name);
    if (column == manifest.quasi_identifiers.end()) continue;
    PENTIMENTO_ASSIGN(const ForeignColumn read, ReadForeignColumn(*column, table.columns[i], manifest.missing));
    if (!read.unread.empty()) return ChangedSincePublished(table.files.front(), InWords(read.unread));
    table.columns[i] = InOwnLabels(read, table.columns[i]);
  }
  return {};
}

}  // namespace

std::string PublishedTable::PlaceOf(std::size_t row) const {
  std::size_t file = 0, before = 0;
  while (rows_after_file[file] <= row) before = rows_after_file[file++];
  return fmt::format("{}: row {} (the header not counted)", files[file].string(), row - before + 1);
}

Error PublishedTable::BadCell(std::size_t row, std::string_view column, std::string_view what) const {
  return {ErrorCode::kBadInput, fmt::format("{}, column '{}': the cell {}", PlaceOf(row), column, what)};
}

Result<PublishedTable> ReadPublishedTable(const Manifest& manifest, const WantedColumns& wanted, Progress* progress) {
  for (const std::filesystem::path& file : manifest.tables) {
    PENTIMENTO_RETURN_IF_ERROR(RequireAsPublished(manifest, file));
    PENTIMENTO_RETURN_IF_ERROR(RequireColumns(TableFile(file, manifest.text), NamesInFiles(manifest.columns)));
  }
  WantedColumns written = wanted;
  for (const PublishedColumn& column : manifest.columns) {
    if (column.has_ends && std::ranges::find(wanted.texts, column.name) != wanted.texts.end())
      written.ends[column.name] = column.range->first;
  }
  PENTIMENTO_ASSIGN(PublishedTable table,
                    ReadFiles(TableFiles(manifest.tables, manifest.text), written, manifest.missing, progress));
  if (manifest.imported) PENTIMENTO_RETURN_IF_ERROR(PutInOwnLabels(manifest, wanted, table));
  return table;
}

Result<PublishedTable> ReadTableFiles(const std::vector<TableFile>& files, const WantedColumns& wanted,
                                      Progress* progress) {
  return ReadFiles(files, wanted, {}, progress);
}

Result<EncodedInput> ReadOriginals(const std::vector<TableFile>& files, const Manifest& manifest,
                                   std::vector<std::string> missing, Progress* progress) {
  EncodePlan plan;
  plan.missing = std::move(missing);
  for (const PublishedColumn& column : manifest.quasi_identifiers) {
    const CellReading reading{.trims = true,
                              .folds_case = column.taxonomy && FoldsWell(*column.taxonomy, plan.missing),
                              .date_form = column.date_form};
    plan.columns.push_back({column.name, Role::kQuasiIdentifier, column.taxonomy, column.range, reading});
  }
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  options.progress = progress;
  return EncodeTable(OpenInputs(files, plan), plan, options);
}

RowClasses NumberClasses(const std::vector<IdentityHash>& id_of_row) {
  RowClasses classes;
  classes.class_of_row.reserve(id_of_row.size());
  for (const IdentityHash& id : id_of_row) {
    const auto next = static_cast<std::uint32_t>(classes.number_of_id.size());
    classes.class_of_row.push_back(classes.number_of_id.try_emplace(id, next).first->second);
  }
  classes.count = static_cast<std::uint32_t>(classes.number_of_id.size());
  return classes;
}

Result<ClassRows> ReadClassRows(const Manifest& manifest, std::vector<std::string> columns, Progress* progress) {
  ClassRows rows;
  PENTIMENTO_ASSIGN(rows.table,
                    ReadPublishedTable(manifest, {std::move(columns), {}, manifest.class_column}, progress));
  rows.classes = NumberClasses(rows.table.id_of_row);
  rows.class_sizes.resize(rows.classes.count);
  for (const std::uint32_t number : rows.classes.class_of_row) ++rows.class_sizes[number];
  return rows;
}

Result<SensitiveEntries> ReadSensitiveEntries(const Manifest& manifest, std::size_t table, WantedColumns columns) {
  const Manifest::SensitiveTable& described = manifest.sensitive_tables[table];
  std::vector<std::string> names = described.columns;
  const bool has_counts = !manifest.count_column.empty();
  names.push_back(manifest.class_column);
  if (has_counts) names.push_back(manifest.count_column);
  PENTIMENTO_RETURN_IF_ERROR(RequireAsPublished(manifest, described.path));
  PENTIMENTO_RETURN_IF_ERROR(RequireColumns(TableFile(described.path, manifest.text), names));
  if (has_counts) columns.texts.insert(columns.texts.begin(), manifest.count_column);
  columns.id = manifest.class_column;
  PENTIMENTO_ASSIGN(PublishedTable read,
                    ReadFiles({TableFile(described.path, manifest.text)}, columns, manifest.missing, nullptr));
  if (!has_counts) return SensitiveEntries{std::move(read), std::vector<std::uint32_t>(read.rows, 1)};
  PENTIMENTO_ASSIGN(const std::vector<std::uint32_t> count_of_code, ReadWholeNumbers(read, 0));
  std::vector<std::uint32_t> counts(read.rows);
  for (std::size_t row = 0; row < read.rows; ++row) counts[row] = count_of_code[read.columns.front().codes[row]];
  read.columns.erase(read.columns.begin());
  return SensitiveEntries{std::move(read), std::move(counts)};
}

// Counts are added up before anybody repeats an entry: one that was tampered with cannot fill the memory.
Result<std::vector<std::uint32_t>> MatchClasses(const ClassRows& rows, const SensitiveEntries& entries) {
  const std::filesystem::path& file = entries.table.files.front();
  std::vector<std::uint32_t> class_of_entry;
  class_of_entry.reserve(entries.table.rows);
  std::vector<std::uint64_t> counted(rows.classes.count);
  for (const IdentityHash& id : entries.table.id_of_row) {
    const auto found = rows.classes.number_of_id.find(id);
    if (found == rows.classes.number_of_id.end())
      return ChangedSincePublished(file, "a class is not in the table of quasi-identifiers");
    counted[found->second] += entries.counts[class_of_entry.size()];
    class_of_entry.push_back(found->second);
  }
  if (!std::ranges::equal(counted, rows.class_sizes)) {
    return ChangedSincePublished(file,
                                 "the counts of a class do not add up to its rows in the table of quasi-identifiers");
  }
  return class_of_entry;
}

Result<CaseRows> ReadCaseRows(const Manifest& manifest) {
  CaseRows rows;
  WantedColumns wanted{NamesOf(manifest.quasi_identifiers), {}, kCaseColumn};
  if (manifest.is_changes_only()) wanted.texts.emplace_back(kChangeColumn);
  PENTIMENTO_ASSIGN(rows.table, ReadPublishedTable(manifest, wanted));
  if (manifest.is_changes_only()) {
    PENTIMENTO_ASSIGN(rows.is_refined, ReadChanges(rows.table, rows.table.columns.size() - 1));
    rows.table.columns.pop_back();
  }
  std::vector<IdentityHash> cases = rows.table.id_of_row;
  std::ranges::sort(cases);
  if (std::ranges::adjacent_find(cases) != cases.end())
    return ChangedSincePublished(manifest.tables.front(), "a case is there twice");
  if (manifest.withdrawn) {
    PENTIMENTO_RETURN_IF_ERROR(RequireAsPublished(manifest, *manifest.withdrawn));
    PENTIMENTO_RETURN_IF_ERROR(RequireColumns(TableFile(*manifest.withdrawn, manifest.text), {kCaseColumn}));
    const TableFile file(*manifest.withdrawn, manifest.text);
    PENTIMENTO_ASSIGN(PublishedTable withdrawn, ReadFiles({file}, {{}, {}, kCaseColumn}, {}, nullptr));
    rows.withdrawn = std::move(withdrawn.id_of_row);
  }
  return rows;
}

}  // namespace pentimento
