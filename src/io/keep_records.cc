#include "io/keep_records.h"

#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/check.h"

namespace pentimento {
namespace {

constexpr std::uint8_t kNullMark = 254;
constexpr std::uint8_t kLongMark = 255;

// One cell of a keep column, looked up through a dictionary where there is one.
class KeepCells {
 public:
  explicit KeepCells(const KeepColumn& column)
      : cells_(column.layout->is_dictionary() ? *column.array->dictionary : *column.array, *column.layout),
        is_text_(column.layout->type.is_text()),
        width_(column.layout->type.width) {
    if (column.layout->is_dictionary()) indices_.emplace(*column.array, column.layout->index_format);
  }

  std::size_t RecordSize(std::int64_t row) const {
    if (!is_text_) return 1 + static_cast<std::size_t>(width_);
    const std::optional<std::string_view> bytes = Bytes(row);
    if (!bytes) return 1;
    return bytes->size() + (bytes->size() < kNullMark ? 1 : 1 + sizeof(std::uint32_t));
  }

  std::byte* Write(std::int64_t row, std::byte* out) const {
    const std::optional<std::string_view> bytes = Bytes(row);
    if (is_text_) return WriteText(bytes, out);
    *out = bytes ? std::byte{1} : std::byte{0};
    if (bytes) {
      std::memcpy(out + 1, bytes->data(), bytes->size());
    } else {
      std::memset(out + 1, 0, static_cast<std::size_t>(width_));
    }
    return out + 1 + width_;
  }

 private:
  static std::byte* WriteText(std::optional<std::string_view> text, std::byte* out) {
    const bool is_short = text && text->size() < kNullMark;
    *out++ = static_cast<std::byte>(!text ? kNullMark : is_short ? text->size() : kLongMark);
    if (!text) return out;
    if (!is_short) {
      const auto length = static_cast<std::uint32_t>(text->size());
      std::memcpy(out, &length, sizeof length);
      out += sizeof length;
    }
    if (!text->empty()) std::memcpy(out, text->data(), text->size());
    return out + text->size();
  }

  std::optional<std::string_view> Bytes(std::int64_t row) const {
    if (indices_) row = (*indices_)[row];
    if (row < 0 || cells_.IsNull(row)) return std::nullopt;
    return cells_.Bytes(row);
  }

  Cells cells_;
  std::optional<DictionaryIndices> indices_;
  bool is_text_;
  int width_;
};

// Returns where the next cell begins.
const std::byte* ReadCell(const std::byte* at, const CellType& type, RecordReader::Cell& cell) {
  cell = {};
  const auto mark = static_cast<std::uint8_t>(*at++);
  if (!type.is_text()) {
    cell.length = static_cast<std::uint32_t>(type.width);
    cell.data = mark == 1 ? reinterpret_cast<const char*>(at) : nullptr;
  } else if (mark != kNullMark) {
    cell.length = mark;
    if (mark == kLongMark) {
      std::memcpy(&cell.length, at, sizeof cell.length);
      at += sizeof cell.length;
    }
    cell.data = reinterpret_cast<const char*>(at);
  }
  return at + cell.length;
}

}  // namespace

BucketedRecords FileByBucket(std::span<const KeepColumn> columns, std::span<const std::uint8_t> bucket_of_row) {
  BucketedRecords filed;
  if (columns.empty()) return filed;
  std::vector<KeepCells> cells;
  for (const KeepColumn& column : columns) cells.emplace_back(column);

  for (std::size_t row = 0; row < bucket_of_row.size(); ++row) {
    std::size_t size = 0;
    for (const KeepCells& column : cells) size += column.RecordSize(static_cast<std::int64_t>(row));
    filed.begin[bucket_of_row[row] + std::size_t{1}] += size;
  }
  for (std::size_t i = 0; i < kShuffleBuckets; ++i) filed.begin[i + 1] += filed.begin[i];
  filed.bytes.resize(filed.begin[kShuffleBuckets]);
  std::array<std::byte*, kShuffleBuckets> next;
  for (std::size_t i = 0; i < kShuffleBuckets; ++i) next[i] = filed.bytes.data() + filed.begin[i];
  for (std::size_t row = 0; row < bucket_of_row.size(); ++row) {
    std::byte*& out = next[bucket_of_row[row]];
    for (const KeepCells& column : cells) out = column.Write(static_cast<std::int64_t>(row), out);
  }
  return filed;
}

RecordReader::RecordReader(std::span<const std::byte> records, std::span<const CellType> types, std::size_t count)
    : columns_(types.size()), cells_(types.empty() ? 0 : count * types.size()) {
  const std::byte* at = records.data();
  for (std::size_t i = 0; i < cells_.size(); ++i) at = ReadCell(at, types[i % columns_], cells_[i]);
  Check(types.empty() || at == records.data() + records.size(), "the records of a bucket end where its bytes end");
}

std::vector<std::size_t> BeginsOfRecords(std::span<const std::byte> records, std::span<const CellType> types,
                                         std::size_t count) {
  std::vector<std::size_t> begins = {0};
  const std::byte* at = records.data();
  RecordReader::Cell passed_by;
  for (std::size_t record = 0; record < count; ++record) {
    for (const CellType& type : types) at = ReadCell(at, type, passed_by);
    begins.push_back(static_cast<std::size_t>(at - records.data()));
  }
  return begins;
}

}  // namespace pentimento
