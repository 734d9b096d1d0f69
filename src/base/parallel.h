// Threads. Results never depend on their number: tasks write to places of their own, and whoever gathers them does so
// in a fixed order. Tasks work for the run (run.h) of whoever starts them, and it has at most its own number of
// threads.
//
// oneTBB stays behind this page, in parallel.cc. Its headers cost more than a second in every file that sees them, and
// a body is called for a whole range at a time, so that calling it through a pointer costs nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "base/run.h"

namespace pentimento {

// At most `threads` threads while it lives; 0 means as many as the machine has. It is a run with nothing else of its
// own, for tests and benchmarks.
class ThreadLimit {
 public:
  explicit ThreadLimit(std::size_t threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

// A body that belongs to the caller and is called before the caller goes on.
class RangeBody {
 public:
  template <typename Body>
  explicit RangeBody(const Body& body)
      : body_(&body), call_([](const void* called, std::size_t begin, std::size_t end) {
          (*static_cast<const Body*>(called))(begin, end);
        }) {}

  void operator()(std::size_t begin, std::size_t end) const { call_(body_, begin, end); }

 private:
  const void* body_;
  void (*call_)(const void*, std::size_t, std::size_t);
};

// The grain of loops that do little with each row: a task of so many is long beside the handing out of it.
inline constexpr std::size_t kRowsPerTask = std::size_t{1} << 16;

void RunRanges(std::size_t count, std::size_t grain, RangeBody body);
// Makes the call where tasks of the current run take place, for algorithms that oneTBB itself divides into tasks.
void RunInside(const std::function<void()>& call);

// Calls body(begin, end) over disjoint ranges that cover [0, count).
template <typename Body>
void ParallelFor(std::size_t count, std::size_t grain, const Body& body) {
  RunRanges(count, grain, RangeBody(body));
}

// Runs tasks side by side; Wait() returns when all of them are done, and throws what one of them threw.
class TaskGroup {
 public:
  TaskGroup();
  // Whoever leaves without waiting does so because of an error, and that one is told. Only a bug is told before it:
  // what is thrown here is the InternalError of a task, and not while another exception is on its way.
  ~TaskGroup() noexcept(false);
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  void Run(std::function<void()> task);
  void Wait();

 private:
  struct Group;
  std::unique_ptr<Group> group_;
};

// A thread beside the others, for what waits for the disk or for somebody else: it would hold up a thread that
// computes. What computes is a task.
//
// The call works for the run of whoever starts it. The future throws what the call threw, and waits for it at its end.
template <typename Call>
auto StartSideTask(Call call) {
  return std::async(std::launch::async, [run = &CurrentRun(), call = std::move(call)]() mutable {
    const RunScope scope(*run);
    return call();
  });
}

}  // namespace pentimento
