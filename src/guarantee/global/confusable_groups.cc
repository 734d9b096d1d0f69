#include "guarantee/global/confusable_groups.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>

#include "base/parallel.h"
#include "guarantee/global/code_components.h"
#include "guarantee/global/long_column.h"
#include "guarantee/global/member_codes.h"

namespace pentimento {
namespace {

constexpr std::size_t kFew = 24;             // compared one by one at once
constexpr std::size_t kMostCompared = 64;    // one by one, where columns tell nothing
constexpr std::size_t kGroupsOfTask = 2048;  // sets that are worth a task
constexpr std::size_t kGroupsAtOnce = 64;    // between two looks at what is left to learn of a column
constexpr std::size_t kGroupsAhead = 8;
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

// Splits sets of groups until no column tells more: in one column alone there are more edges than in truth, so what it
// separates is separate. Sets are ranges of one common order, which tasks of their own rearrange.
class Splitting {
 public:
  explicit Splitting(const MemberCodes& members)
      : members_(members), order_(members.groups()), buffer_(order_.size()), keys_(order_.size()) {
    std::iota(order_.begin(), order_.end(), GroupId{0});
    leader_ = order_;
  }

  std::vector<GroupId> Run() {
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
    std::vector<std::uint32_t> places;
    std::vector<GroupSet> waiting;
    LongColumn long_column;
  };

  void Start(GroupSet set) {
    tasks_.Run([this, set] {
      Desk desk;
      desk.views.resize(members_.columns());
      desk.ranges.resize(members_.columns());
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

  std::span<const GroupId> GroupsOf(GroupSet set) const { return std::span(order_).subspan(set.begin, set.size()); }

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

  // Leaves the columns that may separate something.
  void LookAtColumns(GroupSet set, Desk& desk) const {
    desk.alive.clear();
    for (std::size_t c = 0; c < members_.columns(); ++c) {
      const Interval range = desk.ranges[c];
      if (range.lo == range.hi) continue;
      ColumnView& view = desk.views[c];
      const auto bits = static_cast<int>(std::bit_width(range.size() - 1));
      view.column = c;
      view.range = range;
      view.shift = bits <= 6 ? 0 : static_cast<unsigned>(bits - 6);
      view.components.Begin(view.BitOf(range.hi));
      desk.alive.push_back(&view);
    }
    for (std::size_t begin = set.begin; begin < set.end && !desk.alive.empty(); begin += kGroupsAtOnce) {
      const GroupSet block{begin, std::min(set.end, begin + kGroupsAtOnce)};
      for (ColumnView* view : desk.alive) AddGroups(block, *view);
      std::erase_if(desk.alive, [](const ColumnView* view) { return view->components.IsOne(); });
    }
  }

  void AddGroups(GroupSet block, ColumnView& view) const {
    for (const GroupId group : GroupsOf(block)) {
      const std::uint64_t codes = view.shift == 0 ? members_.Mask(group, view.column, view.range.lo)
                                                  : view.BitsOf(members_.Range(group, view.column));
      view.components.Add(codes, view.BitsOf(members_.Box(group, view.column)));
    }
  }

  // Notes the part of each group: all columns at once, as long as there are not more parts than groups by far.
  std::size_t NumberParts(GroupSet set, Desk& desk) {
    for (ColumnView* view : desk.alive) view->classes = view->components.Number();
    std::erase_if(desk.alive, [](const ColumnView* view) { return view->classes < 2; });
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
  bool MayFit(GroupId from, GroupId into) const {
    for (std::size_t c = 0; c < members_.columns(); ++c)
      if (!members_.HasCodeIn(from, c, members_.Box(into, c))) return false;
    return true;
  }

  // Each with each, and then all ways over others.
  void CompareAll(GroupSet set) {
    const std::span<const GroupId> groups = GroupsOf(set);
    std::array<std::uint64_t, kMostCompared> reach{};
    for (std::size_t b = 0; b < groups.size(); ++b)
      for (std::size_t a = 0; a < groups.size(); ++a)
        if (a == b || MayFit(groups[b], groups[a])) reach[b] |= std::uint64_t{1} << a;
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
    const GroupId smallest = std::ranges::min(GroupsOf(set));
    for (const GroupId group : GroupsOf(set)) leader_[group] = smallest;
  }

  const MemberCodes& members_;
  std::vector<GroupId> order_;
  std::vector<GroupId> buffer_;
  std::vector<std::uint32_t> keys_;
  std::vector<GroupId> leader_;  // by group
  TaskGroup tasks_;
};

}  // namespace

std::vector<GroupId> ConfusableGroups(const EncodedTable& table, std::span<const Domain> domains, CategoryForm form,
                                      const Draft& draft) {
  if (draft.columns == 0 || draft.group_count() < 2) return std::vector<GroupId>(draft.group_count(), 0);
  const MemberCodes members(table, domains, form, draft);
  return Splitting(members).Run();
}

}  // namespace pentimento
