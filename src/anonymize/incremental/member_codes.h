// The codes of members and newcomers, wherever they are: in a segment of the series or in the batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "anonymize/incremental/series_view.h"
#include "base/parallel.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

inline constexpr std::uint32_t kInBatch = std::numeric_limits<std::uint32_t>::max();

// A member and where its codes are.
struct MemberPlace {
  CaseNumber member = 0;
  std::uint32_t segment = kInBatch;
  std::uint32_t record = 0;  // of the segment, or row of the batch
};

class MemberCodes {
 public:
  MemberCodes(const SeriesView& series, const EncodedTable& batch) : columns_(series.columns), batch_(&batch) {
    for (const SegmentView& segment : series.segments) {
      const auto* narrow = std::get_if<std::span<const std::uint16_t>>(&segment.codes);
      narrow_.push_back(narrow == nullptr ? nullptr : narrow->data());
      wide_.push_back(narrow == nullptr ? std::get<std::span<const std::uint32_t>>(segment.codes).data() : nullptr);
    }
  }

  Code operator()(const MemberPlace& place, std::size_t column) const {
    if (place.segment == kInBatch) return batch_->quasi_identifiers[column][place.record];
    return InSegment(place, column);
  }

  // Appends the codes of these places to the columns of a table that has room for them from `first_row` on.
  void Fill(std::span<const MemberPlace> places, std::size_t first_row, EncodedTable& table) const {
    ParallelFor(places.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      // A block at a time, so that records are still in the cache when their next column is asked for.
      for (std::size_t block = begin; block < end; block += kBlock) {
        const std::size_t block_end = std::min(block + kBlock, end);
        for (std::size_t c = 0; c < columns_; ++c) FillColumn(places, block, block_end, first_row, c, table);
      }
    });
  }

 private:
  static constexpr std::size_t kBlock = 1024;

  Code InSegment(const MemberPlace& place, std::size_t column) const {
    const std::size_t at = std::size_t{place.record} * columns_ + column;
    return narrow_[place.segment] != nullptr ? Code{narrow_[place.segment][at]} : wide_[place.segment][at];
  }

  void FillColumn(std::span<const MemberPlace> places, std::size_t begin, std::size_t end, std::size_t first_row,
                  std::size_t column, EncodedTable& table) const {
    batch_->quasi_identifiers[column].Visit([&](auto batch_codes) {
      table.quasi_identifiers[column].VisitMutable([&](auto& codes) {
        using Narrow = typename std::remove_cvref_t<decltype(codes)>::value_type;
        for (std::size_t i = begin; i < end; ++i) {
          const MemberPlace& place = places[i];
          codes[first_row + i] = static_cast<Narrow>(place.segment == kInBatch ? Code{batch_codes[place.record]}
                                                                               : InSegment(place, column));
        }
      });
    });
  }

  std::size_t columns_;
  const EncodedTable* batch_;
  std::vector<const std::uint16_t*> narrow_;  // by segment; nothing where its codes are wide
  std::vector<const std::uint32_t*> wide_;
};

inline EncodedTable EmptyTable(std::span<const Domain> domains, std::size_t rows) {
  EncodedTable table;
  table.rows = rows;
  for (const Domain& domain : domains) table.quasi_identifiers.emplace_back(domain.size(), rows);
  return table;
}

}  // namespace pentimento
