#include "base/random.h"

#include <sodium.h>

#include <cstring>

#include "base/hash.h"
#include "base/parallel.h"

namespace pentimento {

Seed DrawSeed() { return RandomKey(); }

Seed SeedFromNumber(std::uint64_t number) {
  std::array<char, 8> bytes;
  for (int i = 0; i < 8; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>(number >> (8 * i));
  return HashContent({bytes.data(), bytes.size()});
}

Random::Random(const Seed& seed, std::string_view purpose) : key_(KeyedChainHash(seed, purpose)) {}

std::vector<std::uint32_t> Random::Numbers(std::size_t count) {
  constexpr std::size_t kBlocksPerTask = 64;
  std::vector<std::uint32_t> numbers(count);
  std::size_t done = 0;
  while (done < count && position_ < buffer_.size()) numbers[done++] = Next32();
  const std::size_t blocks = (count - done) / buffer_.size();
  ParallelFor(blocks, kBlocksPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) Fill(block_ + b, &numbers[done + b * buffer_.size()]);
  });
  block_ += blocks;
  for (done += blocks * buffer_.size(); done < count; ++done) numbers[done] = Next32();
  return numbers;
}

void Random::Refill() {
  Fill(block_++, buffer_.data());
  position_ = 0;
}

void Random::Fill(std::uint64_t block, std::uint32_t* numbers) const {
  static_assert(crypto_stream_chacha20_NONCEBYTES == sizeof block);
  crypto_stream_chacha20(reinterpret_cast<unsigned char*>(numbers), sizeof(Block),
                         reinterpret_cast<const unsigned char*>(&block), key_.data());
}

}  // namespace pentimento
