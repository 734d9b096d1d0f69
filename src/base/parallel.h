// Threads. The only home of oneTBB. Results never depend on the number of threads: tasks write to places
// of their own, and whoever gathers them does so in a fixed order.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <cstddef>
#include <utility>

namespace pentimento {

// At most `threads` threads while it lives; 0 means as many as the machine has.
class ThreadLimit {
 public:
  explicit ThreadLimit(std::size_t threads);

 private:
  tbb::global_control control_;
};

// Calls body(begin, end) over disjoint ranges that cover [0, count).
template <typename Body>
void ParallelFor(std::size_t count, std::size_t grain, const Body& body) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [&](const tbb::blocked_range<std::size_t>& range) { body(range.begin(), range.end()); });
}

// Calls body(i) for every i below `count`. Whoever waits for the others takes up nothing else meanwhile: for steps
// within a task whose next step should not be held up.
template <typename Body>
void ParallelForAlone(std::size_t count, const Body& body) {
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, count, body); });
}

template <typename Iterator, typename Less>
void ParallelSort(Iterator begin, Iterator end, Less less) {
  tbb::parallel_sort(begin, end, less);
}

// Runs tasks side by side; Wait() returns when all of them are done.
class TaskGroup {
 public:
  template <typename Task>
  void Run(Task&& task) {
    group_.run(std::forward<Task>(task));
  }
  void Wait() { group_.wait(); }

 private:
  tbb::task_group group_;
};

}  // namespace pentimento
