#include "engine/incremental/full_export.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "io/take_input.h"

namespace pentimento {
namespace {

constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

// The members who are in the table, and their rows there.
struct Recognized {
  std::vector<std::uint32_t> row_of_member;  // kNoRow where the member is not in the table
  std::vector<bool> is_other;                // by member: the row is another one than before
};

// Whoever has other codes now. A member has the same codes in all segments.
void CompareCodes(const IncrementalView& view, const EncodedTable& table, Recognized& recognized) {
  for (const SegmentView& segment : view.segments) {
    for (std::size_t record = 0; record < segment.members.size(); ++record) {
      const CaseNumber member = segment.members[record];
      const std::uint32_t row = recognized.row_of_member[member];
      if (row == kNoRow) continue;
      for (std::size_t column = 0; column < view.columns; ++column) {
        if (CodeAt(segment, record, view.columns, column) != table.quasi_identifiers[column][row])
          recognized.is_other[member] = true;
      }
    }
  }
}

// The names that both lists have.
std::set<std::string> CommonColumns(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::set<std::string> common;
  std::ranges::set_intersection(a, b, std::inserter(common, common.end()));
  return common;
}

// Whoever has other cells now.
Status CompareCells(const IncrementalMemory& memory, const EncodedInput& input, const IncrementalCells& cells,
                    Recognized& recognized) {
  PENTIMENTO_ASSIGN(const std::vector<KeptRows> kept, memory.MapRows(StateCheck::kPayload));
  std::map<std::set<std::string>, std::vector<std::uint64_t>> now;  // by columns: releases hardly ever differ in them
  CaseNumber first = 0;
  for (std::size_t release = 0; release < kept.size(); ++release) {
    const std::set<std::string> columns = CommonColumns(CellNamesOf(memory.abouts()[release]), cells.NamesInPolicy());
    if (kept[release].file && !columns.empty()) {
      PENTIMENTO_ASSIGN(const EncodedInput before, cells.ReadKept(kept[release], columns));
      PENTIMENTO_ASSIGN(const std::vector<std::uint64_t> was, HashCells(before, columns));
      if (!now.contains(columns)) {
        PENTIMENTO_ASSIGN(now[columns], HashCells(input, columns));
      }
      const std::vector<std::uint64_t>& is = now[columns];
      for (std::size_t i = 0; i < was.size(); ++i) {
        const std::uint32_t row = recognized.row_of_member[first + i];
        if (row != kNoRow && is[row] != was[i]) recognized.is_other[first + i] = true;
      }
    }
    first += static_cast<CaseNumber>(kept[release].rows);
  }
  return {};
}

std::vector<bool> WhoHasLeft(const IncrementalView& view) {
  std::vector<bool> has_left(view.member_count());
  for (const SegmentView& segment : view.segments) {
    for (const CaseNumber member : segment.withdrawn) has_left[member] = true;
  }
  return has_left;
}

// Walks the people of the series and those of the table side by side; both ascend, each person once.
class PeopleMeeting {
 public:
  PeopleMeeting(const IncrementalMemory& memory, const PeopleOfRows& people)
      : named_(memory.LatestMembers()), has_left_(WhoHasLeft(memory.view())), people_(people) {}

  // Calls body(person of the table, or nothing; member who has not left, or nothing; whether the person had left
  // before).
  template <typename Body>
  void ForEach(const Body& body) const {
    std::size_t known = 0;
    const auto leave_out = [&] {
      if (!has_left_[named_[known].member]) body(std::nullopt, std::optional(named_[known].member), false);
    };
    for (std::size_t i = 0; i < people_.identities.size(); ++i) {
      for (; known < named_.size() && named_[known].identity < people_.identities[i]; ++known) leave_out();
      const bool is_known = known < named_.size() && named_[known].identity == people_.identities[i];
      const bool is_gone = is_known && has_left_[named_[known].member];
      body(std::optional(i), is_known && !is_gone ? std::optional(named_[known].member) : std::nullopt, is_gone);
      known += is_known ? 1 : 0;
    }
    for (; known < named_.size(); ++known) leave_out();
  }

 private:
  std::vector<NamedMember> named_;
  std::vector<bool> has_left_;
  const PeopleOfRows& people_;
};

// From rows of the table to rows of the batch.
void NumberComing(const PeopleOfRows& people, std::vector<std::size_t> persons, FullExport& found) {
  for (const std::size_t person : persons) found.coming.push_back(people.rows[person]);
  std::ranges::sort(found.coming);
  for (const std::size_t person : persons) {
    found.who.identities.push_back(people.identities[person]);
    const auto place = std::ranges::lower_bound(found.coming, people.rows[person]);
    found.who.rows.push_back(static_cast<std::uint32_t>(place - found.coming.begin()));
  }
}

}  // namespace

Result<FullExport> CompareWithSeries(const IncrementalMemory& memory, const EncodedInput& input,
                                     const PeopleOfRows& people, const IncrementalCells& cells) {
  PENTIMENTO_RETURN_IF_ERROR(memory.RequireIntactIdentities());
  const PeopleMeeting meeting(memory, people);
  Recognized recognized;
  recognized.row_of_member.assign(memory.view().member_count(), kNoRow);
  recognized.is_other.assign(memory.view().member_count(), false);
  meeting.ForEach([&](std::optional<std::size_t> person, std::optional<CaseNumber> member, bool) {
    if (person && member) recognized.row_of_member[*member] = people.rows[*person];
  });
  CompareCodes(memory.view(), input.table, recognized);
  PENTIMENTO_RETURN_IF_ERROR(CompareCells(memory, input, cells, recognized));
  FullExport found;
  std::vector<std::size_t> coming;
  meeting.ForEach([&](std::optional<std::size_t> person, std::optional<CaseNumber> member, bool is_gone) {
    const bool is_replaced = person && member && recognized.is_other[*member];
    found.living += member ? 1 : 0;
    found.recognized += person && member ? 1 : 0;
    found.returned += is_gone ? 1 : 0;
    if (is_replaced) found.who.replaced.push_back(*member);
    if (member && (!person || is_replaced)) found.who.withdrawn.push_back(*member);
    if (person && (!member || is_replaced)) coming.push_back(*person);
  });
  std::ranges::sort(found.who.replaced);
  std::ranges::sort(found.who.withdrawn);
  NumberComing(people, std::move(coming), found);
  return found;
}

}  // namespace pentimento
