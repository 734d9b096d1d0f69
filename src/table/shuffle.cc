#include "table/shuffle.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>

#include "base/temporary_folder.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

std::string_view WhatToDo(const std::filesystem::path& folder, int error) {
  if (folder == TemporaryFolder()) return "set TMPDIR to a folder that can be written and has room, and run again";
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return full ? "free some space there and run again" : "see that it can be written, and run again";
}

Error SpillError(const std::filesystem::path& folder, int error) {
  return {ErrorCode::kStorage, fmt::format("{}: cannot keep rows aside while shuffling ({}); {}", folder.string(),
                                           std::strerror(error), WhatToDo(folder, error))};
}

// A file without a name: it vanishes with the process, however that ends.
Result<int> OpenNamelessFile(const std::filesystem::path& folder) {
  int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  const int nameless_error = errno;
  std::string name = (folder / "spill-XXXXXX").string();  // for file systems without O_TMPFILE
  file = mkostemp(name.data(), O_CLOEXEC);
  // A folder in which nothing can be made, as those of /proc, says of a new name that it is not there.
  if (file < 0) return SpillError(folder, errno == ENOENT ? nameless_error : errno);
  unlink(name.c_str());
  return file;
}

}  // namespace

struct RecordStore::Impl {
  struct Batch {
    std::vector<std::byte> bytes;  // empty where the batch is in the file
    std::uint64_t file_offset = 0;
    bool in_file = false;
    std::array<std::uint64_t, kShuffleBuckets + 1> begin{};
  };

  std::filesystem::path folder;
  std::size_t memory_limit = 0;
  std::size_t in_memory = 0;
  std::uint64_t file_size = 0;
  int file = -1;
  std::vector<Batch> batches;

  ~Impl() {
    if (file >= 0) close(file);
  }

  Status WriteToFile(std::span<const std::byte> bytes) {
    if (file < 0) {
      PENTIMENTO_ASSIGN(file, OpenNamelessFile(folder));
    }
    while (!bytes.empty()) {
      const ssize_t written = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(file_size));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return SpillError(folder, errno);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      file_size += static_cast<std::uint64_t>(written);
    }
    return {};
  }

  Status ReadFromFile(std::uint64_t offset, std::span<std::byte> into) const {
    while (!into.empty()) {
      const ssize_t got = pread(file, into.data(), into.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return SpillError(folder, got < 0 ? errno : EIO);
      into = into.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return {};
  }
};

RecordStore::RecordStore(std::filesystem::path folder, std::size_t memory_limit) : impl_(std::make_unique<Impl>()) {
  impl_->folder = std::move(folder);
  impl_->memory_limit = memory_limit;
}
RecordStore::~RecordStore() = default;
RecordStore::RecordStore(RecordStore&&) noexcept = default;
RecordStore& RecordStore::operator=(RecordStore&&) noexcept = default;

Status RecordStore::Append(BucketedRecords batch) {
  Impl::Batch kept;
  kept.begin = batch.begin;
  if (impl_->in_memory + batch.bytes.size() <= impl_->memory_limit) {
    impl_->in_memory += batch.bytes.size();
    kept.bytes = std::move(batch.bytes);
  } else {
    kept.in_file = true;
    kept.file_offset = impl_->file_size;
    PENTIMENTO_RETURN_IF_ERROR(impl_->WriteToFile(batch.bytes));
  }
  impl_->batches.push_back(std::move(kept));
  return {};
}

Result<std::vector<std::byte>> RecordStore::ReadBucket(std::size_t bucket) const {
  std::size_t size = 0;
  for (const Impl::Batch& batch : impl_->batches) size += batch.begin[bucket + 1] - batch.begin[bucket];
  std::vector<std::byte> records(size);
  std::size_t filled = 0;
  for (const Impl::Batch& batch : impl_->batches) {
    const std::size_t length = batch.begin[bucket + 1] - batch.begin[bucket];
    if (length == 0) continue;
    const std::span<std::byte> into = std::span(records).subspan(filled, length);
    if (batch.in_file) {
      PENTIMENTO_RETURN_IF_ERROR(impl_->ReadFromFile(batch.file_offset + batch.begin[bucket], into));
    } else {
      std::memcpy(into.data(), batch.bytes.data() + batch.begin[bucket], length);
    }
    filled += length;
  }
  return records;
}

bool RecordStore::spilled() const { return impl_->file >= 0; }

RowOrder::RowOrder(const Seed& seed, std::span<const std::uint8_t> bucket_of_row)
    : seed_(seed), rows_by_bucket_(bucket_of_row.size()) {
  for (const std::uint8_t bucket : bucket_of_row) ++begin_[bucket + std::size_t{1}];
  for (std::size_t i = 0; i < kShuffleBuckets; ++i) begin_[i + 1] += begin_[i];
  std::array<std::size_t, kShuffleBuckets> next;
  std::copy_n(begin_.begin(), kShuffleBuckets, next.begin());
  for (std::size_t row = 0; row < bucket_of_row.size(); ++row) {
    rows_by_bucket_[next[bucket_of_row[row]]++] = static_cast<std::uint32_t>(row);
  }
}

std::vector<std::uint32_t> RowOrder::All() const {
  std::vector<std::uint32_t> all;
  all.reserve(rows());
  for (std::size_t bucket = 0; bucket < kShuffleBuckets; ++bucket) {
    const std::span<const std::uint32_t> of_bucket = RowsOfBucket(bucket);
    for (const std::uint32_t i : Permutation(bucket)) all.push_back(of_bucket[i]);
  }
  return all;
}

std::vector<std::uint32_t> RowOrder::Permutation(std::size_t bucket) const {
  std::vector<std::uint32_t> order(bucket_size(bucket));
  std::iota(order.begin(), order.end(), 0U);
  if (order.size() < 2) return order;
  Random random(seed_, fmt::format("rows of bucket {}", bucket));
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.Below(static_cast<std::uint32_t>(i))]);
  }
  return order;
}

std::vector<std::uint8_t> BucketDrawer::Draw(std::size_t rows) {
  static_assert(kShuffleBuckets == 256, "a bucket is one random byte");
  std::vector<std::uint8_t> buckets(rows);
  for (std::uint8_t& bucket : buckets) bucket = static_cast<std::uint8_t>(random_.Next32());
  return buckets;
}

}  // namespace pentimento
