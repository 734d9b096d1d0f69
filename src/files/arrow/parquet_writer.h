// Record batches into a Parquet file: row groups of one length, whose columns are encoded side by side. Which encoding
// a column gets is told in parquet_column.h.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/status.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pentimento {

// Returns the number of rows. `dense_numbers` are columns of whole numbers that hardly repeat.
arrow::Result<std::uint64_t> WriteParquet(arrow::RecordBatchReader& batches,
                                          std::shared_ptr<arrow::io::OutputStream> file,
                                          const std::vector<std::string>& dense_numbers);

}  // namespace pentimento
