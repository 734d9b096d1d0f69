// (X,Y)-anonymity and (X,Y)-linkability over the lossy join of several releases, straight from their definitions, for
// tests: the join is built row by row, and everything is counted in it. Slow on purpose, and it knows nothing of the
// engine, not even its types.
//
// Every published cell is an interval of the codes of its attribute: an exact value is [v,v], a node of a taxonomy is
// the interval of its leaves, a range of numbers is itself. Two cells with the same interval are the same value, so a
// node with one child and that child are one value here. Release 0 is the new one, the others were published before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

namespace pentimento::oracle::join {

struct Interval {
  std::uint32_t lo = 0;
  std::uint32_t hi = 0;

  friend auto operator<=>(const Interval&, const Interval&) = default;
};

using Row = std::vector<Interval>;
using Value = std::vector<Interval>;  // one interval for each of some columns

struct Column {
  std::size_t release = 0;
  std::size_t column = 0;

  friend auto operator<=>(const Column&, const Column&) = default;
};

using Columns = std::vector<Column>;

// One attribute that several releases have. By path (categories) two cells match iff one contains the other, by overlap
// (numbers) iff they have a code in common.
struct CommonAttribute {
  Columns columns;
  bool by_overlap = false;
};

// Common sense about columns of two different releases: a cell inside the left values and a cell inside the right ones
// are never about one person. A cell that reaches beyond its values is not excluded.
struct ImpossiblePair {
  Column left;
  Interval left_values;
  Column right;
  Interval right_values;
};

struct Instance {
  std::vector<std::vector<Row>> releases;
  std::vector<CommonAttribute> common;
  std::vector<ImpossiblePair> impossible;
};

inline bool IsInside(Interval inner, Interval outer) { return outer.lo <= inner.lo && inner.hi <= outer.hi; }

inline bool CellsMatch(Interval one, Interval other, bool by_overlap) {
  if (by_overlap) return one.lo <= other.hi && other.lo <= one.hi;
  return IsInside(one, other) || IsInside(other, one);
}

// Whether row `row_r` of release r and row `row_s` of release s may be about the same person.
inline bool RowsMatch(const Instance& instance, std::size_t r, std::size_t row_r, std::size_t s, std::size_t row_s) {
  const Row& one = instance.releases.at(r).at(row_r);
  const Row& other = instance.releases.at(s).at(row_s);
  for (const CommonAttribute& attribute : instance.common) {
    for (const Column a : attribute.columns) {
      for (const Column b : attribute.columns) {
        if (a.release != r || b.release != s) continue;
        if (!CellsMatch(one.at(a.column), other.at(b.column), attribute.by_overlap)) return false;
      }
    }
  }
  for (const ImpossiblePair& pair : instance.impossible) {
    const bool as_given = pair.left.release == r && pair.right.release == s;
    const bool reversed = pair.left.release == s && pair.right.release == r;
    if (!as_given && !reversed) continue;
    const Row& left = as_given ? one : other;
    const Row& right = as_given ? other : one;
    if (IsInside(left.at(pair.left.column), pair.left_values) &&
        IsInside(right.at(pair.right.column), pair.right_values)) {
      return false;
    }
  }
  return true;
}

using Match = std::vector<std::size_t>;  // the place of one row in each release

// All tuples of rows, one of each release, of which every two match. "On the same path" is not transitive: that the
// rows of T2 and T3 each match a row of T1 does not mean that they match each other.
inline std::vector<Match> Join(const Instance& instance) {
  std::vector<Match> matches = {{}};
  for (std::size_t s = 0; s < instance.releases.size(); ++s) {
    std::vector<Match> longer;
    for (const Match& match : matches) {
      for (std::size_t row = 0; row < instance.releases[s].size(); ++row) {
        bool matches_all = true;
        for (std::size_t r = 0; r < s; ++r) matches_all = matches_all && RowsMatch(instance, r, match[r], s, row);
        if (!matches_all) continue;
        longer.push_back(match);
        longer.back().push_back(row);
      }
    }
    matches = longer;
  }
  return matches;
}

inline Value ValueAt(const Instance& instance, const Match& match, const Columns& columns) {
  Value value;
  for (const Column at : columns)
    value.push_back(instance.releases.at(at.release).at(match.at(at.release)).at(at.column));
  return value;
}

// The rows of each release that are part of no match.
inline std::vector<std::set<std::size_t>> DanglingRows(const Instance& instance) {
  std::vector<std::set<std::size_t>> dangling(instance.releases.size());
  for (std::size_t r = 0; r < instance.releases.size(); ++r) {
    for (std::size_t row = 0; row < instance.releases[r].size(); ++row) dangling[r].insert(row);
  }
  for (const Match& match : Join(instance)) {
    for (std::size_t r = 0; r < match.size(); ++r) dangling[r].erase(match[r]);
  }
  return dangling;
}

// a_Y(x) for every x of the join: the number of different values on Y that occur with it. With Y = the column that says
// who a row is about, these are persons and not rows.
inline std::map<Value, std::uint64_t> Anonymities(const Instance& instance, const Columns& x, const Columns& y) {
  if (y.empty()) throw std::invalid_argument("without columns in Y there is nothing to count");
  std::map<Value, std::set<Value>> met;
  for (const Match& match : Join(instance)) met[ValueAt(instance, match, x)].insert(ValueAt(instance, match, y));
  std::map<Value, std::uint64_t> anonymities;
  for (const auto& [value, ys] : met) anonymities[value] = ys.size();
  return anonymities;
}

struct LeastAnonymity {
  std::uint64_t anonymity = 0;  // A_Y(X)
  Value x;                      // the first value that has it
};

// Nothing for an empty join.
inline std::optional<LeastAnonymity> FindLeastAnonymity(const Instance& instance, const Columns& x, const Columns& y) {
  std::optional<LeastAnonymity> least;
  for (const auto& [value, anonymity] : Anonymities(instance, x, y)) {
    if (!least || anonymity < least->anonymity) least = {anonymity, value};
  }
  return least;
}

inline bool IsAnonymous(const Instance& instance, const Columns& x, const Columns& y, std::uint64_t k) {
  const auto least = FindLeastAnonymity(instance, x, y);
  return !least || least->anonymity >= k;
}

using ValueSet = std::set<Value>;  // any of these values

// No x may lead to any of the sets with a confidence above num/den. Without sets each value that occurs in the join is
// a set of its own. A row holds a set if its cells lie inside one of the values, so a listed node stands for its
// leaves.
struct LinkabilityLimit {
  Columns y;
  std::optional<std::vector<ValueSet>> sets;
  std::uint64_t num = 1;
  std::uint64_t den = 1;
};

// l_y(x) = a(x,y) / a(x) as the two counts. They are of rows of the join: equal rows count as often as they occur.
struct Linkability {
  std::uint64_t with_both = 0;
  std::uint64_t with_x = 0;
  Value x;
  ValueSet y;
};

inline bool Holds(const Value& value, const ValueSet& set) {
  return std::any_of(set.begin(), set.end(), [&](const Value& listed) {
    return std::equal(value.begin(), value.end(), listed.begin(), listed.end(), IsInside);
  });
}

// For every x of the join and every set, in this order, also where they never meet.
inline std::vector<Linkability> Linkabilities(const Instance& instance, const Columns& x,
                                              const LinkabilityLimit& limit) {
  if (limit.y.empty()) throw std::invalid_argument("without columns in Y there is nothing to infer");
  std::map<Value, std::vector<Value>> ys_of_x;
  std::set<Value> met;
  for (const Match& match : Join(instance)) {
    const Value y = ValueAt(instance, match, limit.y);
    ys_of_x[ValueAt(instance, match, x)].push_back(y);
    met.insert(y);
  }
  std::vector<Linkability> all;
  for (const auto& [value, ys] : ys_of_x) {
    if (limit.sets) {
      for (const ValueSet& set : *limit.sets) {
        const auto with_both = std::count_if(ys.begin(), ys.end(), [&](const Value& y) { return Holds(y, set); });
        all.push_back({static_cast<std::uint64_t>(with_both), ys.size(), value, set});
      }
    } else {
      for (const Value& y : met) {
        const auto with_both = std::count(ys.begin(), ys.end(), y);
        all.push_back({static_cast<std::uint64_t>(with_both), ys.size(), value, {y}});
      }
    }
  }
  return all;
}

// a/b > c/d without rounding, for any counts.
inline bool IsGreater(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
  __extension__ using Wide = unsigned __int128;
  return Wide{a} * d > Wide{c} * b;
}

// L_Y(X) with the first x and set that have it; nothing for an empty join, or an empty list of sets.
inline std::optional<Linkability> FindGreatestLinkability(const Instance& instance, const Columns& x,
                                                          const LinkabilityLimit& limit) {
  std::optional<Linkability> greatest;
  for (const Linkability& one : Linkabilities(instance, x, limit)) {
    if (!greatest || IsGreater(one.with_both, one.with_x, greatest->with_both, greatest->with_x)) greatest = one;
  }
  return greatest;
}

inline bool KeepsLimit(const Instance& instance, const Columns& x, const LinkabilityLimit& limit) {
  if (limit.den == 0) throw std::invalid_argument("a limit is a fraction");
  const auto greatest = FindGreatestLinkability(instance, x, limit);
  return !greatest || !IsGreater(greatest->with_both, greatest->with_x, limit.num, limit.den);
}

// The same releases without those that are not chosen: an attacker need not use all he has. The new one stays.
struct Selection {
  Instance instance;
  std::map<std::size_t, std::size_t> number;  // of a release in the instance, by its number before

  bool Has(const Columns& columns) const {
    return std::all_of(columns.begin(), columns.end(), [&](Column at) { return number.count(at.release) > 0; });
  }
  Column Here(Column at) const { return {number.at(at.release), at.column}; }
  Columns Here(Columns columns) const {
    for (Column& at : columns) at = Here(at);
    return columns;
  }
};

inline Selection Select(const Instance& all, const std::set<std::size_t>& chosen) {
  Selection selection;
  for (std::size_t release = 0; release < all.releases.size(); ++release) {
    if (release > 0 && chosen.count(release) == 0) continue;
    selection.number[release] = selection.instance.releases.size();
    selection.instance.releases.push_back(all.releases[release]);
  }
  for (const CommonAttribute& attribute : all.common) {
    CommonAttribute& kept = selection.instance.common.emplace_back();
    kept.by_overlap = attribute.by_overlap;
    for (const Column at : attribute.columns) {
      if (selection.Has({at})) kept.columns.push_back(selection.Here(at));
    }
  }
  for (const ImpossiblePair& pair : all.impossible) {
    if (!selection.Has({pair.left, pair.right})) continue;
    selection.instance.impossible.push_back(
        {selection.Here(pair.left), pair.left_values, selection.Here(pair.right), pair.right_values});
  }
  return selection;
}

// Every non-empty selection of the earlier releases `against` that has all these columns. Against nothing: the new
// release alone.
inline std::vector<Selection> Selections(const Instance& all, const std::vector<std::size_t>& against,
                                         const Columns& needed) {
  if (against.empty()) return {Select(all, {})};
  std::vector<Selection> selections;
  for (std::size_t bits = 1; bits < (std::size_t{1} << against.size()); ++bits) {
    std::set<std::size_t> chosen;
    for (std::size_t i = 0; i < against.size(); ++i) {
      if ((bits & (std::size_t{1} << i)) != 0) chosen.insert(against[i]);
    }
    Selection selection = Select(all, chosen);
    if (selection.Has(needed)) selections.push_back(selection);
  }
  return selections;
}

// The rows of the new release that the join leaves out, as a table by itself, and what columns are left of some.
inline Instance OutsideOf(const Instance& instance) {
  Instance outside;
  outside.releases.emplace_back();
  const std::set<std::size_t> dangling = DanglingRows(instance).at(0);
  for (const std::size_t row : dangling) outside.releases[0].push_back(instance.releases[0][row]);
  return outside;
}

inline Columns OfNewRelease(const Columns& columns) {
  Columns own;
  for (const Column at : columns) {
    if (at.release == 0) own.push_back(at);
  }
  return own;
}

// The requirement of a policy: over every selection of the releases that it is against. A row that matches nothing is
// its own x, with the values on Y that it has itself; an empty join promises nothing and fails. Against nothing no row
// is left out.
inline bool KeepsAnonymity(const Instance& all, const std::vector<std::size_t>& against, const Columns& x,
                           const Columns& y, std::uint64_t k, bool allows_dangling) {
  Columns needed = x;
  needed.insert(needed.end(), y.begin(), y.end());
  for (const Selection& selection : Selections(all, against, needed)) {
    if (!against.empty() && Join(selection.instance).empty()) return false;
    if (!IsAnonymous(selection.instance, selection.Here(x), selection.Here(y), k)) return false;
    const Instance outside = OutsideOf(selection.instance);
    if (allows_dangling || outside.releases[0].empty()) continue;
    std::map<Value, std::set<Value>> met;
    for (std::size_t row = 0; row < outside.releases[0].size(); ++row)
      met[ValueAt(outside, {row}, OfNewRelease(x))].insert(ValueAt(outside, {row}, OfNewRelease(y)));
    for (const auto& [value, ys] : met) {
      if (ys.size() < k) return false;
    }
  }
  return true;
}

inline bool KeepsLinkability(const Instance& all, const std::vector<std::size_t>& against, const Columns& x,
                             LinkabilityLimit limit, bool allows_dangling) {
  Columns needed = x;
  needed.insert(needed.end(), limit.y.begin(), limit.y.end());
  for (const Selection& selection : Selections(all, against, needed)) {
    if (!against.empty() && Join(selection.instance).empty()) return false;
    LinkabilityLimit here = limit;
    here.y = selection.Here(limit.y);
    if (!KeepsLimit(selection.instance, selection.Here(x), here)) return false;
    const Instance outside = OutsideOf(selection.instance);
    if (allows_dangling || OfNewRelease(limit.y) != limit.y) continue;
    if (!KeepsLimit(outside, OfNewRelease(x), limit)) return false;
  }
  return true;
}

// Finds a partner for row `left` by moving the partners of others (an augmenting path), `tried` rows left alone.
inline bool FindPartner(const std::vector<std::vector<bool>>& may_match, std::size_t left, std::set<std::size_t>& tried,
                        std::map<std::size_t, std::size_t>& left_of_right) {
  for (std::size_t right = 0; right < may_match[left].size(); ++right) {
    if (!may_match[left][right] || !tried.insert(right).second) continue;
    const auto taken = left_of_right.find(right);
    if (taken == left_of_right.end() || FindPartner(may_match, taken->second, tried, left_of_right)) {
      left_of_right[right] = left;
      return true;
    }
  }
  return false;
}

// Whether some pairing of all rows of two releases, each row with exactly one that it matches, pairs these two rows.
// Who knows that both releases are about the same people, one row each, can rule out every other pair of the join.
inline bool PerfectMatchingPossible(const Instance& instance, std::size_t r0, std::size_t row0, std::size_t r1,
                                    std::size_t row1) {
  const std::size_t rows = instance.releases.at(r0).size();
  if (instance.releases.at(r1).size() != rows || !RowsMatch(instance, r0, row0, r1, row1)) return false;
  std::vector<std::vector<bool>> may_match(rows, std::vector<bool>(rows, false));
  for (std::size_t left = 0; left < rows; ++left) {
    for (std::size_t right = 0; right < rows; ++right) {
      if ((left == row0) != (right == row1)) continue;  // these two are for each other
      may_match[left][right] = RowsMatch(instance, r0, left, r1, right);
    }
  }
  std::map<std::size_t, std::size_t> left_of_right;
  for (std::size_t left = 0; left < rows; ++left) {
    std::set<std::size_t> tried;
    if (!FindPartner(may_match, left, tried, left_of_right)) return false;
  }
  return true;
}

}  // namespace pentimento::oracle::join
