#include "anonymize/specialize/specialize.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "anonymize/specialize/claim_groups.h"
#include "anonymize/specialize/cut_column.h"
#include "anonymize/specialize/joins_of_claims.h"
#include "base/check.h"
#include "base/parallel.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

using NodeId = CutColumn::NodeId;

ColumnHistogram CountCodes(const CodeColumn& column, const Domain& domain, const CodeColumn* classes) {
  ColumnHistogram histogram;
  if (classes != nullptr) {
    classes->Visit([&](auto codes) {
      for (const auto code : codes) histogram.classes = std::max<std::size_t>(histogram.classes, std::size_t{code} + 1);
    });
  }
  histogram.counts.resize(std::size_t{domain.size()} * histogram.classes);
  column.Visit([&](auto codes) {
    if (classes == nullptr) {
      for (const auto code : codes) ++histogram.counts[code];
      return;
    }
    classes->Visit([&](auto of_class) {
      for (std::size_t row = 0; row < codes.size(); ++row)
        ++histogram.counts[std::size_t{codes[row]} * histogram.classes + of_class[row]];
    });
  });
  return histogram;
}

std::uint64_t CodesOf(const CodeColumn& column) {
  std::uint64_t most = 0;
  column.Visit([&](auto codes) {
    for (const auto code : codes) most = std::max<std::uint64_t>(most, code);
  });
  return most + 1;
}

// A specialization that could be made, and what speaks for it.
struct Candidate {
  std::size_t column = 0;
  NodeId node = 0;
  bool holds = false;        // all claims hold afterwards
  bool is_free = false;      // everybody who has the value goes to one child: told more exactly, and nobody told apart
  double score = 0;          // gain for each loss of privacy
  double least_measure = 0;  // of claims that do not hold yet, added up
};

class Specialization {
 public:
  explicit Specialization(const SpecializeInput& input) : input_(input) {
    const CodeColumn* const classes = input.utility == Utility::kClass ? input.classes : nullptr;
    cut_of_column_.assign(input.domains.size(), -1);
    for (std::size_t c = 0; c < input.domains.size(); ++c) {
      if (!input.is_generalized[c]) continue;
      cut_of_column_[c] = static_cast<std::int32_t>(columns_.size());
      columns_.emplace_back(input.domains[c], CountCodes(input.table.quasi_identifiers[c], input.domains[c], classes),
                            input.utility);
    }
    settled_.resize(columns_.size());
    exact_.assign(input.exact.begin(), input.exact.end());
    if (input.parts != nullptr) exact_.push_back(input.parts);
    NewRelease table{input.table, exact_, {}, cut_of_column_};
    for (const Domain& domain : input.domains) table.sizes.push_back(domain.size());
    for (const CodeColumn* column : exact_) table.sizes.push_back(CodesOf(*column));
    for (JoinClaim& claim : ClaimsOf(table)) claims_.emplace_back(input.releases, std::move(claim), table, columns_);
  }

  bool IsTooLarge() const { return std::ranges::any_of(claims_, &ClaimGroups::IsTooLarge); }

  bool Holds() const {
    return std::ranges::all_of(claims_, [](const ClaimGroups& claim) { return claim.Now().holds; });
  }

  // One more special value; false where no candidate is left.
  bool Step() {
    const bool holds_now = Holds();
    std::optional<Candidate> best;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      for (const NodeId node : columns_[c].cut()) {
        if (columns_[c].node(node).child_count == 0) continue;
        const Candidate candidate = Weigh(c, node);
        const bool is_choice = holds_now ? candidate.holds : candidate.holds || Improves(candidate);
        if (is_choice && (!best || IsBetter(candidate, *best, holds_now))) best = candidate;
      }
    }
    if (!best) return holds_now && SplitElsewhere();
    Specialize(best->column, best->node);
    return true;
  }

  std::vector<std::vector<Interval>> Cuts() const {
    std::vector<std::vector<Interval>> cuts(input_.domains.size());
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      if (cut_of_column_[c] < 0) continue;
      const CutColumn& column = columns_[static_cast<std::size_t>(cut_of_column_[c])];
      for (const NodeId node : column.cut()) cuts[c].push_back(column.node(node).codes);
      std::ranges::sort(cuts[c]);
    }
    return cuts;
  }

  std::vector<LeftGeneral> Left() const {
    std::vector<LeftGeneral> left;
    for (std::size_t c = 0; c < input_.domains.size(); ++c) {
      if (cut_of_column_[c] < 0) continue;
      const CutColumn& column = columns_[static_cast<std::size_t>(cut_of_column_[c])];
      for (const NodeId node : column.cut()) {
        if (column.node(node).child_count == 0) continue;
        LeftGeneral& general = left.emplace_back(LeftGeneral{c, column.node(node).codes, {}});
        for (std::uint32_t child = 0; child < column.node(node).child_count; ++child)
          general.children.push_back(column.node(column.node(node).first_child + child).codes);
      }
    }
    return left;
  }

 private:
  std::vector<JoinClaim> ClaimsOf(const NewRelease& table) const {
    std::vector<JoinClaim> claims = JoinsOfClaims(input_.releases, table);
    if (input_.k > 0) {
      JoinClaim plain{{}, {}, {{0, ReleaseColumn::kWho}}, input_.k, {}, false};
      for (std::uint32_t c = 0; c < input_.domains.size(); ++c) plain.x.push_back({0, c});
      // Whoever knows the part looks at it as at one more column.
      if (input_.parts != nullptr)
        plain.x.push_back({0, static_cast<std::uint32_t>(input_.domains.size() + input_.exact.size())});
      claims.push_back(std::move(plain));
    }
    return claims;
  }

  void Specialize(std::size_t column, NodeId node) {
    const bool changes_all =
        std::ranges::any_of(claims_, [&](const ClaimGroups& claim) { return claim.JoinsOutsideX(column); });
    for (ClaimGroups& claim : claims_) claim.Divide(column, node);
    columns_[column].Specialize(node);
    for (ClaimGroups& claim : claims_) claim.Renew(column);
    // The groups of another value of this column are as they were, so what was found of it still holds.
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c != column || changes_all) settled_[c].clear();
    }
  }

  // Where the split of a number that gains most breaks a claim in every interval, another one need not: the first that
  // does not, of the interval's splits from the one that gains most on.
  bool SplitElsewhere() {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::vector<NodeId> cut(columns_[c].cut().begin(), columns_[c].cut().end());
      for (const NodeId node : cut) {
        if (settled_[c].contains(node)) continue;
        const std::vector<Code> splits = columns_[c].SplitsOf(node);
        for (std::size_t i = 1; i < splits.size(); ++i) {
          columns_[c].SplitAt(node, splits[i]);
          if (!HoldsAfterTried(c, node)) continue;
          Specialize(c, node);
          return true;
        }
        if (splits.size() > 1) columns_[c].SplitAt(node, splits.front());
        settled_[c].insert(node);
      }
    }
    return false;
  }
  bool HoldsAfterTried(std::size_t column, NodeId node) const {
    return std::ranges::all_of(claims_, [&](const ClaimGroups& claim) { return claim.HoldsAfterTried(column, node); });
  }

  Candidate Weigh(std::size_t column, NodeId node) const {
    Candidate candidate{column, node, true, IsFree(column, node), 0, 0};
    double loss = 0;
    double squares = 0;
    for (const ClaimGroups& claim : claims_) {
      const Standing now = claim.Now();
      const Standing after = claim.After(column, node);
      candidate.holds = candidate.holds && after.holds;
      if (now.measure > after.measure) loss += now.measure - after.measure;
      if (!now.holds) candidate.least_measure += after.measure - now.measure;
      squares = std::max(squares, claim.SquaresSaved(column, node));
    }
    const double gain = input_.utility == Utility::kDiscernibility ? squares : columns_[column].node(node).gain;
    candidate.score = gain / (loss + 1);
    return candidate;
  }

  bool IsFree(std::size_t column, NodeId id) const {
    const CutColumn::Node& node = columns_[column].node(id);
    std::size_t taken = 0;
    for (NodeId child = node.first_child; child < node.first_child + node.child_count; ++child)
      taken += columns_[column].node(child).records > 0 ? 1 : 0;
    return taken == 1;
  }

  static bool Improves(const Candidate& candidate) { return candidate.least_measure > 0; }

  // While a claim does not hold, what brings it closer counts; afterwards the score. The first of equals stays.
  static bool IsBetter(const Candidate& one, const Candidate& other, bool holds_now) {
    if (one.holds != other.holds) return one.holds;
    if (one.holds && one.is_free != other.is_free) return one.is_free;
    return holds_now || one.holds ? one.score > other.score : one.least_measure > other.least_measure;
  }

  const SpecializeInput& input_;
  std::vector<const CodeColumn*> exact_;     // those of the input, then the parts, where there are any
  std::vector<std::int32_t> cut_of_column_;  // by quasi-identifier; -1: as it came
  std::vector<CutColumn> columns_;
  std::vector<ClaimGroups> claims_;
  std::vector<std::set<NodeId>> settled_;  // by column: values of its cut that have no valid split
};

}  // namespace

Result<Specialized> AnonymizeBySpecialization(const SpecializeInput& input, Classes* most_general) {
  Check(input.is_generalized.size() == input.domains.size(), "every quasi-identifier is generalized or is not");
  Specialization specialization(input);
  if (specialization.IsTooLarge())
    return Error{
        ErrorCode::kBadPolicy,
        fmt::format("the join of the earlier releases with each other has more than {} different rows, or too many "
                    "matches on the way, which is more than this version looks at. Nothing was published. Put "
                    "all common columns of this table into x, take columns of earlier releases out of x and y, "
                    "or name fewer releases in 'against' of one guarantee",
                    kMostEarlierRows)};
  const auto general = specialization.Cuts();
  Specialized result;
  while (specialization.Step()) ++result.steps;
  if (!specialization.Holds()) {
    if (most_general != nullptr) *most_general = DraftOfCuts(input.table, input.domains, general);
    return Error{ErrorCode::kRefused,
                 "not even the most general table keeps every guarantee, and nothing was published"};
  }
  result.cuts = specialization.Cuts();
  result.left_general = specialization.Left();
  result.draft = DraftOfCuts(input.table, input.domains, result.cuts);
  return result;
}

Classes DraftOfCuts(const EncodedTable& table, std::span<const Domain> domains,
                    std::span<const std::vector<Interval>> cuts) {
  CombinationNumbering numbering(table.rows);
  std::vector<std::vector<Interval>> value_of_code(domains.size());
  for (std::size_t c = 0; c < domains.size(); ++c) {
    if (cuts[c].empty()) {
      numbering.Refine(domains[c].size(), table.quasi_identifiers[c]);
      continue;
    }
    std::vector<std::uint32_t> number_of_code(domains[c].size());
    value_of_code[c].resize(domains[c].size());
    for (std::size_t v = 0; v < cuts[c].size(); ++v) {
      for (Code code = cuts[c][v].lo; code <= cuts[c][v].hi; ++code) {
        number_of_code[code] = static_cast<std::uint32_t>(v);
        value_of_code[c][code] = cuts[c][v];
      }
    }
    table.quasi_identifiers[c].Visit([&](auto codes) {
      numbering.Refine(cuts[c].size(), [&](std::size_t row) { return std::uint64_t{number_of_code[codes[row]]}; });
    });
  }
  Combinations groups = std::move(numbering).Finish();
  Classes draft{.columns = domains.size(), .boxes = {}, .of_row = {}};
  draft.boxes.resize(std::size_t{groups.count} * domains.size());
  const std::vector<std::uint32_t> first_rows = FirstRows(groups);
  constexpr std::size_t kChunk = 4096;  // whose boxes stay in the cache while column after column is filled in
  ParallelFor(first_rows.size(), kChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = 0; c < domains.size(); ++c) {
      table.quasi_identifiers[c].Visit([&](auto codes) {
        for (std::size_t group = begin; group < end; ++group) {
          const Code code = codes[first_rows[group]];
          draft.boxes[group * domains.size() + c] = cuts[c].empty() ? Interval{code, code} : value_of_code[c][code];
        }
      });
    }
  });
  draft.of_row = std::move(groups.of_row);
  return draft;
}

}  // namespace pentimento
