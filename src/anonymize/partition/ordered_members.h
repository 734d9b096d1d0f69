// The members of a node in the order of their codes in one column, and whether ranges of them may be classes: for every
// number of limits, people and rows. In large nodes rows with equal codes and signatures are counted, not sorted, which
// buys 7 % of a release of 1 M rows with limits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/partition/node_view.h"
#include "anonymize/partition/table_limits.h"
#include "base/interval.h"

namespace pentimento::partition {

template <typename Rows>
class OrderedMembers {
 public:
  OrderedMembers(const Rows& rows, const TableLimits& limits)
      : rows_(&rows), limits_(&limits), growing_{Growing(limits.rule), Growing(limits.rule)} {}

  void Load(const NodeView& node, std::size_t column) {
    const Interval codes = node.members[column];
    const std::size_t cells = std::size_t{limits_->rule.signature_count()} * codes.size();
    if (!Rows::kHasPersons && cells <= node.rows()) {
      Count(node, column, cells);
    } else {
      Gather(node, column);
      if ((codes.hi - codes.lo) / 4 <= members_.size()) {
        SortByCounting(codes);
      } else {
        std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) { return a.code < b.code; });
      }
    }
    slots_.clear();
    first_of_slot_.clear();
    std::size_t rows = 0;
    for (std::size_t i = 0; i < members_.size(); rows += members_[i++].rows) {
      if (i > 0 && members_[i - 1].code == members_[i].code) continue;
      slots_.push_back({members_[i].code, rows});
      first_of_slot_.push_back(i);
    }
    first_of_slot_.push_back(members_.size());
    for (Growing& growing : growing_) growing.Forget();
  }

  // From left to right.
  std::span<const CodeSlot> slots() const { return slots_; }

  // The slots [first, past). Two ranges are remembered, each by its own number: one that only grows to the right is
  // passed over once.
  ClassPart Of(std::size_t first, std::size_t past, std::size_t which = 0) {
    Growing& growing = growing_[which];
    const std::size_t first_member = first_of_slot_[first];
    const std::size_t past_member = first_of_slot_[past];
    if (growing.first != first_member || growing.past > past_member) growing.Restart(first_member, persons_in_node_);
    for (; growing.past < past_member; ++growing.past) Add(members_[growing.past], growing);
    return {growing.rows.persons(), growing.rows.Holds()};
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
      while (next > first_of_slot_[s]) Add(members_[--next], growing);
      boundaries_[s].above = {growing.rows.persons(), growing.rows.Holds()};
    }
    growing.Forget();
  }

 private:
  struct Member {
    Code code;
    Code signature;
    std::uint32_t person;  // numbered within the node, where persons can have several rows
    std::uint32_t rows;    // of as many people, where they cannot
  };
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  // A range of members that was counted.
  struct Growing {
    explicit Growing(const ClassRule& rule) : rows(rule) {}

    void Forget() { first = kNowhere; }
    void Restart(std::size_t from, std::size_t persons) {
      rows.Clear();
      first = past = from;
      if constexpr (Rows::kHasPersons) {
        ++restarts;
        if (added.size() < persons) added.resize(persons, 0);
      }
    }

    Tally rows;
    std::size_t first = kNowhere;
    std::size_t past = kNowhere;
    std::uint64_t restarts = 0;
    std::vector<std::uint64_t> added;  // by person, after which restart
  };

  // Rows with the same code and signature are one where they are counted like this, in order of codes.
  void Count(const NodeView& node, std::size_t column, std::size_t cells) {
    const auto records = rows_->records(node.buffer);
    const Code lowest = node.members[column].lo;
    const std::size_t signatures = limits_->rule.signature_count();
    next_.assign(cells, 0);
    std::uint32_t* const counts = next_.data();
    for (std::size_t i = node.begin; i < node.end; ++i)
      ++counts[std::size_t{records.codes(i)[column] - lowest} * signatures + records.signature(i)];
    members_.clear();
    for (std::size_t cell = 0; cell < cells; ++cell) {
      if (counts[cell] == 0) continue;
      members_.push_back(
          {lowest + static_cast<Code>(cell / signatures), static_cast<Code>(cell % signatures), 0, counts[cell]});
    }
  }

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
      members_[i] = {records.codes(record)[column], records.signature(record), person, 1};
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
      growing.rows.AddRows(member.signature);
    } else {
      growing.rows.Add(member.signature, member.rows);
    }
  }

  const Rows* rows_;
  const TableLimits* limits_;
  std::vector<Member> members_;
  std::vector<Member> unordered_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> rows_of_person_;
  std::size_t persons_in_node_ = 0;
  std::vector<CodeSlot> slots_;
  std::vector<std::size_t> first_of_slot_;  // into members_, and the end
  std::vector<ClassBoundary> boundaries_;
  std::array<Growing, 2> growing_;
};

}  // namespace pentimento::partition
