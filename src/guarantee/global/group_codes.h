// Which codes the rows of each group have, column by column: what somebody who knows everybody's quasi-identifiers
// can try on another group's box. Never fewer codes than the rows have. More only between the ends of an interval that
// was cut as an interval; and, until the codes of a group are listed, in boxes of more than 64 codes, of which runs of
// codes are known by whether somebody is in them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/category_form.h"
#include "base/interval.h"
#include "release/classes.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

constexpr Code kMaskBits = 64;

// Ones from bit `lo` to bit `hi`, both below 64.
inline std::uint64_t MaskOf(Code lo, Code hi) { return (~std::uint64_t{0} >> (63 - hi)) & (~std::uint64_t{0} << lo); }

class GroupCodes {
 public:
  // The draft is well-formed and true: every row is in a group, and in its box.
  GroupCodes(const EncodedTable& table, std::span<const Domain> domains, CategoryForm form, const Classes& draft);

  std::size_t columns() const { return draft_.columns; }
  std::size_t groups() const { return draft_.count(); }
  Interval Box(ClassNumber group, std::size_t column) const { return draft_.boxes[At(group, column)]; }
  // From the lowest to the highest code of the rows.
  Interval Range(ClassNumber group, std::size_t column) const { return ranges_[At(group, column)]; }
  const Interval* Ranges(ClassNumber group) const { return &ranges_[At(group, 0)]; }

  // The codes as bits, where bit 0 is code `first`. All of them are in the 64 codes from there.
  std::uint64_t Mask(ClassNumber group, std::size_t column, Code first) const {
    const Interval box = Box(group, column);
    if (box.size() > kMaskBits) return MaskOfLarge(group, column, first);
    const std::uint64_t word = words_[At(group, column)];
    return box.lo >= first ? word << (box.lo - first) : word >> (first - box.lo);
  }
  bool HasCodeIn(ClassNumber group, std::size_t column, Interval codes) const;

  // Lists the codes of these groups one by one. Returns whether that tells more than was known before.
  bool ListCodes(const EncodedTable& table, std::span<const ClassNumber> groups);

  // How the codes are known: all between the ends may be there, or one by one.
  bool IsWhole(ClassNumber group, std::size_t column) const {
    const Interval box = Box(group, column);
    return box.size() > kMaskBits && !IsListed(group, box, column);
  }
  template <typename Body>
  void ForEachCode(ClassNumber group, std::size_t column, const Body& body) const;

 private:
  std::size_t At(ClassNumber group, std::size_t column) const { return std::size_t{group} * draft_.columns + column; }
  // A box that holds the missing value beside others is the whole domain, whatever was cut off.
  bool IsCutAsInterval(Interval box, std::size_t column) const {
    return box.lo == box.hi || (is_interval_[column] && box.hi < value_count_[column]);
  }
  // Codes that are known in runs, or one by one.
  bool IsLarge(Interval box, std::size_t column) const {
    return box.size() > kMaskBits && !IsCutAsInterval(box, column);
  }
  bool IsListed(ClassNumber group, Interval box, std::size_t column) const {
    return !is_listed_.empty() && is_listed_[group] != 0 && IsLarge(box, column);
  }
  // Of up to 64 runs in a box each has 2^shift codes.
  static unsigned ShiftOf(Interval box) {
    return box.size() <= kMaskBits ? 0 : static_cast<unsigned>(std::bit_width(box.size() - 1)) - 6;
  }
  std::span<const Code> List(std::uint64_t word, std::size_t column) const {
    return std::span(lists_[column]).subspan(word >> 32, word & 0xFFFFFFFF);
  }
  std::uint64_t MaskOfLarge(ClassNumber group, std::size_t column, Code first) const;
  void FillColumn(const CodeColumn& codes, std::size_t column);
  struct MemberRow {
    ClassNumber group;
    std::uint32_t row;
  };
  std::vector<MemberRow> RowsOfListed() const;
  void ListColumn(const CodeColumn& codes, std::size_t column, std::span<const MemberRow> rows);
  void CloseCell(ClassNumber group, std::size_t column);

  const Classes& draft_;
  std::vector<std::uint8_t> is_interval_;  // by column: any interval of its codes may be published
  std::vector<Code> value_count_;          // by column: where the missing value begins
  std::vector<Interval> ranges_;           // as the boxes of the draft
  // As the boxes. Bits of codes from the box's lowest, or of runs of them; listed: where the list begins, and how long
  // it is.
  std::vector<std::uint64_t> words_;
  std::vector<std::uint8_t> is_listed_;   // by group; empty: none is
  std::vector<std::vector<Code>> lists_;  // by column: group after group, ascending, each code once
};

template <typename Body>
void GroupCodes::ForEachCode(ClassNumber group, std::size_t column, const Body& body) const {
  const Interval box = Box(group, column);
  const std::uint64_t word = words_[At(group, column)];
  if (IsListed(group, box, column)) {
    for (const Code code : List(word, column)) body(code);
  } else if (box.size() <= kMaskBits) {
    for (std::uint64_t left = word; left != 0; left &= left - 1)
      body(box.lo + static_cast<Code>(std::countr_zero(left)));
  } else {
    for (Code code = box.lo; code < box.hi; ++code) body(code);
    body(box.hi);
  }
}

}  // namespace pentimento
