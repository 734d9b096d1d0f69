#include "python/watched_run.h"

#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/check.h"
#include "base/machine_limits.h"
#include "base/run.h"

namespace pentimento::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kGlance{50};

// Where the run is, told by its thread and read by the caller's.
class SharedProgress : public Progress {
 public:
  void Begin(std::string_view step) override {
    const std::lock_guard lock(mutex_);
    step_ = step;
    fraction_ = -1;
    is_new_ = true;
  }
  void Advance(double fraction) override {
    const std::lock_guard lock(mutex_);
    fraction_ = fraction;
    is_new_ = true;
  }
  struct Place {
    std::string step;
    double fraction = -1;
  };
  // Nothing where it is as it was.
  std::optional<Place> TakeNew() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_new_, false)) return std::nullopt;
    return Place{step_, fraction_};
  }

 private:
  std::mutex mutex_;
  std::string step_;
  double fraction_ = -1;
  bool is_new_ = false;
};

Status RunToTheEnd(RunContext& run, Progress& progress, const std::function<Status(Progress&)>& work) {
  const RunScope scope(run);
  try {
    return work(progress);
  } catch (const InternalError& error) {
    return Error{ErrorCode::kInternal, error.message()};
  } catch (const std::exception& error) {
    if (const auto limit = FindMachineLimit(error)) return *limit;
    return Error{ErrorCode::kInternal, InternalError(error.what(), std::source_location::current()).message()};
  }
}

}  // namespace

Status RunWatched(std::size_t threads, const nb::object& progress, const std::function<Status(Progress&)>& work) {
  RunContext run({.threads = threads, .failpoint = {}});
  SharedProgress place;
  Status status;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::thread worker([&] {
    Status ended = RunToTheEnd(run, place, work);
    const std::lock_guard lock(mutex);
    status = std::move(ended);
    is_done = true;
    changed.notify_all();
  });
  std::exception_ptr raised;  // by the signal handler or by `progress`
  bool interrupted = false;
  const auto wait = [&] {
    const nb::gil_scoped_release released;
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, kGlance, [&] { return is_done; });
  };
  while (!wait()) {
    if (raised || interrupted) continue;
    if (PyErr_CheckSignals() != 0) {
      interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0;
      if (interrupted) PyErr_Clear();
      if (!interrupted) raised = std::make_exception_ptr(nb::python_error());
      run.Cancel();
      continue;
    }
    const auto news = progress.is_none() ? std::nullopt : place.TakeNew();
    if (!news) continue;
    try {
      progress(news->step, news->fraction);
    } catch (...) {  // goes on below, when nobody works any more
      raised = std::current_exception();
      run.Cancel();
    }
  }
  {
    const nb::gil_scoped_release released;
    worker.join();
  }
  if (raised) std::rethrow_exception(raised);
  return status;
}

}  // namespace pentimento::python
