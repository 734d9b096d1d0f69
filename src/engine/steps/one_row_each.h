// Who the rows of a table are about, where a person has one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "policy/policy.h"

namespace pentimento {

// Where a row is, for messages: in which of the input's files, and in which of its rows.
struct RowPlaces {
  std::vector<std::filesystem::path> files;
  std::vector<std::size_t> rows_after_file;  // parallel: how many rows it and those before it have

  // "q2.csv: row 3 (the header not counted)", where row 0 is the first of all files.
  std::string Of(std::size_t row) const;
  // "q2.csv: rows 3 and 5 (the header not counted)", or "q2.csv: row 3 and q3.csv: row 1 (headers not counted)".
  std::string Of(std::size_t first, std::size_t second) const;
};

struct PeopleOfRows {
  std::vector<IdentityHash> identities;  // ascending, each once
  std::vector<std::uint32_t> rows;       // theirs
  std::vector<std::uint32_t> dropped;    // rows that a newer row of the same person replaces; ascending
};

// kBadInput where a person is there twice and the rule does not allow it.
Result<PeopleOfRows> RequireOneRowEach(std::vector<IdentityHash> identity_of_row, RepeatedRule rule,
                                       const RowPlaces& places);

}  // namespace pentimento
