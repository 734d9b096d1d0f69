// The table as the tree moves it about: column by column, a node being a range of places. Only this array of places is
// shared between threads, and nodes that are worked on at the same time do not overlap.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "anonymize/sensitive/signatures.h"
#include "base/interval.h"
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
    const auto move = [&](auto& codes) { MoveCodes(std::span(codes).subspan(begin, to.size()), to, room); };
    for (CodeColumn& column : columns_) column.VisitMutable(move);
    signatures_.VisitMutable(move);
    move(rows_);
  }

 private:
  // In strips of equal length, which the compiler turns into vector instructions.
  template <typename Width>
  static Interval BoundsOf(std::span<const Width> codes) {
    constexpr std::size_t kStrip = 32;
    std::array<Width, kStrip> lo;
    std::array<Width, kStrip> hi;
    lo.fill(codes[0]);
    hi.fill(codes[0]);
    std::size_t i = 0;
    for (; i + kStrip <= codes.size(); i += kStrip) {
      for (std::size_t j = 0; j < kStrip; ++j) {
        lo[j] = std::min(lo[j], codes[i + j]);
        hi[j] = std::max(hi[j], codes[i + j]);
      }
    }
    Interval bounds{*std::ranges::min_element(lo), *std::ranges::max_element(hi)};
    for (; i < codes.size(); ++i) {
      bounds.lo = std::min<Code>(bounds.lo, codes[i]);
      bounds.hi = std::max<Code>(bounds.hi, codes[i]);
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
