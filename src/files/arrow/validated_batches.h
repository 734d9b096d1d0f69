// Batches from a file that nobody vouches for. Arrow's readers take the indices of dictionary columns, and the bytes of
// text columns, as the file has them; whoever looks a damaged index up reads memory that is not the table's.
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pentimento {

// Hands on the batches of another reader after it has checked them: every index lies in its dictionary, text is UTF-8,
// offsets ascend within their buffer, and columns are as long as the batch. A batch that fails ends the stream.
class ValidatedBatches : public arrow::RecordBatchReader {
 public:
  explicit ValidatedBatches(std::shared_ptr<arrow::RecordBatchReader> batches)
      : batches_(std::move(batches)), dictionaries_(static_cast<std::size_t>(batches_->schema()->num_fields())) {}

  std::shared_ptr<arrow::Schema> schema() const override { return batches_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override;
  arrow::Status Close() override { return batches_->Close(); }

 private:
  arrow::Status Validate(std::size_t column, const arrow::Array& array);

  std::shared_ptr<arrow::RecordBatchReader> batches_;
  // By column, the dictionary that was checked last: batches of one row group share it.
  std::vector<std::shared_ptr<arrow::ArrayData>> dictionaries_;
};

}  // namespace pentimento
