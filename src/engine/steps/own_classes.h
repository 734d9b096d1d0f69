// The classes of the release that is being made, in the form in which the ledger keeps them and several releases are
// measured together (release/common_releases.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "ledger/kept_classes.h"
#include "ledger/state_file.h"
#include "release/classes.h"
#include "release/common_releases.h"
#include "table/encoded_table.h"
#include "table/values.h"

namespace pentimento {

// Above so many different values a column is close to an id; who has the same is not compared by counting.
inline constexpr std::size_t kMostComparedValues = std::size_t{1} << 16;

// Ascending, each once. They are saved and compared at the same time, and take 16 bytes each.
using SharedPeople = std::shared_ptr<const std::vector<IdentityHash>>;

struct OwnClasses {
  SharedPeople people = {};                // null where nobody asks who they are: nothing else is on record
  bool is_in_series_state = false;         // the tree of a growing series says the same, and no file is written
  bool people_are_on_file = false;         // NAME.identities has the same
  std::vector<ClassNumber> class_of = {};  // by person
  std::vector<std::uint32_t> rows = {};    // by class
  std::vector<ValueBags> values = {};      // by sensitive column
  std::vector<std::vector<IdentityHash>> dictionaries = {};  // parallel: keyed hashes of the values
  std::vector<std::string> not_compared = {};  // sensitive columns without bags: too many values, or several rows each
};

// The rows of a release, and what is published of them.
struct ReleasedRows {
  const Classes& classes;
  std::span<const std::uint32_t> person_of_row;  // numbers in the order of identities
  std::uint32_t people = 0;
  std::vector<const ValueColumn*> sensitive = {};
  std::span<const std::uint32_t> input_rows = {};  // where rows are left out: which of a column's rows each row is
  // By class: the smallest class that it can be confused with; empty: none with another.
  std::vector<ClassNumber> confusable = {};
};

// For each class of two tables the smallest class that it shares a row with, directly or through others: nobody can
// tell in which of them somebody with that row is.
std::vector<ClassNumber> ClassesWithEqualRows(const EncodedTable& table, const Classes& classes);

// The keyed hash of a value by its text, as a CSV file shows it: the same for a number of a Parquet file.
IdentityHash HashValue(std::string_view text, const IdentityHasher& hasher);
// By code of the column. A missing value has one of its own.
std::vector<IdentityHash> HashValues(const ValueColumn& column, const IdentityHasher& hasher);

// `hasher`: of the ledger.
OwnClasses ClassesOf(const ReleasedRows& released, const IdentityHasher& hasher);

// The state file of the release.
Result<StateFileRecord> WriteOwnClasses(const std::filesystem::path& state_folder, const std::string& release,
                                        const OwnClasses& own);

}  // namespace pentimento
