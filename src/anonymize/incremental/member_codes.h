// Codes record after record, as segments keep them; and those of members and newcomers, wherever they are: in a segment
// of the series or in the batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "anonymize/incremental/incremental_view.h"
#include "anonymize/partition/packed_rows.h"
#include "base/large_pages.h"
#include "base/parallel.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

// Calls body(codes) with room for `rows` rows in `owned`, in the type that the domains need.
template <typename Body>
void WithCodes(OwnedCodes& owned, std::span<const Domain> domains, std::size_t rows, const Body& body) {
  const auto make = [&](auto& codes) {
    ResizeInLargePages(codes, rows * domains.size());
    body(codes.data());
  };
  if (partition::FitNarrowCodes(domains)) {
    make(owned.emplace<UnfilledVector<std::uint16_t>>());
  } else {
    make(owned.emplace<UnfilledVector<std::uint32_t>>());
  }
}

// The codes of these rows of a table, one after the other.
inline void FillCodes(const EncodedTable& table, std::span<const Domain> domains, std::span<const std::uint32_t> rows,
                      OwnedCodes& owned) {
  WithCodes(owned, domains, rows.size(), [&](auto* codes) {
    using Stored = std::remove_reference_t<decltype(*codes)>;
    const std::size_t columns = domains.size();
    ParallelFor(rows.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = 0; c < columns; ++c) {
        table.quasi_identifiers[c].Visit([&](auto column) {
          for (std::size_t i = begin; i < end; ++i) codes[i * columns + c] = static_cast<Stored>(column[rows[i]]);
        });
      }
    });
  });
}

inline constexpr std::uint32_t kInBatch = std::numeric_limits<std::uint32_t>::max();

// A member and where its codes are.
struct MemberPlace {
  CaseNumber member = 0;
  std::uint32_t segment = kInBatch;
  std::uint32_t record = 0;  // of the segment, or of the batch in the order of leaves
};

class MemberCodes {
 public:
  MemberCodes(const IncrementalView& series, const CodesByRecord& batch) : columns_(series.columns), batch_(Of(batch)) {
    for (const SegmentView& segment : series.segments) segments_.push_back(Of(segment.codes));
  }

  Code operator()(const MemberPlace& place, std::size_t column) const {
    const Codes& codes = CodesOf(place.segment);
    const std::size_t at = std::size_t{place.record} * columns_ + column;
    return codes.narrow != nullptr ? Code{codes.narrow[at]} : codes.wide[at];
  }

  // All codes of one place, side by side.
  template <typename Stored>
  void Copy(const MemberPlace& place, Stored* codes) const {
    CopyRecords(place.segment, place.record, 1, codes);
  }

  // Those of `count` records from `first` on, of a segment or of the batch.
  template <typename Stored>
  void CopyRecords(std::uint32_t segment, std::uint32_t first, std::size_t count, Stored* codes) const {
    Visit(CodesOf(segment),
          [&](const auto* from) { std::copy_n(from + std::size_t{first} * columns_, count * columns_, codes); });
  }

 private:
  // Of a segment or of the batch: one of the two.
  struct Codes {
    const std::uint16_t* narrow = nullptr;
    const std::uint32_t* wide = nullptr;
  };

  static Codes Of(const CodesByRecord& codes) {
    const auto* narrow = std::get_if<std::span<const std::uint16_t>>(&codes);
    if (narrow != nullptr) return {narrow->data(), nullptr};
    return {nullptr, std::get<std::span<const std::uint32_t>>(codes).data()};
  }
  const Codes& CodesOf(std::uint32_t segment) const { return segment == kInBatch ? batch_ : segments_[segment]; }
  template <typename Body>
  static void Visit(const Codes& codes, const Body& body) {
    if (codes.narrow != nullptr) {
      body(codes.narrow);
    } else {
      body(codes.wide);
    }
  }

  std::size_t columns_;
  Codes batch_;
  std::vector<Codes> segments_;
};

inline EncodedTable EmptyTable(std::span<const Domain> domains, std::size_t rows) {
  EncodedTable table;
  table.rows = rows;
  for (const Domain& domain : domains) table.quasi_identifiers.emplace_back(domain.size(), rows);
  return table;
}

}  // namespace pentimento
