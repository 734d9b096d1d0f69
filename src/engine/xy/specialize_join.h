// The steps of a release that is joined with earlier ones and that other releases do not have: recalling what is out,
// and making a table that keeps its guarantees beside it.
#pragma once

#include "anonymize/specialize/specialize.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/xy/bind_join.h"
#include "guarantee/history/draft_release.h"
#include "guarantee/verify.h"
#include "io/encode.h"
#include "ledger/ledger.h"
#include "table/code_column.h"

namespace pentimento {

// Whether all earlier releases that the policy names are on record: asked before anything large is read. `ledger`:
// nothing for a dry run before there is one.
Status RequireEarlier(const BoundPolicy& bound, Ledger* ledger);

// Reads the earlier releases that the policy names, which are on record. `ledger`: nothing where it names none and
// there is no ledger yet.
Result<BoundJoin> RecallEarlier(const BoundPolicy& bound, const EncodedInput& input, Ledger* ledger);

// What the policy's guarantee `history` asks of the table: within which parts k people share a class, and what the
// verifier holds the table against.
struct HistoryParts {
  CodeColumn of_row;
  HistoryEvidence evidence;
};

// kRefused, with a witness and what would help, where no table was found that keeps the guarantees. `history`: null
// where the policy does not ask for it.
Result<Specialized> SpecializeJoined(const BoundPolicy& bound, const EncodedInput& input, const BoundJoin& join,
                                     const HistoryParts* history);

}  // namespace pentimento
