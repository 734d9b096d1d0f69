#include "guarantee/xy/xy_anonymity.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "guarantee/xy/every_join.h"
#include "guarantee/xy/fold.h"
#include "guarantee/xy/join_counting.h"
#include "guarantee/xy/normal_form.h"
#include "guarantee/xy/well_formed_join.h"

namespace pentimento {
namespace {

struct LeastSoFar {
  bool is_there = false;
  WideCount values = 0;
  std::uint32_t one_x = 0;
  std::uint32_t others_x = 0;

  void Offer(const LeastSoFar& other) {
    if (!other.is_there || (is_there && values <= other.values)) return;
    *this = other;
  }
};

// Counts for one x of the new release after the other, against all values of the other side.
class AnonymityCounter {
 public:
  AnonymityCounter(const JoinSides& sides, const OtherSide& others)
      : sides_(sides), others_(others), values_(sides.others.x_count), seen_(others.pairs().size()) {}

  LeastSoFar Count(std::span<const JoinRow> rows) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const bool is_new_x = row > 0 && rows[row].x != rows[row - 1].x;
      if (is_new_x) Finish(rows[row - 1].x);
      // Each value on Y of the new release meets each pair of the other side once, at however many join values.
      if (row == 0 || is_new_x || rows[row].y != rows[row - 1].y) ++round_;
      Add(rows[row]);
    }
    if (!rows.empty()) Finish(rows.back().x);
    return least_;
  }

 private:
  void Add(const JoinRow& row) {
    const WideCount own = sides_.one.values(row.y);
    others_.ForEachMatch(row.j, [&](std::uint32_t pair, std::uint32_t) {
      if (seen_[pair] == round_) return;
      seen_[pair] = round_;
      const auto [x, y] = others_.pairs()[pair];
      if (values_[x] == 0) met_.push_back(x);
      values_[x] = AddCounts(values_[x], MultiplyCounts(own, sides_.others.values(y)));
    });
  }

  void Finish(std::uint32_t one_x) {
    for (const std::uint32_t x : met_) {
      least_.Offer({true, values_[x], one_x, x});
      values_[x] = 0;
    }
    met_.clear();
  }

  const JoinSides& sides_;
  const OtherSide& others_;
  std::vector<WideCount> values_;    // by x of the other side; 0: not met
  std::vector<std::uint64_t> seen_;  // by pair: the round in which it was met last
  std::vector<std::uint32_t> met_;
  std::uint64_t round_ = 0;
  LeastSoFar least_;
};

XyAnonymityClaim Over(XyAnonymityClaim claim, std::span<const std::uint32_t> against) {
  claim.against.assign(against.begin(), against.end());
  return claim;
}

// What is left of a requirement where no earlier release says anything.
XyAnonymityClaim OfNewReleaseAlone(XyAnonymityClaim claim) {
  const auto is_earlier = [](const ReleaseColumn& at) { return at.release != 0; };
  claim.against.clear();
  std::erase_if(claim.x, is_earlier);
  std::erase_if(claim.y, is_earlier);
  return claim;
}

// "3 people", "1 record of 'immigration-2025'", "2 values on y".
std::string DescribeValues(WideCount count, const XyReleases& releases, const XyAnonymityClaim& claim) {
  const char* plural = count == 1 ? "" : "s";
  if (claim.y.size() != 1 || claim.y[0].column != ReleaseColumn::kWho)
    return fmt::format("{} value{} on y", count, plural);
  if (claim.y[0].release == 0) return fmt::format("{} {}", count, count == 1 ? "person" : "people");
  return fmt::format("{} record{} of '{}'", count, plural, releases.earlier[claim.y[0].release - 1].name);
}

// Rows that match nothing: every value on X that they have, with the values on Y that they have themselves.
Result<std::optional<std::string>> CheckOutside(const SomeRows& rows, const XyReleases& releases,
                                                const XyAnonymityClaim& claim) {
  const XyAnonymityClaim own = OfNewReleaseAlone(claim);
  if (own.y.empty()) {
    if (claim.k <= 1) return std::optional<std::string>();
    return std::optional(fmt::format("a value on x meets no value on y, {} are required (row {} of the input has it)",
                                     claim.k, rows.row_of_input(0) + 1));
  }
  PENTIMENTO_ASSIGN(std::optional<LeastAnonymity> least, FindLeastAnonymity(rows.view(), releases, own));
  if (least) least->witness.row = rows.row_of_input(least->witness.row);
  return DescribeViolation(least, releases, own);
}

}  // namespace

Result<std::optional<LeastAnonymity>> FindLeastAnonymity(const NewReleaseView& view, const XyReleases& releases,
                                                         const XyAnonymityClaim& claim, CountingPath path) {
  if (auto wrong = FindMalformedQuestion(view, releases, claim.against, claim.x, claim.y))
    return Error{ErrorCode::kInternal, *std::move(wrong)};
  const JoinQuestion question{.x = claim.x, .y = claim.y, .y_values = {}, .counts_weights = false};
  PENTIMENTO_ASSIGN(const JoinSides sides, MakeSides(view, releases, TakingPart(claim.against), question,
                                                     [&](Relation& relation) { PrepareForAnonymity(relation, path); }));
  const auto least = CountJoin<LeastSoFar, AnonymityCounter>(sides);
  if (!least.is_there) return std::optional<LeastAnonymity>();
  const WitnessValues values{.one_x = least.one_x, .others_x = least.others_x};
  return std::optional(LeastAnonymity{least.values, FindWitness(sides, values)});
}

std::optional<XyViolation> FindXyAnonymityViolation(const NewReleaseView& view, const XyReleases& releases,
                                                    const XyAnonymityClaim& claim) {
  if (auto wrong = FindMalformedQuestion(view, releases, claim.against, claim.x, claim.y))
    return XyViolation{XyFault::kInJoin, *std::move(wrong)};
  const auto of_join = [&](const NewReleaseView& rows,
                           std::span<const std::uint32_t> against) -> Result<std::optional<std::string>> {
    const XyAnonymityClaim one = against.empty() ? OfNewReleaseAlone(claim) : Over(claim, against);
    PENTIMENTO_ASSIGN(const auto least, FindLeastAnonymity(rows, releases, one));
    return DescribeViolation(least, releases, one);
  };
  const auto of_outside = [&](const SomeRows& rows) { return CheckOutside(rows, releases, claim); };
  return JoinWalk(view, releases)
      .FindViolation({claim.against, claim.x, claim.y}, claim.allows_dangling, {of_join, of_outside});
}

std::optional<std::string> DescribeViolation(const std::optional<LeastAnonymity>& least, const XyReleases& releases,
                                             const XyAnonymityClaim& claim) {
  if (!least || least->values >= claim.k) return std::nullopt;
  return fmt::format("a value on x meets {}, {} are required ({})", DescribeValues(least->values, releases, claim),
                     claim.k, Describe(least->witness, releases));
}

}  // namespace pentimento
