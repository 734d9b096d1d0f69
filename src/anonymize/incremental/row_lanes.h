// The codes of a table row after row, as segments keep them: who wants all codes of one row finds them in one place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <variant>
#include <vector>

#include "anonymize/incremental/incremental_view.h"
#include "anonymize/partition/packed_rows.h"
#include "base/large_pages.h"
#include "base/parallel.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// Eight lanes are common, and a copy of known size is no call.
template <typename Lane>
void CopyLanes(const Lane* from, std::size_t columns, Lane* to) {
  if (columns == 8) {
    std::memcpy(to, from, 8 * sizeof(Lane));
  } else {
    std::copy_n(from, columns, to);
  }
}

// Calls body(lanes) with room for `rows` rows in `codes`, in the width that the domains need.
template <typename Body>
void WithLanes(OwnedLanes& codes, std::span<const Domain> domains, std::size_t rows, const Body& body) {
  const auto make = [&](auto& lanes) {
    ResizeInLargePages(lanes, rows * domains.size());
    body(lanes.data());
  };
  if (partition::FitNarrowLanes(domains)) {
    make(codes.emplace<UnfilledVector<std::uint16_t>>());
  } else {
    make(codes.emplace<UnfilledVector<std::uint32_t>>());
  }
}

// Codes of `count` rows, row_of(0) to row_of(count - 1). Column by column, so that the memory of many rows is waited
// for at once.
template <typename Lane, typename RowOf>
void CopyRows(const EncodedTable& table, std::size_t count, const RowOf& row_of, Lane* lanes) {
  const std::size_t columns = table.quasi_identifiers.size();
  for (std::size_t c = 0; c < columns; ++c) {
    table.quasi_identifiers[c].Visit([&](auto codes) {
      for (std::size_t i = 0; i < count; ++i) lanes[i * columns + c] = static_cast<Lane>(codes[row_of(i)]);
    });
  }
}

// Rows of the table in this order; row_of(i) for the i-th of `rows`.
template <typename RowOf>
void FillLanes(const EncodedTable& table, std::span<const Domain> domains, std::size_t rows, const RowOf& row_of,
               OwnedLanes& codes) {
  constexpr std::size_t kBlock = 256;
  WithLanes(codes, domains, rows, [&](auto* lanes) {
    ParallelFor((rows + kBlock - 1) / kBlock, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t first = begin * kBlock; first < std::min(end * kBlock, rows); first += kBlock) {
        CopyRows(
            table, std::min(kBlock, rows - first), [&](std::size_t i) { return row_of(first + i); },
            lanes + first * domains.size());
      }
    });
  });
}

}  // namespace pentimento
