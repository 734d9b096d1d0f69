#include "anonymize/specialize/joins_of_claims.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "anonymize/specialize/match_conditions.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

using Releases = std::vector<std::uint32_t>;

bool Has(const Releases& chosen, std::uint32_t release) {
  return release == 0 || std::ranges::find(chosen, release) != chosen.end();
}

// Every selection of the releases but none that has those of these columns.
std::vector<Releases> Selections(const JoinClaim& claim) {
  const auto is_named = [&](std::uint32_t release) {
    const auto names = [&](const ReleaseColumn& at) { return at.release == release; };
    return std::ranges::any_of(claim.x, names) || std::ranges::any_of(claim.y, names);
  };
  std::vector<Releases> selections = {{}};
  for (const std::uint32_t release : claim.against) {
    std::vector<Releases> longer;
    for (const Releases& chosen : selections) {
      if (!is_named(release)) longer.push_back(chosen);
      longer.push_back(chosen);
      longer.back().push_back(release);
    }
    selections = std::move(longer);
  }
  std::erase_if(selections, [](const Releases& chosen) { return chosen.empty(); });
  return selections;
}

// Whether some record matches something as it came; if so, it does in every table made from it. "No" may also mean
// that it took too long to find one.
class FirstMatch {
 public:
  FirstMatch(const XyReleases& releases, const NewRelease& table, const Releases& chosen)
      : releases_(releases), table_(table), chosen_(chosen), conditions_(ConditionsAmong(releases, chosen)) {}

  bool Find() {
    CombinationNumbering numbering(table_.table.rows);
    for (const MatchCondition& condition : conditions_) {
      if (condition.one.release == 0)
        numbering.Refine(table_.sizes[condition.one.column], table_.column(condition.one.column));
    }
    for (const std::uint32_t row : FirstRows(std::move(numbering).Finish())) {
      rows_.assign(1, row);
      if (Extend()) return true;
    }
    return false;
  }

 private:
  static constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 25;

  bool Extend() {
    if (rows_.size() > chosen_.size()) return true;
    const std::uint32_t release = chosen_[rows_.size() - 1];
    for (std::size_t row = 0; row < releases_.earlier[release - 1].rows() && steps_ < kMostSteps; ++row, ++steps_) {
      rows_.push_back(row);
      if (LastFits(release) && Extend()) return true;
      rows_.pop_back();
    }
    return false;
  }

  bool LastFits(std::uint32_t release) const {
    return std::ranges::all_of(conditions_, [&](const MatchCondition& condition) {
      return condition.other.release != release || condition.Fits(CellOf(condition.one), CellOf(condition.other));
    });
  }

  Interval CellOf(ReleaseColumn at) const {
    if (at.release == 0) {
      const Code code = table_.column(at.column)[rows_[0]];
      return {code, code};
    }
    const auto place = static_cast<std::size_t>(std::ranges::find(chosen_, at.release) - chosen_.begin());
    return releases_.earlier[at.release - 1].row(rows_[place + 1])[at.column];
  }

  const XyReleases& releases_;
  const NewRelease& table_;
  const Releases& chosen_;
  std::vector<MatchCondition> conditions_;
  std::vector<std::size_t> rows_;  // of the new release, then of those that are chosen so far
  std::uint64_t steps_ = 0;
};

class Joins {
 public:
  Joins(const XyReleases& releases, const NewRelease& table) : releases_(releases), table_(table) {}

  void Add(const JoinClaim& claim) {
    if (claim.against.empty()) return Keep(claim);
    bool leaves_out_join = false;
    for (const Releases& chosen : Selections(claim)) {
      if (auto part = PartOver(claim, chosen)) leaves_out_join |= AddPart(*std::move(part));
    }
    if (leaves_out_join) RequireMatches(claim.against);
  }

  std::vector<JoinClaim> Take() && { return std::move(claims_); }

 private:
  // What the claim asks of one selection; nothing where that lacks all columns that have a limit.
  static std::optional<JoinClaim> PartOver(const JoinClaim& claim, const Releases& chosen) {
    JoinClaim part = claim;
    part.against = chosen;
    std::erase_if(part.targets, [&](const LinkabilityTarget& target) {
      return !std::ranges::all_of(target.y, [&](const ReleaseColumn& at) { return Has(chosen, at.release); });
    });
    if (part.k == 0 && part.targets.empty()) return std::nullopt;
    return part;
  }

  // Whether the join was left out of it.
  bool AddPart(JoinClaim part) {
    const auto is_earlier = [](const ReleaseColumn& at) { return at.release != 0; };
    const bool is_known =
        std::ranges::all_of(ConditionsAmong(releases_, part.against), [&](const MatchCondition& condition) {
          return is_earlier(condition.one) || std::ranges::find(part.x, condition.one) != part.x.end();
        });
    const bool is_here =
        std::ranges::none_of(part.y, is_earlier) &&
        std::ranges::all_of(part.targets, [](const LinkabilityTarget& target) { return target.IsHere(); });
    if (is_known && is_here) std::erase_if(part.x, is_earlier);
    // Where records may dangle, the join still says which ones do.
    const bool leaves_out_join = is_known && is_here && !part.allows_dangling;
    if (leaves_out_join) part.against.clear();
    Keep(std::move(part));
    return leaves_out_join;
  }

  // No table may be made that matches nothing at all.
  void RequireMatches(const Releases& against) {
    if (FirstMatch(releases_, table_, against).Find()) return;
    Keep({against, {}, {{0, ReleaseColumn::kWho}}, 1, {}, true});
  }

  void Keep(JoinClaim claim) {
    if (std::ranges::find(claims_, claim) == claims_.end()) claims_.push_back(std::move(claim));
  }

  const XyReleases& releases_;
  const NewRelease& table_;
  std::vector<JoinClaim> claims_;
};

}  // namespace

std::vector<JoinClaim> JoinsOfClaims(const XyReleases& releases, const NewRelease& table) {
  Joins joins(releases, table);
  for (const XyAnonymityClaim& claim : releases.anonymity)
    joins.Add({claim.against, claim.x, claim.y, claim.k, {}, claim.allows_dangling});
  for (const XyLinkabilityClaim& claim : releases.linkability)
    joins.Add({claim.against, claim.x, {}, 0, claim.targets, claim.allows_dangling});
  return std::move(joins).Take();
}

}  // namespace pentimento
