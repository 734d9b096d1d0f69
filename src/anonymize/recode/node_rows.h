// The table as the tree moves it about: column by column, a node being a range of places. Only this array of places is
// shared between threads, and nodes that are worked on at the same time do not overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "anonymize/sensitive/signatures.h"
#include "base/interval.h"
#include "base/parallel.h"
#include "table/encoded_table.h"

namespace pentimento::recode {

class NodeRows {
 public:
  NodeRows(const EncodedTable& table, const Signatures* signatures)
      : columns_(table.quasi_identifiers),
        signatures_(signatures == nullptr ? CodeColumn(1, table.rows) : signatures->of_row),
        rows_(table.rows) {
    std::iota(rows_.begin(), rows_.end(), 0U);
  }

  std::size_t size() const { return rows_.size(); }
  std::size_t columns() const { return columns_.size(); }
  const CodeColumn& column(std::size_t c) const { return columns_[c]; }
  const CodeColumn& signatures() const { return signatures_; }
  std::uint32_t row(std::size_t place) const { return rows_[place]; }

  // The lowest and the highest code of a column in the places [begin, end), which are not empty.
  Interval Bounds(std::size_t c, std::size_t begin, std::size_t end) const {
    return columns_[c].Visit([&](const auto codes) { return BoundsOf(codes.subspan(begin, end - begin)); });
  }

  // What a move needs besides; kept between moves.
  using Room = std::tuple<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

  // Brings what is at place begin + i to place begin + to[i], for a permutation `to`.
  void Move(std::size_t begin, std::span<const std::uint32_t> to, Room& room) {
    const auto move = [&](auto& codes, Room& in) { MoveCodes(std::span(codes).subspan(begin, to.size()), to, in); };
    const auto move_column = [&](std::size_t c, Room& in) {
      if (c == columns_.size() + 1) return move(rows_, in);
      CodeColumn& column = c < columns_.size() ? columns_[c] : signatures_;
      column.VisitMutable([&](auto& codes) { move(codes, in); });
    };
    if (to.size() < kManyRows) {
      for (std::size_t c = 0; c < columns_.size() + 2; ++c) move_column(c, room);
      return;
    }
    ParallelFor(columns_.size() + 2, 1, [&](std::size_t first, std::size_t past) {
      Room own;
      for (std::size_t c = first; c < past; ++c) move_column(c, own);
    });
  }

 private:
  // There are too few nodes of this size for all threads.
  static constexpr std::size_t kManyRows = std::size_t{1} << 20;

  // Many lanes at a time. The last strip begins where it ends with the codes: it does no harm to look at one twice.
  template <typename Width>
  static Interval BoundsOf(std::span<const Width> codes) {
    __extension__ typedef Width Lanes __attribute__((vector_size(16)));
    constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(Width);
    if (codes.size() < kLanes) {
      const auto [lo, hi] = std::ranges::minmax(codes);
      return {lo, hi};
    }
    const auto strip_at = [&](std::size_t i) {
      Lanes strip;
      std::memcpy(&strip, &codes[i], sizeof strip);
      return strip;
    };
    Lanes lo = strip_at(codes.size() - kLanes);
    Lanes hi = lo;
    for (std::size_t i = 0; i + kLanes < codes.size(); i += kLanes) {
      const Lanes strip = strip_at(i);
      lo = strip < lo ? strip : lo;
      hi = strip > hi ? strip : hi;
    }
    Interval bounds{lo[0], hi[0]};
    for (std::size_t lane = 1; lane < kLanes; ++lane) {
      bounds.lo = std::min<Code>(bounds.lo, lo[lane]);
      bounds.hi = std::max<Code>(bounds.hi, hi[lane]);
    }
    return bounds;
  }

  template <typename Width>
  static void MoveCodes(std::span<Width> codes, std::span<const std::uint32_t> to, Room& room) {
    auto& moved = std::get<std::vector<Width>>(room);
    if (moved.size() < to.size()) moved.resize(to.size());
    for (std::size_t i = 0; i < to.size(); ++i) moved[to[i]] = codes[i];
    std::copy_n(moved.begin(), to.size(), codes.begin());
  }

  std::vector<CodeColumn> columns_;
  CodeColumn signatures_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace pentimento::recode
