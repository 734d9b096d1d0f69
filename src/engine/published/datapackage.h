// datapackage.json: what the published files are, in Frictionless v2, as it is written; manifest.h reads it back.
// docs/formats/datapackage.md is its page.
// It holds nothing private: no seed, no hash of an input, no count that the table does not show.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/bind/guarantee_words.h"
#include "io/encode.h"
#include "ledger/open_entry.h"
#include "release/incremental_history.h"

namespace pentimento {

// What a release of a series carries besides the columns of its policy.
inline constexpr const char* kCaseColumn = "case_id";
inline constexpr const char* kChangeColumn = "change";

struct IncrementalPart {
  std::string series;
  std::size_t number = 0;     // of this release in the series, from 1
  std::string follows;        // the release before; empty for the first
  bool changes_only = false;  // the rows are those that are new or refined
  CaseNamer namer;
  std::vector<CaseNumber> case_of_row;   // empty: the row's number
  std::vector<std::uint8_t> is_refined;  // by row, where only changes are published: 0 for a newcomer
  // Whose cells are empty because they have left: all of them, and where only changes are published those who are so
  // from this release on.
  std::vector<CaseNumber> withdrawn;
};

// What stands in place of our program's name and version where another tool made the table.
inline constexpr const char* kImportedEngine = "imported";

// As a policy writes it.
const char* RoleName(Role role);

// A column's name may hold anything; a file's name should not. Different columns have different names.
std::string PlainFileName(std::string_view column);
// The folder inside a release for the taxonomies, and a taxonomy's file in it.
std::string TaxonomyFileName(const ColumnPlan& column);
// "table.csv", "nss.parquet".
std::string TableFileName(const std::string& name, FileFormat format);

// What is said of a release beside its files.
struct PackageWords {
  Promise promise;
  std::string composition_json;  // what several releases tell together, as far as it may be public; "null": nothing
};

// `files` are the files of the package: the table first, then others, then the taxonomies. `series`: nothing for a
// release that stands alone.
std::string DataPackageText(const BoundPolicy& bound, const PackageWords& words, const EncodedInput& input,
                            std::span<const PublishedFile> files, const IncrementalPart* series);

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
std::string TwoTablesPackageText(const BoundPolicy& bound, const PackageWords& words, const EncodedInput& input,
                                 std::span<const SensitiveTable> tables, std::span<const PublishedFile> files);

// The same for a release that another tool made: the words and the text. `files` are the parts of its table, in their
// order, `tables` of them, then the taxonomies. `scales`: by name of a numeric column, how many decimals its labels
// have.
std::string ImportInWords(const Promise& promise);
std::string ImportedPackageText(const BoundPolicy& bound, const Promise& promise, std::span<const PublishedFile> files,
                                std::size_t tables, CategoryForm categories, const std::map<std::string, int>& scales);

}  // namespace pentimento
