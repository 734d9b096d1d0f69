// How the rows of a very large node are divided among threads. There are few such nodes, at the top of the tree, but as
// long as one of them is at work nothing else is there to do. Smaller ones are a single task.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/parallel.h"

namespace pentimento::partition {

class RowTasks {
 public:
  RowTasks(std::size_t begin, std::size_t end)
      : begin_(begin), end_(end), count_(end - begin <= kManyRows ? 1 : (end - begin + kTaskRows - 1) / kTaskRows) {}

  std::size_t count() const { return count_; }

  // Calls body(task, first row, past the last row) for each task, side by side.
  template <typename Body>
  void ForEach(const Body& body) const {
    if (count_ == 1) {
      body(std::size_t{0}, begin_, end_);
      return;
    }
    ParallelForAlone(count_, [&](std::size_t task) {
      const std::size_t first = begin_ + task * kTaskRows;
      body(task, first, std::min(first + kTaskRows, end_));
    });
  }

 private:
  static constexpr std::size_t kManyRows = std::size_t{1} << 19;
  static constexpr std::size_t kTaskRows = std::size_t{1} << 17;

  std::size_t begin_;
  std::size_t end_;
  std::size_t count_;
};

}  // namespace pentimento::partition
