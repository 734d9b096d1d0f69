// Hashes, each for one purpose. The only home of libsodium's hashing, of xxHash and of OpenSSL.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace pentimento {

// Content of published files: SHA-256, because readers of a datapackage.json can check it with any tool.
using Sha256 = std::array<std::uint8_t, 32>;
Sha256 HashContent(std::string_view bytes);
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(const ContentHasher&) = delete;
  ContentHasher& operator=(const ContentHasher&) = delete;
  void Update(std::string_view bytes);
  Sha256 Finish();

 private:
  void* state_;
};
Result<Sha256> HashFile(const std::filesystem::path& path);
std::string ToHex(std::span<const std::uint8_t> bytes);

// Checksum of state files: fast, against accidents (not against attackers).
std::uint64_t Checksum(std::span<const std::byte> bytes);
// The same of bytes that come piece by piece.
class StreamedChecksum {
 public:
  StreamedChecksum();
  ~StreamedChecksum();
  StreamedChecksum(StreamedChecksum&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  StreamedChecksum& operator=(StreamedChecksum&&) = delete;
  void Update(std::span<const std::byte> bytes);
  // Of all bytes so far; more may follow.
  std::uint64_t Get() const;

 private:
  void* state_;
};

// The secret of one ledger. Identities and the ledger's chain are keyed with it.
using SecretKey = std::array<std::uint8_t, 32>;
SecretKey RandomKey();

// Keyed 256-bit BLAKE2b for the ledger's chain.
using ChainHash = std::array<std::uint8_t, 32>;
ChainHash KeyedChainHash(const SecretKey& key, std::string_view bytes);

// SipHash-2-4-128 of an identity: without the key nobody can tell whose it is.
struct IdentityHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const IdentityHash&, const IdentityHash&) = default;
};
class IdentityHasher {
 public:
  explicit IdentityHasher(const SecretKey& key);
  IdentityHash operator()(std::string_view identity) const;

 private:
  std::array<std::uint8_t, 16> key_;
};

// Public names for numbered cases: a secret permutation of 64-bit numbers, so that no two cases share a name and a name
// tells nothing about when its case came.
class CaseNamer {
 public:
  using Key = std::array<std::uint8_t, 16>;
  explicit CaseNamer(const Key& key) : key_(key) {}
  std::uint64_t operator()(std::uint32_t number) const;

 private:
  Key key_;
};

}  // namespace pentimento
