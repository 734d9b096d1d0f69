#include "anonymize/global/holders_first.h"

#include <algorithm>
#include <type_traits>

#include "base/parallel.h"

namespace pentimento::global {
namespace {

constexpr std::size_t kChunksPerTask = 16;

}  // namespace

HoldersFirst::HoldersFirst(const CodeColumn& keys) : keys_(&keys), next_((keys.size() + kChunkRows - 1) / kChunkRows) {
  keys.Visit([&](auto key) {
    ParallelFor(next_.size(), kChunksPerTask, [&](std::size_t from, std::size_t to) {
      for (std::size_t chunk = from; chunk < to; ++chunk) {
        PlaceOfKind counts{};
        const std::size_t end = std::min((chunk + 1) * kChunkRows, key.size());
        for (std::size_t row = chunk * kChunkRows; row < end; ++row) ++counts[KindOf(key[row])];
        next_[chunk] = counts;
      }
    });
  });
  // From how many there are to where they begin.
  std::uint32_t next = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (kind == kMostLevels) holders_ = next;
    for (PlaceOfKind& of_chunk : next_) {
      const std::uint32_t count = of_chunk[kind];
      of_chunk[kind] = next;
      next += count;
    }
  }
}

std::size_t HoldersFirst::Find(std::size_t chunk, std::array<std::uint32_t, kChunkRows>& place_of_row) const {
  const std::size_t begin = chunk * kChunkRows;
  const std::size_t rows = std::min(kChunkRows, keys_->size() - begin);
  PlaceOfKind next = next_[chunk];
  keys_->Visit([&](auto key) {
    for (std::size_t i = 0; i < rows; ++i) place_of_row[i] = next[KindOf(key[begin + i])]++;
  });
  return rows;
}

KeyOfRow::KeyOfRow(const CodeColumn& keys) : keys_(&keys) {
  keys.Visit([&](auto key) {
    if constexpr (std::is_same_v<typename decltype(key)::value_type, std::uint8_t>) narrow_ = key.data();
  });
}

}  // namespace pentimento::global
