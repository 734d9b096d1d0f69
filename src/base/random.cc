#include "base/random.h"

#include <sodium.h>

#include <cstring>

#include "base/hash.h"

namespace pentimento {

Seed DrawSeed() { return RandomKey(); }

Seed SeedFromNumber(std::uint64_t number) {
  std::array<char, 8> bytes;
  for (int i = 0; i < 8; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>(number >> (8 * i));
  return HashContent({bytes.data(), bytes.size()});
}

Random::Random(const Seed& seed, std::string_view purpose) : key_(KeyedChainHash(seed, purpose)) {}

void Random::Refill() {
  const std::uint64_t nonce = block_++;
  static_assert(crypto_stream_chacha20_NONCEBYTES == sizeof nonce);
  crypto_stream_chacha20(reinterpret_cast<unsigned char*>(buffer_.data()), sizeof buffer_,
                         reinterpret_cast<const unsigned char*>(&nonce), key_.data());
  position_ = 0;
}

}  // namespace pentimento
