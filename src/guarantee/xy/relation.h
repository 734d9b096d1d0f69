// One side of a join: a release, or several joined ones, as far as a requirement looks at it; and the links by which
// its rows match those of other sides.
//
// 1. Values are numbers: of a value on X or Y only matters which others are equal to it. The join values keep their
//    cells, for matching.
// 2. Rows stand for records that are alike in all that is looked at. This is where ten million rows become few.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "guarantee/xy/wide_count.h"
#include "guarantee/xy/xy_view.h"
#include "release/xy_releases.h"

namespace pentimento {

// The cells at both ends pass where one contains the other (path), where they have a code in common (overlap), or
// where they are not both inside the values that exclude each other (exclusion).
enum class LinkKind { kPath, kOverlap, kExclusion };

struct LinkEnd {
  ReleaseColumn at;
  Interval values;  // of an exclusion
};

struct JoinLink {
  LinkKind kind = LinkKind::kPath;
  LinkEnd left;
  LinkEnd right;
};

// The new release, and those that a requirement is against.
std::vector<std::uint32_t> TakingPart(std::span<const std::uint32_t> against);

// The links among these releases, each between two different ones. Common attributes and impossible pairs of other
// releases have none. Three releases with a common attribute have three links: being on one path is not transitive.
std::vector<JoinLink> LinksAmong(const XyReleases& releases, std::span<const std::uint32_t> taking_part);

// What a link looks at. Of an exclusion that is only whether the cell lies inside the values, as [1,1] or [0,0], so
// that rows that differ in nothing else have one join value.
inline Interval JoinCell(LinkKind kind, const LinkEnd& end, Interval cell) {
  if (kind != LinkKind::kExclusion) return cell;
  return end.values.Contains(cell) ? Interval{1, 1} : Interval{0, 0};
}

inline bool JoinCellsMatch(LinkKind kind, Interval left, Interval right) {
  if (kind == LinkKind::kPath) return left.Contains(right) || right.Contains(left);
  if (kind == LinkKind::kOverlap) return left.Intersects(right);
  return left.lo == 0 || right.lo == 0;
}

// Records with one value on X, one on the join columns and one on Y.
struct JoinRow {
  std::uint32_t x = 0;
  std::uint32_t j = 0;
  std::uint32_t y = 0;
  std::uint32_t source = 0;
};

struct Relation {
  std::vector<JoinRow> rows;
  std::uint32_t x_count = 0;

  // A number on y stands for this many values on Y, which occur in the same rows all of them; empty: one each. So the
  // 500 records of one row, which are different as records, need one row and not 500.
  std::vector<WideCount> values_of_y;
  std::uint32_t y_count = 0;
  bool has_y = false;            // some column of Y is in this relation
  bool ignores_first_y = false;  // values are listed: y = 0 is what no limit is for
  // Where values are listed and only some columns of Y are here, by y: inside which of them the rows are as far as
  // these columns go, ascending; of y = 0 there is none. Empty where all columns of Y are here: y = 1 are the listed
  // values.
  std::vector<std::vector<std::uint32_t>> listed_of_y;

  // Where rows come from.
  std::vector<WideCount> weight;  // by source: records, or tuples of records
  std::vector<std::uint32_t> releases;
  std::vector<std::uint64_t> example;  // by source, releases.size() each: a record

  // How rows match those of other relations: the numbers of the links that have one end here.
  std::vector<std::uint32_t> links;
  std::uint32_t join_count = 0;
  std::vector<Interval> join_cells;  // by j, links.size() each

  std::span<const Interval> join_value(std::uint32_t j) const {
    return std::span(join_cells).subspan(std::size_t{j} * links.size(), links.size());
  }
  WideCount values(std::uint32_t y) const { return values_of_y.empty() ? WideCount{1} : values_of_y[y]; }
};

// What is asked of a join.
struct JoinQuestion {
  std::span<const ReleaseColumn> x;
  std::span<const ReleaseColumn> y;
  std::span<const std::vector<Interval>> y_values;  // an interval for each of y: all rows inside one are one value
  bool counts_weights = false;                      // whether the weights of rows are looked at
};

// The rows of one release. Not in any order, and one (x, j, y) may stand there more than once.
Relation MakeRelation(std::uint32_t release, const NewReleaseView& view, const XyReleases& releases,
                      std::span<const JoinLink> links, const JoinQuestion& question);

// A release as far as matching looks at it: its join values alone.
struct MatchValues {
  Relation relation;                   // without rows
  std::vector<std::uint64_t> records;  // by join value
  std::vector<std::uint32_t> of_row;   // the join value of each row of the input, or of the earlier release
};
MatchValues FindMatchValues(std::uint32_t release, const NewReleaseView& view, const XyReleases& releases,
                            std::span<const JoinLink> links);

// Rows of two relations with these numbers on y are together inside a listed value; true where none are listed.
bool IsListed(const Relation& one, std::uint32_t y, const Relation& other, std::uint32_t other_y);

// Numbers sets of listed values in the order in which they are met; the empty set is 0.
class ListedNumbering {
 public:
  std::uint32_t Number(const std::vector<std::uint32_t>& listed) {
    const auto [found, is_new] = numbers_.try_emplace(listed, static_cast<std::uint32_t>(sets_.size()));
    if (is_new) sets_.push_back(listed);
    return found->second;
  }
  std::vector<std::vector<std::uint32_t>> sets() && { return std::move(sets_); }

 private:
  std::vector<std::vector<std::uint32_t>> sets_ = {{}};
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers_ = {{{}, 0}};
};

// One row that matches everything.
Relation NeutralRelation();

}  // namespace pentimento
