// datapackage.json: what the published files are, in Frictionless v2. docs/formats/datapackage.md is its page.
// It holds nothing private: no seed, no hash of an input, no count that the table does not show.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/published/incremental_part.h"
#include "io/encode.h"
#include "ledger/open_entry.h"

namespace pentimento {

// As a policy writes it.
const char* RoleName(Role role);

// A column's name may hold anything; a file's name should not. Different columns have different names.
std::string PlainFileName(std::string_view column);
// The folder inside a release for the taxonomies, and a taxonomy's file in it.
std::string TaxonomyFileName(const ColumnPlan& column);
// "table.csv", "nss.parquet".
std::string TableFileName(const std::string& name, FileFormat format);

// `files` are the files of the package: the table first, then others, then the taxonomies. `series`: nothing for a
// release that stands alone.
std::string DataPackageText(const BoundPolicy& bound, const EncodedInput& input, std::span<const PublishedFile> files,
                            const IncrementalPart* series);

// The number of a row's group, in a generalized release under the global guarantee.
inline constexpr const char* kGroupIdColumn = "group_id";

// The columns of a release in two tables that are ours: the number of a row's class, in both, and how often a value
// occurs in the class.
inline constexpr const char* kClassIdColumn = "class_id";
inline constexpr const char* kCountColumn = "count";
// An SS table: the name of its file without the ending, and its sensitive columns.
struct SensitiveTable {
  std::string name;
  std::vector<const ValueColumn*> columns;
};
// The same for a release in two tables. `files`: NSS first, then SS in the order of `tables`, then the taxonomies.
std::string TwoTablesPackageText(const BoundPolicy& bound, const EncodedInput& input,
                                 std::span<const SensitiveTable> tables, std::span<const PublishedFile> files);

// The same for a release that another tool made: the words and the text. `files` are the parts of its table, in their
// order, `tables` of them, then the taxonomies.
std::string ImportInWords(const BoundPolicy& bound);
std::string ImportedPackageText(const BoundPolicy& bound, std::span<const PublishedFile> files, std::size_t tables,
                                CategoryForm categories);

// What a reader of a release needs of its datapackage.json.
struct PublishedPackage {
  std::string release;
  std::vector<std::filesystem::path> tables;  // in the release's folder; several files are one table
  std::string form;                           // "generalized": the table has a row for each record; or "two-tables"
  std::uint64_t k = 0;

  struct Field {
    std::string name;
    Role role = Role::kQuasiIdentifier;        // kKeep for what only a series has: its case names
    std::shared_ptr<const Taxonomy> taxonomy;  // a quasi-identifier has one of the two
    std::optional<std::pair<Decimal, Decimal>> range;
    int scale = 0;  // decimals of its numbers, where these are more than the range shows
  };
  std::vector<Field> columns;            // all of the table, in its order
  std::vector<Field> quasi_identifiers;  // those of that role
  std::vector<std::string> missing;
  CategoryForm categories = CategoryForm::kTaxonomy;

  // Of the form "two-tables", whose `tables` are NSS: an SS table, which has class_id, these columns and count.
  struct SensitiveTable {
    std::filesystem::path path;
    std::vector<std::string> columns;
  };
  std::vector<SensitiveTable> sensitive_tables;

  struct Series {
    std::string name;
    std::size_t number = 0;     // of this release in the series, from 1
    std::string follows;        // the release before; empty for the first
    bool changes_only = false;  // the table holds only the cases that are new or refined
  };
  std::optional<Series> series;  // nothing for a release of no growing series
  std::string global_series;     // the series under the global guarantee that it is of; empty: of none
};
Result<PublishedPackage> ReadDataPackage(const std::filesystem::path& folder);

}  // namespace pentimento
