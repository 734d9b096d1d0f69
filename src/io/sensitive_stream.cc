#include "io/sensitive_stream.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "base/progress.h"
#include "io/array_builder.h"

namespace pentimento {
namespace {

constexpr std::size_t kEntriesPerBatch = 32768;
constexpr std::size_t kSensitiveWave = 4;  // batches made side by side; bounds what waits in memory
constexpr std::uint64_t kLargestClassDictionary = 1024;

class SensitiveBatches {
 public:
  SensitiveBatches(const SensitiveCounts& counts, std::span<const ValueColumn* const> sensitive,
                   const SensitiveStreamNames& names)
      : counts_(counts) {
    fields_.push_back({names.class_id, "l", false});
    for (const std::uint32_t column : counts.columns) {
      const ValueColumn& values = *sensitive[column];
      columns_.push_back(&values);
      dictionaries_.push_back(values.type.is_text() ? ShareTexts(values.values) : nullptr);
      fields_.push_back({values.name, values.type.arrow_format, values.type.is_text()});
    }
    const std::uint64_t largest = counts.count.empty() ? 0 : *std::ranges::max_element(counts.count);
    if (largest <= kLargestClassDictionary) {
      std::vector<std::int64_t> upward(largest);
      std::iota(upward.begin(), upward.end(), 1);
      count_dictionary_ = ShareNumbers(upward);
    }
    fields_.push_back({names.count, "l", count_dictionary_ != nullptr});
  }
  SensitiveBatches(const SensitiveBatches&) = delete;
  SensitiveBatches& operator=(const SensitiveBatches&) = delete;
  ~SensitiveBatches() {
    for (; given_ < ready_.size(); ++given_) ready_[given_].release(&ready_[given_]);
  }

  const std::vector<FieldSpec>& fields() const { return fields_; }

  Result<ArrowArray> Next() {
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    if (given_ == ready_.size()) MakeWave();
    if (given_ == ready_.size()) return ArrowArray{};
    return ready_[given_++];
  }

 private:
  void MakeWave() {
    const std::size_t left = (counts_.entries() - next_ + kEntriesPerBatch - 1) / kEntriesPerBatch;
    ready_.assign(std::min(kSensitiveWave, left), ArrowArray{});
    given_ = 0;
    ParallelFor(ready_.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t begin = next_ + i * kEntriesPerBatch;
        ready_[i] = Make(begin, std::min(kEntriesPerBatch, counts_.entries() - begin));
      }
    });
    next_ = std::min(counts_.entries(), next_ + kSensitiveWave * kEntriesPerBatch);
  }

  ArrowArray Make(std::size_t begin, std::size_t rows) const {
    std::vector<ArrowArray> arrays;
    arrays.push_back(
        Numbers(rows, [&](std::size_t i) { return std::uint64_t{counts_.class_of_entry[begin + i]} + 1; }));
    for (std::size_t c = 0; c < columns_.size(); ++c) arrays.push_back(Values(c, begin, rows));
    arrays.push_back(Counts(begin, rows));
    return MakeBatch(rows, std::move(arrays));
  }

  template <typename NumberAt>
  static ArrowArray Numbers(std::size_t rows, const NumberAt& number_at) {
    std::vector<char> bytes(8 * rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto number = static_cast<std::int64_t>(number_at(i));
      std::memcpy(bytes.data() + 8 * i, &number, 8);
    }
    return MakeFixedColumn(rows, Validity(rows), std::move(bytes));
  }

  ArrowArray Counts(std::size_t begin, std::size_t rows) const {
    if (!count_dictionary_) return Numbers(rows, [&](std::size_t i) { return counts_.count[begin + i]; });
    std::vector<std::int32_t> indices(rows);
    for (std::size_t i = 0; i < rows; ++i) indices[i] = static_cast<std::int32_t>(counts_.count[begin + i] - 1);
    return MakeDictionaryColumn(std::move(indices), Validity(rows), count_dictionary_);
  }

  ArrowArray Values(std::size_t c, std::size_t begin, std::size_t rows) const {
    const ValueColumn& column = *columns_[c];
    const auto code_at = [&](std::size_t i) { return counts_.values[(begin + i) * columns_.size() + c]; };
    Validity validity(rows);
    if (dictionaries_[c]) {
      std::vector<std::int32_t> codes(rows, 0);
      for (std::size_t i = 0; i < rows; ++i) {
        if (code_at(i) == column.null_code) {
          validity.SetNull(i);
        } else {
          codes[i] = static_cast<std::int32_t>(code_at(i));
        }
      }
      return MakeDictionaryColumn(std::move(codes), std::move(validity), dictionaries_[c]);
    }
    const bool bits = column.type.arrow_format == "b";
    const auto width = static_cast<std::size_t>(column.type.width);
    std::vector<char> bytes(bits ? (rows + 7) / 8 : rows * width, 0);
    for (std::size_t i = 0; i < rows; ++i) {
      const Code code = code_at(i);
      if (code == column.null_code) {
        validity.SetNull(i);
      } else if (bits) {
        bytes[i / 8] = static_cast<char>(bytes[i / 8] | (column.values[code][0] << (i % 8)));
      } else {
        std::memcpy(bytes.data() + i * width, column.values[code].data(), width);
      }
    }
    return MakeFixedColumn(rows, std::move(validity), std::move(bytes));
  }

  const SensitiveCounts& counts_;
  std::vector<const ValueColumn*> columns_;
  std::vector<std::shared_ptr<const ArrowArray>> dictionaries_;  // by column; nothing for those that are no text
  std::shared_ptr<const ArrowArray> count_dictionary_;           // 1, 2, … where no count is large
  std::vector<FieldSpec> fields_;
  std::size_t next_ = 0;  // the first entry that is in no batch yet
  std::vector<ArrowArray> ready_;
  std::size_t given_ = 0;
};

}  // namespace

ArrowArrayStream MakeSensitiveStream(const VerifiedRelease& release, std::size_t table,
                                     std::span<const ValueColumn* const> sensitive, const SensitiveStreamNames& names,
                                     std::shared_ptr<std::optional<Error>> failure) {
  auto batches = std::make_shared<SensitiveBatches>(release.draft().sensitive[table], sensitive, names);
  std::vector<FieldSpec> fields = batches->fields();
  return MakeStream(
      std::move(fields), [batches = std::move(batches)] { return batches->Next(); }, std::move(failure));
}

}  // namespace pentimento
