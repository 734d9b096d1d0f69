#include "files/arrow/csv_text.h"

#include <arrow/buffer.h>
#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/util/compression.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace pentimento {
namespace {

using Input = arrow::io::InputStream;

// A stream that changes or watches the bytes of another one.
class InputAround : public Input {
 public:
  explicit InputAround(std::shared_ptr<Input> inner) : inner_(std::move(inner)) {}

  arrow::Status Close() override { return inner_->Close(); }
  bool closed() const override { return inner_->closed(); }
  arrow::Result<std::int64_t> Tell() const override { return position_; }
  arrow::Result<std::int64_t> Read(std::int64_t size, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got, Fill(size, static_cast<char*>(out)));
    position_ += got;
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t size) override {
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::ResizableBuffer> buffer, arrow::AllocateResizableBuffer(size));
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got, Read(size, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(got, /*shrink_to_fit=*/false));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 protected:
  // At most `size` bytes into `out`; none at the end alone.
  virtual arrow::Result<std::int64_t> Fill(std::int64_t size, char* out) = 0;
  Input& inner() { return *inner_; }

 private:
  std::shared_ptr<Input> inner_;
  std::int64_t position_ = 0;
};

class CountedFile : public InputAround {
 public:
  CountedFile(std::shared_ptr<Input> file, std::shared_ptr<std::atomic<std::uint64_t>> bytes_read)
      : InputAround(std::move(file)), bytes_read_(std::move(bytes_read)) {}

 private:
  arrow::Result<std::int64_t> Fill(std::int64_t size, char* out) override {
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got, inner().Read(size, out));
    *bytes_read_ += static_cast<std::uint64_t>(got);
    return got;
  }

  std::shared_ptr<std::atomic<std::uint64_t>> bytes_read_;
};

// Without the first bytes: a byte-order mark, a "sep=" line.
class WithoutBeginning : public InputAround {
 public:
  WithoutBeginning(std::shared_ptr<Input> inner, std::size_t skipped)
      : InputAround(std::move(inner)), to_skip_(static_cast<std::int64_t>(skipped)) {}

 private:
  arrow::Result<std::int64_t> Fill(std::int64_t size, char* out) override {
    while (to_skip_ > 0) {
      std::array<char, 16> skipped{};
      const auto most = std::min<std::int64_t>(to_skip_, skipped.size());
      ARROW_ASSIGN_OR_RAISE(const std::int64_t got, inner().Read(most, skipped.data()));
      if (got == 0) return 0;
      to_skip_ -= got;
    }
    return inner().Read(size, out);
  }

  std::int64_t to_skip_;
};

// Text of another encoding as UTF-8. Whatever it is not goes on to the reader as a byte that is no UTF-8 either, so
// that the diagnosis finds its line.
class DecodedText : public InputAround {
 public:
  DecodedText(std::shared_ptr<Input> inner, const TextForm& form)
      : InputAround(std::move(inner)), decoder_(form.encoding, form.order) {}

 private:
  arrow::Result<std::int64_t> Fill(std::int64_t size, char* out) override {
    if (size >= static_cast<std::int64_t>(spare_.size()) && spare_left_.empty())
      return DecodeInto({out, static_cast<std::size_t>(size)});
    if (spare_left_.empty()) {
      ARROW_ASSIGN_OR_RAISE(const std::int64_t made, DecodeInto(spare_));
      spare_left_ = std::string_view(spare_.data(), static_cast<std::size_t>(made));
    }
    const std::size_t given = std::min(spare_left_.size(), static_cast<std::size_t>(size));
    std::memcpy(out, spare_left_.data(), given);
    spare_left_.remove_prefix(given);
    return static_cast<std::int64_t>(given);
  }

  // REQUIRES: room for a few letters.
  arrow::Result<std::int64_t> DecodeInto(std::span<char> room) {
    std::size_t made = 0;
    while (!is_over_ && room.size() - made >= kRoomForALetter) {
      if (at_ == raw_.size()) {
        ARROW_ASSIGN_OR_RAISE(raw_, ReadUpTo(inner(), kRawBlock));
        at_ = 0;
        is_over_ = raw_.empty();
        if (is_over_ && !decoder_.End()) room[made++] = kBadByte;
        if (is_over_) break;
      }
      const TextDecoder::Decoded done = decoder_.Decode(std::string_view(raw_).substr(at_), room.subspan(made));
      at_ += done.taken;
      made += done.made;
      if (done.is_bad) {
        room[made++] = kBadByte;
        is_over_ = true;
      }
    }
    return static_cast<std::int64_t>(made);
  }

  static constexpr std::size_t kRoomForALetter = 8;
  static constexpr std::int64_t kRawBlock = 1 << 18;
  static constexpr char kBadByte = '\xFF';

  TextDecoder decoder_;
  std::string raw_;
  std::size_t at_ = 0;
  bool is_over_ = false;
  std::array<char, 64> spare_{};  // for whoever asks for a few bytes
  std::string_view spare_left_;   // what is left of them
};

// Arrow takes a NUL for a letter like any other, and an open quote for the end of a cell.
class CheckedText : public InputAround {
 public:
  CheckedText(std::shared_ptr<Input> inner, char separator) : InputAround(std::move(inner)), quotes_(separator) {}

 private:
  arrow::Result<std::int64_t> Fill(std::int64_t size, char* out) override {
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got, inner().Read(size, out));
    const std::string_view block(out, static_cast<std::size_t>(got));
    if (std::memchr(block.data(), '\0', block.size()) != nullptr) return arrow::Status::Invalid("a NUL");
    if (block.empty() ? !quotes_.End() : !quotes_.Accept(block)) return arrow::Status::Invalid("quotes");
    return got;
  }

  QuoteCheck quotes_;
};

}  // namespace

arrow::Result<std::shared_ptr<Input>> OpenUnpacked(const TableFile& file, Compression compression,
                                                   std::shared_ptr<std::atomic<std::uint64_t>> bytes_read) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Input> input, arrow::io::ReadableFile::Open(file.path.string()));
  if (bytes_read) input = std::make_shared<CountedFile>(std::move(input), std::move(bytes_read));
  if (compression == Compression::kNone) return input;
  const auto type = compression == Compression::kGzip ? arrow::Compression::GZIP : arrow::Compression::ZSTD;
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::util::Codec> codec, arrow::util::Codec::Create(type));
  // The stream borrows the codec: keep both.
  ARROW_ASSIGN_OR_RAISE(auto unpacked, arrow::io::CompressedInputStream::Make(codec.get(), std::move(input)));
  return std::shared_ptr<Input>(unpacked.get(), [codec, unpacked](Input*) mutable { unpacked.reset(); });
}

arrow::Result<std::shared_ptr<Input>> OpenText(const TableFile& file, const CsvForm& form, bool checks_quotes,
                                               std::shared_ptr<std::atomic<std::uint64_t>> bytes_read) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Input> text, OpenUnpacked(file, form.compression, std::move(bytes_read)));
  const bool is_utf8 = form.text.encoding == TextEncoding::kUtf8;
  const std::size_t before = form.text.mark + (is_utf8 ? form.text.before : 0);
  if (before > 0) text = std::make_shared<WithoutBeginning>(std::move(text), before);
  if (!is_utf8) {
    text = std::make_shared<DecodedText>(std::move(text), form.text);
    if (form.text.before > 0) text = std::make_shared<WithoutBeginning>(std::move(text), form.text.before);
  }
  if (checks_quotes) text = std::make_shared<CheckedText>(std::move(text), form.text.separator);
  return text;
}

arrow::Result<std::string> ReadUpTo(Input& stream, std::int64_t most) {
  std::string bytes(static_cast<std::size_t>(most), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got,
                          stream.Read(static_cast<std::int64_t>(bytes.size() - filled), bytes.data() + filled));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace pentimento
