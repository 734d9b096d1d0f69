// The smallest index that any of several tasks has found: the same witness for any number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>

namespace pentimento {

class SmallestIndex {
 public:
  void Offer(std::size_t index) {
    std::size_t known = smallest_.load(std::memory_order_relaxed);
    while (index < known && !smallest_.compare_exchange_weak(known, index, std::memory_order_relaxed)) {
    }
  }
  // To be asked when the tasks are done.
  std::optional<std::size_t> Get() const {
    const std::size_t known = smallest_.load(std::memory_order_relaxed);
    return known == kNothing ? std::nullopt : std::optional(known);
  }

 private:
  static constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> smallest_ = kNothing;
};

}  // namespace pentimento
