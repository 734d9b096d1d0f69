#include "files/arrow/functions.h"

#include <arrow/util/config.h>

#include "files/file_functions.h"

namespace pentimento {

extern "C" const FileFunctions* PentimentoFileFunctions() {
  static constexpr FileFunctions kFunctions = {
      .arrow_version = ARROW_VERSION_STRING,
      .set_arrow_threads = with_arrow::SetArrowThreads,
      .read_file_head = with_arrow::ReadFileHead,
      .open_table_file = with_arrow::OpenTableFile,
      .write_file = with_arrow::WriteFile,
      .csv_texts = with_arrow::CsvTexts,
      .write_incremental_rows = with_arrow::WriteIncrementalRows,
      .open_incremental_rows = with_arrow::OpenIncrementalRows,
      .count_incremental_rows = with_arrow::CountIncrementalRows,
      .open_empty_rows = with_arrow::OpenEmptyRows,
      .erase_incremental_rows = with_arrow::EraseIncrementalRows,
      .make_inflater = with_arrow::MakeInflater,
  };
  return &kFunctions;
}

}  // namespace pentimento
