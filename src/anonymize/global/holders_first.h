// The order of the records at the root of the tree: whoever holds something comes first, then everybody else, both from
// the lowest level on. A cut moves records without changing their order, so those of every node lie like this, and who
// holds something and which levels there are is seen at once, without a look at all of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "anonymize/global/capped_items.h"
#include "table/code_column.h"

namespace pentimento::global {

// For PackedRows: a place for each row.
class HoldersFirst {
 public:
  // So few rows that their records stay in the cache while column after column is filled in.
  static constexpr std::size_t kChunkRows = 1024;

  // `keys`: CappedItems::KeyOf of every row.
  explicit HoldersFirst(const CodeColumn& keys);

  std::size_t holders() const { return holders_; }
  std::size_t chunks() const { return next_.size(); }
  // Returns how many rows the chunk has.
  std::size_t Find(std::size_t chunk, std::array<std::uint32_t, kChunkRows>& place_of_row) const;

 private:
  // Rows that lie together: first those of holders by level, then those of the others.
  static constexpr std::size_t kKinds = 2 * kMostLevels;
  using PlaceOfKind = std::array<std::uint32_t, kKinds>;

  static std::size_t KindOf(Code key) { return key < kMostLevels ? kMostLevels + key : key % kMostLevels; }

  const CodeColumn* keys_;
  std::size_t holders_ = 0;
  std::vector<PlaceOfKind> next_;  // by chunk: the places of its first rows
};

// The keys of rows, one at a time.
class KeyOfRow {
 public:
  explicit KeyOfRow(const CodeColumn& keys);

  Code operator()(std::uint32_t row) const { return narrow_ != nullptr ? narrow_[row] : (*keys_)[row]; }

 private:
  const CodeColumn* keys_;
  const std::uint8_t* narrow_ = nullptr;  // where a byte is enough, as nearly always
};

}  // namespace pentimento::global
