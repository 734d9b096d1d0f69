// What is in a table, column by column, before anybody has said what it means. Reads the table once, as a stream, and
// keeps of a column with very many values only what TextShape does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "engine/init/text_shape.h"
#include "files/table_file.h"

namespace pentimento {

// Why a column cannot be looked at.
enum class ColumnFault { kNone, kNoName, kNameTwice, kNoText };

struct ValueCount {
  std::string text;  // without blanks around it
  std::uint64_t rows = 0;
};

struct ColumnSurvey {
  std::string name;
  ColumnFault fault = ColumnFault::kNone;
  TextShape shape;
  bool is_time = false;    // by its type
  bool is_zoned = false;   // points in time of a zone, which do not tell their day
  bool is_number = false;  // by its type
  char point = '.';        // of the numbers of the whole table, where they are texts
  // Different values that are not missing, and how many of them occur once. About so many where there are too many to
  // be listed; then nobody has counted which occur once, and `values` is empty.
  std::uint64_t distinct = 0;
  std::uint64_t once = 0;
  bool is_listed = true;
  std::vector<ValueCount> values = {};  // sorted by their bytes
};

struct TableSurvey {
  std::uint64_t rows = 0;
  std::vector<ColumnSurvey> columns;       // as in the header
  std::vector<std::string> forms;          // by file: how it is written; nothing where it is plain
  bool first_line_looks_like_row = false;  // of a text with a header line
};

// What stands before the decimals of all numbers in texts: a comma only if none has a point.
char DecimalPointOf(const TableSurvey& table);

// `missing`: what counts as missing besides the empty text; it must outlive the survey. All files have the columns of
// the first one. Errors are those of reading.
Result<TableSurvey> SurveyTable(const std::vector<TableFile>& files, std::span<const std::string> missing,
                                Progress& progress);

}  // namespace pentimento
