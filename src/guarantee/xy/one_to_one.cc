#include "guarantee/xy/one_to_one.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/ratio.h"
#include "guarantee/xy/well_formed_join.h"
#include "guarantee/xy/xy_anonymity.h"
#include "guarantee/xy/xy_linkability.h"

namespace pentimento {
namespace {

// The releases with their blocks as one more common column for each pairing that rules something out. Being in one
// block is being equal there, so the join of these is the join of the matches that are left, and the verifiers need not
// know.
class PairedReleases {
 public:
  PairedReleases(const NewReleaseView& view, const JoinedReleases& releases, std::span<const ReleasePairing> pairings)
      : view_(view), releases_(releases), exact_(view.exact.begin(), view.exact.end()) {
    blocks_.reserve(pairings.size());  // exact_ points into it
    for (const ReleasePairing& pairing : pairings) {
      if (pairing.ruled_out > 0) Add(pairing);
    }
  }
  PairedReleases(const PairedReleases&) = delete;
  PairedReleases& operator=(const PairedReleases&) = delete;

  NewReleaseView view() const { return {view_.draft, exact_, view_.persons}; }
  const JoinedReleases& releases() const { return releases_; }

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
  JoinedReleases releases_;
  std::vector<CodeColumn> blocks_;
  std::vector<const CodeColumn*> exact_;
};

Result<ClaimOneToOne> JudgeAnonymity(const PairedReleases& paired, std::size_t number) {
  const XyAnonymityClaim& claim = paired.releases().anonymity[number];
  ClaimOneToOne judged{
      .claim = number, .found = {}, .required = fmt::format("{}", claim.k), .violation = {}, .not_judged = {}};
  const auto least = FindLeastAnonymity(paired.view(), paired.releases(), claim);
  if (!least.ok()) {
    if (least.error().code != ErrorCode::kRefused) return least.error();
    judged.not_judged = least.error().message;
    return judged;
  }
  if (least.value()) {
    const WideCount values = least.value()->values;
    judged.found = values == kUncountable ? "more than can be counted" : fmt::format("{}", values);
  }
  judged.violation = DescribeViolation(least.value(), paired.releases(), claim);
  return judged;
}

Result<ClaimOneToOne> JudgeLinkability(const PairedReleases& paired, std::size_t number, std::size_t target) {
  const XyLinkabilityClaim& claim = paired.releases().linkability[number];
  const LinkabilityTarget& limit = claim.targets[target];
  ClaimOneToOne judged{.is_linkability = true,
                       .claim = number,
                       .target = target,
                       .found = {},
                       .required = ToString(limit.at_most),
                       .violation = {},
                       .not_judged = {}};
  const auto greatest = FindGreatestLinkability(paired.view(), paired.releases(), claim, target);
  if (!greatest.ok()) {
    if (greatest.error().code != ErrorCode::kRefused) return greatest.error();
    judged.not_judged = greatest.error().message;
    return judged;
  }
  if (greatest.value()) judged.found = fmt::format("{}/{}", greatest.value()->with_both, greatest.value()->with_x);
  judged.violation = DescribeViolation(greatest.value(), paired.releases(), limit);
  return judged;
}

bool LosesMatches(std::span<const std::uint32_t> against, std::span<const ReleasePairing> pairings) {
  return std::ranges::any_of(pairings, [&](const ReleasePairing& pairing) {
    return pairing.ruled_out > 0 && std::ranges::find(against, pairing.release) != against.end();
  });
}

}  // namespace

Result<OneToOneFindings> LookOneToOne(const NewReleaseView& view, const JoinedReleases& releases,
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
    PENTIMENTO_ASSIGN(ClaimOneToOne judged, JudgeAnonymity(paired, claim));
    findings.claims.push_back(std::move(judged));
  }
  for (std::size_t claim = 0; claim < releases.linkability.size(); ++claim) {
    if (!LosesMatches(releases.linkability[claim].against, findings.pairings)) continue;
    for (std::size_t target = 0; target < releases.linkability[claim].targets.size(); ++target) {
      PENTIMENTO_ASSIGN(ClaimOneToOne judged, JudgeLinkability(paired, claim, target));
      findings.claims.push_back(std::move(judged));
    }
  }
  return findings;
}

}  // namespace pentimento
