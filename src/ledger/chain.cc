#include "ledger/chain.h"

#include <initializer_list>

#include "fmt/core.h"

namespace pentimento {
namespace {

std::string LittleEndian(std::uint64_t number) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>((number >> shift) & 0xff);
  return bytes;
}

// Each field behind its length: no two different lists of fields give the same bytes.
std::string Hash(const SecretKey& key, std::initializer_list<std::string_view> fields) {
  std::string bytes;
  for (const std::string_view field : fields) {
    bytes += LittleEndian(field.size());
    bytes += field;
  }
  const ChainHash hash = KeyedChainHash(key, bytes);
  return std::string(hash.begin(), hash.end());
}

std::string MacOf(const SecretKey& key, const ChainHead& head) {
  return Hash(key, {"pentimento head", LittleEndian(static_cast<std::uint64_t>(head.count)), head.hash});
}

Error Broken(const Database& database, std::string_view what) {
  return Error{
      ErrorCode::kCorruptLedger,
      fmt::format("{}: the ledger's chain is broken: {}. Restore the ledger from a backup.", database.name(), what)};
}

}  // namespace

std::string HashOf(const SecretKey& key, const LedgerEntry& entry) {
  return Hash(key, {"pentimento entry", LittleEndian(static_cast<std::uint64_t>(entry.seq)), entry.kind, entry.release,
                    entry.time, entry.body, entry.previous});
}

std::string ChainBeginning(const SecretKey& key) { return Hash(key, {"pentimento beginning"}); }

Status BeginChain(Database& database, const SecretKey& key) {
  const ChainHead head{0, ChainBeginning(key)};
  PENTIMENTO_ASSIGN(Statement insert,
                    database.Prepare("INSERT INTO head (id, count, hash, mac) VALUES (1, 0, ?1, ?2)"));
  return insert.BindBytes(1, head.hash).BindBytes(2, MacOf(key, head)).Run();
}

Result<ChainHead> ReadHead(Database& database, const SecretKey& key) {
  PENTIMENTO_ASSIGN(Statement select, database.Prepare("SELECT count, hash, mac FROM head WHERE id = 1"));
  PENTIMENTO_ASSIGN(const bool row, select.Step());
  if (!row) return Broken(database, "its head is missing");
  const ChainHead head{select.Number(0), select.Text(1)};
  if (select.Text(2) != MacOf(key, head))
    return Broken(database, "its head was changed, or the file 'key' is not this ledger's");
  return head;
}

Result<std::int64_t> AppendEntry(Database& database, const SecretKey& key, const NewEntry& added) {
  PENTIMENTO_ASSIGN(const ChainHead head, ReadHead(database, key));
  LedgerEntry entry{head.count + 1,
                    std::string(added.kind),
                    std::string(added.release),
                    std::string(added.time),
                    std::string(added.body),
                    head.hash,
                    ""};
  entry.hash = HashOf(key, entry);
  PENTIMENTO_ASSIGN(Statement insert,
                    database.Prepare("INSERT INTO entry (seq, kind, release, time, body, previous, hash) "
                                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  insert.Bind(1, entry.seq).Bind(2, entry.kind).Bind(3, entry.release).Bind(4, entry.time).Bind(5, entry.body);
  PENTIMENTO_RETURN_IF_ERROR(insert.BindBytes(6, entry.previous).BindBytes(7, entry.hash).Run());
  const ChainHead next{entry.seq, entry.hash};
  PENTIMENTO_ASSIGN(Statement move, database.Prepare("UPDATE head SET count = ?1, hash = ?2, mac = ?3 WHERE id = 1"));
  PENTIMENTO_RETURN_IF_ERROR(move.Bind(1, next.count).BindBytes(2, next.hash).BindBytes(3, MacOf(key, next)).Run());
  return entry.seq;
}

Result<std::vector<LedgerEntry>> ReadEntries(Database& database, std::string_view condition,
                                             std::optional<std::string_view> text) {
  PENTIMENTO_ASSIGN(
      Statement select,
      database.Prepare(fmt::format("SELECT seq, kind, release, time, body, previous, hash FROM entry {}", condition)));
  if (text) select.Bind(1, *text);
  std::vector<LedgerEntry> entries;
  while (true) {
    PENTIMENTO_ASSIGN(const bool row, select.Step());
    if (!row) return entries;
    entries.push_back(LedgerEntry{select.Number(0), select.Text(1), select.Text(2), select.Text(3), select.Text(4),
                                  select.Text(5), select.Text(6)});
  }
}

}  // namespace pentimento
