#include "base/hash.h"

#include <openssl/evp.h>
#include <sodium.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <new>
#include <vector>

#include "base/regular_file.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

void InitSodium() {
  static const bool ready = sodium_init() >= 0;
  Check(ready, "libsodium does not start");
}

}  // namespace

Sha256 HashContent(std::string_view bytes) {
  ContentHasher hasher;
  hasher.Update(bytes);
  return hasher.Finish();
}

// OpenSSL's SHA-256 uses the processor's own instructions and is several times as fast as libsodium's; published
// tables are large enough for that to matter.
ContentHasher::ContentHasher() : state_(EVP_MD_CTX_new()) {
  if (state_ != nullptr && EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(state_), EVP_sha256(), nullptr) == 1) return;
  // It is there, and needs nothing but memory.
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(state_));
  throw std::bad_alloc();
}
ContentHasher::~ContentHasher() { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(state_)); }

void ContentHasher::Update(std::string_view bytes) {
  Check(EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(state_), bytes.data(), bytes.size()) == 1, "SHA-256 takes bytes");
}

Sha256 ContentHasher::Finish() {
  Sha256 hash;
  Check(EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(state_), hash.data(), nullptr) == 1, "SHA-256 ends");
  return hash;
}

Result<Sha256> HashFile(const std::filesystem::path& path) {
  const auto trouble = [&](const Error& why) {
    return Error{ErrorCode::kStorage, fmt::format("{}: {}", path.string(), why.message)};
  };
  Result<RegularFile> file = RegularFile::Open(path);
  if (!file.ok()) return trouble(file.error());
  ContentHasher hasher;
  std::vector<char> buffer(1 << 20);
  while (true) {
    const Result<std::size_t> got = file->Read(buffer);
    if (!got.ok()) return trouble(got.error());
    if (*got == 0) break;
    hasher.Update({buffer.data(), *got});
  }
  return hasher.Finish();
}

std::string ToHex(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

std::uint64_t Checksum(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

StreamedChecksum::StreamedChecksum() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  Check(XXH3_64bits_reset(static_cast<XXH3_state_t*>(state_)) == XXH_OK, "XXH3 starts");
}
StreamedChecksum::~StreamedChecksum() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }

void StreamedChecksum::Update(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  Check(XXH3_64bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size()) == XXH_OK,
        "XXH3 takes bytes");
}

std::uint64_t StreamedChecksum::Get() const { return XXH3_64bits_digest(static_cast<const XXH3_state_t*>(state_)); }

SecretKey RandomKey() {
  InitSodium();
  SecretKey key;
  randombytes_buf(key.data(), key.size());
  return key;
}

ChainHash KeyedChainHash(const SecretKey& key, std::string_view bytes) {
  ChainHash hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                     key.data(), key.size());
  return hash;
}

IdentityHasher::IdentityHasher(const SecretKey& key) {
  // A key of its own, so that the chain's hashes say nothing about identities.
  const ChainHash derived = KeyedChainHash(key, "pentimento identities");
  std::memcpy(key_.data(), derived.data(), key_.size());
}

IdentityHash IdentityHasher::operator()(std::string_view identity) const {
  IdentityHash hash;
  static_assert(sizeof hash == crypto_shorthash_siphashx24_BYTES);
  unsigned char bytes[crypto_shorthash_siphashx24_BYTES];
  crypto_shorthash_siphashx24(bytes, reinterpret_cast<const unsigned char*>(identity.data()), identity.size(),
                              key_.data());
  std::memcpy(&hash, bytes, sizeof hash);
  return hash;
}

// Four rounds of Feistel over two halves of 32 bits: a pseudorandom permutation where the round function is
// pseudorandom (Luby and Rackoff), and never two equal names whatever the round function is.
std::uint64_t CaseNamer::operator()(std::uint32_t number) const {
  std::uint32_t left = 0;
  std::uint32_t right = number;
  for (std::uint8_t round = 0; round < 4; ++round) {
    std::array<unsigned char, 5> message{};
    std::memcpy(message.data(), &right, sizeof right);
    message[4] = round;
    std::array<unsigned char, crypto_shorthash_siphash24_BYTES> hash;
    crypto_shorthash_siphash24(hash.data(), message.data(), message.size(), key_.data());
    std::uint32_t mixed = 0;
    std::memcpy(&mixed, hash.data(), sizeof mixed);
    const std::uint32_t next = left ^ mixed;
    left = right;
    right = next;
  }
  return std::uint64_t{left} << 32 | right;
}

}  // namespace pentimento
