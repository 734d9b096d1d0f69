#include "io/cells.h"

#include <charconv>
#include <type_traits>

#include "fmt/core.h"

namespace pentimento {
namespace {

// Bytes per cell of the fixed-width formats of the Arrow C Data Interface; 0 for others.
int FixedWidth(std::string_view format) {
  if (format.size() == 1) {
    switch (format[0]) {
      case 'c':
      case 'C':
        return 1;
      case 's':
      case 'S':
      case 'e':
        return 2;
      case 'i':
      case 'I':
      case 'f':
        return 4;
      case 'l':
      case 'L':
      case 'g':
        return 8;
      default:
        return 0;
    }
  }
  if (format == "tdD" || format == "tts" || format == "ttm") return 4;
  if (format == "tdm" || format == "ttu" || format == "ttn") return 8;
  if (format.starts_with("ts") || format.starts_with("tD")) return 8;
  if (format.starts_with("d:")) return format.ends_with(",256") ? 32 : 16;
  return 0;
}

template <typename T>
T Load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Nothing for a floating-point number that needs more room: nobody means such a number as a value of a table about
// people.
template <typename T>
std::optional<std::string_view> Print(std::string_view bytes, CellScratch& scratch) {
  std::to_chars_result printed;
  if constexpr (std::is_floating_point_v<T>) {
    printed = std::to_chars(scratch.data(), scratch.data() + scratch.size(), Load<T>(bytes), std::chars_format::fixed);
  } else {
    printed = std::to_chars(scratch.data(), scratch.data() + scratch.size(), Load<T>(bytes));
  }
  if (printed.ec != std::errc()) return std::nullopt;
  return std::string_view(scratch.data(), static_cast<std::size_t>(printed.ptr - scratch.data()));
}

}  // namespace

Result<CellLayout> ReadLayout(const ArrowSchema& column) {
  CellLayout layout;
  const ArrowSchema* values = &column;
  if (column.dictionary != nullptr) {
    layout.index_format = column.format[0];
    values = column.dictionary;
  }
  const std::string_view format = values->format;
  if (format == "u" || format == "z") {
    layout.kind = CellKind::kText;
    layout.type.arrow_format = format;
  } else if (format == "U" || format == "Z") {
    layout.kind = CellKind::kLargeText;
    layout.type.arrow_format = format == "U" ? "u" : "z";
  } else if (format == "b") {
    layout.kind = CellKind::kBoolean;
    layout.type = {"b", 1};
  } else if (format == "n") {
    layout.kind = CellKind::kNull;
  } else if (const int width = FixedWidth(format); width > 0) {
    layout.kind = CellKind::kFixed;
    layout.type = {std::string(format), width};
  } else {
    return Error{
        ErrorCode::kBadInput,
        fmt::format("column '{}' has the Arrow type '{}', which is not one plain value per cell; convert it to "
                    "text or numbers, or leave it out of the policy",
                    column.name == nullptr ? "" : column.name, format)};
  }
  return layout;
}

Cells::Cells(const ArrowArray& array, const CellLayout& layout)
    : kind_(layout.kind), width_(layout.type.width), offset_(array.offset), length_(array.length) {
  if (kind_ == CellKind::kNull) return;
  if (array.null_count != 0) validity_ = static_cast<const std::uint8_t*>(array.buffers[0]);
  const bool is_text = kind_ == CellKind::kText || kind_ == CellKind::kLargeText;
  if (is_text) offsets_ = array.buffers[1];
  data_ = static_cast<const char*>(array.buffers[is_text ? 2 : 1]);
}

DictionaryIndices::DictionaryIndices(const ArrowArray& array, char index_format)
    : cells_(array, CellLayout{CellKind::kFixed, {std::string(1, index_format), FixedWidth({&index_format, 1})}, 0}),
      format_(index_format) {}

std::int64_t DictionaryIndices::operator[](std::int64_t row) const {
  if (cells_.IsNull(row)) return -1;
  const std::string_view bytes = cells_.Bytes(row);
  switch (format_) {
    case 'c':
      return Load<std::int8_t>(bytes);
    case 'C':
      return Load<std::uint8_t>(bytes);
    case 's':
      return Load<std::int16_t>(bytes);
    case 'S':
      return Load<std::uint16_t>(bytes);
    case 'i':
      return Load<std::int32_t>(bytes);
    case 'I':
      return Load<std::uint32_t>(bytes);
    default:
      return Load<std::int64_t>(bytes);
  }
}

bool HasText(const CellType& type) {
  return type.is_text() || (type.arrow_format.size() == 1 && type.arrow_format[0] != 'e');
}

std::optional<std::string_view> CellText(std::string_view bytes, const CellType& type, CellScratch& scratch) {
  if (type.is_text()) return bytes;
  if (!HasText(type)) return std::nullopt;
  switch (type.arrow_format[0]) {
    case 'b':
      return bytes[0] != 0 ? "true" : "false";
    case 'c':
      return Print<std::int8_t>(bytes, scratch);
    case 'C':
      return Print<std::uint8_t>(bytes, scratch);
    case 's':
      return Print<std::int16_t>(bytes, scratch);
    case 'S':
      return Print<std::uint16_t>(bytes, scratch);
    case 'i':
      return Print<std::int32_t>(bytes, scratch);
    case 'I':
      return Print<std::uint32_t>(bytes, scratch);
    case 'l':
      return Print<std::int64_t>(bytes, scratch);
    case 'L':
      return Print<std::uint64_t>(bytes, scratch);
    case 'f':
      return Print<float>(bytes, scratch);
    case 'g':
      return Print<double>(bytes, scratch);
    default:
      return std::nullopt;
  }
}

}  // namespace pentimento
