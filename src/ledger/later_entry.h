// What is put on record about a release after it was published.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/chain.h"
#include "ledger/state_file.h"

namespace pentimento {

// Its publisher has withdrawn it. It was out, and goes on counting.
struct Retraction {
  std::string time;  // filled in where it is read
  std::string user;
  std::string reason;  // may be empty
};

// The cells of some people were erased from what the ledger keeps of the release.
struct Forgetting {
  std::string time;  // filled in where it is read
  std::string user;
  std::uint64_t cases = 0;
  std::string replaces;  // the name of the state file that had them
  StateFileRecord file;  // the one without them, which stands in its place
};

std::string EncodeRetraction(const Retraction& retraction);
std::string EncodeForgetting(const Forgetting& forgetting);
// kCorruptLedger where the body is not one that is made above.
Result<Retraction> DecodeRetraction(const LedgerEntry& entry);
Result<Forgetting> DecodeForgetting(const LedgerEntry& entry);

}  // namespace pentimento
