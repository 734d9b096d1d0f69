// The tables that a policy names, found and looked at: which files they are, how they are written, and whether they
// have the columns of the policy.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "files/table_file.h"
#include "io/input_table.h"
#include "policy/policy.h"

namespace pentimento {

struct BoundTables {
  std::vector<TableFile> files;      // of [input] path; none where the table is handed over
  std::vector<TableFile> removed;    // of [input] removed
  std::vector<std::string> dropped;  // columns that the policy does not name
  std::vector<std::string> read_as;  // notes: "people.csv: read as ';'-separated, windows-1252"
};

// kBadInput where a file is not there or cannot be read, or lacks a column of the policy.
Result<BoundTables> BindFiles(const Policy& policy);
Result<BoundTables> BindStream(const Policy& policy, InputTable& input);

}  // namespace pentimento
