#include "guarantee/global/confusable_groups.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "base/parallel.h"
#include "guarantee/form/rows_of_classes.h"

namespace pentimento {
namespace {

constexpr std::size_t kFew = 64;             // groups that are compared with each other at once
constexpr std::size_t kGroupsOfTask = 2048;  // that are worth a task of their own

// The codes that the rows of each group have, column by column, as pieces: intervals of codes that all count as there.
// 1. Every code of a row is in a piece of its group, and every piece in the group's box.
// 2. No other code is, but for intervals that were cut as intervals: such a box is one piece.
class CodesOfGroups {
 public:
  CodesOfGroups(const EncodedTable& table, std::span<const Domain> domains, CategoryForm form, const Classes& draft)
      : columns_(domains.size()), groups_(draft.count()), boxes_(draft.boxes), pieces_(columns_) {
    const RowsOfClasses rows = LayOutClasses(draft.of_row, groups_);
    const bool has_boxes = !boxes_.empty();
    std::vector<std::vector<Interval>> boxes_around(columns_);
    ParallelFor(columns_, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) {
        // Of two values there is nothing between the ends.
        const bool is_interval = domains[c].is_cut_anywhere(form) || domains[c].value_count() <= 2;
        const bool is_whole = is_interval && !domains[c].missing_code();
        if (has_boxes && is_whole) continue;
        table.quasi_identifiers[c].Visit([&]<typename Narrow>(std::span<const Narrow> codes) {
          std::vector<Narrow> by_group = ByClass(rows, codes);
          if (!has_boxes) boxes_around[c] = BoxesAround<Narrow>(by_group, rows);
          if (is_whole) return;
          const auto box_of = [&](ClassNumber group) { return has_boxes ? Box(group, c) : boxes_around[c][group]; };
          CutIntoPieces<Narrow>(by_group, rows, box_of, is_interval ? domains[c].value_count() : 0, pieces_[c]);
        });
      }
    });
    if (!has_boxes) KeepBoxes(boxes_around);
  }
  CodesOfGroups(const CodesOfGroups&) = delete;  // the boxes may be its own
  CodesOfGroups& operator=(const CodesOfGroups&) = delete;

  std::size_t columns() const { return columns_; }
  std::size_t groups() const { return groups_; }
  Interval Box(ClassNumber group, std::size_t column) const { return boxes_[std::size_t{group} * columns_ + column]; }
  // Ascending, never empty.
  std::span<const Interval> Pieces(ClassNumber group, std::size_t column) const {
    const PiecesOfColumn& of = pieces_[column];
    if (of.begin.empty()) return boxes_.subspan(std::size_t{group} * columns_ + column, 1);
    return std::span(of.pieces).subspan(of.begin[group], of.begin[group + 1] - of.begin[group]);
  }

 private:
  // Nothing where all boxes of a column are pieces.
  struct PiecesOfColumn {
    std::vector<std::uint32_t> begin;  // by group, and one more for the end
    std::vector<Interval> pieces;
  };

  template <typename Narrow>
  std::vector<Interval> BoxesAround(std::span<const Narrow> by_group, const RowsOfClasses& rows) const {
    std::vector<Interval> boxes(groups_);
    for (std::size_t group = 0; group < groups_; ++group) {
      const std::span<const Narrow> own = by_group.subspan(rows.begin[group], rows.size(group));
      if (own.empty()) continue;
      const auto [lo, hi] = std::ranges::minmax(own);
      boxes[group] = {lo, hi};
    }
    return boxes;
  }

  void KeepBoxes(const std::vector<std::vector<Interval>>& by_column) {
    around_.resize(groups_ * columns_);
    ParallelFor(groups_, kGroupsOfTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group)
        for (std::size_t c = 0; c < columns_; ++c) around_[group * columns_ + c] = by_column[c][group];
    });
    boxes_ = around_;
  }

  // Boxes below `past_intervals` were cut as intervals. One that holds the missing value beside others is the whole
  // domain, whatever was cut off.
  template <typename Narrow, typename BoxOf>
  void CutIntoPieces(std::span<Narrow> by_group, const RowsOfClasses& rows, const BoxOf& box_of, Code past_intervals,
                     PiecesOfColumn& of) const {
    const auto is_piece = [&](Interval box) { return box.lo == box.hi || box.hi < past_intervals; };
    ClassNumber first = 0;
    while (first < groups_ && is_piece(box_of(first))) ++first;
    if (first == groups_) return;
    std::vector<std::uint8_t> has_code;
    of.begin.reserve(groups_ + 1);
    of.pieces.reserve(groups_);
    for (ClassNumber group = 0; group < groups_; ++group) {
      of.begin.push_back(static_cast<std::uint32_t>(of.pieces.size()));
      const Interval box = box_of(group);
      if (is_piece(box)) {
        of.pieces.push_back(box);
      } else {
        AddPieces(by_group.subspan(rows.begin[group], rows.size(group)), box, has_code, of.pieces);
      }
    }
    of.begin.push_back(static_cast<std::uint32_t>(of.pieces.size()));
  }

  // The codes of one group, all of them in its box. `has_code`: memory for all groups.
  template <typename Narrow>
  static void AddPieces(std::span<Narrow> own, Interval box, std::vector<std::uint8_t>& has_code,
                        std::vector<Interval>& pieces) {
    constexpr std::size_t kCodesPerRow = 8;
    // A group without rows fits nowhere; it is taken to have one, which joins no less.
    if (own.empty()) return pieces.push_back({box.lo, box.lo});
    const std::size_t first = pieces.size();
    const auto add = [&](Code code) {
      if (pieces.size() > first && code <= pieces.back().hi + 1)
        pieces.back().hi = code;
      else
        pieces.push_back({code, code});
    };
    if (box.size() > kCodesPerRow * own.size()) {
      std::ranges::sort(own);
      for (const Code code : own) add(code);
      return;
    }
    has_code.assign(box.size(), 0);
    for (const Code code : own) has_code[code - box.lo] = 1;
    for (std::size_t i = 0; i < has_code.size(); ++i)
      if (has_code[i] != 0) add(box.lo + static_cast<Code>(i));
  }

  std::size_t columns_;
  std::size_t groups_;
  std::span<const Interval> boxes_;     // group after group
  std::vector<Interval> around_;        // those, where the draft has none
  std::vector<PiecesOfColumn> pieces_;  // by column
};

// A set of groups in one column alone, where b -> a is an edge if a piece of b meets the box of a. There are more edges
// than in truth, so groups that are in two strongly connected components here are not confusable.
//
// Pieces that overlap make up a run, and groups with a piece in one run fit into each other. So do, in steps, all
// groups whose runs are connected by groups with several pieces. The boxes of such a component are one interval
// together, and so is all that can be reached against the edges: the boxes of all runs in it, again and again.
// Components that reach the same are strongly connected. Keeps its memory from one call to the next.
class ColumnParts {
 public:
  // Returns how many parts the column makes of the groups.
  std::size_t Find(const CodesOfGroups& codes, std::span<const ClassNumber> groups, std::size_t column) {
    FindPlaces(codes, groups, column);
    if (FindRuns(codes, groups, column) == 1) return 1;
    JoinRuns(codes, groups, column);
    ReachBoxes(codes, groups, column);
    parts_ = reach_;
    std::ranges::sort(parts_);
    const auto repeated = std::ranges::unique(parts_);
    parts_.erase(repeated.begin(), repeated.end());
    return parts_.size();
  }

  // After Find(), of a group of its set: below what it returned.
  std::size_t PartOf(std::span<const Interval> pieces) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(parts_, reach_[RunOf(pieces[0])]) - parts_.begin());
  }

 private:
  // Codes become places, in their order: all codes of the set or, where these are many, the ends of pieces alone.
  void FindPlaces(const CodesOfGroups& codes, std::span<const ClassNumber> groups, std::size_t column) {
    constexpr std::size_t kCodesPerPiece = 4;
    std::size_t count = 0;
    range_ = {codes.Pieces(groups[0], column).front().lo, codes.Pieces(groups[0], column).back().hi};
    for (const ClassNumber group : groups) {
      const std::span<const Interval> pieces = codes.Pieces(group, column);
      range_ = {std::min(range_.lo, pieces.front().lo), std::max(range_.hi, pieces.back().hi)};
      count += pieces.size();
    }
    ends_.clear();
    if (range_.size() <= kCodesPerPiece * count) {
      places_ = range_.size();
      return;
    }
    for (const ClassNumber group : groups) {
      for (const Interval piece : codes.Pieces(group, column)) ends_.insert(ends_.end(), {piece.lo, piece.hi});
    }
    std::ranges::sort(ends_);
    const auto repeated = std::ranges::unique(ends_);
    ends_.erase(repeated.begin(), repeated.end());
    places_ = ends_.size();
  }

  std::size_t PlaceFrom(Code code) const {  // at or after the code
    if (ends_.empty()) return std::max(code, range_.lo) - range_.lo;
    return static_cast<std::size_t>(std::ranges::lower_bound(ends_, code) - ends_.begin());
  }
  std::size_t PlaceUpTo(Code code) const {  // at or before the code
    if (ends_.empty()) return std::min(code, range_.hi) - range_.lo;
    return static_cast<std::size_t>(std::ranges::upper_bound(ends_, code) - ends_.begin()) - 1;
  }
  std::uint32_t RunOf(Interval piece) const { return runs_up_to_[PlaceFrom(piece.lo)] - 1; }

  std::size_t FindRuns(const CodesOfGroups& codes, std::span<const ClassNumber> groups, std::size_t column) {
    opened_.assign(places_, 0);
    is_taken_.assign(places_, 0);
    for (const ClassNumber group : groups) {
      for (const Interval piece : codes.Pieces(group, column)) {
        const std::size_t first = PlaceFrom(piece.lo);
        is_taken_[first] = 1;
        if (piece.lo == piece.hi) continue;
        const std::size_t last = PlaceFrom(piece.hi);
        ++opened_[first], --opened_[last];
        is_taken_[last] = 1;
      }
    }
    runs_up_to_.resize(places_);
    std::uint32_t runs = 0;
    std::int32_t open = 0;
    for (std::size_t place = 0; place < places_; ++place) {
      if (open == 0 && is_taken_[place] != 0) ++runs;
      if (open != 0) is_taken_[place] = 1;
      runs_up_to_[place] = runs;
      open += opened_[place];
    }
    return runs;
  }

  void JoinRuns(const CodesOfGroups& codes, std::span<const ClassNumber> groups, std::size_t column) {
    parent_.resize(runs_up_to_.back());
    std::iota(parent_.begin(), parent_.end(), 0U);
    for (const ClassNumber group : groups) {
      const std::span<const Interval> pieces = codes.Pieces(group, column);
      std::uint32_t before = RunOf(pieces[0]);
      for (const Interval piece : pieces.subspan(1)) {
        const std::uint32_t run = RunOf(piece);
        if (run == before) continue;
        const std::uint32_t a = Root(before), b = Root(run);
        parent_[std::max(a, b)] = std::min(a, b);
        before = run;
      }
    }
  }

  std::uint32_t Root(std::uint32_t run) {
    while (parent_[run] != run) run = parent_[run] = parent_[parent_[run]];
    return run;
  }

  // For each run which other runs can be reached from it against the edges.
  void ReachBoxes(const CodesOfGroups& codes, std::span<const ClassNumber> groups, std::size_t column) {
    reach_.resize(parent_.size());
    for (std::uint32_t run = 0; run < reach_.size(); ++run) reach_[run] = {run, run};
    for (const ClassNumber group : groups) {
      const std::span<const Interval> pieces = codes.Pieces(group, column);
      const Interval box = codes.Box(group, column);
      if (pieces[0] == box) continue;
      const std::size_t first = PlaceFrom(box.lo);
      const std::uint32_t before = runs_up_to_[first] - is_taken_[first];
      Extend(reach_[Root(RunOf(pieces[0]))], {before, runs_up_to_[PlaceUpTo(box.hi)] - 1});
    }
    for (std::uint32_t run = 0; run < reach_.size(); ++run) reach_[run] = reach_[Root(run)];
    while (ReachFurther()) continue;
  }

  // Whatever is reached reaches further. Each call doubles how many steps are known, so there are few; whether any run
  // was found to reach more.
  bool ReachFurther() {
    const std::size_t runs = reach_.size();
    hulls_.resize(2 * runs);  // a tree: what all runs below a node reach
    std::ranges::copy(reach_, &hulls_[runs]);
    for (std::size_t node = runs - 1; node > 0; --node) {
      hulls_[node] = hulls_[2 * node];
      Extend(hulls_[node], hulls_[2 * node + 1]);
    }
    bool has_grown = false;
    for (Interval& reach : reach_) {
      const Interval before = reach;
      for (std::size_t lo = before.lo + runs, past = before.hi + runs + 1; lo < past; lo /= 2, past /= 2) {
        if (lo % 2 == 1) Extend(reach, hulls_[lo++]);
        if (past % 2 == 1) Extend(reach, hulls_[--past]);
      }
      has_grown = has_grown || reach != before;
    }
    return has_grown;
  }

  static void Extend(Interval& interval, Interval by) {
    interval = {std::min(interval.lo, by.lo), std::max(interval.hi, by.hi)};
  }

  Interval range_;
  std::vector<Code> ends_;  // empty: every code of the range is a place
  std::size_t places_ = 0;
  // By place.
  std::vector<std::int32_t> opened_;       // how many pieces begin here, less those that end here
  std::vector<std::uint8_t> is_taken_;     // whether it is in a run
  std::vector<std::uint32_t> runs_up_to_;  // how many runs begin up to here
  // By run.
  std::vector<std::uint32_t> parent_;
  std::vector<Interval> reach_;  // of runs
  std::vector<Interval> hulls_;
  std::vector<Interval> parts_;  // the different ones among them, ascending
};

// Groups begin .. end of the common order.
struct GroupSet {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

// Splits sets of groups, by one column after the other, until no column tells more. Sets are ranges of one common
// order, which tasks of their own rearrange.
class Splitting {
 public:
  explicit Splitting(const CodesOfGroups& codes)
      : codes_(codes), order_(codes.groups()), buffer_(order_.size()), parts_(order_.size()), leader_(order_.size()) {
    std::iota(order_.begin(), order_.end(), ClassNumber{0});
    std::iota(leader_.begin(), leader_.end(), ClassNumber{0});
  }

  // For each group the smallest that it is confusable with.
  std::vector<ClassNumber> Run() {
    Start({0, order_.size()});
    tasks_.Wait();
    return std::move(leader_);
  }

 private:
  // The memory of one task.
  struct Workspace {
    ColumnParts column;
    std::vector<std::uint32_t> places;
    std::vector<GroupSet> waiting;
  };

  void Start(GroupSet set) {
    tasks_.Run([this, set] {
      Workspace work;
      work.waiting.push_back(set);
      while (!work.waiting.empty()) {
        const GroupSet next = work.waiting.back();
        work.waiting.pop_back();
        Split(next, work);
      }
    });
  }

  void Split(GroupSet set, Workspace& work) {
    if (set.size() <= kFew) return CompareAll(set);
    const std::size_t parts = FindParts(set, work);
    if (parts > 1) return Divide(set, parts, work);
    const ClassNumber smallest = std::ranges::min(GroupsOf(set));
    for (const ClassNumber group : GroupsOf(set)) leader_[group] = smallest;
  }

  std::span<const ClassNumber> GroupsOf(GroupSet set) const { return std::span(order_).subspan(set.begin, set.size()); }

  // Notes the part of each group: by all columns at once, as long as there are not more parts than groups.
  std::size_t FindParts(GroupSet set, Workspace& work) {
    std::size_t parts = 1;
    for (std::size_t c = 0; c < codes_.columns() && parts * kFew <= set.size(); ++c) {
      const std::size_t of_column = work.column.Find(codes_, GroupsOf(set), c);
      if (of_column == 1 || (parts > 1 && parts * of_column > set.size())) continue;
      for (std::size_t i = set.begin; i < set.end; ++i) {
        const std::size_t before = parts == 1 ? 0 : parts_[i];
        parts_[i] = static_cast<std::uint32_t>(before + parts * work.column.PartOf(codes_.Pieces(order_[i], c)));
      }
      parts *= of_column;
    }
    return parts;
  }

  // Puts groups of one part side by side, and each part in the queue.
  void Divide(GroupSet set, std::size_t parts, Workspace& work) {
    work.places.assign(parts + 1, 0);
    for (std::size_t i = set.begin; i < set.end; ++i) ++work.places[parts_[i] + 1];
    std::partial_sum(work.places.begin(), work.places.end(), work.places.begin());
    for (std::size_t i = set.begin; i < set.end; ++i) buffer_[set.begin + work.places[parts_[i]]++] = order_[i];
    std::ranges::copy(std::span(buffer_).subspan(set.begin, set.size()), &order_[set.begin]);
    // The places have moved on to the ends of the parts.
    for (std::size_t part = 0, from = set.begin; part < parts; ++part) {
      const GroupSet next{from, set.begin + work.places[part]};
      from = next.end;
      if (next.size() >= kGroupsOfTask) {
        Start(next);
      } else if (next.size() > 1) {
        work.waiting.push_back(next);
      }
    }
  }

  bool BoxesIntersect(ClassNumber a, ClassNumber b) const {
    bool intersect = true;
    for (std::size_t c = 0; c < codes_.columns(); ++c) intersect &= codes_.Box(a, c).Intersects(codes_.Box(b, c));
    return intersect;
  }

  // Whether every column by itself has a row of `from` that fits.
  bool MayFit(ClassNumber from, ClassNumber into) const {
    for (std::size_t c = 0; c < codes_.columns(); ++c) {
      const Interval box = codes_.Box(into, c);
      if (std::ranges::none_of(codes_.Pieces(from, c), [&](Interval piece) { return piece.Intersects(box); }))
        return false;
    }
    return true;
  }

  // Each with each, and then all ways over others.
  void CompareAll(GroupSet set) {
    const std::span<const ClassNumber> groups = GroupsOf(set);
    std::array<std::uint64_t, kFew> reach{};  // as bits: the groups that can be reached
    bool has_edges = false;
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (!BoxesIntersect(groups[a], groups[b])) continue;
        reach[a] |= std::uint64_t{MayFit(groups[a], groups[b])} << b;
        reach[b] |= std::uint64_t{MayFit(groups[b], groups[a])} << a;
        has_edges = true;
      }
    }
    if (!has_edges) return;
    for (std::size_t over = 0; over < groups.size(); ++over) {
      for (std::size_t from = 0; from < groups.size(); ++from)
        if ((reach[from] >> over & 1) != 0) reach[from] |= reach[over];
    }
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = 0; b < groups.size(); ++b)
        if ((reach[a] >> b & reach[b] >> a & 1) != 0) leader_[groups[a]] = std::min(leader_[groups[a]], groups[b]);
    }
  }

  const CodesOfGroups& codes_;
  std::vector<ClassNumber> order_;
  std::vector<ClassNumber> buffer_;
  std::vector<std::uint32_t> parts_;  // in the common order, while a set is split
  std::vector<ClassNumber> leader_;   // by group
  TaskGroup tasks_;
};

}  // namespace

std::vector<ClassNumber> ConfusableGroups(const EncodedTable& table, std::span<const Domain> domains, CategoryForm form,
                                          const Classes& draft) {
  if (domains.empty() || draft.count() < 2) return std::vector<ClassNumber>(draft.count(), 0);
  return Splitting(CodesOfGroups(table, domains, form, draft)).Run();
}

}  // namespace pentimento
