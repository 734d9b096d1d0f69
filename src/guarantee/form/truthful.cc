#include "guarantee/form/truthful.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/unfilled.h"
#include "guarantee/form/smallest_index.h"

namespace pentimento {
namespace {

// Rows lie in no order of groups, so each of them costs a trip to the box of its group. Where codes fit into 16 bits a
// box is two rows of lanes, one of lower and one of upper ends, and a block of rows is laid out likewise: a row is then
// compared in all columns at once.
constexpr std::size_t kRowsPerBlock = 512;
constexpr std::size_t kBlocksPerTask = 16;
constexpr std::size_t kGroupsPerTask = 4096;
constexpr std::size_t kRowsAhead = 16;

// With fewer rows per group packing costs more than it saves.
constexpr std::size_t kRowsPerPackedGroup = 8;

using Lane = std::uint16_t;
constexpr std::size_t kLanes = 8;
typedef Lane Lanes __attribute__((vector_size(kLanes * sizeof(Lane))));

// The boxes of the draft, and what is compared with them.
class PackedBoxes {
 public:
  // Codes and boxes fit into lanes.
  PackedBoxes(const EncodedTable& table, const Classes& draft)
      : table_(table),
        draft_(draft),
        stride_((draft.columns + kLanes - 1) / kLanes),
        ends_(2 * stride_ * draft.count()) {
    ParallelFor(draft.count(), kGroupsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group) {
        Lanes* const lo = &ends_[2 * stride_ * group];
        for (std::size_t c = 0; c < draft.columns; ++c) {
          const Interval interval = draft.boxes[group * draft.columns + c];
          lo[c / kLanes][c % kLanes] = static_cast<Lane>(interval.lo);
          lo[stride_ + c / kLanes][c % kLanes] = static_cast<Lane>(interval.hi);
        }
      }
    });
  }

  bool AreTruthful(std::size_t first, std::size_t count) const {
    const ClassNumber* const groups = &draft_.of_row[first];
    Lanes outside{};
    for (std::size_t s = 0; s < stride_; ++s) {
      // Lanes without a column are 0, as are their ends.
      std::array<Lane, kRowsPerBlock * kLanes> codes{};
      const std::size_t past = std::min(kLanes, draft_.columns - s * kLanes);
      for (std::size_t lane = 0; lane < past; ++lane) {
        table_.quasi_identifiers[s * kLanes + lane].Visit([&](auto column) {
          for (std::size_t i = 0; i < count; ++i) codes[i * kLanes + lane] = static_cast<Lane>(column[first + i]);
        });
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (i + kRowsAhead < count) __builtin_prefetch(&ends_[2 * stride_ * groups[i + kRowsAhead] + s]);
        Lanes row;
        std::memcpy(&row, &codes[i * kLanes], sizeof row);
        const Lanes* const lo = &ends_[2 * stride_ * groups[i] + s];
        outside |= reinterpret_cast<Lanes>(row < lo[0]) | reinterpret_cast<Lanes>(row > lo[stride_]);
      }
    }
    Lane any = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) any |= outside[lane];
    return any == 0;
  }

 private:
  const EncodedTable& table_;
  const Classes& draft_;
  std::size_t stride_;       // of lanes in a row
  std::vector<Lanes> ends_;  // by group: the lower ends, then the upper ones
};

// The boxes as they stand in the draft. A block of rows is laid out likewise, each code as the interval that holds it
// alone, and two columns are compared at once.
class BoxesAsTheyAre {
 public:
  BoxesAsTheyAre(const EncodedTable& table, const Classes& draft) : table_(table), draft_(draft) {}

  bool AreTruthful(std::size_t first, std::size_t count) const {
    const std::size_t columns = draft_.columns;
    UnfilledVector<Interval> rows(count * columns);
    for (std::size_t c = 0; c < columns; ++c) {
      table_.quasi_identifiers[c].Visit([&](auto column) {
        for (std::size_t i = 0; i < count; ++i) rows[i * columns + c] = {column[first + i], column[first + i]};
      });
    }
    const ClassNumber* const groups = &draft_.of_row[first];
    EndsOfTwo outside{};
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kRowsAhead < count) __builtin_prefetch(&draft_.boxes[groups[i + kRowsAhead] * columns]);
      const Interval* const box = &draft_.boxes[groups[i] * columns];
      const Interval* const row = &rows[i * columns];
      for (std::size_t c = 0; c + 1 < columns; c += 2) outside |= Turned(box + c) > Turned(row + c);
    }
    return !IsAny(outside) && (columns % 2 == 0 || IsLastTruthful(groups, count, rows.data()));
  }

 private:
  typedef std::int32_t EndsOfTwo __attribute__((vector_size(4 * sizeof(std::int32_t))));

  // Of two columns. All bits of the upper ends are turned round, so that what is too large becomes too small. And the
  // highest bit of all four once more, which keeps the order where vectors compare signed numbers.
  static EndsOfTwo Turned(const Interval* two) {
    constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::min();
    EndsOfTwo ends;
    static_assert(sizeof ends == 2 * sizeof(Interval));
    std::memcpy(&ends, two, sizeof ends);
    return ends ^ EndsOfTwo { kHighest, ~kHighest, kHighest, ~kHighest };
  }

  static bool IsAny(EndsOfTwo ends) { return (ends[0] | ends[1] | ends[2] | ends[3]) != 0; }

  bool IsLastTruthful(const ClassNumber* groups, std::size_t count, const Interval* rows) const {
    const std::size_t columns = draft_.columns;
    bool outside = false;
    for (std::size_t i = 0; i < count; ++i) {
      const Interval box = draft_.boxes[groups[i] * columns + columns - 1];
      const Code code = rows[i * columns + columns - 1].lo;
      outside |= (code < box.lo) | (code > box.hi);
    }
    return !outside;
  }

  const EncodedTable& table_;
  const Classes& draft_;
};

std::optional<std::size_t> FalseColumn(const EncodedTable& table, const Classes& draft, std::size_t row) {
  const auto box = draft.box(draft.of_row[row]);
  for (std::size_t c = 0; c < draft.columns; ++c) {
    if (!box[c].Contains(table.quasi_identifiers[c][row])) return c;
  }
  return std::nullopt;
}

// `are_truthful`: of so many rows from the first.
template <typename AreTruthfulRows>
std::optional<std::size_t> FindFalseRow(const EncodedTable& table, const Classes& draft,
                                        const AreTruthfulRows& are_truthful) {
  SmallestIndex smallest;
  const std::size_t blocks = (table.rows + kRowsPerBlock - 1) / kRowsPerBlock;
  ParallelFor(blocks, kBlocksPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      std::size_t row = block * kRowsPerBlock;
      if (are_truthful(row, std::min(kRowsPerBlock, table.rows - row))) continue;
      while (!FalseColumn(table, draft, row)) ++row;
      smallest.Offer(row);
      return;
    }
  });
  return smallest.Get();
}

bool FitLanes(const EncodedTable& table, const Classes& draft) {
  const bool are_narrow = std::ranges::all_of(table.quasi_identifiers, [](const CodeColumn& column) {
    return column.Visit([](auto codes) { return sizeof(codes[0]) <= sizeof(Lane); });
  });
  Code widest = 0;
  for (const Interval interval : draft.boxes) widest = std::max({widest, interval.lo, interval.hi});
  return are_narrow && widest <= std::numeric_limits<Lane>::max();
}

std::optional<std::size_t> FindAnyFalseRow(const EncodedTable& table, const Classes& draft) {
  if (table.rows / kRowsPerPackedGroup >= draft.count() && FitLanes(table, draft)) {
    const PackedBoxes boxes(table, draft);
    return FindFalseRow(table, draft,
                        [&](std::size_t first, std::size_t count) { return boxes.AreTruthful(first, count); });
  }
  const BoxesAsTheyAre boxes(table, draft);
  return FindFalseRow(table, draft,
                      [&](std::size_t first, std::size_t count) { return boxes.AreTruthful(first, count); });
}

}  // namespace

std::optional<FalseCell> FindFalseCell(const EncodedTable& table, const Classes& draft) {
  // Without boxes there are no rows, or no quasi-identifiers: nothing is said, so nothing is false.
  if (draft.boxes.empty()) return std::nullopt;
  const std::optional<std::size_t> row = FindAnyFalseRow(table, draft);
  if (!row) return std::nullopt;
  return FalseCell{*row, *FalseColumn(table, draft, *row)};
}

}  // namespace pentimento
