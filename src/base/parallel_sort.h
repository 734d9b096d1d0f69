// Sorting by all threads. Apart from parallel.h, because a sort is compiled with what it sorts, and so needs oneTBB's
// headers.
#pragma once

#include <tbb/parallel_sort.h>

namespace pentimento {

template <typename Iterator, typename Less>
void ParallelSort(Iterator begin, Iterator end, Less less) {
  tbb::parallel_sort(begin, end, less);
}

}  // namespace pentimento
