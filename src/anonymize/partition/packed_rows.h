// The table as the partitioner moves it about: one short record per row, its codes side by side in lanes of
// one width, then the number of the input row (and of the person, where persons can have several rows). A node of
// the tree is a range of records, a cut is a stable partition of that range, so leaves end up next to each other.
//
// Lane is uint16_t where every domain has at most 65,536 codes, otherwise uint32_t. kLanes is the number of
// lanes, known to the compiler for the common sizes (8 lanes of 16 bits are one SSE register); 0 means any number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "anonymize/partition/large_array.h"
#include "base/interval.h"
#include "base/parallel.h"
#include "table/encoded_table.h"

namespace pentimento::partition {

template <typename Lane, std::size_t kLanes, bool kPersons>
class PackedRows {
 public:
  static constexpr bool kHasPersons = kPersons;

  explicit PackedRows(const EncodedTable& table)
      : columns_(table.quasi_identifiers.size()),
        lanes_(kLanes > 0 ? kLanes : columns_),
        size_(table.rows),
        records_(AllocateLargeArray<Lane>(size_ * stride())),
        scratch_(AllocateLargeArray<Lane>(ScratchBegin(size_) * stride())) {
    const std::vector<std::uint32_t> order = OrderByPerson(table);
    ParallelFor(size_, kPackGrain, [&](std::size_t begin, std::size_t end) { Pack(table, order, begin, end); });
  }

  std::size_t size() const { return size_; }
  std::size_t columns() const { return columns_; }
  // The first of columns() codes of a record.
  const Lane* codes(std::size_t i) const { return &records_[i * stride()]; }
  std::uint32_t row(std::size_t i) const { return Number(i, 0); }
  std::uint32_t person(std::size_t i) const { return Number(i, 1); }

  // The smallest box of raw codes around the records [begin, end), which are not empty.
  void Bounds(std::size_t begin, std::size_t end, std::span<Interval> bounds) const {
    if constexpr (kLanes > 0) {
      BoundsOfFixedLanes(begin, end, bounds);
    } else {
      for (std::size_t c = 0; c < columns_; ++c) bounds[c] = {codes(begin)[c], codes(begin)[c]};
      for (std::size_t i = begin + 1; i < end; ++i) {
        for (std::size_t c = 0; c < columns_; ++c) {
          bounds[c].lo = std::min<Code>(bounds[c].lo, codes(i)[c]);
          bounds[c].hi = std::max<Code>(bounds[c].hi, codes(i)[c]);
        }
      }
    }
  }

  Code LowestCode(std::size_t begin, std::size_t end, std::size_t column) const {
    Code lowest = codes(begin)[column];
    for (std::size_t i = begin + 1; i < end; ++i) lowest = std::min<Code>(lowest, codes(i)[column]);
    return lowest;
  }

  std::size_t CountBelow(std::size_t begin, std::size_t end, std::size_t column, Code at) const {
    std::size_t below = 0;
    for (std::size_t i = begin; i < end; ++i) below += codes(i)[column] < at ? 1 : 0;
    return below;
  }

  // Puts the records whose code is below `at`, of which there are `below`, first and returns where the others begin.
  // Both sides keep their order. Nodes that do not overlap may be partitioned at the same time.
  std::size_t Partition(std::size_t begin, std::size_t end, std::size_t column, Code at, std::size_t below) {
    // The smaller side waits in the scratch, so that half a table of scratch is enough.
    const std::size_t middle = begin + below;
    Lane* const waiting = &scratch_[ScratchBegin(begin) * stride()];
    if (below <= end - middle) {
      MoveBelowOut(begin, end, column, at, waiting, below);
    } else {
      MoveAboveOut(begin, end, column, at, waiting, end - middle);
    }
    return middle;
  }

  // Frees what only Partition() needs.
  void FreeScratch() { scratch_.reset(); }

 private:
  static constexpr std::size_t kPackGrain = 1 << 14;
  static constexpr std::size_t kLanesPerNumber = sizeof(std::uint32_t) / sizeof(Lane);
  static constexpr std::size_t kNumbers = kPersons ? 2 : 1;

  std::size_t stride() const { return (kLanes > 0 ? kLanes : lanes_) + kNumbers * kLanesPerNumber; }
  std::size_t record_bytes() const { return stride() * sizeof(Lane); }

  // Half of a node's records, rounded down, fit between the scratch of its begin and of its end.
  static std::size_t ScratchBegin(std::size_t record) { return (record + 1) / 2; }

  std::uint32_t Number(std::size_t i, std::size_t which) const {
    std::uint32_t number;
    std::memcpy(&number, codes(i) + (kLanes > 0 ? kLanes : lanes_) + which * kLanesPerNumber, sizeof number);
    return number;
  }
  void SetNumber(std::size_t i, std::size_t which, std::uint32_t number) {
    Lane* const record = &records_[i * stride()];
    std::memcpy(record + (kLanes > 0 ? kLanes : lanes_) + which * kLanesPerNumber, &number, sizeof number);
  }

  // Rows of one person must be neighbours, so that persons can be counted in one pass; empty: the input's order.
  static std::vector<std::uint32_t> OrderByPerson(const EncodedTable& table) {
    if constexpr (!kPersons) return {};
    const std::vector<std::uint32_t>& person_of_row = table.persons->person_of_row;
    std::vector<std::uint32_t> next(std::size_t{table.persons->count} + 1);
    for (const std::uint32_t person : person_of_row) ++next[person + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> order(person_of_row.size());
    for (std::size_t row = 0; row < order.size(); ++row)
      order[next[person_of_row[row]]++] = static_cast<std::uint32_t>(row);
    return order;
  }

  void Pack(const EncodedTable& table, std::span<const std::uint32_t> order, std::size_t begin, std::size_t end) {
    const auto row_at = [&](std::size_t i) { return order.empty() ? i : order[i]; };
    for (std::size_t c = 0; c < columns_; ++c) {
      table.quasi_identifiers[c].Visit([&](auto column) {
        for (std::size_t i = begin; i < end; ++i) records_[i * stride() + c] = static_cast<Lane>(column[row_at(i)]);
      });
    }
    for (std::size_t c = columns_; c < (kLanes > 0 ? kLanes : lanes_); ++c) {
      for (std::size_t i = begin; i < end; ++i) records_[i * stride() + c] = 0;
    }
    for (std::size_t i = begin; i < end; ++i) {
      SetNumber(i, 0, static_cast<std::uint32_t>(row_at(i)));
      if constexpr (kPersons) SetNumber(i, 1, table.persons->person_of_row[row_at(i)]);
    }
  }

  // All lanes at once in vector registers: this is the most frequent pass over the records.
  void BoundsOfFixedLanes(std::size_t begin, std::size_t end, std::span<Interval> bounds) const {
    typedef Lane Lanes __attribute__((vector_size(std::max<std::size_t>(kLanes, 1) * sizeof(Lane))));
    Lanes first;
    std::memcpy(&first, codes(begin), sizeof first);
    // The minimum is kept as the maximum of the complements: without SSE4.1 that is what unsigned lanes are quick at.
    Lanes hi = first;
    Lanes lo_complement = ~first;
    for (std::size_t i = begin + 1; i < end; ++i) {
      Lanes record;
      std::memcpy(&record, codes(i), sizeof record);
      const Lanes complement = ~record;
      hi = record > hi ? record : hi;
      lo_complement = complement > lo_complement ? complement : lo_complement;
    }
    const Lanes lo = ~lo_complement;
    for (std::size_t c = 0; c < columns_; ++c) bounds[c] = {lo[c], hi[c]};
  }

  // Without branches on the data: every record is written to both places, and only one of them moves on.
  void MoveAboveOut(std::size_t begin, std::size_t end, std::size_t column, Code at, Lane* waiting, std::size_t count) {
    const Lane* from = &records_[begin * stride()];
    const Lane* const last = &records_[0] + end * stride();
    Lane* to = &records_[begin * stride()];
    Lane* out = waiting;
    Lane* const out_end = waiting + count * stride();
    for (; out < out_end; from += stride()) {
      const std::size_t is_below = from[column] < at ? 1 : 0;
      CopyRecord(from, out);
      if (to != from) CopyRecord(from, to);
      to += stride() * is_below;
      out += stride() * (1 - is_below);
    }
    if (to != from) std::memmove(to, from, static_cast<std::size_t>(last - from) * sizeof(Lane));
    std::memcpy(to + (last - from), waiting, count * record_bytes());
  }

  // The mirror image, from the end backwards.
  void MoveBelowOut(std::size_t begin, std::size_t end, std::size_t column, Code at, Lane* waiting, std::size_t count) {
    const Lane* const first = &records_[begin * stride()];
    const Lane* from = first + (end - begin) * stride();
    Lane* to = &records_[begin * stride()] + (end - begin) * stride();
    Lane* out = waiting + count * stride();
    while (out > waiting) {
      from -= stride();
      const std::size_t is_above = from[column] < at ? 0 : 1;
      CopyRecord(from, out - stride());
      if (to - stride() != from) CopyRecord(from, to - stride());
      to -= stride() * is_above;
      out -= stride() * (1 - is_above);
    }
    const auto left_over = from - first;
    if (to != from) std::memmove(to - left_over, first, static_cast<std::size_t>(left_over) * sizeof(Lane));
    std::memcpy(&records_[begin * stride()], waiting, count * record_bytes());
  }

  void CopyRecord(const Lane* from, Lane* to) const {
    if constexpr (kLanes > 0) {
      std::memcpy(to, from, (kLanes + kNumbers * kLanesPerNumber) * sizeof(Lane));
    } else {
      std::memcpy(to, from, record_bytes());
    }
  }

  std::size_t columns_;
  std::size_t lanes_;
  std::size_t size_;
  LargeArray<Lane> records_;
  LargeArray<Lane> scratch_;
};

}  // namespace pentimento::partition
