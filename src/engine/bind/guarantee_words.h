// What a release promises, for people and for programs: in its datapackage.json, in the ledger and on the screen.
#pragma once

#include <string>
#include <vector>

#include "engine/bind/bind.h"
#include "policy/policy.h"

namespace pentimento {

// The policy's incremental guarantee, if it asks for one.
const IncrementalKAnonymityPolicy* FindIncremental(const BoundPolicy& bound);
// The same for its guarantee about sensitive values.
const AlphaKAnonymityPolicy* FindAlphaK(const BoundPolicy& bound);
// The same for its guarantee over all releases of a series.
const GlobalGuaranteePolicy* FindGlobal(const BoundPolicy& bound);
// Whether the policy asks for (X,Y)-privacy: over the join with earlier releases, or of this release alone.
bool AsksForJoin(const BoundPolicy& bound);

// What the policy chose, or partition: of those that tell least it loses least, see docs/two-tables-numbers.md.
Method ChooseMethod(const Policy& policy);
// As a policy writes it.
const char* MethodName(Method method);

// What a release promises. It is made once, and every door tells it from there: the screen, --json, datapackage.json,
// the ledger.
struct Promise {
  std::vector<std::string> words;  // "10-anonymity: every combination of ... is shared by at least 10 people", ...
  std::string json;                // the same as a JSON array of objects, one for each guarantee

  std::string InOneLine() const;
};
Promise PromiseOf(const BoundPolicy& bound);

}  // namespace pentimento
