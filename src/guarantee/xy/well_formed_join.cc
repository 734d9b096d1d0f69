#include "guarantee/xy/well_formed_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace pentimento {
namespace {

std::size_t ColumnCount(const NewReleaseView& view, const XyReleases& releases, std::uint32_t release) {
  return release == 0 ? view.columns() : releases.earlier[release - 1].columns;
}

bool IsThere(const NewReleaseView& view, const XyReleases& releases, ReleaseColumn at) {
  return at.release <= releases.earlier.size() && at.column < ColumnCount(view, releases, at.release);
}

std::optional<std::string> FindMalformedView(const NewReleaseView& view) {
  if (view.rows() >= std::numeric_limits<std::uint32_t>::max())
    return fmt::format("{} rows are more than can be verified at once", view.rows());
  for (std::size_t c = 0; c < view.exact.size(); ++c) {
    if (view.exact[c]->size() != view.rows())
      return fmt::format("column {} of those published as they are has {} codes for {} rows", c + 1,
                         view.exact[c]->size(), view.rows());
  }
  if (view.persons != nullptr && view.persons->person_of_row.size() != view.rows())
    return fmt::format("{} rows have a person, the table has {}", view.persons->person_of_row.size(), view.rows());
  if (view.persons != nullptr) {
    const std::uint32_t count = view.persons->count;
    if (std::ranges::any_of(view.persons->person_of_row, [&](std::uint32_t person) { return person >= count; }))
      return "a row is about a person who is not counted";
  }
  return std::nullopt;
}

std::optional<std::string> FindMalformedRelease(const EarlierRelease& release) {
  const bool fits = release.cells.size() == release.rows() * release.columns &&
                    release.example.size() == release.rows() &&
                    release.rows() < std::numeric_limits<std::uint32_t>::max();
  if (!fits) return fmt::format("the rows of '{}' have not one cell per column, or no record", release.name);
  if (std::ranges::any_of(release.cells, [](Interval cell) { return cell.lo > cell.hi; }))
    return fmt::format("a cell of '{}' ends before it begins", release.name);
  std::uint64_t records = 0;
  for (const std::uint64_t some : release.records) {
    if (some == 0 || __builtin_add_overflow(records, some, &records))
      return fmt::format("the rows of '{}' stand for no records, or for more than can be counted", release.name);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindMalformedJoin(const NewReleaseView& view, const XyReleases& releases,
                                             std::span<const std::uint32_t> against) {
  if (auto wrong = FindMalformedView(view)) return wrong;
  for (std::size_t place = 0; place < against.size(); ++place) {
    if (against[place] == 0 || against[place] > releases.earlier.size() ||
        (place > 0 && against[place] <= against[place - 1]))
      return "a requirement is about earlier releases that are not there, or not in order";
    if (auto wrong = FindMalformedRelease(releases.earlier[against[place] - 1])) return wrong;
  }
  for (const CommonAttribute& attribute : releases.common) {
    for (const ReleaseColumn& at : attribute.columns) {
      if (!IsThere(view, releases, at)) return "a common attribute names a column that is not there";
    }
  }
  for (const ImpossiblePair& pair : releases.impossible) {
    if (!IsThere(view, releases, pair.left) || !IsThere(view, releases, pair.right))
      return "an impossible pair names a column that is not there";
  }
  return std::nullopt;
}

std::optional<std::string> FindMalformedQuestion(const NewReleaseView& view, const XyReleases& releases,
                                                 std::span<const std::uint32_t> against,
                                                 std::span<const ReleaseColumn> x, std::span<const ReleaseColumn> y) {
  if (auto wrong = FindMalformedJoin(view, releases, against)) return wrong;
  const auto takes_part = [&](const ReleaseColumn& at) {
    return at.release == 0 || std::ranges::find(against, at.release) != against.end();
  };
  for (const ReleaseColumn& at : x) {
    if (!takes_part(at) || !IsThere(view, releases, at)) return "x names a column that is not in the join";
  }
  if (y.empty()) return "y names no column, so there is nothing to count";
  for (const ReleaseColumn& at : y) {
    if (!takes_part(at) || (at.column != ReleaseColumn::kWho && !IsThere(view, releases, at)))
      return "y names a column that is not in the join";
  }
  return std::nullopt;
}

}  // namespace pentimento
