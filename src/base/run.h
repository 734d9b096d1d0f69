// One run of the engine: what belongs to one call of a face (a command, a call from Python) and not to the process.
//
// 1. A thread works for one run at a time, the one of its innermost RunScope.
//    Outside of any scope it works for a run that nobody cancels,
//    with all threads.
// 2. Whatever a run starts works for it: tasks (parallel.h) and side tasks (StartSideTask there) carry the run of
// whoever
//    started them.
// 3. Two runs do not see each other:
//    neither a cancel nor a failpoint of one reaches the other,
//    and each has at most its own number of threads.
//
// REQUIRES: a run outlives its scopes and all that was started in them.
//
// Code in between asks for what it needs without knowing runs: CheckCancelled (progress.h), Failpoint (below).
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace pentimento {

struct RunOptions {
  std::size_t threads = 0;     // at most; 0 means as many as the machine has
  std::string failpoint = {};  // where the process is killed, for tests; see Failpoint
};

class RunContext {
 public:
  explicit RunContext(RunOptions options = {});
  ~RunContext();
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  // From any thread, and from a signal handler. Returns whether it was cancelled before.
  bool Cancel() noexcept { return is_cancelled_.exchange(true); }
  bool is_cancelled() const { return is_cancelled_.load(std::memory_order_relaxed); }
  // Never 0.
  std::size_t threads() const { return threads_; }
  const std::string& failpoint() const { return failpoint_; }

  // Where its tasks take place; the inside is known to parallel.cc alone.
  struct Arena;
  Arena& arena() { return *arena_; }

 private:
  std::atomic<bool> is_cancelled_ = false;
  std::size_t threads_;
  std::string failpoint_;
  std::unique_ptr<Arena> arena_;
};

RunContext& CurrentRun();

// While it lives, its thread works for `run`.
class RunScope {
 public:
  explicit RunScope(RunContext& run);
  ~RunScope();
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

 private:
  RunContext* before_;
  bool was_inside_;
};

// Which run a thread works for, and whether it is among the threads of it. For run.cc and parallel.cc alone.
struct RunPlace {
  RunContext* run = nullptr;  // nothing outside of any scope
  bool is_inside = false;     // in the run's arena, where tasks are started without entering it
};

RunPlace& PlaceOfThread();

// Failpoint("name"): a named step at which tests kill the process, to prove that a kill at any moment leaves the
// ledger and the published files in agreement. Compiled always, so that what is tested is what is shipped. It belongs
// to a run: the command takes it from the environment variable PENTIMENTO_FAILPOINT, and nobody else does.
//
// Kills the process with SIGKILL (no destructor, no buffer is flushed) when the current run's failpoint is `name`.
void Failpoint(std::string_view name);

}  // namespace pentimento
