#include "guarantee/xy/judge_joins.h"

#include <fmt/format.h>

#include <algorithm>

#include "guarantee/xy/joins_to_judge.h"
#include "guarantee/xy/link.h"

namespace pentimento {
namespace {

std::vector<std::uint32_t> AllBut(std::span<const std::uint32_t> left_out, std::size_t rows) {
  std::vector<std::uint32_t> others;
  std::size_t next = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (next < left_out.size() && left_out[next] == row) {
      ++next;
    } else {
      others.push_back(row);
    }
  }
  return others;
}

std::optional<JoinViolation> AsViolation(const Result<std::optional<std::string>>& judged, JoinFault fault) {
  if (!judged.ok())
    return JoinViolation{judged.error().code == ErrorCode::kRefused ? JoinFault::kTooLarge : JoinFault::kInJoin,
                         judged.error().message};
  if (!judged.value()) return std::nullopt;
  return JoinViolation{fault, *judged.value()};
}

}  // namespace

std::optional<JoinViolation> JoinWalk::FindViolation(const JoinedColumns& columns, bool allows_dangling,
                                                     const JoinJudge& judge) {
  if (columns.against.empty()) return AsViolation(judge.of_join(view_, {}), JoinFault::kInJoin);
  if (CountReleasesToChoose(columns.against, columns.x, columns.y) > kMostReleasesToChoose)
    return JoinViolation{JoinFault::kTooLarge,
                         fmt::format("it is about so many earlier releases that not every selection of them is looked "
                                     "at: at most {} beside those that x and y name",
                                     kMostReleasesToChoose)};
  // With the join of all releases no smaller one is empty.
  if (RowsOutside(columns.against).size() == view_.rows()) {
    return JoinViolation{
        JoinFault::kEmptyJoin,
        fmt::format("no row of this table matches a record of {}{}, so it would promise nothing",
                    NamesOfReleases(columns.against, releases_), columns.against.size() > 1 ? " at once" : "")};
  }
  for (const std::vector<std::uint32_t>& against : JoinsToJudge(columns.against, columns.x, columns.y)) {
    if (auto violation = JudgeOne({against, columns.x, columns.y}, allows_dangling, judge)) return violation;
  }
  return std::nullopt;
}

std::optional<JoinViolation> JoinWalk::JudgeOne(const JoinedColumns& join, bool allows_dangling,
                                                const JoinJudge& judge) {
  const std::vector<std::uint32_t>& outside = RowsOutside(join.against);
  // With one earlier release nothing has to be folded, and a violation can name a record of it.
  const bool needs_join = join.against.size() == 1 || !IsAboutRowsAlone(join);
  const auto inside = [&] {
    if (needs_join) return judge.of_join(view_, join.against);
    if (outside.empty()) return judge.of_join(view_, {});
    return judge.of_join(SomeRows(view_, AllBut(outside, view_.rows())).view(), {});
  };
  if (auto violation = AsViolation(inside(), JoinFault::kInJoin)) return violation;
  if (allows_dangling || outside.empty()) return std::nullopt;
  auto violation = AsViolation(judge.of_outside(SomeRows(view_, outside)), JoinFault::kOutsideJoin);
  if (violation && violation->fault == JoinFault::kOutsideJoin)
    violation->words += fmt::format(", and matches no record of {}", NamesOfReleases(join.against, releases_));
  return violation;
}

const std::vector<std::uint32_t>& JoinWalk::RowsOutside(std::span<const std::uint32_t> against) {
  const auto [found, is_new] =
      outside_.try_emplace(std::vector<std::uint32_t>(against.begin(), against.end()), std::vector<std::uint32_t>());
  if (is_new) found->second = FindRowsOutside(view_, releases_, against);
  return found->second;
}

bool JoinWalk::IsAboutRowsAlone(const JoinedColumns& join) const {
  if (std::ranges::any_of(join.y, [](const ReleaseColumn& at) { return at.release != 0; })) return false;
  const auto is_known = [&](const ReleaseColumn& at) {
    return at.release != 0 || std::ranges::find(join.x, at) != join.x.end();
  };
  return std::ranges::all_of(LinksAmong(releases_, TakingPart(join.against)),
                             [&](const JoinLink& link) { return is_known(link.left.at) && is_known(link.right.at); });
}

std::string NamesOfReleases(std::span<const std::uint32_t> against, const JoinedReleases& releases) {
  std::string names;
  for (std::size_t place = 0; place < against.size(); ++place) {
    if (place > 0) names += place + 1 == against.size() ? " and " : ", ";
    names += fmt::format("'{}'", releases.earlier[against[place] - 1].name);
  }
  return names;
}

}  // namespace pentimento
