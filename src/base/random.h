// Every random choice of a release (row order, ids, leftovers) comes from one seed. The stream is
// ChaCha20, so that nobody who sees the output can guess the seed and undo the shuffle.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pentimento {

using Seed = std::array<std::uint8_t, 32>;

// From the system. The only place in the project that draws true randomness besides RandomKey().
Seed DrawSeed();
// For tests and repeats: `--seed N`.
Seed SeedFromNumber(std::uint64_t number);

class Random {
 public:
  // Streams with other purposes are independent: reading more of one never shifts another.
  Random(const Seed& seed, std::string_view purpose);

  std::uint32_t Next32() {
    if (position_ == buffer_.size()) Refill();
    return buffer_[position_++];
  }
  // The next `count` numbers; where they are many, several threads make them.
  std::vector<std::uint32_t> Numbers(std::size_t count);
  std::uint64_t Next64() { return (std::uint64_t{Next32()} << 32) | Next32(); }

  // Uniform over [0, bound), without modulo bias; bound > 0.
  std::uint32_t Below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{Next32()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) [[unlikely]] {
      const std::uint32_t threshold = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{Next32()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Uniform over [0, 1): for generators of test data, never for a release.
  double Uniform() { return static_cast<double>(Next64() >> 11) * 0x1.0p-53; }

 private:
  using Block = std::array<std::uint32_t, 1024>;

  void Refill();
  // The numbers of one block of the stream, into a place for 1,024.
  void Fill(std::uint64_t block, std::uint32_t* numbers) const;

  Seed key_;
  std::uint64_t block_ = 0;
  Block buffer_;
  std::size_t position_ = std::tuple_size_v<Block>;
};

}  // namespace pentimento
