#include "base/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/run.h"

#ifndef __SANITIZE_THREAD__

namespace pentimento {
namespace {

using Range = tbb::blocked_range<std::size_t>;

std::size_t ThreadsOfMachine() { return std::max<std::size_t>(1, std::thread::hardware_concurrency()); }

// By itself oneTBB makes no more threads than the machine has, however many a run asks for. Where a user of the library
// has asked oneTBB for fewer, that holds.
void AllowMoreThreadsThanMachine() {
  constexpr std::size_t kMost = 1024;
  static const tbb::global_control control(tbb::global_control::max_allowed_parallelism, kMost);
}

// While it lives, its thread does a task of the run.
class TaskScope {
 public:
  explicit TaskScope(RunContext& run) : place_(PlaceOfThread()), before_(std::exchange(place_, {&run, true})) {}
  ~TaskScope() { place_ = before_; }
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;

 private:
  RunPlace& place_;
  RunPlace before_;
};

void Divide(RunContext& run, const Range& all, RangeBody body) {
  tbb::parallel_for(all, [&](const Range& range) {
    const TaskScope scope(run);
    body(range.begin(), range.end());
  });
}

}  // namespace

struct RunContext::Arena {
  // Besides the one that computes, threads that wait for the disk now and then have something to compute, too. A place
  // is held for each of them, so that nobody has to wait for another's task; if there are more, they do wait.
  static constexpr unsigned kPlaces = 4;

  // With all threads of the machine, each thread has oneTBB's own.
  explicit Arena(std::size_t threads) {
    if (threads == ThreadsOfMachine()) return;
    if (threads > ThreadsOfMachine()) AllowMoreThreadsThanMachine();
    own.emplace(static_cast<int>(threads - 1 + kPlaces), kPlaces);
  }

  template <typename Call>
  void Enter(RunContext& run, const Call& call) {
    if (!own || (PlaceOfThread().run == &run && PlaceOfThread().is_inside)) {
      call();
    } else {
      own->execute([&] {
        const TaskScope scope(run);
        call();
      });
    }
  }

  std::optional<tbb::task_arena> own;
};

RunContext::RunContext(RunOptions options)
    : threads_(options.threads > 0 ? options.threads : ThreadsOfMachine()),
      failpoint_(std::move(options.failpoint)),
      arena_(std::make_unique<Arena>(threads_)) {}

RunContext::~RunContext() = default;

void RunInside(const std::function<void()>& call) {
  RunContext& run = CurrentRun();
  run.arena().Enter(run, call);
}

void RunRanges(std::size_t count, std::size_t grain, RangeBody body) {
  RunContext& run = CurrentRun();
  run.arena().Enter(run, [&] { Divide(run, Range(0, count, grain), body); });
}

struct TaskGroup::Group {
  tbb::task_group tasks = {};
  RunContext& run = CurrentRun();
  int exceptions = std::uncaught_exceptions();
};

void TaskGroup::Run(std::function<void()> task) {
  RunContext& run = group_->run;
  run.arena().Enter(run, [&] {
    group_->tasks.run([&run, task = std::move(task)] {
      const TaskScope scope(run);
      task();
    });
  });
}

void TaskGroup::Wait() {
  group_->run.arena().Enter(group_->run, [&] { group_->tasks.wait(); });
}

}  // namespace pentimento

#else

// The same by plain threads, for ThreadSanitizer alone. It does not see how oneTBB hands work over, which Debian builds
// without its instrumentation, and takes each time for a race. Of plain threads it sees all.
//
// Nothing here may order what tasks do, or races between them would be hidden: what they count together is relaxed, and
// only the end of a task is passed on, to whoever waits for it.

#include <atomic>
#include <mutex>
#include <vector>

namespace pentimento {
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

struct RunContext::Arena {
  explicit Arena(std::size_t threads) : allowed(threads) {}

  bool TakeThread() {
    std::size_t taken = more.load(std::memory_order_relaxed);
    do {
      if (taken + 1 >= allowed) return false;
    } while (!more.compare_exchange_weak(taken, taken + 1, std::memory_order_relaxed));
    return true;
  }
  void GiveThreadBack() { more.fetch_sub(1, std::memory_order_relaxed); }

  std::size_t allowed;
  std::atomic<std::size_t> more = 0;  // than the first
};

// More threads than a small machine has: what is looked for are ways to interleave.
RunContext::RunContext(RunOptions options)
    : threads_(options.threads > 0 ? options.threads : 4),
      failpoint_(std::move(options.failpoint)),
      arena_(std::make_unique<Arena>(threads_)) {}

RunContext::~RunContext() = default;

void RunInside(const std::function<void()>& call) { call(); }

// Pieces are dealt in turn and not taken by who is free: each thread then has some of them, however late it starts, and
// what they do to each other shows every time.
void RunRanges(std::size_t count, std::size_t grain, RangeBody body) {
  RunContext& run = CurrentRun();
  const std::size_t pieces = (count + grain - 1) / grain;
  std::size_t workers = 1;
  while (workers < pieces && run.arena().TakeThread()) ++workers;
  FirstThrown thrown;
  const auto work = [&](std::size_t worker) {
    const RunScope scope(run);
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
    run.arena().GiveThreadBack();
  }
  thrown.Rethrow();
}

struct TaskGroup::Group {
  std::mutex mutex;
  std::vector<std::function<void()> > left;  // for who waits, because there was no thread for them
  std::size_t begun = 0;                     // by threads of their own
  std::atomic<std::size_t> done = 0;         // of those
  FirstThrown thrown;
  RunContext& run = CurrentRun();
  int exceptions = std::uncaught_exceptions();

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
    const RunScope scope(run);
    while (!IsDone()) {
      if (const std::function<void()> task = Take()) {
        thrown.Catch(task);
      } else {
        std::this_thread::yield();
      }
    }
  }
};

void TaskGroup::Run(std::function<void()> task) {
  const std::scoped_lock lock(group_->mutex);
  if (!group_->run.arena().TakeThread()) {
    group_->left.push_back(std::move(task));
    return;
  }
  ++group_->begun;
  // On its own: a group may have thousands of tasks, and would keep the remains of all until it waits.
  std::thread([group = group_.get(), task = std::move(task)]() mutable {
    const RunScope scope(group->run);
    group->thrown.Catch(task);
    task = nullptr;  // what it holds goes before the group knows of its end
    group->run.arena().GiveThreadBack();
    group->done.fetch_add(1, std::memory_order_release);
  }).detach();
}

void TaskGroup::Wait() {
  group_->Finish();
  group_->thrown.Rethrow();
}

}  // namespace pentimento

#endif

namespace pentimento {

TaskGroup::TaskGroup() : group_(std::make_unique<Group>()) {}

TaskGroup::~TaskGroup() noexcept(false) {
  try {
    Wait();
  } catch (const InternalError&) {
    if (std::uncaught_exceptions() == group_->exceptions) throw;
  } catch (...) {
  }
}

struct ThreadLimit::Control {
  explicit Control(std::size_t threads) : run({.threads = threads}) {}
  RunContext run;
  RunScope scope{run};
};

ThreadLimit::ThreadLimit(std::size_t threads) : control_(std::make_unique<Control>(threads)) {}
ThreadLimit::~ThreadLimit() = default;

}  // namespace pentimento
