// `pentimento check`: one table, as it is, held to the guarantees of a policy that are about one table. Classes are
// formed from equal cells of the quasi-identifiers; nothing is generalized, published or recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "policy/policy.h"

namespace pentimento {

struct CheckedGuarantee {
  std::string type;           // as a policy writes it
  std::optional<bool> holds;  // nothing: one table cannot tell
  std::string words;          // the witness of a breach, or why one table cannot tell
};

struct CheckedTable {
  std::string policy;
  std::uint64_t rows = 0;
  std::uint64_t classes = 0;
  std::uint64_t smallest_class = 0;
  bool counts_persons = false;
  std::vector<CheckedGuarantee> guarantees;
  std::vector<std::string> notes;

  // No guarantee is broken, as far as one table can tell.
  bool passes() const;
};

// `policy` was read for PolicyUse::kStream. kBadInput where the table lacks a column.
Result<CheckedTable> CheckTable(const std::filesystem::path& file, Policy policy, Progress* progress);

}  // namespace pentimento
