// What the readers of CSV and of Parquet have in common.
#pragma once

#include <arrow/record_batch.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/table_file.h"

namespace pentimento {

bool ReadsWithThreads();

Error CannotRead(const TableFile& file, std::string_view why);

// Messages and datapackage.json show names, also of columns that are not published.
Status RequireUtf8Names(const TableFile& file, const std::vector<std::string>& names);

// `explain`: what to tell where the stream fails, by its own message.
Result<TableSource> ExportReader(const TableFile& file, std::shared_ptr<arrow::RecordBatchReader> reader,
                                 std::function<Error(std::string_view)> explain);

}  // namespace pentimento
