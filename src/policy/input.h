// The [input] table: which files are read, and what a series does with people who come back or leave.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

struct Input {
  std::vector<std::filesystem::path> paths;
  SourcePosition position;  // of the value of path
  std::vector<std::string> missing = {""};
  std::vector<std::filesystem::path> removed;
  RepeatedRule repeated = RepeatedRule::kRefuse;
  TableHolds holds = TableHolds::kNewcomers;
  // Where these keys stand, if they do: repeated = "refuse" is the default and still asks for something.
  std::optional<SourcePosition> removed_key;
  std::optional<SourcePosition> repeated_key;
  std::optional<SourcePosition> holds_key;
};

// `policy` is the whole file. Where the table is handed over, the path may be left out.
Result<Input> ReadInput(const Source& source, const TableReader& policy, bool needs_path);
// The same for an import, which gets its files elsewhere: only 'missing' counts, 'path' is ignored.
Result<Input> ReadImportInput(const Source& source, const TableReader& policy);

// The keys that speak of people over time need a series for them to be in, and an id to know them by. Comes after
// the whole policy is read: neither is part of [input].
Status CheckSeriesKeys(const Source& source, const Input& input, std::span<const ColumnPolicy> columns,
                       std::span<const GuaranteePolicy> guarantees);

}  // namespace pentimento::policy_file
