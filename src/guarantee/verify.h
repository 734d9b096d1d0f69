// The judge of every release: exact, independent of the maker, and the only maker of a VerifiedRelease or
// VerifiedTwoTables.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "base/category_form.h"
#include "guarantee/global/charge.h"
#include "guarantee/xy/joined_view.h"
#include "policy/policy.h"
#include "release/alpha_k_claim.h"
#include "release/draft.h"
#include "release/global_claim.h"
#include "release/incremental_change.h"
#include "release/joined_releases.h"
#include "release/two_tables.h"
#include "release/verified_release.h"
#include "table/code_column.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// A verdict against a release: which promise is broken, and a witness. Names columns, groups and counts, never cell
// values.
struct Refusal {
  std::string guarantee;  // e.g. "k-anonymity"
  std::string witness;    // e.g. "a group of 7 persons is published, 10 are required (row 123 of the input is in it)"
  // Under the global guarantee: who the witness is, by number over the whole series.
  std::optional<std::uint32_t> person = std::nullopt;
  // Over a join: where the requirement fails, or that this is a limit of the program.
  std::optional<JoinFault> join_fault = std::nullopt;
};

// What verify looks at: the table as it came in, the public domains, and the draft as it would be published.
struct Claim {
  const EncodedTable& table;
  std::span<const Domain> domains;  // one per quasi-identifier
  CategoryForm form;
  std::span<const GuaranteePolicy> guarantees;
  // Where the policy asks for (alpha,k)-anonymity: the sensitive columns, and what is promised of them.
  std::span<const CodeColumn* const> sensitive = {};
  const AlphaKClaim* alpha_k = nullptr;
  std::span<const std::string> sensitive_names = {};  // for the witness; columns are numbered where they are left out
  // For the witness, where rows of the input are left out of the table: which ones its rows are, ascending.
  std::span<const std::uint32_t> input_rows = {};

  // As people count rows of the input: from 1.
  std::size_t RowOfInput(std::size_t row) const { return (input_rows.empty() ? row : input_rows[row]) + 1; }
};

// Checks, in this order: the draft is well-formed and truthful (one group per row; every box inside its domain and
// publishable, i.e. equal to Domain::Cover of itself; every row's codes inside its box), at least one guarantee is
// asked for, and every guarantee holds. A draft that is not well-formed is our bug and still only a Refusal here:
// nothing is published.
std::variant<VerifiedRelease, Refusal> Verify(const Claim& claim, Draft draft);

// The same for one release of a series: the table holds the rows of the change, and every guarantee is judged over the
// whole history. Plain k-anonymity of the release is part of that. The draft is taken out of an accepted change; the
// rest of it stays as it was.
std::variant<VerifiedRelease, Refusal> VerifyIncremental(const Claim& claim, IncrementalChange& change);

// The same for a release that is joined with earlier ones. Guarantees over a join are judged from the claims of
// `releases`; there must be one for each that the policy asks for. `exact` are the columns that take part and are
// published as they are, in the order in which ReleaseColumn counts them after the quasi-identifiers.
std::variant<VerifiedRelease, Refusal> VerifyJoined(const Claim& claim, std::span<const CodeColumn* const> exact,
                                                    const JoinedReleases& releases, Draft draft);

// The same for a release in two tables, which takes (alpha,k)-anonymity and nothing else: the quasi-identifiers are
// published as they are, so domains and form are not looked at. The sensitive values are judged from the tables alone;
// the input serves to see that the tables tell the truth about it. A series and a join take no (alpha,k)-anonymity.
std::variant<VerifiedTwoTables, Refusal> VerifyTwoTables(const Claim& claim, TwoTables tables);

// The global guarantee's side of a claim: the series so far, and who the rows are about in it.
struct GlobalBudgets {
  const GlobalClaim& claim;
  std::span<const std::uint32_t> person_of_row;  // numbers over the whole series
  std::uint32_t release = 0;                     // number of the new release, from 0
  SpentBudgets spent;                            // by person and item; of an accepted release: with it
};

// The same for a release of a series under the global guarantee. Groups and classes are told apart by their published
// numbers, so other guarantees are judged of each by itself, whether or not boxes are equal.
std::variant<VerifiedRelease, Refusal> VerifyGlobal(const Claim& claim, GlobalBudgets& budgets, Draft draft);
std::variant<VerifiedTwoTables, Refusal> VerifyGlobal(const Claim& claim, GlobalBudgets& budgets, TwoTables tables);

}  // namespace pentimento
