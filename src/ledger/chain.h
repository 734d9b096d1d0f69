// The hash chain: every entry carries a keyed hash of itself and of the entry before it, and the head carries how many
// there are. Who does not have the key cannot change, drop, add or reorder an entry without it showing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "ledger/database.h"

namespace pentimento {

inline constexpr std::string_view kOpenedKind = "opened";
inline constexpr std::string_view kPublishedKind = "published";
inline constexpr std::string_view kAbandonedKind = "abandoned";
inline constexpr std::string_view kRetractedKind = "retracted";
inline constexpr std::string_view kForgottenKind = "forgotten";

struct LedgerEntry {
  std::int64_t seq = 0;  // 1, 2, 3, ...
  std::string kind;
  std::string release;
  std::string time;
  std::string body;      // JSON, see entry_body.h
  std::string previous;  // 32 bytes: the hash of the entry before, or the beginning of the chain
  std::string hash;      // 32 bytes
};

// The hash an entry must carry.
std::string HashOf(const SecretKey& key, const LedgerEntry& entry);
// What the first entry follows.
std::string ChainBeginning(const SecretKey& key);

// How far the chain reaches, authenticated with the key.
struct ChainHead {
  std::int64_t count = 0;
  std::string hash;
};

// Puts the head of an empty chain, once, inside the transaction that makes the tables.
Status BeginChain(Database& database, const SecretKey& key);

// kCorruptLedger where the head is missing or was not written with this key.
Result<ChainHead> ReadHead(Database& database, const SecretKey& key);

struct NewEntry {
  std::string_view kind;
  std::string_view release;
  std::string_view time;
  std::string_view body;
};
// Appends inside the caller's transaction; returns the number of the entry.
Result<std::int64_t> AppendEntry(Database& database, const SecretKey& key, const NewEntry& entry);

// Runs `SELECT ... FROM entry` with `condition` ("WHERE ..." and what follows; ?1 is `text` where given).
Result<std::vector<LedgerEntry>> ReadEntries(Database& database, std::string_view condition,
                                             std::optional<std::string_view> text = std::nullopt);

}  // namespace pentimento
