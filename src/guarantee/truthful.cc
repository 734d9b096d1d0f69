#include "guarantee/truthful.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "guarantee/smallest_index.h"

namespace pentimento {
namespace {

// Rows lie in no order of groups, so each of them costs a trip to the box of its group. Two things keep that cheap:
// a box is packed into neighbouring lanes as narrow as the codes, so that it is one trip per row and not one per
// column, and a block of rows is so small that its boxes stay in the cache while column after column is compared.
constexpr std::size_t kRowsPerBlock = 512;
constexpr std::size_t kBlocksPerTask = 16;
constexpr std::size_t kGroupsPerTask = 4096;

template <typename Lane>
struct Lanes {
  Lane lo = 0;
  Lane hi = 0;
};

// With fewer rows per group packing costs more than it saves.
constexpr std::size_t kRowsPerPackedGroup = 8;

template <typename Lane>
std::vector<Lanes<Lane>> PackBoxes(const Draft& draft) {
  std::vector<Lanes<Lane>> packed(draft.boxes.size());
  ParallelFor(packed.size(), kGroupsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      packed[i] = {static_cast<Lane>(draft.boxes[i].lo), static_cast<Lane>(draft.boxes[i].hi)};
    }
  });
  return packed;
}

// Without branches inside: there is nothing to find in nearly every block.
template <typename Ends, typename Narrow>
bool BlockIsTruthful(std::span<const Narrow> codes, std::span<const GroupId> groups, const Ends* column_of_boxes,
                     std::size_t columns) {
  bool outside = false;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Ends box = column_of_boxes[groups[i] * columns];
    outside |= (codes[i] < box.lo) | (codes[i] > box.hi);
  }
  return !outside;
}

std::optional<std::size_t> FalseColumn(const EncodedTable& table, const Draft& draft, std::size_t row) {
  const auto box = draft.box(draft.group_of_row[row]);
  for (std::size_t c = 0; c < draft.columns; ++c) {
    if (!box[c].Contains(table.quasi_identifiers[c][row])) return c;
  }
  return std::nullopt;
}

// `boxes`: those of the draft, packed or as they are.
template <typename Ends>
std::optional<std::size_t> FindFalseRow(const EncodedTable& table, const Draft& draft, std::span<const Ends> boxes) {
  const auto block_is_truthful = [&](std::size_t first, std::size_t count) {
    const auto groups = std::span(draft.group_of_row).subspan(first, count);
    for (std::size_t c = 0; c < draft.columns; ++c) {
      const bool truthful = table.quasi_identifiers[c].Visit(
          [&](auto codes) { return BlockIsTruthful(codes.subspan(first, count), groups, &boxes[c], draft.columns); });
      if (!truthful) return false;
    }
    return true;
  };
  SmallestIndex smallest;
  const std::size_t blocks = (table.rows + kRowsPerBlock - 1) / kRowsPerBlock;
  ParallelFor(blocks, kBlocksPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      std::size_t row = block * kRowsPerBlock;
      if (block_is_truthful(row, std::min(kRowsPerBlock, table.rows - row))) continue;
      while (!FalseColumn(table, draft, row)) ++row;
      smallest.Offer(row);
      return;
    }
  });
  return smallest.Get();
}

template <typename Lane>
std::optional<std::size_t> FindFalseRowPacked(const EncodedTable& table, const Draft& draft) {
  const std::vector<Lanes<Lane>> boxes = PackBoxes<Lane>(draft);
  return FindFalseRow(table, draft, std::span<const Lanes<Lane>>(boxes));
}

int BitsOfBoxes(const Draft& draft) {
  Code widest = 0;
  for (const Interval interval : draft.boxes) widest = std::max(widest, interval.hi);
  return widest < (1U << 8) ? 8 : widest < (1U << 16) ? 16 : 32;
}

std::optional<std::size_t> FindAnyFalseRow(const EncodedTable& table, const Draft& draft) {
  if (table.rows / kRowsPerPackedGroup < draft.group_count())
    return FindFalseRow(table, draft, std::span<const Interval>(draft.boxes));
  const int bits = BitsOfBoxes(draft);
  return bits == 8    ? FindFalseRowPacked<std::uint8_t>(table, draft)
         : bits == 16 ? FindFalseRowPacked<std::uint16_t>(table, draft)
                      : FindFalseRow(table, draft, std::span<const Interval>(draft.boxes));
}

}  // namespace

std::optional<FalseCell> FindFalseCell(const EncodedTable& table, const Draft& draft) {
  // Without boxes there are no rows, or no quasi-identifiers: nothing is said, so nothing is false.
  if (draft.boxes.empty()) return std::nullopt;
  const std::optional<std::size_t> row = FindAnyFalseRow(table, draft);
  if (!row) return std::nullopt;
  return FalseCell{*row, *FalseColumn(table, draft, *row)};
}

}  // namespace pentimento
