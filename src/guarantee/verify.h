// The verifier of every release: exact, independent of the maker, and the only maker of a VerifiedRelease.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/category_form.h"
#include "guarantee/global/charge.h"
#include "guarantee/history/draft_release.h"
#include "guarantee/xy/xy_view.h"
#include "policy/policy.h"
#include "release/alpha_k_claim.h"
#include "release/draft.h"
#include "release/global_claim.h"
#include "release/incremental_change.h"
#include "release/verified_release.h"
#include "release/xy_releases.h"
#include "table/code_column.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// A result against a release: which promise is broken, and a witness. Names columns, groups and counts, never cell
// values.
struct Refusal {
  std::string guarantee;  // e.g. "k-anonymity"
  std::string witness;    // e.g. "a class of 7 persons is published, 10 are required (row 123 of the input is in it)"
  // Under the global guarantee: who the witness is, by number over the whole series.
  std::optional<std::uint32_t> person = std::nullopt;
  // Over a join: where the requirement fails, or that this is a limit of the program.
  std::optional<XyFault> xy_fault = std::nullopt;
};

// The earlier releases that this one is joined with. Guarantees over a join are verified from the claims of `releases`;
// there must be one for each that the policy asks for. `exact` are the columns that take part and are published as they
// are, in the order in which ReleaseColumn counts them after the quasi-identifiers.
struct XyEvidence {
  std::span<const CodeColumn* const> exact;
  const XyReleases& releases;
};

// A series under the global guarantee so far, and who the rows are about in it.
struct GlobalBudgets {
  const GlobalClaim& claim;
  std::span<const std::uint32_t> person_of_row;  // numbers over the whole series
  std::uint32_t release = 0;                     // number of the new release, from 0
  SpentBudgets spent;                            // by person and item; of an accepted release: with it
  std::vector<ClassNumber> confusable = {};      // of an accepted release: ConfusableGroups of the draft
};

// What a draft is held against: the table as it came in, the public domains, what is promised, and what is on record
// where a promise is about more than this table.
struct Evidence {
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

  // Where the policy asks for `history`: the releases on record. Not with `change` or `budgets`.
  const HistoryEvidence* history = nullptr;

  // At most one of these.
  const XyEvidence* xy = nullptr;             // xy
  const IncrementalChange* change = nullptr;  // incremental: the rows of the table are those of the change
  GlobalBudgets* budgets = nullptr;  // global: charged where the release is accepted, otherwise not to be used again

  // As people count rows of the input: from 1.
  std::size_t RowOfInput(std::size_t row) const { return (input_rows.empty() ? row : input_rows[row]) + 1; }
};

// The one door. Checks, in this order:
// 1. The guarantees that are asked for can be verified together, and no claim of theirs got lost on the way.
// 2. The draft is well-formed and truthful. One table: one class per row; every box inside its domain and publishable,
//    i.e. equal to Domain::Cover of itself; every row's codes inside its box. Two tables: the counts are those of the
//    rows; the quasi-identifiers are published as they are, so domains and form are not looked at.
// 3. At least one guarantee is asked for, and every one of them holds, by the functions of the claim pages: in this
// table; over the whole history of a growing
//    series; over the join with earlier releases; over all releases on record, beside which the draft itself is laid;
//    over all releases under the global guarantee, where groups are told apart by their published numbers, whether or
//    not their boxes are equal.
// A draft that is not well-formed is our bug and still only a Refusal here: nothing is published.
std::variant<VerifiedRelease, Refusal> Verify(Draft draft, const Evidence& evidence);

}  // namespace pentimento
