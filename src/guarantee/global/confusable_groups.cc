#include "guarantee/global/confusable_groups.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

#include "base/parallel.h"
#include "guarantee/global/code_components.h"
#include "guarantee/global/group_codes.h"
#include "guarantee/global/long_column.h"

namespace pentimento {
namespace {

constexpr std::size_t kFew = 32;             // compared one by one at once
constexpr std::size_t kMostCompared = 64;    // one by one, where columns tell nothing
constexpr std::size_t kGroupsOfTask = 2048;  // sets that are worth a task
constexpr std::size_t kGroupsAtOnce = 64;    // between two looks at what is left to learn of a column
constexpr std::size_t kGroupsAhead = 8;
constexpr std::size_t kEnough = 16;  // groups in a part that is small enough
constexpr std::size_t kMostParts = std::size_t{1} << 16;

// Groups begin .. end of the common order.
struct GroupSet {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

// What a set of groups looks like in one column: codes from the lowest one, several to a bit where there are many.
struct ColumnView {
  std::size_t column = 0;
  Interval range;
  unsigned shift = 0;
  std::size_t classes = 0;
  CodeComponents components;

  unsigned BitOf(Code code) const { return (code - range.lo) >> shift; }
  std::uint64_t BitsOf(Interval codes) const {
    return MaskOf(BitOf(std::max(codes.lo, range.lo)), BitOf(std::min(codes.hi, range.hi)));
  }
};

// The boxes of up to 64 groups in one column, four of which are compared at once.
class ComparedBoxes {
 public:
  void Set(std::size_t group, Interval box) {
    lo_[group / 4][group % 4] = Signed(box.lo);
    hi_[group / 4][group % 4] = Signed(box.hi);
  }

  // As bits: which of the first `groups` boxes lie outside of these codes. Bits beyond mean nothing.
  std::uint64_t Outside(Interval codes, std::size_t groups) const {
    const Four lowest = Four{} + Signed(codes.lo), highest = Four{} + Signed(codes.hi);
    std::uint64_t outside = 0;
    for (std::size_t first = 0; first < groups; first += 32) {
      Four bit{1, 2, 4, 8};
      Four found{};
      for (std::size_t i = first / 4; i < std::min(first + 32, groups + 3) / 4; ++i, bit <<= 4)
        found |= ((lo_[i] > highest) | (hi_[i] < lowest)) & bit;
      const auto together = static_cast<std::uint32_t>(found[0] | found[1] | found[2] | found[3]);
      outside |= std::uint64_t{together} << first;
    }
    return outside;
  }

 private:
  typedef std::int32_t Four __attribute__((vector_size(16)));
  // In the same order. Signed numbers are compared faster.
  static std::int32_t Signed(Code code) { return static_cast<std::int32_t>(code ^ 0x80000000U); }

  std::array<Four, kMostCompared / 4> lo_;
  std::array<Four, kMostCompared / 4> hi_;
};

// Splits sets of groups until no column tells more: in one column alone there are more edges than in truth, so what it
// separates is separate. Sets are ranges of one common order, which tasks of their own rearrange.
class Splitting {
 public:
  // Of these groups, none of which is confusable with any other.
  Splitting(const GroupCodes& members, std::vector<ClassNumber> groups)
      : members_(members),
        order_(std::move(groups)),
        buffer_(order_.size()),
        keys_(order_.size()),
        leader_(members.groups()) {
    std::iota(leader_.begin(), leader_.end(), ClassNumber{0});
  }

  // For each group, those that were not asked for included, the smallest that it is confusable with.
  std::vector<ClassNumber> Run() {
    Start({0, order_.size()});
    tasks_.Wait();
    return std::move(leader_);
  }

 private:
  // The memory of one task.
  struct Desk {
    std::vector<ColumnView> views;
    std::vector<ColumnView*> alive;
    std::vector<Interval> ranges;
    std::vector<std::size_t> merit;       // by column: how many parts it made lately
    std::vector<std::size_t> best_first;  // columns
    std::vector<std::uint32_t> places;
    std::vector<GroupSet> waiting;
    LongColumn long_column;
  };

  void Start(GroupSet set) {
    tasks_.Run([this, set] {
      Desk desk;
      desk.views.resize(members_.columns());
      desk.ranges.resize(members_.columns());
      desk.merit.resize(members_.columns());
      desk.best_first.resize(members_.columns());
      std::iota(desk.best_first.begin(), desk.best_first.end(), std::size_t{0});
      desk.waiting.push_back(set);
      while (!desk.waiting.empty()) {
        const GroupSet next = desk.waiting.back();
        desk.waiting.pop_back();
        Split(next, desk);
      }
    });
  }

  void Split(GroupSet set, Desk& desk) {
    if (set.size() < 2) return;
    if (set.size() <= kFew) return CompareAll(set);
    FindRanges(set, desk);
    LookAtColumns(set, desk);
    const std::size_t parts = NumberParts(set, desk);
    if (parts > 1) return Divide(set, parts, desk);
    if (set.size() <= kMostCompared) return CompareAll(set);
    for (std::size_t c = 0; c < members_.columns(); ++c) {
      if (desk.ranges[c].size() <= kMaskBits) continue;
      const std::size_t classes = desk.long_column.Number(members_, GroupsOf(set), c, desk.ranges[c]);
      if (classes < 2) continue;
      for (std::size_t i = set.begin; i < set.end; ++i)
        keys_[i] = static_cast<std::uint32_t>(desk.long_column.NumberOf(members_.Range(order_[i], c).lo));
      return Divide(set, classes, desk);
    }
    Join(set);
  }

  std::span<const ClassNumber> GroupsOf(GroupSet set) const { return std::span(order_).subspan(set.begin, set.size()); }

  void FindRanges(GroupSet set, Desk& desk) const {
    const std::size_t columns = members_.columns();
    std::copy_n(members_.Ranges(order_[set.begin]), columns, desk.ranges.begin());
    for (std::size_t i = set.begin + 1; i < set.end; ++i) {
      if (i + kGroupsAhead < set.end) __builtin_prefetch(members_.Ranges(order_[i + kGroupsAhead]));
      const Interval* const own = members_.Ranges(order_[i]);
      for (std::size_t c = 0; c < columns; ++c) {
        desk.ranges[c].lo = std::min(desk.ranges[c].lo, own[c].lo);
        desk.ranges[c].hi = std::max(desk.ranges[c].hi, own[c].hi);
      }
    }
  }

  ColumnView& Begin(std::size_t column, Desk& desk) const {
    ColumnView& view = desk.views[column];
    view.column = column;
    view.range = desk.ranges[column];
    const auto bits = static_cast<int>(std::bit_width(view.range.size() - 1));
    view.shift = bits <= 6 ? 0 : static_cast<unsigned>(bits - 6);
    view.components.Begin(view.BitOf(view.range.hi));
    return view;
  }

  // Until the columns make enough parts of the set, first those that told most of other sets. Leaves those that
  // separate something.
  void LookAtColumns(GroupSet set, Desk& desk) const {
    desk.alive.clear();
    std::ranges::sort(desk.best_first, std::greater<>(),
                      [&](std::size_t c) { return std::pair(desk.merit[c], members_.columns() - c); });
    std::size_t parts = 1;
    for (const std::size_t c : desk.best_first) {
      if (parts * kEnough >= set.size()) return;
      if (desk.ranges[c].lo == desk.ranges[c].hi) continue;
      ColumnView& view = Begin(c, desk);
      for (std::size_t begin = set.begin; begin < set.end && !view.components.IsOne(); begin += kGroupsAtOnce)
        AddGroups({begin, std::min(set.end, begin + kGroupsAtOnce)}, view);
      view.classes = view.components.IsOne() ? 1 : view.components.Number();
      desk.merit[c] = (7 * desk.merit[c] + 256 * std::min<std::size_t>(view.classes - 1, 15)) / 8;
      if (view.classes < 2) continue;
      desk.alive.push_back(&view);
      parts *= view.classes;
    }
  }

  void AddGroups(GroupSet block, ColumnView& view) const {
    for (const ClassNumber group : GroupsOf(block)) {
      const std::uint64_t codes = view.shift == 0 ? members_.Mask(group, view.column, view.range.lo)
                                                  : view.BitsOf(members_.Range(group, view.column));
      view.components.Add(codes, view.BitsOf(members_.Box(group, view.column)));
    }
  }

  // Notes the part of each group: all columns at once, as long as there are not more parts than groups by far.
  std::size_t NumberParts(GroupSet set, Desk& desk) {
    std::ranges::stable_sort(desk.alive, std::greater<>(), [](const ColumnView* view) { return view->classes; });
    std::size_t parts = 1;
    for (const ColumnView* view : desk.alive) {
      if (parts > 1 && parts * view->classes > std::min(kMostParts, set.size())) break;
      for (std::size_t i = set.begin; i < set.end; ++i) {
        const std::size_t number = view->components.NumberOf(view->BitOf(members_.Range(order_[i], view->column).lo));
        keys_[i] = static_cast<std::uint32_t>((parts == 1 ? 0 : keys_[i]) + parts * number);
      }
      parts *= view->classes;
    }
    return parts;
  }

  // Puts groups of one part side by side, and each part in the queue.
  void Divide(GroupSet set, std::size_t parts, Desk& desk) {
    desk.places.assign(parts + 1, 0);
    for (std::size_t i = set.begin; i < set.end; ++i) ++desk.places[keys_[i] + 1];
    std::partial_sum(desk.places.begin(), desk.places.end(), desk.places.begin());
    for (std::size_t i = set.begin; i < set.end; ++i) buffer_[set.begin + desk.places[keys_[i]]++] = order_[i];
    const auto begin = static_cast<std::ptrdiff_t>(set.begin), end = static_cast<std::ptrdiff_t>(set.end);
    std::copy(buffer_.begin() + begin, buffer_.begin() + end, order_.begin() + begin);
    // The places have moved on to the ends of the parts.
    for (std::size_t part = 0, from = set.begin; part < parts; ++part) {
      const GroupSet next{from, set.begin + desk.places[part]};
      from = next.end;
      if (next.size() >= kGroupsOfTask) {
        Start(next);
      } else if (next.size() > 1) {
        desk.waiting.push_back(next);
      }
    }
  }

  // Whether every column by itself has a row of `from` that fits.
  bool MayFit(ClassNumber from, ClassNumber into) const {
    for (std::size_t c = 0; c < members_.columns(); ++c)
      if (!members_.HasCodeIn(from, c, members_.Box(into, c))) return false;
    return true;
  }

  // For each group, as bits: the groups whose boxes its codes may be in, by their lowest and highest alone.
  std::array<std::uint64_t, kMostCompared> RoughEdges(std::span<const ClassNumber> groups) const {
    std::array<std::uint64_t, kMostCompared> edges;
    edges.fill(~std::uint64_t{0} >> (64 - groups.size()));
    for (std::size_t c = 0; c < members_.columns(); ++c) {
      ComparedBoxes boxes;
      // The last of them as often as four need it.
      for (std::size_t a = 0; a < (groups.size() + 3) / 4 * 4; ++a)
        boxes.Set(a, members_.Box(groups[std::min(a, groups.size() - 1)], c));
      for (std::size_t b = 0; b < groups.size(); ++b) {
        // Nearly always nothing but the group itself is left after a few columns.
        if ((edges[b] & (edges[b] - 1)) != 0) edges[b] &= ~boxes.Outside(members_.Range(groups[b], c), groups.size());
      }
    }
    return edges;
  }

  // Each with each, and then all ways over others.
  void CompareAll(GroupSet set) {
    const std::span<const ClassNumber> groups = GroupsOf(set);
    std::array<std::uint64_t, kMostCompared> reach = RoughEdges(groups);
    bool has_edges = false;
    for (std::size_t b = 0; b < groups.size(); ++b) {
      const std::uint64_t own = std::uint64_t{1} << b;
      for (std::uint64_t left = reach[b] & ~own; left != 0; left &= left - 1) {
        if (!MayFit(groups[b], groups[static_cast<std::size_t>(std::countr_zero(left))])) reach[b] ^= left & -left;
      }
      has_edges = has_edges || reach[b] != own;
    }
    if (!has_edges) return;
    for (std::size_t over = 0; over < groups.size(); ++over)
      for (std::size_t b = 0; b < groups.size(); ++b)
        if ((reach[b] >> over & 1) != 0) reach[b] |= reach[over];
    for (std::size_t b = 0; b < groups.size(); ++b) {
      for (std::uint64_t left = reach[b]; left != 0; left &= left - 1) {
        const auto a = static_cast<std::size_t>(std::countr_zero(left));
        if ((reach[a] >> b & 1) != 0) leader_[groups[b]] = std::min(leader_[groups[b]], groups[a]);
      }
    }
  }

  void Join(GroupSet set) {
    const ClassNumber smallest = std::ranges::min(GroupsOf(set));
    for (const ClassNumber group : GroupsOf(set)) leader_[group] = smallest;
  }

  const GroupCodes& members_;
  std::vector<ClassNumber> order_;
  std::vector<ClassNumber> buffer_;
  std::vector<std::uint32_t> keys_;
  std::vector<ClassNumber> leader_;  // by group
  TaskGroup tasks_;
};

// By group: whether it is confusable with another one.
std::vector<std::uint8_t> SharedGroups(std::span<const ClassNumber> leader) {
  std::vector<std::uint8_t> is_shared(leader.size());
  for (ClassNumber group = 0; group < leader.size(); ++group) {
    if (leader[group] == group) continue;
    is_shared[group] = 1;
    is_shared[leader[group]] = 1;
  }
  return is_shared;
}

}  // namespace

std::vector<ClassNumber> ConfusableGroups(const EncodedTable& table, std::span<const Domain> domains, CategoryForm form,
                                          const Classes& draft) {
  if (draft.columns == 0 || draft.count() < 2) return std::vector<ClassNumber>(draft.count(), 0);
  GroupCodes members(table, domains, form, draft);
  std::vector<ClassNumber> groups(draft.count());
  std::iota(groups.begin(), groups.end(), ClassNumber{0});
  std::vector<ClassNumber> leader = Splitting(members, groups).Run();
  // In large boxes runs of codes took the place of codes. Whoever is alone by these is on no circle and in nobody's
  // way; the others are looked at once more, code by code.
  std::erase_if(groups, [is_shared = SharedGroups(leader)](ClassNumber group) { return is_shared[group] == 0; });
  if (groups.empty() || !members.ListCodes(table, groups)) return leader;
  return Splitting(members, std::move(groups)).Run();
}

}  // namespace pentimento
