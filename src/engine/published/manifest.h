// datapackage.json, read back: what a published folder holds. The one parser of it, for metrics, query, join, import,
// the account check and the search for forgotten releases. The writer is datapackage.h.
//
// 1. The folder may be a stranger's. Nothing outside of it is opened or quoted, nothing but regular files, and
//    datapackage.json only up to a bounded size.
// 2. A Manifest is sound: every column has one name, a quasi-identifier has a taxonomy or a range, no leaf of a
//    taxonomy is listed as missing, and every path leads into the folder.
// 3. Where the release is on record, every file of it is compared with the hash on record before it is believed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/category_form.h"
#include "base/date.h"
#include "base/decimal.h"
#include "base/result.h"
#include "files/table_file.h"
#include "ledger/ledger.h"
#include "policy/policy.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

struct PublishedColumn {
  std::string name;
  // Never kId, which is not published. kKeep for columns that only Pentimento adds: case_id, change, group_id,
  // class_id.
  Role role = Role::kKeep;
  std::shared_ptr<const Taxonomy> taxonomy = nullptr;  // a quasi-identifier has one of the two; of dates the calendar
  std::optional<std::pair<Decimal, Decimal>> range = std::nullopt;
  int scale = 0;                    // decimals of its numbers, where these are more than the range shows
  DateForm date_form = DateForm();  // of dates in the table that it was made of
  bool has_ends = false;            // in the table it is the numbers of policy/interval_columns.h, and no label

  // Published as it came: neither a taxonomy nor a range says what its cells mean.
  bool is_plain() const { return !taxonomy && !range; }
};

struct Manifest {
  std::string release;
  std::vector<std::filesystem::path> tables;  // in the release's folder; several files are one table
  TextSetting text = kPublishedText;          // how they are written; another tool's own files may be written otherwise
  std::string form;                           // "generalized": the table has a row for each record; or "two-tables"
  std::uint64_t k = 0;
  std::string promise_json;                        // its guarantees, as an array
  std::vector<PublishedColumn> columns;            // all of the table, in its order
  std::vector<PublishedColumn> quasi_identifiers;  // those of that role
  std::vector<std::string> missing;                // texts that stand for a missing value
  CategoryForm categories = CategoryForm::kTaxonomy;
  bool imported = false;  // another tool made the table: its labels are its own (foreign_cells.h)

  // Of the form "two-tables", whose `tables` are NSS: an SS table, which has class_id, these columns and count.
  struct SensitiveTable {
    std::filesystem::path path;
    std::vector<std::string> columns;
  };
  std::vector<SensitiveTable> sensitive_tables;
  // What their columns are called; others than ours only where another tool made them, and then they may be without
  // counts: every row of SS is one.
  std::string class_column = "class_id";
  std::string count_column = "count";

  struct Series {
    std::string name;
    std::size_t number = 0;        // of this release in the series, from 1
    std::string follows;           // the release before; empty for the first
    bool changes_only = false;     // the table holds only the cases that are new or refined
    bool tells_withdrawn = false;  // of a whole table: `withdrawn` is all who have left. Version 0.1.0 did not tell
  };
  // Who has left and has empty cells: all of them, or of a release of changes those who do so with it; nothing where
  // nobody does.
  std::optional<std::filesystem::path> withdrawn;
  std::optional<Series> series;  // nothing for a release of no growing series
  std::string global_series;     // the series under the global guarantee that it is of; empty: of none
  // By path, of a release on record; nothing for one of which only the folder is known.
  std::optional<std::map<std::string, std::string>> sha256;

  bool has_two_tables() const { return form == "two-tables"; }
  bool is_changes_only() const { return series && series->changes_only; }
};

// Of any folder. Errors are kBadInput.
Result<Manifest> ReadManifest(const std::filesystem::path& folder);

// Of a release on record. kBadInput where datapackage.json or a taxonomy is not as it was published.
Result<Manifest> ReadManifestOnRecord(const ReleaseRecord& release);

// That a file of the release is there, and is the one on record. Nothing is asked of a release that is not on record.
Status RequireAsPublished(const Manifest& manifest, const std::filesystem::path& file);

// What a folder says of itself, whatever else is wrong with it.
struct ManifestHead {
  std::string release;
  std::vector<std::string> series;  // of its guarantees; empty texts for those without
  bool has_two_tables = false;
  // Those of its people, in all tables; nothing where it does not say.
  std::optional<std::vector<std::pair<std::string, Role>>> columns = std::nullopt;
};
// Nothing where datapackage.json is not one of ours. kBadInput where it cannot be looked at; the message is the reason
// alone ("is a folder").
Result<std::optional<ManifestHead>> ReadManifestHead(const std::filesystem::path& folder);

// A taxonomy that the release was published with; `name` as in datapackage.json: "taxonomies/job.csv".
Result<Taxonomy> ReadPublishedTaxonomy(const std::filesystem::path& folder, const std::string& name);

}  // namespace pentimento
