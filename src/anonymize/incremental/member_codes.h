// The codes of members and newcomers, wherever they are: in a segment of the series or in the batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "anonymize/incremental/row_lanes.h"
#include "anonymize/incremental/series_view.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

inline constexpr std::uint32_t kInBatch = std::numeric_limits<std::uint32_t>::max();

// A member and where its codes are.
struct MemberPlace {
  CaseNumber member = 0;
  std::uint32_t segment = kInBatch;
  std::uint32_t record = 0;  // of the segment, or of the batch in the order of leaves
};

class MemberCodes {
 public:
  MemberCodes(const SeriesView& series, const CodeLanes& batch) : columns_(series.columns), batch_(Of(batch)) {
    for (const SegmentView& segment : series.segments) segments_.push_back(Of(segment.codes));
  }

  Code operator()(const MemberPlace& place, std::size_t column) const {
    const Lanes& lanes = LanesOf(place);
    const std::size_t at = std::size_t{place.record} * columns_ + column;
    return lanes.narrow != nullptr ? Code{lanes.narrow[at]} : lanes.wide[at];
  }

  // All codes of one place, side by side.
  template <typename Lane>
  void Copy(const MemberPlace& place, Lane* codes) const {
    const Lanes& lanes = LanesOf(place);
    const std::size_t at = std::size_t{place.record} * columns_;
    const auto copy = [&](const auto* from) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(*from)>, Lane>) {
        CopyLanes(from, columns_, codes);
      } else {
        std::transform(from, from + columns_, codes, [](Code code) { return static_cast<Lane>(code); });
      }
    };
    if (lanes.narrow != nullptr) {
      copy(lanes.narrow + at);
    } else {
      copy(lanes.wide + at);
    }
  }

  // Asks for the codes of some records of a segment before they are needed.
  void Prefetch(std::uint32_t segment, std::size_t first_record, std::size_t count) const {
    const Lanes& lanes = segments_[segment];
    const std::size_t first = first_record * columns_;
    const std::size_t lane_count = std::min<std::size_t>(count * columns_, kPrefetchedLanes);
    for (std::size_t lane = 0; lane < lane_count; lane += 64 / sizeof(std::uint16_t)) {
      if (lanes.narrow != nullptr) __builtin_prefetch(lanes.narrow + first + lane);
    }
  }

 private:
  static constexpr std::size_t kPrefetchedLanes = 512;

  // Of a segment or of the batch: one of the two.
  struct Lanes {
    const std::uint16_t* narrow = nullptr;
    const std::uint32_t* wide = nullptr;
  };

  static Lanes Of(const CodeLanes& codes) {
    const auto* narrow = std::get_if<std::span<const std::uint16_t>>(&codes);
    if (narrow != nullptr) return {narrow->data(), nullptr};
    return {nullptr, std::get<std::span<const std::uint32_t>>(codes).data()};
  }
  const Lanes& LanesOf(const MemberPlace& place) const {
    return place.segment == kInBatch ? batch_ : segments_[place.segment];
  }

  std::size_t columns_;
  Lanes batch_;
  std::vector<Lanes> segments_;
};

inline EncodedTable EmptyTable(std::span<const Domain> domains, std::size_t rows) {
  EncodedTable table;
  table.rows = rows;
  for (const Domain& domain : domains) table.quasi_identifiers.emplace_back(domain.size(), rows);
  return table;
}

}  // namespace pentimento
