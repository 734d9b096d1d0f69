// Counts the values of one column, batch by batch, within bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/init/survey.h"
#include "io/arrow_c_data.h"
#include "io/cells.h"
#include "io/text_codes.h"

namespace pentimento {

class ColumnCounter {
 public:
  // At most `most_bytes` of values are kept, and not very many.
  ColumnCounter(std::span<const std::string> missing, std::size_t most_bytes)
      : shape_(missing), most_bytes_(most_bytes) {}

  // Cells of another file may have another layout.
  void BeginFile(const CellLayout& layout);
  void Add(const ArrowArray& cells);
  void EndFile() { Flush(); }

  // Fills in all but the name. Nothing may follow.
  void Finish(ColumnSurvey& survey);

 private:
  void Count(std::string_view bytes, std::uint64_t rows);
  void AddDictionary(const ArrowArray& cells);
  void Flush();
  void TakeText(std::string_view text, std::uint64_t rows);
  void StopListing();

  TextShape shape_;
  std::size_t most_bytes_;
  CellLayout layout_;
  bool is_time_ = false, is_zoned_ = false, is_number_ = false;
  // Of this file: cells as they lie there.
  TextCodes raw_;
  std::vector<std::uint64_t> rows_of_raw_;
  std::size_t raw_bytes_ = 0;
  // Of all files: texts without blanks around them.
  TextCodes texts_;
  std::vector<std::uint64_t> rows_of_text_;
  std::size_t text_bytes_ = 0;
  bool is_listed_ = true;
  DistinctSketch sketch_;
};

}  // namespace pentimento
