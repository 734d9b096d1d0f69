#include <arrow/c/bridge.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/machine_limits.h"
#include "base/parallel.h"
#include "files/arrow/batch_wave.h"
#include "files/arrow/csv_rows.h"
#include "files/arrow/functions.h"
#include "files/arrow/parquet_writer.h"
#include "files/table_file.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

constexpr std::size_t kFormattedWave = 8;  // batches formatted side by side

// A file that Arrow can write to and that hashes what passes by, so that nothing is read again.
class HashedFile : public arrow::io::OutputStream {
 public:
  static Result<std::shared_ptr<HashedFile>> Create(const std::filesystem::path& path, unsigned mode) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0) return StorageError(path, errno);
    return std::shared_ptr<HashedFile>(new HashedFile(path, file));
  }
  ~HashedFile() override {
    if (file_ >= 0) ::close(file_);
  }

  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* data, std::int64_t size) override {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = ::write(file_, at, static_cast<std::size_t>(size));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return Fail();
      hasher_.Update({at, static_cast<std::size_t>(written)});
      at += written;
      size -= written;
      written_ += static_cast<std::uint64_t>(written);
    }
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override { return static_cast<std::int64_t>(written_); }
  bool closed() const override { return file_ < 0; }
  // Waits until all of it is on the disk.
  arrow::Status Sync() { return ::fsync(file_) == 0 ? arrow::Status::OK() : Fail(); }
  arrow::Status Close() override {
    if (file_ < 0) return arrow::Status::OK();
    const bool failed = ::close(file_) != 0;
    if (failed) (void)Fail();
    file_ = -1;
    return failed ? arrow::Status::IOError("close") : arrow::Status::OK();
  }

  std::uint64_t written() const { return written_; }
  Sha256 TakeHash() { return hasher_.Finish(); }
  // The first error of the disk, or what cannot be written to such a file, in words for the user.
  const std::optional<Error>& failure() const { return failure_; }
  arrow::Status Refuse(Error error) {
    if (!failure_) failure_ = std::move(error);
    return arrow::Status::Invalid("refused");
  }

 private:
  HashedFile(std::filesystem::path path, int file) : path_(std::move(path)), file_(file) {}
  static Error StorageError(const std::filesystem::path& path, int error) {
    return {ErrorCode::kStorage, fmt::format("{}: cannot be written ({})", path.string(), std::strerror(error))};
  }
  arrow::Status Fail() {
    if (!failure_) failure_ = StorageError(path_, errno);
    return arrow::Status::IOError("write");
  }

  std::filesystem::path path_;
  int file_;
  std::uint64_t written_ = 0;
  ContentHasher hasher_;
  std::optional<Error> failure_;
};

Error NotForCsv(const std::string& column) {
  return {ErrorCode::kBadInput,
          fmt::format("column '{}' holds bytes that are not UTF-8, and a CSV file is text; publish it with format = "
                      "\"parquet\" in [publish], convert the column, or leave it out of the policy",
                      column)};
}

std::vector<CsvText> FormatWave(const Batches& wave) {
  std::vector<CsvText> texts(wave.size());
  ParallelFor(wave.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) texts[i] = CsvRows(*wave[i]);
  });
  return texts;
}

arrow::Status WriteTexts(const std::vector<CsvText>& texts, HashedFile& file) {
  for (const CsvText& text : texts)
    ARROW_RETURN_NOT_OK(file.Write(text.bytes.get(), static_cast<std::int64_t>(text.size)));
  return arrow::Status::OK();
}

// While one wave is written, the next one is made and formatted.
arrow::Result<std::uint64_t> WriteCsv(arrow::RecordBatchReader& reader, HashedFile& file) {
  std::uint64_t rows = 0;
  const std::string header = CsvHeader(*reader.schema());
  ARROW_RETURN_NOT_OK(file.Write(header.data(), static_cast<std::int64_t>(header.size())));
  std::vector<CsvText> waiting;
  do {
    arrow::Status written;
    TaskGroup writer;
    writer.Run([&] { written = WriteTexts(waiting, file); });
    const arrow::Result<Batches> wave = ReadWave(reader, kFormattedWave);
    std::vector<CsvText> formatted;
    std::optional<std::string> no_text;
    if (wave.ok()) {
      for (const auto& batch : *wave) no_text = no_text ? no_text : FindColumnThatIsNoText(*batch);
      formatted = FormatWave(*wave);
    }
    writer.Wait();
    if (no_text) return file.Refuse(NotForCsv(*no_text));
    ARROW_RETURN_NOT_OK(written);
    ARROW_RETURN_NOT_OK(wave.status());
    for (const auto& batch : *wave) rows += static_cast<std::uint64_t>(batch->num_rows());
    waiting = std::move(formatted);
  } while (!waiting.empty());
  return rows;
}

}  // namespace

Result<WrittenFile> with_arrow::WriteFile(ArrowArrayStream* stream, FileFormat format,
                                          const std::filesystem::path& path, const WriteOptions& options) {
  auto reader = arrow::ImportRecordBatchReader(stream);
  if (!reader.ok()) return Error{ErrorCode::kInternal, "the stream to be written is not well-formed"};
  PENTIMENTO_ASSIGN(const std::shared_ptr<HashedFile> file, HashedFile::Create(path, options.mode));
  const arrow::Result<std::uint64_t> rows =
      format == FileFormat::kCsv ? WriteCsv(**reader, *file) : WriteParquet(**reader, file, options.dense_numbers);
  arrow::Status status = rows.status();
  if (status.ok() && options.to_disk) status = file->Sync();
  if (status.ok()) status = file->Close();
  if (file->failure()) return *file->failure();
  if (status.IsOutOfMemory()) return OutOfMemory();
  if (!status.ok())
    return Error{ErrorCode::kInternal, fmt::format("{}: cannot be written: Arrow refuses the batches", path.string())};
  return WrittenFile{*rows, file->written(), file->TakeHash()};
}

}  // namespace pentimento
