#include "files/inflater.h"

#include <arrow/util/compression.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "files/arrow/functions.h"

namespace pentimento::with_arrow {
namespace {

class ArrowInflater : public Inflater {
 public:
  ArrowInflater(std::unique_ptr<arrow::util::Codec> codec, std::shared_ptr<arrow::util::Decompressor> unpacker)
      : codec_(std::move(codec)), unpacker_(std::move(unpacker)) {}

  std::optional<Step> Inflate(std::string_view packed, std::span<char> out) override {
    const auto done = unpacker_->Decompress(
        static_cast<std::int64_t>(packed.size()), reinterpret_cast<const std::uint8_t*>(packed.data()),
        static_cast<std::int64_t>(out.size()), reinterpret_cast<std::uint8_t*>(out.data()));
    if (!done.ok()) return std::nullopt;
    return Step{static_cast<std::size_t>(done->bytes_read), static_cast<std::size_t>(done->bytes_written)};
  }
  bool IsFinished() override { return unpacker_->IsFinished(); }

 private:
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::util::Decompressor> unpacker_;
};

}  // namespace

Result<std::unique_ptr<Inflater>> MakeInflater() {
  arrow::util::GZipCodecOptions options;
  options.gzip_format = arrow::util::GZipFormat::DEFLATE;
  auto codec = arrow::util::Codec::Create(arrow::Compression::GZIP, options);
  if (!codec.ok()) return Error{ErrorCode::kUsage, "this libarrow cannot unpack: " + codec.status().message()};
  auto unpacker = (*codec)->MakeDecompressor();
  if (!unpacker.ok()) return Error{ErrorCode::kStorage, "nothing can be unpacked: " + unpacker.status().message()};
  return std::unique_ptr<Inflater>(std::make_unique<ArrowInflater>(std::move(*codec), std::move(*unpacker)));
}

}  // namespace pentimento::with_arrow
