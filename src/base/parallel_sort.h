// Sorting by all threads. Apart from parallel.h, because a sort is compiled with what it sorts, and so needs oneTBB's
// headers.
#pragma once

#ifdef __SANITIZE_THREAD__
#include <algorithm>
#else
#include <tbb/parallel_sort.h>
#endif

#include "base/parallel.h"

namespace pentimento {

template <typename Iterator, typename Less>
void ParallelSort(Iterator begin, Iterator end, Less less) {
#ifdef __SANITIZE_THREAD__  // parallel.cc says why
  const Iterator middle = begin + (end - begin) / 2;
  ParallelFor(2, 1, [&](std::size_t first, std::size_t last) {
    if (first == 0) std::sort(begin, middle, less);
    if (last == 2) std::sort(middle, end, less);
  });
  std::inplace_merge(begin, middle, end, less);
#else
  RunInside([&] { tbb::parallel_sort(begin, end, less); });
#endif
}

}  // namespace pentimento
