// The `keep` cells of a row as one opaque record: how they are filed for the shuffle and read again.
// A record is, for each keep column: text: its length in one byte (kNullMark for a null, kLongMark where four bytes
// with the length follow) and the bytes; fixed width: one byte 1 (0 for a null) and the value's bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/arrow_c_data.h"
#include "io/cells.h"
#include "table/shuffle.h"
#include "table/values.h"

namespace pentimento {

struct KeepColumn {
  const ArrowArray* array = nullptr;
  const CellLayout* layout = nullptr;
};

// Files the rows of one batch under their buckets.
BucketedRecords FileByBucket(std::span<const KeepColumn> columns, std::span<const std::uint8_t> bucket_of_row);

// Walks the records of a bucket. The layout was written by FileByBucket, so it is trusted.
class RecordReader {
 public:
  RecordReader(std::span<const std::byte> records, std::span<const CellType> types, std::size_t count);

  // Where the cell's bytes are, and how many; nowhere for a null.
  struct Cell {
    const char* data = nullptr;
    std::uint32_t length = 0;
    bool null() const { return data == nullptr; }
  };
  const Cell& at(std::size_t record, std::size_t column) const { return cells_[record * columns_ + column]; }

 private:
  std::size_t columns_;
  std::vector<Cell> cells_;
};

// Where each record of a bucket begins, and past the last.
std::vector<std::size_t> BeginsOfRecords(std::span<const std::byte> records, std::span<const CellType> types,
                                         std::size_t count);

}  // namespace pentimento
