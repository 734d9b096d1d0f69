// Record batches as CSV text. Arrow's own CSV writer puts quotes around every text; published tables should look like
// what people wrote, so a cell is quoted only where it must be.
#pragma once

#include <string>

namespace arrow {
class RecordBatch;
class Schema;
}  // namespace arrow

namespace pentimento {

std::string CsvHeader(const arrow::Schema& schema);
// One line per row. A null is an empty cell, an empty text is "".
std::string CsvRows(const arrow::RecordBatch& batch);

}  // namespace pentimento
