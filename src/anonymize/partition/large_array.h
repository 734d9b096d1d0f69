// Memory for many records that are written before they are read. The system is asked for large pages: a partition
// passes over all of its rows again and again, and with small pages a seventh of its time goes into page faults.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace pentimento::partition {

struct FreeArray {
  void operator()(void* array) const { std::free(array); }
};

template <typename T>
using LargeArray = std::unique_ptr<T[], FreeArray>;

// Not initialised.
template <typename T>
LargeArray<T> AllocateLargeArray(std::size_t count) {
  static_assert(std::is_trivial_v<T>);
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  // Small arrays would only waste the rest of a large page.
  const std::size_t alignment = count * sizeof(T) < 4 * kLargePage ? 64 : kLargePage;
  const std::size_t bytes = (count * sizeof(T) / alignment + 1) * alignment;
  void* const array = std::aligned_alloc(alignment, bytes);
  if (array == nullptr) throw std::bad_alloc();
#ifdef __linux__
  // A mere request: without large pages everything works, only slower.
  if (alignment == kLargePage) (void)madvise(array, bytes, MADV_HUGEPAGE);
#endif
  return LargeArray<T>(static_cast<T*>(array));
}

}  // namespace pentimento::partition
