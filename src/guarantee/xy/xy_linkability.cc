#include "guarantee/xy/xy_linkability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/ratio.h"
#include "guarantee/xy/every_join.h"
#include "guarantee/xy/fold.h"
#include "guarantee/xy/join_counting.h"
#include "guarantee/xy/normal_form.h"
#include "guarantee/xy/well_formed_join.h"

namespace pentimento {
namespace {

struct GreatestSoFar {
  bool is_there = false;
  bool is_uncountable = false;  // some a(x) does not fit, and nothing is known
  WideFraction share;
  WitnessValues values;

  void Offer(const GreatestSoFar& other) {
    is_uncountable = is_uncountable || other.is_uncountable;
    if (!other.is_there || (is_there && share >= other.share)) return;
    is_there = true;
    share = other.share;
    values = other.values;
  }
};

// Counts that are nearly all 0, with a list of those that are not.
class SparseCounts {
 public:
  explicit SparseCounts(std::size_t size) : counts_(size) {}
  void Add(std::uint32_t at, WideCount count) {
    if (counts_[at] == 0) met_.push_back(at);
    counts_[at] = AddCounts(counts_[at], count);
  }
  WideCount operator[](std::uint32_t at) const { return counts_[at]; }
  std::span<const std::uint32_t> met() const { return met_; }
  void Clear() {
    for (const std::uint32_t at : met_) counts_[at] = 0;
    met_.clear();
  }

 private:
  std::vector<WideCount> counts_;
  std::vector<std::uint32_t> met_;
};

// Counts for one x of the new release after the other, against all values of the other side.
class LinkabilityCounter {
 public:
  LinkabilityCounter(const JoinSides& sides, const OtherSide& others)
      : sides_(sides),
        others_(others),
        at_join_value_(sides.one.join_count),
        with_x_(sides.others.x_count),
        with_both_(others.pairs().size()),
        with_listed_(sides.others.x_count),
        first_listed_(sides.others.x_count) {}

  GreatestSoFar Count(std::span<const JoinRow> rows) {
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      while (end < rows.size() && rows[end].x == rows[begin].x) ++end;
      CountOneX(rows.subspan(begin, end - begin));
    }
    return greatest_;
  }

 private:
  // First a(x) for every x of the other side, then a(x,y) for one y after the other.
  void CountOneX(std::span<const JoinRow> rows) {
    const bool has_one_y = rows.front().y == rows.back().y;
    CountMatches(rows, with_both_);
    for (const std::uint32_t pair : with_both_.met()) with_x_.Add(others_.pairs()[pair].x, with_both_[pair]);
    for (const std::uint32_t x : with_x_.met()) {
      // Also where no y counts: then the share is 0, and the join is not empty.
      greatest_.Offer({true, with_x_[x] == kUncountable, {0, with_x_[x]}, {rows[0].x, x}});
    }
    if (has_one_y) TakeShares(rows[0]);
    with_both_.Clear();
    for (std::size_t begin = 0, end = 0; !has_one_y && begin < rows.size(); begin = end) {
      while (end < rows.size() && rows[end].y == rows[begin].y) ++end;
      CountMatches(rows.subspan(begin, end - begin), with_both_);
      TakeShares(rows[begin]);
      with_both_.Clear();
    }
    OfferListed(rows[0].x);
    with_x_.Clear();
  }

  // By pair of the other side: how many rows of the join these rows are in.
  void CountMatches(std::span<const JoinRow> rows, SparseCounts& counts) {
    for (const JoinRow& row : rows) at_join_value_.Add(row.j, sides_.one.weight[row.source]);
    for (const std::uint32_t j : at_join_value_.met()) {
      const WideCount own = at_join_value_[j];
      others_.ForEachMatch(j, [&](std::uint32_t pair, std::uint32_t source) {
        counts.Add(pair, MultiplyCounts(own, sides_.others.weight[source]));
      });
    }
    at_join_value_.Clear();
  }

  // With what has been counted for the x and the y of this row: listed values count together, others by themselves.
  void TakeShares(const JoinRow& row) {
    const bool has_list = sides_.one.ignores_first_y || sides_.others.ignores_first_y;
    for (const std::uint32_t pair : with_both_.met()) {
      const auto [x, y] = others_.pairs()[pair];
      if (has_list) {
        if (!IsListed(sides_.one, row.y, sides_.others, y)) continue;
        if (with_listed_[x] == 0) first_listed_[x] = {row.y, y};
        with_listed_.Add(x, with_both_[pair]);
        continue;
      }
      // Values that one number on y stands for are in the same rows equally often.
      const WideCount values = sides_.one.values(row.y) * sides_.others.values(y);
      const WideCount with_both = values == 1 ? with_both_[pair] : with_both_[pair] / values;
      greatest_.Offer({true, false, {with_both, with_x_[x]}, {row.x, x, row.y, y}});
    }
  }

  void OfferListed(std::uint32_t one_x) {
    for (const std::uint32_t x : with_listed_.met()) {
      const auto [one_y, others_y] = first_listed_[x];
      greatest_.Offer({true, false, {with_listed_[x], with_x_[x]}, {one_x, x, one_y, others_y}});
    }
    with_listed_.Clear();
  }

  const JoinSides& sides_;
  const OtherSide& others_;
  SparseCounts at_join_value_;                                         // of the new release
  SparseCounts with_x_;                                                // by x of the other side
  SparseCounts with_both_;                                             // by pair of the other side
  SparseCounts with_listed_;                                           // by x of the other side
  std::vector<std::pair<std::uint32_t, std::uint32_t>> first_listed_;  // likewise: values on y of a first match
  GreatestSoFar greatest_;
};

std::optional<std::string> FindMalformedTarget(const NewReleaseView& view, const XyReleases& releases,
                                               const XyLinkabilityClaim& claim, std::size_t target) {
  if (target >= claim.targets.size()) return "the requirement limits nothing";
  const LinkabilityTarget& limit = claim.targets[target];
  const bool has_who = std::ranges::find(limit.y, ReleaseColumn::kWho, &ReleaseColumn::column) != limit.y.end();
  if (has_who && !limit.values.empty()) return "who a row is about has no listed values";
  if (std::ranges::any_of(limit.values, [&](const auto& value) { return value.size() != limit.y.size(); }))
    return "a listed value has not one part for each column of y";
  if (limit.at_most.den == 0) return "a limit is no fraction";
  return FindMalformedQuestion(view, releases, claim.against, claim.x, limit.y);
}

// Without earlier releases: what is left of it where none says anything.
XyLinkabilityClaim Over(XyLinkabilityClaim claim, std::span<const std::uint32_t> against) {
  claim.against.assign(against.begin(), against.end());
  if (against.empty()) std::erase_if(claim.x, [](const ReleaseColumn& at) { return at.release != 0; });
  return claim;
}

// Rows that match nothing say nothing of a column of an earlier release, so nothing of a combination with one; of their
// own columns they do.
Result<std::optional<std::string>> CheckOutside(const SomeRows& rows, const XyReleases& releases,
                                                const XyLinkabilityClaim& claim, std::size_t target) {
  const LinkabilityTarget& limit = claim.targets[target];
  if (!limit.IsHere()) return std::optional<std::string>();
  PENTIMENTO_ASSIGN(std::optional<GreatestLinkability> greatest,
                    FindGreatestLinkability(rows.view(), releases, Over(claim, {}), target));
  if (greatest) greatest->witness.row = rows.row_of_input(greatest->witness.row);
  return DescribeViolation(greatest, releases, limit);
}

}  // namespace

Result<std::optional<GreatestLinkability>> FindGreatestLinkability(const NewReleaseView& view,
                                                                   const XyReleases& releases,
                                                                   const XyLinkabilityClaim& claim, std::size_t target,
                                                                   CountingPath path) {
  if (auto wrong = FindMalformedTarget(view, releases, claim, target))
    return Error{ErrorCode::kInternal, *std::move(wrong)};
  const LinkabilityTarget& limit = claim.targets[target];
  const JoinQuestion question{.x = claim.x, .y = limit.y, .y_values = limit.values, .counts_weights = true};
  PENTIMENTO_ASSIGN(const JoinSides sides,
                    MakeSides(view, releases, TakingPart(claim.against), question,
                              [&](Relation& relation) { PrepareForLinkability(relation, path); }));
  const auto greatest = CountJoin<GreatestSoFar, LinkabilityCounter>(sides);
  if (greatest.is_uncountable)
    return Error{ErrorCode::kRefused,
                 "a value on x occurs in the join more often than can be counted, so nothing can be proved about it; "
                 "join with fewer releases at once"};
  if (!greatest.is_there) return std::optional<GreatestLinkability>();
  return std::optional(
      GreatestLinkability{greatest.share.num, greatest.share.den, FindWitness(sides, greatest.values)});
}

std::optional<XyViolation> FindXyLinkabilityViolation(const NewReleaseView& view, const XyReleases& releases,
                                                      const XyLinkabilityClaim& claim) {
  if (claim.targets.empty()) return XyViolation{XyFault::kInJoin, "the requirement limits nothing"};
  JoinWalk walk(view, releases);
  for (std::size_t target = 0; target < claim.targets.size(); ++target) {
    if (auto wrong = FindMalformedTarget(view, releases, claim, target))
      return XyViolation{XyFault::kInJoin, *std::move(wrong)};
    const LinkabilityTarget& limit = claim.targets[target];
    const auto of_join = [&](const NewReleaseView& rows,
                             std::span<const std::uint32_t> against) -> Result<std::optional<std::string>> {
      PENTIMENTO_ASSIGN(const auto greatest, FindGreatestLinkability(rows, releases, Over(claim, against), target));
      return DescribeViolation(greatest, releases, limit);
    };
    const auto of_outside = [&](const SomeRows& rows) { return CheckOutside(rows, releases, claim, target); };
    const JoinedColumns columns{claim.against, claim.x, limit.y};
    if (auto violation = walk.FindViolation(columns, claim.allows_dangling, {of_join, of_outside})) return violation;
  }
  return std::nullopt;
}

std::optional<std::string> DescribeViolation(const std::optional<GreatestLinkability>& greatest,
                                             const XyReleases& releases, const LinkabilityTarget& limit) {
  if (!greatest ||
      WideFraction{greatest->with_both, greatest->with_x} <= WideFraction{limit.at_most.num, limit.at_most.den})
    return std::nullopt;
  return fmt::format("a value on x occurs {}{}, {} of them with {}: more than the {} that are allowed ({})",
                     greatest->with_x == 1 ? "once" : fmt::format("{} times", greatest->with_x),
                     greatest->witness.records.empty() ? "" : " in the join", greatest->with_both,
                     limit.values.empty() ? "one value on y" : "the listed values on y", ToString(limit.at_most),
                     Describe(greatest->witness, releases));
}

}  // namespace pentimento
