#include "audit/one_to_one.h"

#include <fmt/format.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "audit/pairing_blocks.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/ratio.h"
#include "guarantee/xy/join_value_index.h"
#include "guarantee/xy/relation.h"
#include "guarantee/xy/well_formed_join.h"
#include "guarantee/xy/xy_anonymity.h"
#include "guarantee/xy/xy_linkability.h"

namespace pentimento {
namespace {

std::vector<JoinLink> LinksWith(const XyReleases& releases, std::uint32_t release) {
  return LinksAmong(releases, std::array<std::uint32_t, 2>{0, release});
}

struct HashOfCell {
  std::size_t operator()(const Interval& cell) const { return Checksum(std::as_bytes(std::span(&cell, 1))); }
};

// Each different cell once: they are few, however many rows there are.
std::vector<Interval> CellsOf(const NewReleaseView& view, const XyReleases& releases, ReleaseColumn at) {
  std::vector<Interval> cells;
  tsl::robin_set<Interval, HashOfCell> seen;
  const auto add = [&](Interval cell) {
    if (seen.insert(cell).second) cells.push_back(cell);
  };
  if (at.release > 0) {
    const EarlierRelease& release = releases.earlier[at.release - 1];
    for (std::size_t row = 0; row < release.rows(); ++row) add(release.row(row)[at.column]);
  } else if (at.column < view.draft.columns) {
    for (std::size_t group = 0; group < view.draft.count(); ++group)
      add(view.draft.box(static_cast<ClassNumber>(group))[at.column]);
  }
  return cells;  // none of a column that is published as it is: single codes exclude each other
}

bool ExcludeEachOther(std::vector<Interval> cells) {
  std::ranges::sort(cells);
  return std::ranges::adjacent_find(cells, [](Interval before, Interval after) { return after.lo <= before.hi; }) ==
         cells.end();
}

// By value of the new release, those of the other that match; nothing where there are too many. Looked up in portions,
// so that what is too much is noticed before it is in memory.
std::optional<std::vector<std::vector<std::uint32_t>>> FindMatchesUpTo(std::uint64_t most_pairs, const Relation& left,
                                                                       const Relation& right,
                                                                       std::span<const JoinLink> links) {
  constexpr std::size_t kPortion = 1024;
  constexpr std::size_t kLookedUpPerTask = 16;
  const JoinValueIndex index(right, SharedLinks(left, right, links));
  std::vector<std::vector<std::uint32_t>> matches(left.join_count);
  std::uint64_t pairs = 0;
  for (std::size_t begin = 0; begin < matches.size(); begin += kPortion) {
    const std::size_t count = std::min(kPortion, matches.size() - begin);
    ParallelFor(count, kLookedUpPerTask, [&](std::size_t from, std::size_t to) {
      for (std::size_t j = begin + from; j < begin + to; ++j)
        matches[j] = index.FindMatches(left.join_value(static_cast<std::uint32_t>(j)));
    });
    for (std::size_t j = begin; j < begin + count; ++j) pairs += matches[j].size();
    if (pairs > most_pairs) return std::nullopt;
  }
  return matches;
}

void CountPairs(const MatchGraph& graph, const PairingBlocks& blocks, ReleasePairing& pairing) {
  for (std::size_t left = 0; left < graph.left.size(); ++left) {
    pairing.pairs += graph.matches[left].size();
    for (const std::uint32_t right : graph.matches[left])
      pairing.ruled_out += blocks.of_left[left] != blocks.of_right[right] ? 1 : 0;
  }
}

std::vector<std::uint32_t> BlocksOfRows(std::vector<std::uint32_t> value_of_row,
                                        const std::vector<std::uint32_t>& block_of_value) {
  for (std::uint32_t& value : value_of_row) value = block_of_value[value];
  return value_of_row;
}

// The releases with their blocks as one more common column for each pairing that rules something out. Being in one
// block is being equal there, so the join of these is the join of the matches that are left, and the verifiers need not
// know.
class PairedReleases {
 public:
  PairedReleases(const NewReleaseView& view, const XyReleases& releases, std::span<const ReleasePairing> pairings)
      : view_(view), releases_(releases), exact_(view.exact.begin(), view.exact.end()) {
    blocks_.reserve(pairings.size());  // exact_ points into it
    for (const ReleasePairing& pairing : pairings) {
      if (pairing.ruled_out > 0) Add(pairing);
    }
  }
  PairedReleases(const PairedReleases&) = delete;
  PairedReleases& operator=(const PairedReleases&) = delete;

  NewReleaseView view() const { return {view_.draft, exact_, view_.persons}; }
  const XyReleases& releases() const { return releases_; }

 private:
  void Add(const ReleasePairing& pairing) {
    const auto here = static_cast<std::uint32_t>(view_.draft.columns + exact_.size());
    CodeColumn& column = blocks_.emplace_back(pairing.blocks, view_.rows());
    for (std::size_t row = 0; row < view_.rows(); ++row) column.Set(row, pairing.block_of_row[row]);
    exact_.push_back(&column);
    EarlierRelease& earlier = releases_.earlier[pairing.release - 1];
    std::vector<Interval> cells;
    cells.reserve(earlier.rows() * (earlier.columns + 1));
    for (std::size_t row = 0; row < earlier.rows(); ++row) {
      const std::span<const Interval> own = earlier.row(row);
      cells.insert(cells.end(), own.begin(), own.end());
      cells.push_back({pairing.block_of_record[row], pairing.block_of_record[row]});
    }
    earlier.cells = std::move(cells);
    const auto there = static_cast<std::uint32_t>(earlier.columns++);
    releases_.common.push_back({{{0, here}, {pairing.release, there}}, false});
  }

  const NewReleaseView& view_;
  XyReleases releases_;
  std::vector<CodeColumn> blocks_;
  std::vector<const CodeColumn*> exact_;
};

Result<ClaimOneToOne> LookAtAnonymity(const PairedReleases& paired, std::size_t number) {
  const XyAnonymityClaim& claim = paired.releases().anonymity[number];
  ClaimOneToOne found{
      .claim = number, .found = {}, .required = fmt::format("{}", claim.k), .violation = {}, .not_told = {}};
  const auto least = FindLeastAnonymity(paired.view(), paired.releases(), claim);
  if (!least.ok()) {
    if (least.error().code != ErrorCode::kRefused) return least.error();
    found.not_told = least.error().message;
    return found;
  }
  if (least.value()) {
    const WideCount values = least.value()->values;
    found.found = values == kUncountable ? "more than can be counted" : fmt::format("{}", values);
  }
  found.violation = DescribeViolation(least.value(), paired.releases(), claim);
  return found;
}

Result<ClaimOneToOne> LookAtLinkability(const PairedReleases& paired, std::size_t number, std::size_t target) {
  const XyLinkabilityClaim& claim = paired.releases().linkability[number];
  const LinkabilityTarget& limit = claim.targets[target];
  ClaimOneToOne found{.is_linkability = true,
                      .claim = number,
                      .target = target,
                      .found = {},
                      .required = ToString(limit.at_most),
                      .violation = {},
                      .not_told = {}};
  const auto greatest = FindGreatestLinkability(paired.view(), paired.releases(), claim, target);
  if (!greatest.ok()) {
    if (greatest.error().code != ErrorCode::kRefused) return greatest.error();
    found.not_told = greatest.error().message;
    return found;
  }
  if (greatest.value()) found.found = fmt::format("{}/{}", greatest.value()->with_both, greatest.value()->with_x);
  found.violation = DescribeViolation(greatest.value(), paired.releases(), limit);
  return found;
}

bool LosesMatches(std::span<const std::uint32_t> against, std::span<const ReleasePairing> pairings) {
  return std::ranges::any_of(pairings, [&](const ReleasePairing& pairing) {
    return pairing.ruled_out > 0 && std::ranges::find(against, pairing.release) != against.end();
  });
}

}  // namespace

bool PairingCanMatter(const NewReleaseView& view, const XyReleases& releases, std::uint32_t release) {
  return std::ranges::any_of(LinksWith(releases, release), [&](const JoinLink& link) {
    return link.kind != LinkKind::kPath || !ExcludeEachOther(CellsOf(view, releases, link.left.at)) ||
           !ExcludeEachOther(CellsOf(view, releases, link.right.at));
  });
}

ReleasePairing PairReleases(const NewReleaseView& view, const XyReleases& releases, std::uint32_t release,
                            const PairingLimits& limits) {
  const std::vector<JoinLink> links = LinksWith(releases, release);
  MatchValues here = FindMatchValues(0, view, releases, links);
  MatchValues there = FindMatchValues(release, view, releases, links);
  ReleasePairing pairing;
  pairing.release = release;
  pairing.rows_are_fewer = view.rows() <= std::accumulate(there.records.begin(), there.records.end(), std::uint64_t{0});
  auto matches = FindMatchesUpTo(limits.most_pairs, here.relation, there.relation, links);
  if (!matches) {
    pairing.outcome = PairingOutcome::kTooManyPairs;
    return pairing;
  }
  const MatchGraph graph{std::move(here.records), std::move(there.records), *std::move(matches)};
  const auto found = FindPairingBlocks(graph, limits.most_steps);
  if (const auto* none = std::get_if<NoBlocks>(&found)) {
    pairing.outcome = *none == NoBlocks::kNoPairing ? PairingOutcome::kNoPairing : PairingOutcome::kTooManySteps;
    return pairing;
  }
  const auto& blocks = std::get<PairingBlocks>(found);
  CountPairs(graph, blocks, pairing);
  pairing.block_of_row = BlocksOfRows(std::move(here.of_row), blocks.of_left);
  pairing.block_of_record = BlocksOfRows(std::move(there.of_row), blocks.of_right);
  pairing.blocks = blocks.count;
  return pairing;
}

Result<OneToOneFindings> LookOneToOne(const NewReleaseView& view, const XyReleases& releases,
                                      const PairingLimits& limits) {
  OneToOneFindings findings;
  for (std::uint32_t release = 1; release <= releases.earlier.size(); ++release) {
    if (auto wrong = FindMalformedJoin(view, releases, {&release, 1}))
      return Error{ErrorCode::kInternal, *std::move(wrong)};
    if (PairingCanMatter(view, releases, release))
      findings.pairings.push_back(PairReleases(view, releases, release, limits));
  }
  if (std::ranges::none_of(findings.pairings, [](const ReleasePairing& pairing) { return pairing.ruled_out > 0; }))
    return findings;
  const PairedReleases paired(view, releases, findings.pairings);
  for (std::size_t claim = 0; claim < releases.anonymity.size(); ++claim) {
    if (!LosesMatches(releases.anonymity[claim].against, findings.pairings)) continue;
    PENTIMENTO_ASSIGN(ClaimOneToOne found, LookAtAnonymity(paired, claim));
    findings.claims.push_back(std::move(found));
  }
  for (std::size_t claim = 0; claim < releases.linkability.size(); ++claim) {
    if (!LosesMatches(releases.linkability[claim].against, findings.pairings)) continue;
    for (std::size_t target = 0; target < releases.linkability[claim].targets.size(); ++target) {
      PENTIMENTO_ASSIGN(ClaimOneToOne found, LookAtLinkability(paired, claim, target));
      findings.claims.push_back(std::move(found));
    }
  }
  return findings;
}

}  // namespace pentimento
