// The table as the partitioner moves it about: one short record per row, its codes side by side in numbers of
// one size, then the number of the input row (of the person, where persons can have several rows; and the signature of
// the sensitive values, where these are limited). A node of the tree is a range of records, and a cut is a stable move
// of that range into another buffer, part after part: every cut reads and writes each record once. Leaves end up next
// to each other.
//
// Stored, the type of a code in a record, is uint16_t where every domain has at most 65,536 codes, otherwise
// uint32_t; with signatures uint8_t where codes are few, which saves 18 bytes per row of eight columns. kWidth is how
// many codes a record has room for, known to the compiler for the common sizes (8 codes of 16 bits are one SSE
// register); 0 means as many as there are columns. That it is known buys 9 % of a release of 1 M rows, and of that
// bounds in vector registers 8 %.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "base/interval.h"
#include "base/parallel.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento::partition {

// Whether every code of these domains fits into so many bits.
inline bool FitBits(std::span<const Domain> domains, int bits) {
  return std::all_of(domains.begin(), domains.end(),
                     [bits](const Domain& domain) { return domain.size() <= std::uint64_t{1} << bits; });
}
inline bool FitNarrowCodes(std::span<const Domain> domains) { return FitBits(domains, 16); }

// Which of the two buffers a node's records are in: they change over with every cut.
enum class Buffer : std::uint8_t { kFront, kBack };

inline Buffer Other(Buffer buffer) { return buffer == Buffer::kFront ? Buffer::kBack : Buffer::kFront; }

template <typename Stored, std::size_t kWidth, bool kPersons, bool kSignatures = false>
class PackedRows {
 public:
  static constexpr bool kHasPersons = kPersons;
  static constexpr bool kHasSignatures = kSignatures;

  // `signatures`: of the rows, where they are kept; they fit into Stored. `order`: of the records, where it is not that
  // of the table; not with persons, whose rows are put side by side.
  explicit PackedRows(const EncodedTable& table, const CodeColumn* signatures = nullptr,
                      std::span<const std::uint32_t> order = {})
      : columns_(table.quasi_identifiers.size()),
        width_(kWidth > 0 ? kWidth : columns_),
        size_(table.rows),
        buffers_{MakeBuffer(), MakeBuffer()} {
    const std::vector<std::uint32_t> by_person = OrderByPerson(table);
    if constexpr (kPersons) order = by_person;
    ParallelFor(size_, kPackGrain, [&](std::size_t from, std::size_t to) {
      // Column after column, while the records are in the first cache.
      for (std::size_t begin = from; begin < to; begin += kBlock) {
        const std::size_t end = std::min(begin + kBlock, to);
        Pack(table, order, begin, end);
        if constexpr (kSignatures) PackSignatures(*signatures, order, begin, end);
      }
    });
  }

  // The same in another order: places.Find(chunk, ...) gives the place of each row of a chunk among the records. Chunks
  // have Places::kChunkRows rows, the last one what is left.
  template <typename Places>
  PackedRows(const EncodedTable& table, const Places& places) requires(!kPersons && !kSignatures)
      : columns_(table.quasi_identifiers.size()),
        width_(kWidth > 0 ? kWidth : columns_),
        size_(table.rows),
        buffers_{MakeBuffer(), MakeBuffer()} {
    ParallelFor(places.chunks(), 1, [&](std::size_t from, std::size_t to) {
      for (std::size_t chunk = from; chunk < to; ++chunk) {
        std::array<std::uint32_t, Places::kChunkRows> place_of_row;
        const std::size_t rows = places.Find(chunk, place_of_row);
        PackAt(table, chunk * Places::kChunkRows, std::span(place_of_row).first(rows));
      }
    });
  }

  // The same from rows whose codes lie side by side already.
  PackedRows(std::span<const Stored> codes, std::size_t rows, std::size_t columns) requires(!kPersons && !kSignatures)
      : columns_(columns), width_(kWidth > 0 ? kWidth : columns_), size_(rows), buffers_{MakeBuffer(), MakeBuffer()} {
    for (std::size_t i = 0; i < rows; ++i) {
      Stored* const record = At(Buffer::kFront, i);
      // A copy of known size is no call.
      if (columns == width()) {
        std::memcpy(record, &codes[i * columns], width() * sizeof(Stored));
      } else {
        std::copy_n(&codes[i * columns], columns, record);
        std::fill(record + columns, record + width(), Stored{0});
      }
      SetNumber(i, 0, static_cast<std::uint32_t>(i));
    }
  }

  // The records of one buffer.
  class Records {
   public:
    // The first of columns() codes of a record.
    const Stored* codes(std::size_t i) const { return first_ + i * stride(); }
    std::uint32_t row(std::size_t i) const { return Number(i, 0); }
    std::uint32_t person(std::size_t i) const { return Number(i, 1); }
    Code signature(std::size_t i) const { return codes(i)[width() + kNumbers * kCodesPerNumber]; }

   private:
    friend class PackedRows;
    Records(const Stored* first, std::size_t width) : first_(first), width_(width) {}
    std::size_t width() const { return kWidth > 0 ? kWidth : width_; }
    std::size_t stride() const { return width() + kOtherCodes; }
    std::uint32_t Number(std::size_t i, std::size_t which) const {
      std::uint32_t number;
      std::memcpy(&number, codes(i) + width() + which * kCodesPerNumber, sizeof number);
      return number;
    }

    const Stored* first_;
    std::size_t width_;
  };

  std::size_t size() const { return size_; }
  std::size_t columns() const { return columns_; }
  // A new table is in the front.
  Records records(Buffer buffer) const { return Records(At(buffer, 0), width_); }

  // The smallest box of raw codes around the records [begin, end), which are not empty.
  void Bounds(Buffer buffer, std::size_t begin, std::size_t end, std::span<Interval> bounds) const {
    std::fill(bounds.begin(), bounds.end(), kNoCodes);
    ExtendBounds(buffer, begin, end, bounds);
  }

  // How many records [begin, end) have a code below `at`.
  std::size_t CountBelow(Buffer buffer, std::size_t begin, std::size_t end, std::size_t column, Code at) const {
    return CountIf(buffer, begin, end, column, [at](Code code) { return code < at; });
  }

  // Moves [begin, end) to the other buffer: first the records whose code is below `at`, of which there are `below`,
  // then the others, and finds the bounds of both. Nodes that do not overlap may be moved at the same time.
  void MoveTwoParts(Buffer buffer, std::size_t begin, std::size_t end, std::size_t column, Code at, std::size_t below,
                    std::span<Interval> bounds_below, std::span<Interval> bounds_above) {
    MoveTwoParts(
        buffer, begin, end, column, [at](Code code) { return code < at; }, below, bounds_below, bounds_above);
  }

  // The same for any other parts: those for whose code is_below(code) holds come first.
  template <typename IsBelow>
  void MoveTwoParts(Buffer buffer, std::size_t begin, std::size_t end, std::size_t column, IsBelow is_below,
                    std::size_t below, std::span<Interval> bounds_below,
                    std::span<Interval> bounds_above) requires(!std::is_convertible_v<IsBelow, Code>) {
    std::fill(bounds_below.begin(), bounds_below.end(), kNoCodes);
    std::fill(bounds_above.begin(), bounds_above.end(), kNoCodes);
    const Buffer other = Other(buffer);
    std::size_t next_below = begin;
    std::size_t next_above = begin + below;
    for (std::size_t block = begin; block < end; block += kBlock) {
      const std::size_t was_below = next_below;
      const std::size_t was_above = next_above;
      MoveBlockIntoTwo(At(buffer, block), At(buffer, std::min(block + kBlock, end)), column, is_below, At(other, 0),
                       next_below, next_above);
      ExtendBounds(other, was_below, next_below, bounds_below);
      ExtendBounds(other, was_above, next_above, bounds_above);
    }
  }

  // The same for many parts: part_of(code) says which one a record belongs to, `next` where each part begins.
  // `bounds`: columns() intervals per part.
  template <typename PartOf>
  void MoveParts(Buffer buffer, std::size_t begin, std::size_t end, std::size_t column, PartOf part_of,
                 std::vector<std::size_t> next, std::span<Interval> bounds) {
    std::fill(bounds.begin(), bounds.end(), kNoCodes);
    const Buffer other = Other(buffer);
    std::vector<std::size_t> was = next;
    // Of many parts each gets only a few records of a block, and looking at these costs more than passing twice.
    const std::size_t block_size = kBlock * next.size();
    for (std::size_t block = begin; block < end; block += block_size) {
      MoveBlocks(buffer, block, std::min(block + block_size, end),
                 [&](std::size_t first, std::span<std::size_t> places) {
                   for (std::size_t i = 0; i < places.size(); ++i)
                     places[i] = next[part_of(At(buffer, first + i)[column])]++;
                 });
      for (std::size_t p = 0; p < next.size(); ++p) {
        ExtendBounds(other, was[p], next[p], bounds.subspan(p * columns_, columns_));
        was[p] = next[p];
      }
    }
  }

  // Moves the records [begin, end) to the other buffer, each to a place of its own: fill(first, places) notes where the
  // records from `first` on go, block by block. Ranges that do not overlap, nor their places, may be moved at the same
  // time.
  template <typename Fill>
  void MoveBlocks(Buffer buffer, std::size_t begin, std::size_t end, Fill fill) {
    Stored* const to = At(Other(buffer), 0);
    // First where to, then the move: a store whose place is looked up would hold up the next look-up.
    for (std::size_t i = begin; i < end; i += kBlock) {
      std::array<std::size_t, kBlock> place;
      const std::size_t count = std::min(kBlock, end - i);
      fill(i, std::span(place).first(count));
      const Stored* const from = At(buffer, i);
      for (std::size_t j = 0; j < count; ++j) CopyRecord(from + j * stride(), to + place[j] * stride());
    }
  }

  // Brings the records [begin, end) to the front, where leaves are read.
  void Settle(Buffer buffer, std::size_t begin, std::size_t end) {
    if (buffer == Buffer::kFront) return;
    std::memcpy(At(Buffer::kFront, begin), At(Buffer::kBack, begin), (end - begin) * stride() * sizeof(Stored));
  }

  // Brings the records that begin at `begin` to the front, in the given order of them; uses the same place in the back.
  void SettleInOrder(Buffer buffer, std::size_t begin, std::span<const std::uint32_t> order) {
    const Buffer other = Other(buffer);
    for (std::size_t i = 0; i < order.size(); ++i) CopyRecord(At(buffer, order[i]), At(other, begin + i));
    Settle(other, begin, begin + order.size());
  }

  // Frees what only moving records needs.
  void FreeBack() { buffers_[1].reset(); }

 private:
  static constexpr std::size_t kPackGrain = 1 << 14;
  // Records that are still in the first cache when their bounds are taken after moving them.
  static constexpr std::size_t kBlock = 1 << 10;
  static constexpr std::size_t kCodesPerNumber = sizeof(std::uint32_t) / sizeof(Stored);
  static constexpr std::size_t kNumbers = kPersons ? 2 : 1;
  static constexpr std::size_t kOtherCodes = kNumbers * kCodesPerNumber + (kSignatures ? 1 : 0);
  static constexpr Interval kNoCodes{std::numeric_limits<Code>::max(), 0};

  std::size_t width() const { return kWidth > 0 ? kWidth : width_; }
  std::size_t stride() const { return width() + kOtherCodes; }
  auto MakeBuffer() const { return std::make_unique_for_overwrite<Stored[]>(size_ * stride()); }
  Stored* At(Buffer buffer, std::size_t i) const { return &buffers_[static_cast<std::size_t>(buffer)][i * stride()]; }

  void SetNumber(std::size_t i, std::size_t which, std::uint32_t number) {
    std::memcpy(At(Buffer::kFront, i) + width() + which * kCodesPerNumber, &number, sizeof number);
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
        for (std::size_t i = begin; i < end; ++i) At(Buffer::kFront, i)[c] = static_cast<Stored>(column[row_at(i)]);
      });
    }
    for (std::size_t c = columns_; c < width(); ++c) {
      for (std::size_t i = begin; i < end; ++i) At(Buffer::kFront, i)[c] = 0;
    }
    for (std::size_t i = begin; i < end; ++i) {
      SetNumber(i, 0, static_cast<std::uint32_t>(row_at(i)));
      if constexpr (kPersons) SetNumber(i, 1, table.persons->person_of_row[row_at(i)]);
    }
  }

  void PackAt(const EncodedTable& table, std::size_t begin, std::span<const std::uint32_t> places) {
    for (std::size_t c = 0; c < width(); ++c) {
      if (c >= columns_) {
        for (const std::uint32_t place : places) At(Buffer::kFront, place)[c] = 0;
        continue;
      }
      table.quasi_identifiers[c].Visit([&](auto column) {
        for (std::size_t i = 0; i < places.size(); ++i)
          At(Buffer::kFront, places[i])[c] = static_cast<Stored>(column[begin + i]);
      });
    }
    for (std::size_t i = 0; i < places.size(); ++i) SetNumber(places[i], 0, static_cast<std::uint32_t>(begin + i));
  }

  void PackSignatures(const CodeColumn& signatures, std::span<const std::uint32_t> order, std::size_t begin,
                      std::size_t end) {
    signatures.Visit([&](auto of_row) {
      for (std::size_t i = begin; i < end; ++i) {
        At(Buffer::kFront, i)[width() + kNumbers * kCodesPerNumber] =
            static_cast<Stored>(of_row[order.empty() ? i : order[i]]);
      }
    });
  }

  template <typename IsCounted>
  std::size_t CountIf(Buffer buffer, std::size_t begin, std::size_t end, std::size_t column,
                      const IsCounted& is_counted) const {
    const Records records = this->records(buffer);
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) count += is_counted(records.codes(i)[column]) ? 1 : 0;
    return count;
  }

  void ExtendBounds(Buffer buffer, std::size_t begin, std::size_t end, std::span<Interval> bounds) const {
    if (begin == end) return;
    if constexpr (kWidth > 0) {
      ExtendBoundsByVectors(At(buffer, begin), At(buffer, end), bounds);
    } else {
      for (const Stored* record = At(buffer, begin); record != At(buffer, end); record += stride()) {
        for (std::size_t c = 0; c < columns_; ++c) {
          bounds[c].lo = std::min<Code>(bounds[c].lo, record[c]);
          bounds[c].hi = std::max<Code>(bounds[c].hi, record[c]);
        }
      }
    }
  }

  // All codes of a record at once in a vector register: this is the most frequent pass over the records.
  void ExtendBoundsByVectors(const Stored* record, const Stored* end, std::span<Interval> bounds) const {
    typedef Stored Vector __attribute__((vector_size(std::max<std::size_t>(kWidth, 1) * sizeof(Stored))));
    Vector first;
    std::memcpy(&first, record, sizeof first);
    // The minimum is kept as the maximum of the complements: without SSE4.1 that is what unsigned vectors are quick at.
    Vector hi = first;
    Vector lo_complement = ~first;
    for (record += stride(); record != end; record += stride()) {
      Vector codes;
      std::memcpy(&codes, record, sizeof codes);
      const Vector complement = ~codes;
      hi = codes > hi ? codes : hi;
      lo_complement = complement > lo_complement ? complement : lo_complement;
    }
    const Vector lo = ~lo_complement;
    for (std::size_t c = 0; c < columns_; ++c) {
      bounds[c] = {std::min<Code>(bounds[c].lo, lo[c]), std::max<Code>(bounds[c].hi, hi[c])};
    }
  }

  // Without branches on the data: where a record goes is picked with a mask, not with a condition that a compiler may
  // turn into a jump that is mispredicted every other time.
  template <typename IsBelow>
  void MoveBlockIntoTwo(const Stored* from, const Stored* const end, std::size_t column, const IsBelow is_below,
                        Stored* const to, std::size_t& next_below, std::size_t& next_above) const {
    std::size_t below = next_below * stride();
    std::size_t above = next_above * stride();
    for (; from != end; from += stride()) {
      const std::size_t goes_below = is_below(from[column]) ? ~std::size_t{0} : 0;
      CopyRecord(from, to + (above ^ ((above ^ below) & goes_below)));
      below += stride() & goes_below;
      above += stride() & ~goes_below;
    }
    next_below = below / stride();
    next_above = above / stride();
  }

  void CopyRecord(const Stored* from, Stored* to) const {
    if constexpr (kWidth > 0) {
      std::memcpy(to, from, (kWidth + kOtherCodes) * sizeof(Stored));
    } else {
      std::memcpy(to, from, stride() * sizeof(Stored));
    }
  }

  std::size_t columns_;
  std::size_t width_;
  std::size_t size_;
  std::array<std::unique_ptr<Stored[]>, 2> buffers_;
};

}  // namespace pentimento::partition
