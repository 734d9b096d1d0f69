// The side of a join that every value of the new release is held against: its rows by join value, and its pairs of a
// value on X and a value on Y numbered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "guarantee/xy/fold.h"
#include "guarantee/xy/join_value_index.h"
#include "guarantee/xy/relation.h"

namespace pentimento {

class OtherSide {
 public:
  // The rows of both sides are sorted by x, y and j.
  explicit OtherSide(const JoinSides& sides)
      : matches_(FindAllMatches(sides.one, sides.others, sides.links)), rows_(sides.others.join_count) {
    const std::vector<JoinRow>& rows = sides.others.rows;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (row == 0 || rows[row].x != rows[row - 1].x || rows[row].y != rows[row - 1].y)
        pairs_.push_back({rows[row].x, rows[row].y});
      rows_[rows[row].j].push_back({static_cast<std::uint32_t>(pairs_.size() - 1), rows[row].source});
    }
  }

  struct Pair {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
  };
  std::span<const Pair> pairs() const { return pairs_; }

  // Calls body(number of a pair, source) for each row of this side that matches a join value of the new release.
  template <typename Body>
  void ForEachMatch(std::uint32_t j, const Body& body) const {
    for (const std::uint32_t other : matches_[j]) {
      for (const auto& [pair, source] : rows_[other]) body(pair, source);
    }
  }

 private:
  struct PairRow {
    std::uint32_t pair = 0;
    std::uint32_t source = 0;
  };
  std::vector<std::vector<std::uint32_t>> matches_;
  std::vector<Pair> pairs_;
  std::vector<std::vector<PairRow>> rows_;  // by join value
};

}  // namespace pentimento
