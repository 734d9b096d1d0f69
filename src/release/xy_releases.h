// Releases that somebody joins: the new one, as it would be published, and those that are out already. All that a
// verifier of (X,Y)-privacy looks at. Every cell is an interval of the codes of its attribute, as everywhere; columns
// that several releases have in common share one space of codes.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/ratio.h"

namespace pentimento {

// A column of one of the releases: release 0 is the new one, the others are those of XyReleases::earlier, from 1.
// The columns of the new release are its quasi-identifiers, then the columns that are published as they are.
struct ReleaseColumn {
  // As a column of Y: the person in the new release, the record in an earlier one. Nobody publishes it.
  static constexpr std::uint32_t kWho = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t release = 0;
  std::uint32_t column = 0;
  friend auto operator<=>(const ReleaseColumn&, const ReleaseColumn&) = default;
};

// An earlier release: its different rows, and how many records are like each of them.
struct EarlierRelease {
  std::string name;
  std::size_t columns = 0;
  std::vector<Interval> cells;         // `columns` per row
  std::vector<std::uint64_t> records;  // by row; never 0
  std::vector<std::uint64_t> example;  // by row: the number of a record like it, from 0, for messages

  std::size_t rows() const { return records.size(); }
  std::span<const Interval> row(std::size_t number) const {
    return std::span(cells).subspan(number * columns, columns);
  }
};

// One attribute that several releases have, at most one column of each. Two cells match where one contains the other
// (categories, which lie on one path then), or where they have a code in common (numbers).
struct CommonAttribute {
  std::vector<ReleaseColumn> columns;
  bool by_overlap = false;
};

// Common sense about columns of two different releases: a cell inside the left values and a cell inside the right ones
// are never about one person.
struct ImpossiblePair {
  ReleaseColumn left;
  Interval left_values;
  ReleaseColumn right;
  Interval right_values;
};

// Every value on X meets at least k values on Y, over the join of the new release with any selection of some earlier
// ones; and so does, by itself, every value on X of rows that such a join leaves out, unless these are allowed to
// dangle: xy_anonymity.md.
struct XyAnonymityClaim {
  std::vector<std::uint32_t> against;  // numbers of earlier releases, ascending; nothing: the new release alone
  std::vector<ReleaseColumn> x;
  std::vector<ReleaseColumn> y;
  std::uint64_t k = 0;
  bool allows_dangling = false;
};

// No value of a column, or no combination of values of several columns, is inferred from a value on X with more
// confidence than the limit.
struct LinkabilityTarget {
  std::vector<ReleaseColumn> y;  // of any releases that take part
  // An interval for each of y: a row whose cells lie inside one of these values counts, all of them together. Nothing:
  // each value that occurs by itself.
  std::vector<std::vector<Interval>> values;
  Ratio at_most;

  bool IsHere() const { return std::ranges::all_of(y, &IsOfNewRelease); }
  bool IsEarlier() const { return std::ranges::none_of(y, &IsOfNewRelease); }
  friend bool operator==(const LinkabilityTarget&, const LinkabilityTarget&) = default;

 private:
  static bool IsOfNewRelease(const ReleaseColumn& at) { return at.release == 0; }
};
struct XyLinkabilityClaim {
  std::vector<std::uint32_t> against;
  std::vector<ReleaseColumn> x;
  std::vector<LinkabilityTarget> targets;
  bool allows_dangling = false;
};

struct XyReleases {
  std::vector<EarlierRelease> earlier;
  std::vector<CommonAttribute> common;
  std::vector<ImpossiblePair> impossible;
  std::vector<XyAnonymityClaim> anonymity;
  std::vector<XyLinkabilityClaim> linkability;
};

}  // namespace pentimento
