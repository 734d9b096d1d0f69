// Tables that are texts: how one is written, its header, and its rows as a stream of batches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/arrow/csv_text.h"
#include "files/table_file.h"

namespace pentimento {

struct CsvHead {
  CsvForm form;
  std::vector<std::string> columns;
  std::int32_t blank_lines = 0;  // before the header
};

// `beginning`: the first bytes of the file.
Result<CsvHead> ReadCsvHead(const TableFile& file, std::string_view beginning);

// The wanted columns that the table has.
Result<TableSource> OpenCsv(const TableFile& file, std::string_view beginning, const std::vector<std::string>& columns);

}  // namespace pentimento
