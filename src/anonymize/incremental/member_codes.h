// The codes of members and newcomers, wherever they are: in a segment of the series or in the batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "anonymize/incremental/incremental_view.h"
#include "anonymize/incremental/row_lanes.h"
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
  MemberCodes(const IncrementalView& series, const CodeLanes& batch) : columns_(series.columns), batch_(Of(batch)) {
    for (const SegmentView& segment : series.segments) segments_.push_back(Of(segment.codes));
  }

  Code operator()(const MemberPlace& place, std::size_t column) const {
    const Lanes& lanes = LanesOf(place.segment);
    const std::size_t at = std::size_t{place.record} * columns_ + column;
    return lanes.narrow != nullptr ? Code{lanes.narrow[at]} : lanes.wide[at];
  }

  // All codes of one place, side by side.
  template <typename Lane>
  void Copy(const MemberPlace& place, Lane* codes) const {
    const Lanes& lanes = LanesOf(place.segment);
    const std::size_t at = std::size_t{place.record} * columns_;
    Visit(lanes, [&](const auto* from) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(*from)>, Lane>) {
        CopyLanes(from + at, columns_, codes);
      } else {
        CopyAll(from + at, columns_, codes);
      }
    });
  }

  // Those of `count` records from `first` on, of a segment or of the batch.
  template <typename Lane>
  void CopyRecords(std::uint32_t segment, std::uint32_t first, std::size_t count, Lane* codes) const {
    Visit(LanesOf(segment),
          [&](const auto* from) { CopyAll(from + std::size_t{first} * columns_, count * columns_, codes); });
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
  const Lanes& LanesOf(std::uint32_t segment) const { return segment == kInBatch ? batch_ : segments_[segment]; }
  template <typename Body>
  static void Visit(const Lanes& lanes, const Body& body) {
    if (lanes.narrow != nullptr) {
      body(lanes.narrow);
    } else {
      body(lanes.wide);
    }
  }
  template <typename From, typename Lane>
  static void CopyAll(const From* from, std::size_t count, Lane* to) {
    if constexpr (std::is_same_v<From, Lane>) {
      if (count > 0) std::memcpy(to, from, count * sizeof(Lane));
    } else {
      std::transform(from, from + count, to, [](From code) { return static_cast<Lane>(code); });
    }
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
