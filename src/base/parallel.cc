#include "base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace pentimento {
namespace {

using Range = tbb::blocked_range<std::size_t>;

}  // namespace

struct ThreadLimit::Control {
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(std::size_t threads)
    : control_(new Control{tbb::global_control(
          tbb::global_control::max_allowed_parallelism,
          threads > 0 ? threads : std::max<std::size_t>(1, std::thread::hardware_concurrency()))}) {}

ThreadLimit::~ThreadLimit() = default;

void RunRanges(std::size_t count, std::size_t grain, RangeBody body) {
  tbb::parallel_for(Range(0, count, grain), [&](const Range& range) { body(range.begin(), range.end()); });
}

void RunRangesAlone(std::size_t count, RangeBody body) {
  tbb::this_task_arena::isolate([&] { RunRanges(count, 1, body); });
}

struct TaskGroup::Group {
  tbb::task_group tasks;
};

TaskGroup::TaskGroup() : group_(std::make_unique<Group>()) {}
// Whoever leaves without waiting does so because of an error, and that one is told.
TaskGroup::~TaskGroup() {
  try {
    group_->tasks.wait();
  } catch (...) {
  }
}
void TaskGroup::Run(std::function<void()> task) { group_->tasks.run(std::move(task)); }
void TaskGroup::Wait() { group_->tasks.wait(); }

}  // namespace pentimento
