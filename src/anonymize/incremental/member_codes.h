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

  // All codes of one place, side by side.
  template <typename Lane>
  void Copy(const MemberPlace& place, Lane* codes) const {
    if (place.segment == kInBatch) {
      for (std::size_t c = 0; c < columns_; ++c)
        codes[c] = static_cast<Lane>(batch_->quasi_identifiers[c][place.record]);
    } else if (narrow_[place.segment] != nullptr) {
      const std::uint16_t* const from = narrow_[place.segment] + std::size_t{place.record} * columns_;
      for (std::size_t c = 0; c < columns_; ++c) codes[c] = static_cast<Lane>(from[c]);
    } else {
      const std::uint32_t* const from = wide_[place.segment] + std::size_t{place.record} * columns_;
      for (std::size_t c = 0; c < columns_; ++c) codes[c] = static_cast<Lane>(from[c]);
    }
  }

  // The codes of these places as a table, which has as many rows.
  void Fill(std::span<const MemberPlace> places, EncodedTable& table) const {
    if (columns_ == 0) return;
    ParallelFor(places.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      std::vector<Code> block(kBlock * columns_);
      for (std::size_t first = begin; first < end; first += kBlock) {
        const std::size_t count = std::min(kBlock, end - first);
        // Places are read once, record by record, and columns are written once, in sequence.
        for (std::size_t i = 0; i < count; ++i) Copy(places[first + i], &block[i * columns_]);
        for (std::size_t c = 0; c < columns_; ++c) {
          table.quasi_identifiers[c].VisitMutable([&](auto& codes) {
            using Narrow = typename std::remove_cvref_t<decltype(codes)>::value_type;
            for (std::size_t i = 0; i < count; ++i) codes[first + i] = static_cast<Narrow>(block[i * columns_ + c]);
          });
        }
      }
    });
  }

 private:
  static constexpr std::size_t kBlock = 256;

  Code InSegment(const MemberPlace& place, std::size_t column) const {
    const std::size_t at = std::size_t{place.record} * columns_ + column;
    return narrow_[place.segment] != nullptr ? Code{narrow_[place.segment][at]} : wide_[place.segment][at];
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
