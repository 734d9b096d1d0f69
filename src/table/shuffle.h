// The seeded shuffle of the published rows, with bounded memory.
//
// While rows stream in, each draws one of 256 buckets at random. Its `keep` cells, which nobody looks at, are
// filed under that bucket, in memory up to a limit and in a private, already deleted file beyond it. On the way
// out the buckets follow one another, each shuffled in memory. Drawing a bucket per row and then
// shuffling within buckets gives every permutation the same probability (Rao and Sandelius), so the input's
// order is gone although only a few buckets of `keep` cells are in memory at a time. docs/shuffle.md says it at length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/result.h"

namespace pentimento {

inline constexpr std::size_t kShuffleBuckets = 256;

// The `keep` cells of one batch of rows, as opaque records sorted by bucket (input order within a bucket).
struct BucketedRecords {
  std::vector<std::byte> bytes;
  std::array<std::uint64_t, kShuffleBuckets + 1> begin{};  // where each bucket's records start in `bytes`
};

// Records of many batches; grows in memory to `memory_limit` bytes, then in a nameless file in `folder`.
class RecordStore {
 public:
  RecordStore(std::filesystem::path folder, std::size_t memory_limit);
  ~RecordStore();
  RecordStore(RecordStore&&) noexcept;
  RecordStore& operator=(RecordStore&&) noexcept;

  // Batches must come in the order of the input.
  Status Append(BucketedRecords batch);
  // All records of one bucket, in the order of the input. May be called from several threads.
  Result<std::vector<std::byte>> ReadBucket(std::size_t bucket) const;
  bool spilled() const;  // whether records went to a file; for tests

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Which input row is published where.
class RowOrder {
 public:
  RowOrder() = default;
  // `bucket_of_row` in the order of the input.
  RowOrder(const Seed& seed, std::span<const std::uint8_t> bucket_of_row);

  std::size_t rows() const { return rows_by_bucket_.size(); }
  std::size_t bucket_size(std::size_t bucket) const { return begin_[bucket + 1] - begin_[bucket]; }
  // The bucket's rows in input order; Permutation() says in which order they are published.
  std::span<const std::uint32_t> RowsOfBucket(std::size_t bucket) const { return RowsOfBuckets(bucket, bucket + 1); }
  // The same for buckets first to last - 1, one after the other.
  std::span<const std::uint32_t> RowsOfBuckets(std::size_t first, std::size_t last) const {
    return std::span(rows_by_bucket_).subspan(begin_[first], begin_[last] - begin_[first]);
  }
  // A random order of 0 … bucket_size-1, the same at every call.
  std::vector<std::uint32_t> Permutation(std::size_t bucket) const;
  // All rows in the order in which they are published.
  std::vector<std::uint32_t> All() const;

 private:
  Seed seed_{};
  std::vector<std::uint32_t> rows_by_bucket_;
  std::array<std::size_t, kShuffleBuckets + 1> begin_{};
};

// Draws the bucket of each row, in the order of the input.
class BucketDrawer {
 public:
  explicit BucketDrawer(const Seed& seed) : random_(seed, "row buckets") {}
  std::vector<std::uint8_t> Draw(std::size_t rows);

 private:
  Random random_;
};

}  // namespace pentimento
