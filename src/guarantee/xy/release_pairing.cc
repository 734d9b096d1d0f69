#include "guarantee/xy/release_pairing.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "base/parallel.h"
#include "guarantee/xy/join_value_index.h"
#include "guarantee/xy/link.h"
#include "guarantee/xy/pairing_blocks.h"
#include "guarantee/xy/relation.h"

namespace pentimento {
namespace {

std::vector<JoinLink> LinksWith(const JoinedReleases& releases, std::uint32_t release) {
  return LinksAmong(releases, std::array<std::uint32_t, 2>{0, release});
}

std::vector<Interval> CellsOf(const NewReleaseView& view, const JoinedReleases& releases, ReleaseColumn at) {
  std::vector<Interval> cells;
  if (at.release > 0) {
    const EarlierRelease& release = releases.earlier[at.release - 1];
    for (std::size_t row = 0; row < release.rows(); ++row) cells.push_back(release.row(row)[at.column]);
  } else if (at.column < view.draft.columns) {
    for (std::size_t group = 0; group < view.draft.count(); ++group)
      cells.push_back(view.draft.box(static_cast<ClassNumber>(group))[at.column]);
  }
  return cells;  // none of a column that is published as it is: single codes exclude each other
}

bool ExcludeEachOther(std::vector<Interval> cells) {
  std::ranges::sort(cells);
  const auto repeated = std::ranges::unique(cells);
  cells.erase(repeated.begin(), repeated.end());
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

}  // namespace

bool PairingCanMatter(const NewReleaseView& view, const JoinedReleases& releases, std::uint32_t release) {
  return std::ranges::any_of(LinksWith(releases, release), [&](const JoinLink& link) {
    return link.kind != LinkKind::kPath || !ExcludeEachOther(CellsOf(view, releases, link.left.at)) ||
           !ExcludeEachOther(CellsOf(view, releases, link.right.at));
  });
}

ReleasePairing PairReleases(const NewReleaseView& view, const JoinedReleases& releases, std::uint32_t release,
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

}  // namespace pentimento
