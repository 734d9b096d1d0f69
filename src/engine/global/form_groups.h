// From the account and the table to the groups of a release: what everybody has left, and who holds what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/global/global_groups.h"
#include "anonymize/limits/signatures.h"
#include "base/random.h"
#include "base/ratio.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/global/account.h"
#include "engine/global/bind_items.h"
#include "io/encode.h"
#include "release/global_claim.h"
#include "table/code_column.h"
#include "table/encoded_table.h"

namespace pentimento {

struct GroupTask {
  const BoundPolicy& bound;
  const GlobalGuaranteePolicy& guarantee;
  const EncodedInput& input;
  const BoundItems& items;
  const Account& account;
  // The rows that take part.
  const EncodedTable& table;
  std::span<const CodeColumn* const> sensitive;
  std::span<const std::uint32_t> person_of_row;  // numbers in the account
  const Seed& seed;
};

// How frequent the items were at most in the last releases, which everybody could see; in the latest alone where the
// number of releases is known and nobody is withheld beforehand. Empty before the first release.
std::vector<Ratio> ExpectedOf(const Account& account, const Schedule& schedule);

// kRefused where budgets do not allow this release, in words.
Result<GlobalGroups> FormGlobalGroups(const GroupTask& task);

// How much of the detail these groups lose, in percent (NCP). REQUIRES: they have boxes.
double LossOfGroups(const GlobalGroups& groups, std::span<const Domain> domains);
// A release that tells next to nothing spends budgets all the same. A matter of use and not of privacy: the verifier
// does not ask.
bool LosesTooMuch(const GlobalGuaranteePolicy& guarantee, double ncp_percent);

// What a maker needs to know of who holds what: rows that hold the same items have the same signature.
// Every item of the claim is an item of the signatures, in its order, whether or not anybody has it, limited by nothing
// but budgets. Signatures are numbered by the items they hold, so that the order of rows and the numbers of values
// change nothing.
Signatures SignaturesOfItems(const GlobalClaim& claim, std::size_t rows, std::span<const CodeColumn* const> sensitive,
                             std::span<const Code> value_counts);

}  // namespace pentimento
