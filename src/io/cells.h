// Reading cells out of Arrow C arrays, without Arrow: text (also as views), fixed-width types, booleans, and
// dictionaries of those. Arrays may be cut out of longer ones.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/arrow_c_data.h"
#include "table/values.h"

namespace pentimento {

enum class CellKind { kText, kLargeText, kTextView, kFixed, kBoolean, kNull };

// What a column's cells look like, from its schema. `type` is how such cells are published.
struct CellLayout {
  CellKind kind = CellKind::kText;
  CellType type;
  char index_format = 0;  // for a dictionary: the type of its indices, else 0

  bool is_dictionary() const { return index_format != 0; }
};

// kBadInput for types that a table about people cannot keep in one cell (lists, structs, …).
Result<CellLayout> ReadLayout(const ArrowSchema& column);

// One array of cells. A view: the array must outlive it.
class Cells {
 public:
  Cells(const ArrowArray& array, const CellLayout& layout);

  std::int64_t size() const { return length_; }
  bool IsNull(std::int64_t row) const {
    if (kind_ == CellKind::kNull) return true;
    if (validity_ == nullptr) return false;
    const std::int64_t bit = row + offset_;
    return (validity_[bit >> 3] >> (bit & 7) & 1) == 0;
  }
  // A cell of fixed width.
  template <typename T>
  T Number(std::int64_t row) const {
    T number;
    std::memcpy(&number, data_ + (row + offset_) * static_cast<std::int64_t>(sizeof number), sizeof number);
    return number;
  }
  // The cell's bytes: text, the fixed-width value as it lies in memory, or one byte 0/1 for a boolean. Not for null
  // cells.
  std::string_view Bytes(std::int64_t row) const {
    const std::int64_t at = row + offset_;
    switch (kind_) {
      case CellKind::kText:
        return Slice(static_cast<const std::int32_t*>(offsets_), at);
      case CellKind::kLargeText:
        return Slice(static_cast<const std::int64_t*>(offsets_), at);
      case CellKind::kTextView:
        return View(data_ + at * kViewWidth);
      case CellKind::kFixed:
        return {data_ + at * width_, static_cast<std::size_t>(width_)};
      case CellKind::kBoolean:
        return std::string_view((data_[at >> 3] >> (at & 7) & 1) != 0 ? "\1" : "\0", 1);
      case CellKind::kNull:
        break;
    }
    return {};
  }

 private:
  template <typename Offset>
  std::string_view Slice(const Offset* offsets, std::int64_t at) const {
    return {data_ + offsets[at], static_cast<std::size_t>(offsets[at + 1] - offsets[at])};
  }

  // A view holds a short text itself; of a longer one it tells in which buffer, and where in it, the text stands.
  std::string_view View(const char* view) const {
    constexpr std::int32_t kLongestInside = 12;
    const auto number_at = [&](int byte) {
      std::int32_t number;
      std::memcpy(&number, view + byte, sizeof number);
      return number;
    };
    const std::int32_t length = number_at(0);
    const char* text = length <= kLongestInside ? view + 4 : texts_[number_at(8)] + number_at(12);
    return {text, static_cast<std::size_t>(length)};
  }

  static constexpr std::int64_t kViewWidth = 16;

  CellKind kind_;
  int width_;
  std::int64_t offset_;
  std::int64_t length_;
  const std::uint8_t* validity_ = nullptr;
  const void* offsets_ = nullptr;
  const char* data_ = nullptr;
  const char* const* texts_ = nullptr;  // of views: the buffers with longer texts
};

// The indices of a dictionary array; -1 for a null.
class DictionaryIndices {
 public:
  DictionaryIndices(const ArrowArray& array, char index_format);
  std::int64_t operator[](std::int64_t row) const;
  // Calls body(row, index) for every row. 32 bits, which Arrow's readers make, are read without asking for the type
  // at each.
  template <typename Body>
  void ForEach(const Body& body) const {
    if (format_ != 'i') {
      for (std::int64_t row = 0; row < cells_.size(); ++row) body(row, (*this)[row]);
      return;
    }
    for (std::int64_t row = 0; row < cells_.size(); ++row)
      body(row, cells_.IsNull(row) ? -1 : std::int64_t{cells_.Number<std::int32_t>(row)});
  }

 private:
  Cells cells_;
  char format_;
};

// The text of a cell of any supported type ("42", "true", "Bachelors", "2026-11-18", "12.50"), for looking it up: the
// same that a CSV file shows. Lives in `scratch` unless the cell is text already. Nothing for types that have no text
// of their own (times of day, durations, 256-bit decimals, …), and for what cannot be told: a year before 0 or after
// 9999.
using CellScratch = std::array<char, 64>;
std::optional<std::string_view> CellText(std::string_view bytes, const CellType& type, CellScratch& scratch);
bool HasText(const CellType& type);
// Whether its cells are dates or points in time.
bool IsTime(const CellType& type);

}  // namespace pentimento
