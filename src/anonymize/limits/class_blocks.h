// Rows in blocks of neighbouring classes. A counting sort by class jumps about in memory, row by row, where classes are
// many; within a block everything stays in the cache, and threads share nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "release/classes.h"

namespace pentimento {

class ClassBlocks {
 public:
  static constexpr std::size_t kClasses = 1 << 13;  // in a block

  // Numbers of classes are below `classes`; there are fewer than 2^32 rows, which must outlive the blocks.
  ClassBlocks(std::span<const ClassNumber> class_of_row, std::size_t classes)
      : class_of_row_(class_of_row),
        classes_(classes),
        count_((classes + kClasses - 1) / kClasses),
        tasks_(class_of_row.size() / kTaskRows + 1) {
    std::vector<std::uint32_t> counts(count_ * tasks_, 0);
    ParallelFor(tasks_, 1, [&](std::size_t first, std::size_t past) {
      std::vector<std::uint32_t> of_block(count_);
      for (std::size_t task = first; task < past; ++task) {
        std::ranges::fill(of_block, 0U);
        ForEachRow(task, [&](std::size_t row) { ++of_block[class_of_row_[row] / kClasses]; });
        for (std::size_t block = 0; block < count_; ++block) counts[block * tasks_ + task] = of_block[block];
      }
    });
    begin_.resize(counts.size() + 1);
    std::partial_sum(counts.begin(), counts.end(), begin_.begin() + 1);
  }

  std::size_t count() const { return count_; }

  // Calls body(block, values of the class) for every class, in order within a block, blocks side by side. Values are
  // below `value_count`, in the order of the rows, and may be changed. Every body that is made is called by one thread.
  template <typename Value, typename MakeBody>
  void ForEachClass(std::span<const Value> value_of_row, std::size_t value_count, const MakeBody& make_body) const {
    if (std::bit_width(value_count) + std::bit_width(kClasses) <= 32) {
      ForEach<std::uint32_t>(value_of_row, value_count, make_body);
    } else {
      ForEach<std::uint64_t>(value_of_row, value_count, make_body);
    }
  }

 private:
  static constexpr std::size_t kTaskRows = 1 << 16;

  template <typename Body>
  void ForEachRow(std::size_t task, const Body& body) const {
    const std::size_t end = std::min((task + 1) * kTaskRows, class_of_row_.size());
    for (std::size_t row = task * kTaskRows; row < end; ++row) body(row);
  }

  // A pair holds the class within its block above the value.
  template <typename Pair, typename Value, typename MakeBody>
  void ForEach(std::span<const Value> value_of_row, std::size_t value_count, const MakeBody& make_body) const {
    const auto value_bits = static_cast<int>(std::bit_width(value_count));
    std::vector<Pair> pairs(class_of_row_.size());
    ParallelFor(tasks_, 1, [&](std::size_t first, std::size_t past) {
      std::vector<std::uint32_t> next(count_);
      for (std::size_t task = first; task < past; ++task) {
        for (std::size_t block = 0; block < count_; ++block) next[block] = begin_[block * tasks_ + task];
        ForEachRow(task, [&](std::size_t row) {
          const Pair in_block = class_of_row_[row] % kClasses;
          pairs[next[class_of_row_[row] / kClasses]++] = (in_block << value_bits) | value_of_row[row];
        });
      }
    });
    ParallelFor(count_, 1, [&](std::size_t first, std::size_t past) {
      auto body = make_body();
      std::vector<std::uint32_t> begin;
      std::vector<Value> by_class;
      for (std::size_t block = first; block < past; ++block) {
        const std::size_t begin_of_block = begin_[block * tasks_];
        const auto of_block =
            std::span<const Pair>(pairs).subspan(begin_of_block, begin_[(block + 1) * tasks_] - begin_of_block);
        const std::size_t classes = std::min(classes_ - block * kClasses, kClasses);
        // Where each class begins, two further on: after the values are in place it is one further on.
        begin.assign(classes + 2, 0);
        for (const Pair pair : of_block) ++begin[(pair >> value_bits) + 2];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        by_class.resize(of_block.size());
        for (const Pair pair : of_block)
          by_class[begin[(pair >> value_bits) + 1]++] = static_cast<Value>(pair & ((Pair{1} << value_bits) - 1));
        for (std::size_t c = 0; c < classes; ++c)
          body(block, std::span(by_class).subspan(begin[c], begin[c + 1] - begin[c]));
      }
    });
  }

  std::span<const ClassNumber> class_of_row_;
  std::size_t classes_;
  std::size_t count_;
  std::size_t tasks_;                 // of the rows, as many rows each
  std::vector<std::uint32_t> begin_;  // by block and task, where its rows are; and the end
};

}  // namespace pentimento
