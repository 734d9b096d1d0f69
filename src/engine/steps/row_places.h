// Where a row stands, for messages: in which of the input's files, and in which of its rows.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace pentimento {

struct RowPlaces {
  std::vector<std::filesystem::path> files;
  std::vector<std::size_t> rows_after_file;  // parallel: how many rows it and those before it have

  // "q2.csv: row 3 (the header not counted)", where row 0 is the first of all files.
  std::string Of(std::size_t row) const;
  // "q2.csv: rows 3 and 5 (the header not counted)", or "q2.csv: row 3 and q3.csv: row 1 (headers not counted)".
  std::string Of(std::size_t first, std::size_t second) const;
};

}  // namespace pentimento
