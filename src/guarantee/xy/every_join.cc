#include "guarantee/xy/every_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "guarantee/xy/join_value_index.h"
#include "guarantee/xy/relation.h"

namespace pentimento {
namespace {

bool IsNamed(std::uint32_t release, std::span<const ReleaseColumn> x, std::span<const ReleaseColumn> y) {
  return std::ranges::find(x, release, &ReleaseColumn::release) != x.end() ||
         std::ranges::find(y, release, &ReleaseColumn::release) != y.end();
}

constexpr std::size_t kSearchesPerTask = 16;

// Looks for records of all the earlier releases that match a join value of the new one and each other.
class MatchSearch {
 public:
  MatchSearch(const NewReleaseView& view, const XyReleases& releases, std::span<const std::uint32_t> against)
      : links_(LinksAmong(releases, TakingPart(against))), own_(FindMatchValues(0, view, releases, links_)) {
    for (const std::uint32_t release : against)
      others_.push_back(FindMatchValues(release, view, releases, links_).relation);
    for (const Relation& other : others_) indices_.emplace_back(other, SharedLinks(own_.relation, other, links_));
    for (std::size_t right = 0; right < others_.size(); ++right) {
      for (std::size_t left = 0; left < right; ++left)
        between_.push_back(SharedLinks(others_[left], others_[right], links_));
    }
  }

  const MatchValues& own() const { return own_; }

  bool FindMatch(std::uint32_t j) const {
    std::vector<std::vector<std::uint32_t>> candidates;
    for (const JoinValueIndex& index : indices_) {
      candidates.push_back(index.FindMatches(own_.relation.join_value(j)));
      if (candidates.back().empty()) return false;
    }
    std::vector<std::uint32_t> chosen;
    return Extend(candidates, chosen);
  }

 private:
  bool Extend(std::span<const std::vector<std::uint32_t>> candidates, std::vector<std::uint32_t>& chosen) const {
    const std::size_t place = chosen.size();
    if (place == candidates.size()) return true;
    for (const std::uint32_t candidate : candidates[place]) {
      if (!MatchesAll(chosen, candidate)) continue;
      chosen.push_back(candidate);
      if (Extend(candidates, chosen)) return true;
      chosen.pop_back();
    }
    return false;
  }

  bool MatchesAll(std::span<const std::uint32_t> chosen, std::uint32_t candidate) const {
    const std::size_t right = chosen.size();
    for (std::size_t left = 0; left < right; ++left) {
      if (!JoinValuesMatch(between_[right * (right - 1) / 2 + left], others_[left].join_value(chosen[left]),
                           others_[right].join_value(candidate)))
        return false;
    }
    return true;
  }

  std::vector<JoinLink> links_;
  MatchValues own_;
  std::vector<Relation> others_;
  std::vector<JoinValueIndex> indices_;
  std::vector<std::vector<SharedLink>> between_;  // by pair of earlier releases: (0,1), (0,2), (1,2), (0,3), ...
};

// The rows of the new release that are in no match of a join. Ascending. The join is not built: for one join value
// after the other a first match is looked for, and its rows are inside as soon as there is one.
std::vector<std::uint32_t> FindRowsOutside(const NewReleaseView& view, const XyReleases& releases,
                                           std::span<const std::uint32_t> against) {
  const MatchSearch search(view, releases, against);
  const MatchValues& own = search.own();
  std::vector<char> is_inside(own.relation.join_count);  // a place of its own for each task to write to
  ParallelFor(is_inside.size(), kSearchesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) is_inside[j] = search.FindMatch(static_cast<std::uint32_t>(j)) ? 1 : 0;
  });
  std::vector<std::uint32_t> outside;
  for (std::uint32_t row = 0; row < own.of_row.size(); ++row) {
    if (is_inside[own.of_row[row]] == 0) outside.push_back(row);
  }
  return outside;
}

// Every non-empty selection of the releases in `against`, ascending, that holds each release of which x or y names a
// column: without it there is no value on x or on y to speak of. The last one is `against` itself. Without earlier
// releases: the new release alone.
std::vector<std::vector<std::uint32_t>> JoinsToVerify(std::span<const std::uint32_t> against,
                                                      std::span<const ReleaseColumn> x,
                                                      std::span<const ReleaseColumn> y) {
  std::vector<std::vector<std::uint32_t>> joins = {{}};
  for (const std::uint32_t release : against) {
    const std::size_t without = joins.size();
    for (std::size_t i = 0; i < without; ++i) {
      std::vector<std::uint32_t> with = joins[i];
      with.push_back(release);
      if (IsNamed(release, x, y)) {
        joins[i] = std::move(with);
      } else {
        joins.push_back(std::move(with));
      }
    }
  }
  if (!against.empty()) std::erase_if(joins, [](const std::vector<std::uint32_t>& join) { return join.empty(); });
  return joins;
}

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

std::optional<XyViolation> AsViolation(const Result<std::optional<std::string>>& checked, XyFault fault) {
  if (!checked.ok())
    return XyViolation{checked.error().code == ErrorCode::kRefused ? XyFault::kTooLarge : XyFault::kInJoin,
                       checked.error().message};
  if (!checked.value()) return std::nullopt;
  return XyViolation{fault, *checked.value()};
}

// "'immigration-2025' and 'housing-2025'"
std::string NamesOfReleases(std::span<const std::uint32_t> against, const XyReleases& releases) {
  std::string names;
  for (std::size_t place = 0; place < against.size(); ++place) {
    if (place > 0) names += place + 1 == against.size() ? " and " : ", ";
    names += fmt::format("'{}'", releases.earlier[against[place] - 1].name);
  }
  return names;
}

}  // namespace

std::size_t CountReleasesToChoose(std::span<const std::uint32_t> against, std::span<const ReleaseColumn> x,
                                  std::span<const ReleaseColumn> y) {
  return static_cast<std::size_t>(
      std::ranges::count_if(against, [&](std::uint32_t release) { return !IsNamed(release, x, y); }));
}

SomeRows::SomeRows(const NewReleaseView& view, std::vector<std::uint32_t> rows) : rows_(std::move(rows)) {
  draft_.columns = view.draft.columns;
  draft_.boxes = view.draft.boxes;
  for (const std::uint32_t row : rows_) draft_.of_row.push_back(view.draft.of_row[row]);
  columns_.reserve(view.exact.size());
  for (const CodeColumn* const from : view.exact) {
    CodeColumn& column = columns_.emplace_back(from->SameWidth());
    column.VisitMutable([&](auto& codes) { codes.resize(rows_.size()); });
    for (std::size_t row = 0; row < rows_.size(); ++row) column.Set(row, (*from)[rows_[row]]);
    exact_.push_back(&column);
  }
  if (view.persons == nullptr) return;
  persons_ = Persons{{}, view.persons->count};
  for (const std::uint32_t row : rows_) persons_->person_of_row.push_back(view.persons->person_of_row[row]);
}

std::optional<XyViolation> JoinWalk::FindViolation(const JoinedColumns& columns, bool allows_dangling,
                                                   const JoinCheck& check) {
  if (columns.against.empty()) return AsViolation(check.of_join(view_, {}), XyFault::kInJoin);
  if (CountReleasesToChoose(columns.against, columns.x, columns.y) > kMostReleasesToChoose)
    return XyViolation{XyFault::kTooLarge,
                       fmt::format("it is about so many earlier releases that not every selection of them is looked "
                                   "at: at most {} beside those that x and y name",
                                   kMostReleasesToChoose)};
  // With the join of all releases no smaller one is empty.
  if (RowsOutside(columns.against).size() == view_.rows()) {
    return XyViolation{
        XyFault::kEmptyJoin,
        fmt::format("no row of this table matches a record of {}{}, so it would promise nothing",
                    NamesOfReleases(columns.against, releases_), columns.against.size() > 1 ? " at once" : "")};
  }
  for (const std::vector<std::uint32_t>& against : JoinsToVerify(columns.against, columns.x, columns.y)) {
    if (auto violation = VerifyOne({against, columns.x, columns.y}, allows_dangling, check)) return violation;
  }
  return std::nullopt;
}

std::optional<XyViolation> JoinWalk::VerifyOne(const JoinedColumns& join, bool allows_dangling,
                                               const JoinCheck& check) {
  const std::vector<std::uint32_t>& outside = RowsOutside(join.against);
  // With one earlier release nothing has to be folded, and a violation can name a record of it.
  const bool needs_join = join.against.size() == 1 || !IsAboutRowsAlone(join);
  const auto inside = [&] {
    if (needs_join) return check.of_join(view_, join.against);
    if (outside.empty()) return check.of_join(view_, {});
    return check.of_join(SomeRows(view_, AllBut(outside, view_.rows())).view(), {});
  };
  if (auto violation = AsViolation(inside(), XyFault::kInJoin)) return violation;
  if (allows_dangling || outside.empty()) return std::nullopt;
  auto violation = AsViolation(check.of_outside(SomeRows(view_, outside)), XyFault::kOutsideJoin);
  if (violation && violation->fault == XyFault::kOutsideJoin)
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

}  // namespace pentimento
