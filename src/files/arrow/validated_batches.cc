#include "files/arrow/validated_batches.h"

#include <arrow/util/checked_cast.h>

#include <algorithm>

namespace pentimento {
namespace {

// Arrow reads text columns as dictionaries of 32-bit indices. The largest one is found without a branch per index;
// a negative one is huge when its sign is taken for a digit. What a null stands on is no index.
bool AreWithin(const arrow::Int32Array& indices, std::int64_t size) {
  const std::int32_t* values = indices.raw_values();
  std::uint32_t largest = 0;
  if (indices.null_count() == 0) {
    for (std::int64_t i = 0; i < indices.length(); ++i)
      largest = std::max(largest, static_cast<std::uint32_t>(values[i]));
    return indices.length() == 0 || largest < size;
  }
  for (std::int64_t i = 0; i < indices.length(); ++i) {
    if (indices.IsValid(i) && static_cast<std::uint32_t>(values[i]) >= size) return false;
  }
  return true;
}

}  // namespace

arrow::Status ValidatedBatches::ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) {
  ARROW_RETURN_NOT_OK(batches_->ReadNext(batch));
  if (*batch == nullptr) return arrow::Status::OK();
  for (int i = 0; i < (*batch)->num_columns(); ++i) {
    const std::shared_ptr<arrow::Array> column = (*batch)->column(i);
    if (column->length() != (*batch)->num_rows()) return arrow::Status::Invalid("a column of another length");
    ARROW_RETURN_NOT_OK(Validate(static_cast<std::size_t>(i), *column));
  }
  return arrow::Status::OK();
}

arrow::Status ValidatedBatches::Validate(std::size_t column, const arrow::Array& array) {
  if (array.type_id() != arrow::Type::DICTIONARY) return array.ValidateFull();
  ARROW_RETURN_NOT_OK(array.Validate());
  const auto& cells = arrow::internal::checked_cast<const arrow::DictionaryArray&>(array);
  if (cells.indices()->type_id() != arrow::Type::INT32) return array.ValidateFull();
  if (dictionaries_[column] != cells.dictionary()->data()) {
    ARROW_RETURN_NOT_OK(cells.dictionary()->ValidateFull());
    dictionaries_[column] = cells.dictionary()->data();
  }
  const auto& indices = arrow::internal::checked_cast<const arrow::Int32Array&>(*cells.indices());
  return AreWithin(indices, cells.dictionary()->length()) ? arrow::Status::OK()
                                                          : arrow::Status::IndexError("beyond the dictionary");
}

}  // namespace pentimento
