// Making Arrow C arrays, schemas and streams, without Arrow. Every array owns its buffers and frees them on release.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/arrow_c_data.h"

namespace pentimento {

// One bit per cell, 1 = there is a value. Empty while no null was seen.
class Validity {
 public:
  explicit Validity(std::size_t rows) : rows_(rows) {}
  void SetNull(std::size_t row);
  std::int64_t null_count() const { return null_count_; }
  std::vector<std::uint8_t> TakeBits() { return std::move(bits_); }

 private:
  std::size_t rows_;
  std::int64_t null_count_ = 0;
  std::vector<std::uint8_t> bits_;
};

// A column of text: cells are appended one after the other.
class TextColumnBuilder {
 public:
  TextColumnBuilder(std::size_t rows, std::size_t bytes_hint);
  void Append(std::string_view text) {
    const std::size_t end = bytes_.size();
    bytes_.resize(end + text.size());
    if (!text.empty()) std::memcpy(bytes_.data() + end, text.data(), text.size());
    offsets_.push_back(static_cast<std::int32_t>(bytes_.size()));
  }
  void AppendNull() {
    validity_.SetNull(offsets_.size() - 1);
    offsets_.push_back(offsets_.back());
  }
  ArrowArray Finish() &&;

 private:
  Validity validity_;
  std::vector<std::int32_t> offsets_;
  std::vector<char> bytes_;
};

// A column of fixed-width cells; `bytes` holds rows * width bytes (for booleans: bits).
ArrowArray MakeFixedColumn(std::size_t rows, Validity validity, std::vector<char> bytes);

// A column of 32-bit indices into `dictionary`, which many arrays may share: it stays alive as long as any of them.
ArrowArray MakeDictionaryColumn(std::vector<std::int32_t> indices, Validity validity,
                                std::shared_ptr<const ArrowArray> dictionary);

// Texts, or values of 8 bytes, as a dictionary that many arrays share.
std::shared_ptr<const ArrowArray> ShareTexts(std::span<const std::string> texts);
std::shared_ptr<const ArrowArray> ShareNumbers(std::span<const std::int64_t> numbers);
std::shared_ptr<const ArrowArray> ShareNumbers(std::span<const double> numbers);

// A record batch of `columns`, which it takes over.
ArrowArray MakeBatch(std::size_t rows, std::vector<ArrowArray> columns);

struct FieldSpec {
  std::string name;
  std::string format;
  bool dictionary = false;  // 32-bit indices into values of `format`
};
ArrowSchema MakeBatchSchema(const std::vector<FieldSpec>& fields);

// A stream whose batches come from `next`: a batch, or one with release == nullptr at the end. After an error the
// stream's last error is the message; *failure, if given, keeps the whole error for those who need its code.
ArrowArrayStream MakeStream(std::vector<FieldSpec> fields, std::function<Result<ArrowArray>()> next,
                            std::shared_ptr<std::optional<Error>> failure = nullptr);

}  // namespace pentimento
