// The members of a node in the order of their codes in one column, and whether ranges of them may be classes. Slower
// than bins, and for every number of limits, people and rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/limits/growing_class.h"
#include "anonymize/partition/class_limits.h"
#include "anonymize/partition/class_parts.h"
#include "anonymize/partition/node_view.h"
#include "base/interval.h"

namespace pentimento::partition {

template <typename Rows>
class OrderedMembers {
 public:
  OrderedMembers(const Rows& rows, const ClassLimits& limits)
      : rows_(&rows), limits_(&limits), growing_{Growing(limits.rule), Growing(limits.rule)} {}

  void Load(const NodeView& node, std::size_t column) {
    Gather(node, column);
    const Interval codes = node.members[column];
    if ((codes.hi - codes.lo) / 4 <= members_.size()) {
      SortByCounting(codes);
    } else {
      std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) { return a.code < b.code; });
    }
    slots_.clear();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (i == 0 || members_[i - 1].code != members_[i].code) slots_.push_back({members_[i].code, i});
    }
    for (Growing& growing : growing_) growing.Forget();
  }

  // From left to right.
  std::span<const CodeSlot> slots() const { return slots_; }

  // The slots [first, past). Two ranges are remembered, each by its own number: one that only grows to the right is
  // passed over once.
  ClassPart Of(std::size_t first, std::size_t past, std::size_t which = 0) {
    Growing& growing = growing_[which];
    const std::size_t first_member = slots_[first].first;
    const std::size_t past_member = past < slots_.size() ? slots_[past].first : members_.size();
    if (growing.first != first_member || growing.past > past_member) growing.Restart(first_member, persons_in_node_);
    for (; growing.past < past_member; ++growing.past) Add(members_[growing.past], growing);
    return {growing.rows.persons(), growing.rows.Keeps()};
  }

  // Boundaries in front of a slot that is not the first, once they have been found.
  ClassBoundary BoundaryAt(std::size_t slot) const { return boundaries_[slot]; }
  void FindBoundaries() {
    boundaries_.assign(slots_.size(), {});
    for (std::size_t s = 1; s < slots_.size(); ++s) boundaries_[s].below = Of(0, s);
    Growing& growing = growing_.back();
    growing.Restart(members_.size(), persons_in_node_);
    std::size_t next = members_.size();
    for (std::size_t s = slots_.size(); s-- > 1;) {
      while (next > slots_[s].first) Add(members_[--next], growing);
      boundaries_[s].above = {growing.rows.persons(), growing.rows.Keeps()};
    }
    growing.Forget();
  }

 private:
  struct Member {
    Code code;
    Code signature;
    std::uint32_t person;  // numbered within the node, where persons can have several rows
  };
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  // A range of members that was counted.
  struct Growing {
    explicit Growing(const SensitiveRule& rule) : rows(rule) {}

    void Forget() { first = kNowhere; }
    void Restart(std::size_t from, std::size_t persons) {
      rows.Clear();
      first = past = from;
      if constexpr (Rows::kHasPersons) {
        ++restarts;
        if (added.size() < persons) added.resize(persons, 0);
      }
    }

    GrowingClass rows;
    std::size_t first = kNowhere;
    std::size_t past = kNowhere;
    std::uint64_t restarts = 0;
    std::vector<std::uint64_t> added;  // by person, after which restart
  };

  void Gather(const NodeView& node, std::size_t column) {
    const auto records = rows_->records(node.buffer);
    members_.resize(node.rows());
    rows_of_person_.clear();
    std::uint32_t person = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::size_t record = node.begin + i;
      if constexpr (Rows::kHasPersons) {
        // Rows of one person are neighbours.
        if (i == 0 || records.person(record - 1) != records.person(record))
          rows_of_person_.push_back(limits_->rows_of_person[records.person(record)]);
        person = static_cast<std::uint32_t>(rows_of_person_.size() - 1);
      }
      members_[i] = {records.codes(record)[column], records.signature(record), person};
    }
    persons_in_node_ = rows_of_person_.size();
  }

  void SortByCounting(Interval codes) {
    next_.assign(std::size_t{codes.hi} - codes.lo + 2, 0);
    for (const Member& member : members_) ++next_[member.code - codes.lo + 1];
    std::partial_sum(next_.begin(), next_.end(), next_.begin());
    unordered_.swap(members_);
    members_.resize(unordered_.size());
    for (const Member& member : unordered_) members_[next_[member.code - codes.lo]++] = member;
  }

  void Add(const Member& member, Growing& growing) {
    if constexpr (Rows::kHasPersons) {
      if (std::exchange(growing.added[member.person], growing.restarts) != growing.restarts)
        growing.rows.AddPerson(rows_of_person_[member.person]);
    } else {
      growing.rows.AddPerson();
    }
    growing.rows.AddRow(member.signature);
  }

  const Rows* rows_;
  const ClassLimits* limits_;
  std::vector<Member> members_;
  std::vector<Member> unordered_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> rows_of_person_;
  std::size_t persons_in_node_ = 0;
  std::vector<CodeSlot> slots_;
  std::vector<ClassBoundary> boundaries_;
  std::array<Growing, 2> growing_;
};

}  // namespace pentimento::partition
