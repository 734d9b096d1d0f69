// Record batches as CSV text. Arrow's own CSV writer puts quotes around every text; published tables should look like
// what people wrote, so a cell is quoted only where it must be.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace arrow {
class RecordBatch;
class Schema;
}  // namespace arrow

namespace pentimento {

// Text without a terminating zero, made in one piece.
struct CsvText {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
};

std::string CsvHeader(const arrow::Schema& schema);
// One line per row. A null is an empty cell, an empty text is "". A batch has at least one column.
CsvText CsvRows(const arrow::RecordBatch& batch);

// The name of a column of the batch with bytes that are no UTF-8, of which no CSV could be made; nothing where there is
// none. Text is checked when it is read, so only columns of bytes are looked at.
std::optional<std::string> FindColumnThatIsNoText(const arrow::RecordBatch& batch);

}  // namespace pentimento
