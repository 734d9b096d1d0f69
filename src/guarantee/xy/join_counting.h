// What both verifiers of (X,Y)-privacy count with: the side of a join that every value of the new release is held
// against, rows in stretches for tasks, and the match that is told as a witness.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "guarantee/xy/fold.h"
#include "guarantee/xy/join_value_index.h"
#include "guarantee/xy/relation.h"
#include "guarantee/xy/xy_view.h"

namespace pentimento {

// The other side: its rows by join value, and its pairs of a value on X and a value on Y numbered.
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

// Few, because each task has counters for every value of the other side.
inline constexpr std::size_t kMostCountingTasks = 16;
inline constexpr std::size_t kFewestRowsPerTask = 256;

// Cuts rows that are sorted by x into stretches; no x is in two of them.
// Calls count(rows of one task) -> Best for each stretch and returns what it gave, in the order of the rows: the same
// answer for any number of threads.
template <typename Best, typename Count>
std::vector<Best> CountInTasks(std::span<const JoinRow> rows, const Count& count) {
  const std::size_t tasks = std::clamp<std::size_t>(rows.size() / kFewestRowsPerTask, 1, kMostCountingTasks);
  std::vector<std::size_t> begins = {0};
  for (std::size_t task = 1; task <= tasks; ++task) {
    std::size_t at = std::max(begins.back(), rows.size() * task / tasks);
    while (at > begins.back() && at < rows.size() && rows[at].x == rows[at - 1].x) ++at;
    begins.push_back(at);
  }
  std::vector<Best> best(tasks);
  ParallelFor(tasks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t task = begin; task < end; ++task)
      best[task] = count(rows.subspan(begins[task], begins[task + 1] - begins[task]));
  });
  return best;
}

// The best that any Counter(sides, others) finds in its stretch; the first of those wins a tie.
template <typename Best, typename Counter>
Best CountJoin(const JoinSides& sides) {
  const OtherSide others(sides);
  const auto count = [&](std::span<const JoinRow> rows) { return Counter(sides, others).Count(rows); };
  Best best;
  for (const Best& of_task : CountInTasks<Best>(sides.one.rows, count)) best.Offer(of_task);
  return best;
}

// Which values a witness shall have; no y: any.
struct WitnessValues {
  std::uint32_t one_x = 0;
  std::uint32_t others_x = 0;
  std::optional<std::uint32_t> one_y = std::nullopt;
  std::optional<std::uint32_t> others_y = std::nullopt;
};

// The first match with these values. There is one; the side `one` is the new release.
MatchWitness FindWitness(const JoinSides& sides, const WitnessValues& wanted);

// "row 12 of the input has it, with records like record 7 of 'immigration-2025'"
std::string Describe(const MatchWitness& witness, const XyReleases& releases);

}  // namespace pentimento
