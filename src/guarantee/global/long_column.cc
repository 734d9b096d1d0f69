#include "guarantee/global/long_column.h"

#include <algorithm>

namespace pentimento {
namespace {

constexpr Interval kUnknown{1, 0};

}  // namespace

std::size_t LongColumn::Number(const GroupCodes& members, std::span<const ClassNumber> groups, std::size_t column,
                               Interval range) {
  const std::size_t codes = range.size();
  first_ = range.lo;
  parent_.resize(codes);
  for (std::uint32_t code = 0; code < codes; ++code) parent_[code] = code;
  whole_.assign(codes, 0);
  occurs_.assign(codes, 0);
  box_.assign(codes, kUnknown);
  reached_.assign(codes, kUnknown);
  number_.assign(codes, 0);
  JoinCodes(members, groups, column);
  JoinWholeBoxes();
  NoteBoxes(members, groups, column, range);
  roots_.clear();
  for (std::uint32_t code = 0; code < codes; ++code) {
    // Parents are lower codes, so theirs is the root already.
    parent_[code] = parent_[parent_[code]];
    if (occurs_[code] != 0 && parent_[code] == code) roots_.push_back(code);
  }
  // The widest first: what they reach answers for whoever lies within.
  std::ranges::sort(roots_, [&](std::uint32_t a, std::uint32_t b) {
    return box_[a].size() != box_[b].size() ? box_[a].size() > box_[b].size() : a < b;
  });
  for (const std::uint32_t root : roots_) reached_[root] = Reach(root);
  std::ranges::sort(roots_, [&](std::uint32_t a, std::uint32_t b) { return reached_[a] < reached_[b]; });
  std::uint32_t classes = 0;
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    if (i == 0 || reached_[roots_[i]] != reached_[roots_[i - 1]]) ++classes;
    number_[roots_[i]] = classes - 1;
  }
  for (std::uint32_t code = 0; code < codes; ++code)
    if (occurs_[code] != 0) number_[code] = number_[parent_[code]];
  return classes;
}

void LongColumn::JoinCodes(const GroupCodes& members, std::span<const ClassNumber> groups, std::size_t column) {
  for (const ClassNumber group : groups) {
    const Interval range = members.Range(group, column);
    const std::uint32_t own = range.lo - first_;
    if (members.IsWhole(group, column)) {
      ++whole_[own];
      --whole_[range.hi - first_];
      continue;
    }
    occurs_[own] = 1;
    members.ForEachCode(group, column, [&](Code code) {
      occurs_[code - first_] = 1;
      Join(own, code - first_);
    });
  }
}

void LongColumn::JoinWholeBoxes() {
  std::int32_t open = 0;
  for (std::uint32_t code = 0; code < whole_.size(); ++code) {
    open += whole_[code];
    if (open == 0) continue;
    occurs_[code] = 1;
    occurs_[code + 1] = 1;
    Join(code, code + 1);
  }
}

// Groups that share a code have boxes that share it, so the boxes of a component are one interval together.
void LongColumn::NoteBoxes(const GroupCodes& members, std::span<const ClassNumber> groups, std::size_t column,
                           Interval range) {
  for (const ClassNumber group : groups) {
    const Interval box = members.Box(group, column);
    Interval& all = box_[Root(members.Range(group, column).lo - first_)];
    const Interval cut{std::max(box.lo, range.lo), std::min(box.hi, range.hi)};
    all = all == kUnknown ? cut : Interval{std::min(all.lo, cut.lo), std::max(all.hi, cut.hi)};
  }
}

// Goes from the component's boxes to those of all codes in them, and on. Stops early where a component is met that
// reaches all of what was asked for: the two reach the same.
Interval LongColumn::Reach(std::uint32_t root) const {
  Interval reach = box_[root];
  Code next_below = reach.lo, next_above = reach.lo;  // codes between them were looked at
  const auto look_at = [&](Code code) {
    const std::uint32_t at = code - first_;
    if (occurs_[at] == 0) return false;
    const std::uint32_t of = parent_[at];
    if (reached_[of] != kUnknown && reached_[of].Contains(reach)) {
      reach = reached_[of];
      return true;
    }
    reach = {std::min(reach.lo, box_[of].lo), std::max(reach.hi, box_[of].hi)};
    return false;
  };
  for (;;) {
    if (next_above <= reach.hi) {
      if (look_at(next_above++)) return reach;
    } else if (next_below > reach.lo) {
      if (look_at(--next_below)) return reach;
    } else {
      return reach;
    }
  }
}

std::uint32_t LongColumn::Root(std::uint32_t code) {
  while (parent_[code] != code) {
    parent_[code] = parent_[parent_[code]];
    code = parent_[code];
  }
  return code;
}

void LongColumn::Join(std::uint32_t a, std::uint32_t b) {
  a = Root(a);
  b = Root(b);
  if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

}  // namespace pentimento
