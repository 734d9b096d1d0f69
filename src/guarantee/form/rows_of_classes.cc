#include "guarantee/form/rows_of_classes.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kMostCountTasks = 8;
constexpr std::size_t kFewestRowsPerTask = 1 << 16;

template <typename Narrow>
Code GreatestCode(std::span<const Narrow> codes) {
  const std::size_t tasks = std::clamp<std::size_t>(codes.size() / kFewestRowsPerTask, 1, kMostCountTasks);
  std::vector<Code> greatest(tasks);
  ParallelFor(tasks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t task = begin; task < end; ++task) {
      Narrow found = 0;
      const std::size_t last = codes.size() * (task + 1) / tasks;
      for (std::size_t i = codes.size() * task / tasks; i < last; ++i) found = std::max(found, codes[i]);
      greatest[task] = found;
    }
  });
  return std::ranges::max(greatest);
}

// Each task counts an equal part of the rows into an array of its own. There are so few tasks that adding up what they
// counted never costs more than counting. But a large table is never one task: where classes are small, each row is a
// trip to memory, and that is worth sharing.
std::vector<std::vector<std::uint32_t>> CountInTasks(std::span<const ClassNumber> class_of_row, std::size_t classes) {
  const std::size_t rows = class_of_row.size();
  Check(rows < UINT32_MAX, "a table holds fewer than 2^32 - 1 rows");
  const std::size_t fewest = rows < 2 * kFewestRowsPerTask ? 1 : 2;
  const std::size_t tasks = std::clamp<std::size_t>(rows / (4 * classes + 1), fewest, kMostCountTasks);
  std::vector<std::vector<std::uint32_t>> counts(tasks);
  ParallelFor(tasks, 1, [&](std::size_t first_task, std::size_t past_task) {
    for (std::size_t task = first_task; task < past_task; ++task) {
      counts[task].resize(classes);
      const std::size_t last = rows * (task + 1) / tasks;
      for (std::size_t row = rows * task / tasks; row < last; ++row) ++counts[task][class_of_row[row]];
    }
  });
  return counts;
}

}  // namespace

std::size_t RowsOfClasses::FirstRow(std::size_t c) const {
  if (class_of_row.empty()) return 0;
  return static_cast<std::size_t>(std::ranges::find(class_of_row, static_cast<ClassNumber>(c)) - class_of_row.begin());
}

std::vector<std::uint32_t> CountRows(std::span<const ClassNumber> class_of_row, std::size_t classes) {
  std::vector<std::vector<std::uint32_t>> counts = CountInTasks(class_of_row, classes);
  for (std::size_t task = 1; task < counts.size(); ++task) {
    for (std::size_t c = 0; c < classes; ++c) counts[0][c] += counts[task][c];
  }
  return std::move(counts[0]);
}

RowsOfClasses LayOutClasses(std::span<const ClassNumber> class_of_row, std::size_t classes) {
  RowsOfClasses layout{class_of_row, std::vector<std::uint32_t>(classes + 1), CountInTasks(class_of_row, classes)};
  std::uint32_t next = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    layout.begin[c] = next;
    for (std::vector<std::uint32_t>& of_task : layout.begin_of_task) next += std::exchange(of_task[c], next);
  }
  layout.begin[classes] = next;
  return layout;
}

RowsOfClasses OneClass(std::size_t rows) {
  Check(rows < UINT32_MAX, "a table holds fewer than 2^32 - 1 rows");
  return {{}, {0, static_cast<std::uint32_t>(rows)}, {}};
}

Code CodeBound(const CodeColumn& column) {
  if (column.size() == 0) return 0;
  if (column.bits() == 8) return 1 << 8;
  const Code greatest = column.Visit([](auto codes) { return GreatestCode(codes); });
  Check(greatest < UINT32_MAX, "a code is below 2^32 - 1");
  return greatest + 1;
}

}  // namespace pentimento
