#include "io/take_input.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/mix64.h"
#include "base/parallel.h"
#include "io/keep_records.h"
#include "table/take_rows.h"

namespace pentimento {
namespace {

// So many rows are filed anew in one pass over all records: it bounds what waits in memory.
constexpr std::size_t kRowsFiledPerPass = std::size_t{1} << 20;

std::vector<CellType> KeepTypes(const EncodedInput& input) {
  std::vector<CellType> types;
  for (const auto& [name, type] : input.keep) types.push_back(type);
  return types;
}

// The records of these rows, a part of those that are taken, under the buckets that they have now.
Result<BucketedRecords> FileAnew(const EncodedInput& input, std::span<const std::uint32_t> rows,
                                 std::span<const std::uint8_t> buckets) {
  const std::vector<CellType> types = KeepTypes(input);
  std::vector<std::vector<std::byte>> record_of(rows.size());
  for (std::size_t bucket = 0; bucket < kShuffleBuckets; ++bucket) {
    PENTIMENTO_ASSIGN(const std::vector<std::byte> records, input.keep_records->ReadBucket(bucket));
    const std::span<const std::uint32_t> of_bucket = input.order.RowsOfBucket(bucket);
    const std::vector<std::size_t> begins = BeginsOfRecords(records, types, of_bucket.size());
    for (std::size_t i = 0; i < of_bucket.size(); ++i) {
      const auto found = std::ranges::lower_bound(rows, of_bucket[i]);
      if (found == rows.end() || *found != of_bucket[i]) continue;
      const std::span<const std::byte> record = std::span(records).subspan(begins[i], begins[i + 1] - begins[i]);
      record_of[static_cast<std::size_t>(found - rows.begin())].assign(record.begin(), record.end());
    }
  }
  BucketedRecords filed;
  for (std::size_t i = 0; i < rows.size(); ++i) filed.begin[buckets[i] + std::size_t{1}] += record_of[i].size();
  for (std::size_t i = 0; i < kShuffleBuckets; ++i) filed.begin[i + 1] += filed.begin[i];
  filed.bytes.resize(filed.begin[kShuffleBuckets]);
  std::vector<std::uint64_t> next(filed.begin.begin(), filed.begin.end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(record_of[i], filed.bytes.begin() + static_cast<std::ptrdiff_t>(next[buckets[i]]));
    next[buckets[i]] += record_of[i].size();
  }
  return filed;
}

// Values that nobody else has are forgotten.
ValueColumn TakeValues(ValueColumn column, std::span<const std::uint32_t> rows, const std::vector<bool>& is_left_out) {
  EmptyCells(column, is_left_out);
  column.codes = TakeRows(column.codes, rows);
  return column;
}

std::uint64_t HashOf(std::string_view bytes) { return Checksum(std::as_bytes(std::span(bytes))); }

// What a cell adds to the hash of its row. An empty text is published like no value.
class CellHash {
 public:
  explicit CellHash(const std::string& column) : name_(Mix64{}(HashOf(column))) {}
  std::uint64_t operator()(std::string_view bytes) const {
    return bytes.empty() ? name_ : Mix64{}(HashOf(bytes) ^ name_);
  }

 private:
  std::uint64_t name_;
};

void AddValues(const ValueColumn& column, std::vector<std::uint64_t>& sums) {
  const CellHash hash(column.name);
  std::vector<std::uint64_t> of_code;
  for (Code code = 0; code < column.values.size(); ++code)
    of_code.push_back(hash(code == column.null_code ? std::string_view() : std::string_view(column.values[code])));
  column.codes.Visit([&](auto codes) {
    ParallelFor(codes.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) sums[row] += of_code[codes[row]];
    });
  });
}

Status AddKept(const EncodedInput& input, const std::set<std::string>& columns, std::vector<std::uint64_t>& sums) {
  const std::vector<CellType> types = KeepTypes(input);
  std::vector<std::pair<std::size_t, CellHash>> hashed;
  for (std::size_t i = 0; i < input.keep.size(); ++i) {
    if (columns.contains(input.keep[i].first)) hashed.emplace_back(i, CellHash(input.keep[i].first));
  }
  for (std::size_t bucket = 0; !hashed.empty() && bucket < kShuffleBuckets; ++bucket) {
    PENTIMENTO_ASSIGN(const std::vector<std::byte> records, input.keep_records->ReadBucket(bucket));
    const std::span<const std::uint32_t> rows = input.order.RowsOfBucket(bucket);
    const RecordReader reader(records, types, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const auto& [column, hash] : hashed) {
        const RecordReader::Cell& cell = reader.at(i, column);
        sums[rows[i]] += hash(cell.null() ? std::string_view() : std::string_view(cell.data, cell.length));
      }
    }
  }
  return {};
}

}  // namespace

Result<EncodedInput> TakeInput(EncodedInput input, std::span<const std::uint32_t> rows, const EncodeOptions& options) {
  EncodedInput taken;
  const std::vector<std::uint8_t> buckets = BucketDrawer(options.seed).Draw(rows.size());
  taken.order = RowOrder(options.seed, buckets);
  taken.table = TakeRows(input.table, rows);
  std::vector<bool> is_left_out(input.table.rows, true);
  for (const std::uint32_t row : rows) is_left_out[row] = false;
  for (ValueColumn& column : input.values) taken.values.push_back(TakeValues(std::move(column), rows, is_left_out));
  taken.keep_records.emplace(options.spill_folder, options.keep_memory);
  for (std::size_t first = 0; !input.keep.empty() && first < rows.size(); first += kRowsFiledPerPass) {
    const std::size_t count = std::min(kRowsFiledPerPass, rows.size() - first);
    PENTIMENTO_ASSIGN(BucketedRecords records,
                      FileAnew(input, rows.subspan(first, count), std::span(buckets).subspan(first, count)));
    PENTIMENTO_RETURN_IF_ERROR(taken.keep_records->Append(std::move(records)));
  }
  taken.domains = std::move(input.domains);
  taken.keep = std::move(input.keep);
  return taken;
}

Result<std::vector<std::uint64_t>> HashCells(const EncodedInput& input, const std::set<std::string>& columns) {
  std::vector<std::uint64_t> sums(input.table.rows);
  for (const ValueColumn& column : input.values) {
    if (columns.contains(column.name)) AddValues(column, sums);
  }
  PENTIMENTO_RETURN_IF_ERROR(AddKept(input, columns, sums));
  return sums;
}

}  // namespace pentimento
