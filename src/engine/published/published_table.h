// The tables of a published folder, read back as columns of texts: one table, two tables, the table of a growing
// series. What the texts mean is read by published_cells.h.
//
// 1. A table's files are opened here and nowhere else: they are regular files of the folder (manifest.h), they are the
//    files on record where the release is on record, and they have the columns that datapackage.json names.
// 2. A column is held as its different cells and a code for each row, whatever the file is, so that every different
//    cell is parsed once.
// 3. Quasi-identifiers of an imported release are in our own labels, whatever its maker wrote: foreign_cells.h. A
//    missing one is the empty text there.
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/progress.h"
#include "base/result.h"
#include "engine/published/manifest.h"
#include "io/encode.h"
#include "table/values.h"

namespace pentimento {

// Which columns are read.
struct WantedColumns {
  std::vector<std::string> texts;        // cell by cell, as they are written
  std::vector<std::string> sensitive;    // as limits count them: cells that mean the same have one code
  std::string id;                        // case_id, class_id or group_id: compared by its hash; empty: none of them
  bool trims = false, trims_id = false;  // texts, and the id, without the blanks around them
  // Of the texts, those that the files hold as the ends of intervals (interval_cells.h), and where their domains begin.
  std::map<std::string, Decimal> ends = {};
};

struct PublishedTable {
  std::vector<std::filesystem::path> files;  // one after the other
  std::vector<std::size_t> rows_after_file;  // it and those before it
  std::size_t rows = 0;
  std::vector<ValueColumn> columns;     // the wanted texts, then the sensitive ones
  std::vector<IdentityHash> id_of_row;  // of the wanted id

  // "ss.csv: row 3 (the header not counted)"
  std::string PlaceOf(std::size_t row) const;
  // kBadInput, with the place: "ss.csv: row 3 (the header not counted), column 'count': the cell <what>".
  Error BadCell(std::size_t row, std::string_view column, std::string_view what) const;
};

// The table of the release, or NSS of a release in two tables. kBadInput also for an import with a label that is not
// understood.
Result<PublishedTable> ReadPublishedTable(const Manifest& manifest, const WantedColumns& wanted,
                                          Progress* progress = nullptr);

// The same of files that no datapackage.json describes: the originals of a release, or a table to be imported. Every
// cell is as it is written, but for blanks where `wanted` says so.
Result<PublishedTable> ReadTableFiles(const std::vector<TableFile>& files, const WantedColumns& wanted,
                                      Progress* progress = nullptr);

// The quasi-identifiers of the tables in these files as codes of the release's domains.
Result<EncodedInput> ReadOriginals(const std::vector<TableFile>& files, const Manifest& manifest,
                                   std::vector<std::string> missing, Progress* progress);

// The rows of a table by a wanted id: of a class, or of a group.
struct RowClasses {
  struct HashOfId {
    std::size_t operator()(const IdentityHash& id) const { return id.low; }
  };
  std::vector<std::uint32_t> class_of_row;  // numbered from 0, in the order in which they come
  std::uint32_t count = 0;
  tsl::robin_map<IdentityHash, std::uint32_t, HashOfId> number_of_id;
};
RowClasses NumberClasses(const std::vector<IdentityHash>& id_of_row);

// Two tables. NSS: its rows, and the class of each.
struct ClassRows {
  PublishedTable table;
  RowClasses classes;
  std::vector<std::uint32_t> class_sizes;  // by class, in rows
};
Result<ClassRows> ReadClassRows(const Manifest& manifest, std::vector<std::string> columns,
                                Progress* progress = nullptr);

// An SS table: how often its values occur in each class, which is the id of an entry.
struct SensitiveEntries {
  PublishedTable table;
  std::vector<std::uint32_t> counts;  // by entry
};
Result<SensitiveEntries> ReadSensitiveEntries(const Manifest& manifest, std::size_t table, WantedColumns columns);

// The number in `rows` of each entry's class. kBadInput where the tables do not fit together: a class has other rows in
// one than it is counted with in the other.
Result<std::vector<std::uint32_t>> MatchClasses(const ClassRows& rows, const SensitiveEntries& entries);

// A growing series. Every case is in the table once.
struct CaseRows {
  PublishedTable table;                  // the quasi-identifiers, and who each row is about
  std::vector<std::uint8_t> is_refined;  // by row, of a release of changes: 0 for a newcomer; empty for a whole table
  std::vector<IdentityHash> withdrawn;   // who has left; of a release of changes, with it
};
Result<CaseRows> ReadCaseRows(const Manifest& manifest);

}  // namespace pentimento
