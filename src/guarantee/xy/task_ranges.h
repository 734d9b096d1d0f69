// Rows sorted by x, cut into stretches for tasks: no x is in two of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "guarantee/xy/relation.h"

namespace pentimento {

// Few, because each task has counters for every value of the other side.
inline constexpr std::size_t kMostCountingTasks = 16;
inline constexpr std::size_t kFewestRowsPerTask = 256;

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

}  // namespace pentimento
