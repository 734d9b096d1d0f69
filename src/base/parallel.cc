#include "base/parallel.h"

#ifndef __SANITIZE_THREAD__

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

#else

// The same by plain threads, for ThreadSanitizer alone. It does not see how oneTBB hands work over, which Debian builds
// without its instrumentation, and takes each time for a race. Of plain threads it sees all.
//
// Nothing here may order what tasks do, or races between them would be hidden: what they count together is relaxed, and
// only the end of a task is passed on, to whoever waits for it.

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace pentimento {
namespace {

// More than a small machine has: what is looked for are ways to interleave.
constexpr std::size_t kThreads = 4;

std::atomic<std::size_t> allowed_threads = kThreads;
std::atomic<std::size_t> more_threads = 0;  // than the first

bool TakeThread() {
  std::size_t taken = more_threads.load(std::memory_order_relaxed);
  do {
    if (taken + 1 >= allowed_threads.load(std::memory_order_relaxed)) return false;
  } while (!more_threads.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed));
  return true;
}

void GiveThreadBack() { more_threads.fetch_sub(1, std::memory_order_relaxed); }

// What the first of several tasks threw.
class FirstThrown {
 public:
  template <typename Call>
  void Catch(const Call& call) {
    try {
      call();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
    }
  }
  void Rethrow() {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

}  // namespace

struct ThreadLimit::Control {
  std::size_t before;
};

ThreadLimit::ThreadLimit(std::size_t threads)
    : control_(new Control{allowed_threads.exchange(threads > 0 ? threads : kThreads)}) {}

ThreadLimit::~ThreadLimit() { allowed_threads = control_->before; }

// Pieces are dealt in turn and not taken by who is free: each thread then has some of them, however late it starts, and
// what they do to each other shows every time.
void RunRanges(std::size_t count, std::size_t grain, RangeBody body) {
  const std::size_t pieces = (count + grain - 1) / grain;
  std::size_t workers = 1;
  while (workers < pieces && TakeThread()) ++workers;
  FirstThrown thrown;
  const auto work = [&](std::size_t worker) {
    thrown.Catch([&] {
      for (std::size_t piece = worker; piece < pieces; piece += workers)
        body(piece * grain, std::min(count, (piece + 1) * grain));
    });
  };
  std::vector<std::thread> threads;
  for (std::size_t worker = 1; worker < workers; ++worker) threads.emplace_back(work, worker);
  work(0);
  for (std::thread& thread : threads) {
    thread.join();
    GiveThreadBack();
  }
  thrown.Rethrow();
}

// Who waits here takes up nothing else anyhow.
void RunRangesAlone(std::size_t count, RangeBody body) { RunRanges(count, 1, body); }

struct TaskGroup::Group {
  std::mutex mutex;
  std::vector<std::function<void()> > left;  // for who waits, because there was no thread for them
  std::size_t begun = 0;                     // by threads of their own
  std::atomic<std::size_t> done = 0;         // of those
  FirstThrown thrown;

  // The next task for who waits; nothing where there is none at the moment.
  std::function<void()> Take() {
    const std::scoped_lock lock(mutex);
    if (left.empty()) return nullptr;
    std::function<void()> task = std::move(left.back());
    left.pop_back();
    return task;
  }
  bool IsDone() {
    const std::scoped_lock lock(mutex);
    return left.empty() && done.load(std::memory_order_acquire) == begun;
  }
  void Finish() {
    while (!IsDone()) {
      if (const std::function<void()> task = Take()) {
        thrown.Catch(task);
      } else {
        std::this_thread::yield();
      }
    }
  }
};

TaskGroup::TaskGroup() : group_(std::make_unique<Group>()) {}

// Whoever leaves without waiting does so because of an error, and that one is told.
TaskGroup::~TaskGroup() { group_->Finish(); }

void TaskGroup::Run(std::function<void()> task) {
  const std::scoped_lock lock(group_->mutex);
  if (!TakeThread()) {
    group_->left.push_back(std::move(task));
    return;
  }
  ++group_->begun;
  // On its own: a group may have thousands of tasks, and would keep the remains of all until it waits.
  std::thread([group = group_.get(), task = std::move(task)]() mutable {
    group->thrown.Catch(task);
    task = nullptr;  // what it holds goes before the group knows of its end
    GiveThreadBack();
    group->done.fetch_add(1, std::memory_order_release);
  }).detach();
}

void TaskGroup::Wait() {
  group_->Finish();
  group_->thrown.Rethrow();
}

}  // namespace pentimento

#endif
