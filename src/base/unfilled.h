// Arrays that are written before they are read: growing one leaves its memory as it is, where a vector would fill it
// with zeros first and so pass over it twice.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace pentimento {

template <typename T>
class UnfilledAllocator : public std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  template <typename U>
  struct rebind {
    using other = UnfilledAllocator<U>;
  };

  template <typename U>
  void construct(U*) const noexcept {}
  template <typename U, typename First, typename... Others>
  void construct(U* at, First&& first, Others&&... others) const {
    std::construct_at(at, std::forward<First>(first), std::forward<Others>(others)...);
  }
};

template <typename T>
using UnfilledVector = std::vector<T, UnfilledAllocator<T>>;

}  // namespace pentimento
