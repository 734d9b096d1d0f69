// Batches that are taken from a stream together, to be worked on side by side.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace pentimento {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

// The next `most` batches, or those that are left. Empty at the end.
inline arrow::Result<Batches> ReadWave(arrow::RecordBatchReader& reader, std::size_t most) {
  Batches wave;
  while (wave.size() < most) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (!batch) break;
    wave.push_back(std::move(batch));
  }
  return wave;
}

}  // namespace pentimento
