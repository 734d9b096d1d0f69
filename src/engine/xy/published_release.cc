#include "engine/xy/published_release.h"

#include <algorithm>
#include <numeric>

#include "base/parallel_sort.h"
#include "base/suggest.h"
#include "engine/published/published_cells.h"
#include "engine/published/published_table.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

Result<ReleaseRecord> FindOnRecord(Ledger& ledger, const std::string& name) {
  PENTIMENTO_ASSIGN(std::vector<ReleaseRecord> releases, ledger.Releases());
  std::vector<std::string> names;
  for (ReleaseRecord& release : releases) {
    if (release.state != ReleaseState::kPublished) continue;
    if (release.name == name) return std::move(release);
    names.push_back(release.name);
  }
  return Error{ErrorCode::kBadPolicy,
               fmt::format("no release '{}' is on record in this ledger.{} 'pentimento log' lists those that are; "
                           "'pentimento import' puts one of another tool on record",
                           name, DidYouMean(name, names))};
}

Status RequireWholeTable(const Manifest& manifest) {
  std::string_view why;
  if (manifest.is_changes_only()) {
    why = "it holds only what changed since the release before; name a release of the series that holds every case";
  } else if (manifest.form != "generalized") {
    why = "it was published as two tables, which hold no row for each record; name a release of the form 'generalized'";
  }
  if (why.empty()) return {};
  return Error{ErrorCode::kBadPolicy, fmt::format("the release '{}' cannot be joined: {}", manifest.release, why)};
}

struct Described {
  Manifest manifest;
  PublishedRelease release;
};

Result<Described> Describe(Ledger& ledger, const std::string& name) {
  Described described;
  PENTIMENTO_ASSIGN(const ReleaseRecord record, FindOnRecord(ledger, name));
  // A release is believed only as long as its files are those on record: a join with another table would verify
  // something that nobody has.
  PENTIMENTO_ASSIGN(described.manifest, ReadManifestOnRecord(record));
  PENTIMENTO_RETURN_IF_ERROR(RequireWholeTable(described.manifest));
  described.release.name = name;
  described.release.missing = described.manifest.missing;
  for (const PublishedColumn& column : described.manifest.columns)
    described.release.columns.push_back({column, {}, false});
  return described;
}

Result<std::uint32_t> FindColumn(const PublishedRelease& release, const std::string& name) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < release.columns.size(); ++i) {
    names.push_back(release.columns[i].name);
    if (names.back() != name) continue;
    if (release.columns[i].role != Role::kKeep) return i;
    return Error{ErrorCode::kBadPolicy,
                 fmt::format("column '{}' of the release '{}' is published as it came and verified by nobody; name a "
                             "quasi-identifier, a sensitive or a class column",
                             name, release.name)};
  }
  return Error{ErrorCode::kBadPolicy,
               fmt::format("the release '{}' has no column '{}'.{}", release.name, name, DidYouMean(name, names))};
}

// The different rows by the codes of the table: their labels may still be equal, since several texts are "missing".
struct DifferentRows {
  std::vector<std::uint32_t> cells;
  std::vector<std::uint64_t> records;
  std::vector<std::uint64_t> example;
};

DifferentRows FindDifferentRows(const PublishedTable& table,
                                const std::vector<std::vector<std::uint32_t>>& label_of_code) {
  std::vector<const CodeColumn*> columns;
  for (const ValueColumn& column : table.columns) columns.push_back(&column.codes);
  const Combinations combinations = NumberCombinations(table.rows, columns);
  DifferentRows rows;
  rows.records.resize(combinations.count);
  rows.example.resize(combinations.count);
  for (std::size_t row = 0; row < table.rows; ++row) {
    const std::uint32_t number = combinations.of_row[row];
    if (rows.records[number]++ == 0) rows.example[number] = row;
  }
  rows.cells.reserve(rows.example.size() * columns.size());
  for (const std::uint64_t row : rows.example) {
    for (std::size_t i = 0; i < columns.size(); ++i) rows.cells.push_back(label_of_code[i][(*columns[i])[row]]);
  }
  return rows;
}

// In the order of their labels; of equal ones the first record is the example.
void TakeRows(const DifferentRows& rows, PublishedRelease& release) {
  const std::size_t width = release.read.size();
  const auto row = [&](std::uint32_t number) { return std::span(rows.cells).subspan(number * width, width); };
  std::vector<std::uint32_t> order(rows.records.size());
  std::iota(order.begin(), order.end(), 0U);
  ParallelSort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto compared =
        std::lexicographical_compare_three_way(row(a).begin(), row(a).end(), row(b).begin(), row(b).end());
    return compared != 0 ? compared < 0 : rows.example[a] < rows.example[b];
  });
  release.cells.reserve(rows.cells.size());
  release.records.reserve(order.size());
  release.example.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && std::ranges::equal(row(order[i]), row(order[i - 1]))) {
      release.records.back() += rows.records[order[i]];
      continue;
    }
    release.cells.insert(release.cells.end(), row(order[i]).begin(), row(order[i]).end());
    release.records.push_back(rows.records[order[i]]);
    release.example.push_back(rows.example[order[i]]);
  }
}

}  // namespace

Result<PublishedRelease> DescribePublishedRelease(Ledger& ledger, const std::string& name) {
  PENTIMENTO_ASSIGN(Described described, Describe(ledger, name));
  return std::move(described.release);
}

Result<PublishedRelease> ReadPublishedRelease(Ledger& ledger, const std::string& name,
                                              std::span<const std::string> columns) {
  PENTIMENTO_ASSIGN(Described described, Describe(ledger, name));
  PublishedRelease& release = described.release;
  for (const std::string& column : columns) {
    PENTIMENTO_ASSIGN(const std::uint32_t found, FindColumn(release, column));
    release.read.push_back(found);
  }
  std::ranges::sort(release.read);
  const auto repeated = std::ranges::unique(release.read);
  release.read.erase(repeated.begin(), repeated.end());
  WantedColumns wanted;
  for (const std::uint32_t column : release.read) wanted.texts.push_back(release.columns[column].name);
  PENTIMENTO_ASSIGN(const PublishedTable table, ReadPublishedTable(described.manifest, wanted));
  std::vector<std::vector<std::uint32_t>> label_of_code;
  for (std::size_t i = 0; i < release.read.size(); ++i) {
    EarlierColumn& column = release.columns[release.read[i]];
    ColumnLabels read = LabelsOf(table.columns[i], column.role, release.missing);
    column.labels = std::move(read.labels);
    column.was_read = true;
    label_of_code.push_back(std::move(read.label_of_code));
  }
  TakeRows(FindDifferentRows(table, label_of_code), release);
  return std::move(release);
}

}  // namespace pentimento
