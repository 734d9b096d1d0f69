// Fresh memory in large pages: arrays of many megabytes that are filled once cost more to get, page after page, than to
// fill.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace pentimento {

// Asks for large pages inside [data, data + bytes), before anybody touches it. A mere request: without large pages
// everything works, only slower. Nothing outside is touched, so no memory is wasted.
inline void AskForLargePages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kLargePage = std::uintptr_t{2} << 20;
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + kLargePage - 1) / kLargePage * kLargePage;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / kLargePage * kLargePage;
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

// Like resize of a vector that has no memory yet.
template <typename Vector, typename... Value>
void ResizeInLargePages(Vector& values, std::size_t count, const Value&... value) {
  values.reserve(count);
  AskForLargePages(values.data(), count * sizeof(values[0]));
  values.resize(count, value...);
}

}  // namespace pentimento
