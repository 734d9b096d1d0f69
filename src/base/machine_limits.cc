#include "base/machine_limits.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <source_location>
#include <string>
#include <system_error>

#include "base/check.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

constexpr const char* kWhatIsLeft =
    "Nothing is half published, and the next run goes on from here; what is published, 'pentimento log' tells.";

std::uint64_t LimitOf(int resource) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::uint64_t>::max();
  return limit.rlim_cur;
}

// Of the control group that the process is in, as a container shows it; no limit where it cannot be read.
std::uint64_t LimitOfGroup() {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const char* const file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::uint64_t bytes = 0;
    if (std::ifstream(file) >> bytes) least = std::min(least, bytes);
  }
  return least;
}

bool IsAboutMemory(const std::exception& thrown) {
  const auto* system = dynamic_cast<const std::system_error*>(&thrown);
  return dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr ||
         (system != nullptr && system->code() == std::errc::not_enough_memory);
}

bool IsAboutThreads(const std::exception& thrown) {
  const auto* system = dynamic_cast<const std::system_error*>(&thrown);
  if (system != nullptr) return system->code() == std::errc::resource_unavailable_try_again;
  // What the library of threads says when it cannot have one.
  return std::strstr(thrown.what(), "pthread_create") != nullptr;
}

// Made when there is memory: whoever ends for want of it cannot format a message.
struct LastWords {
  std::string memory = fmt::format("pentimento: {}\n", OutOfMemory().message);
  std::string threads = fmt::format("pentimento: {}\n", OutOfThreads().message);
};

const LastWords& Prepared() {
  static const LastWords words;
  return words;
}

[[noreturn]] void EndWith(const std::string& words) {
  (void)!write(STDERR_FILENO, words.data(), words.size());
  std::_Exit(ExitCode(ErrorCode::kStorage));
}

// Where there is no memory left for an exception itself, a process ends without one. Asks the system and not malloc,
// which a signal may have interrupted.
bool HasNoMemory() {
  constexpr std::size_t kLittle = std::size_t{1} << 24;
  void* const some = mmap(nullptr, kLittle, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (some == MAP_FAILED) return true;
  munmap(some, kLittle);
  return false;
}

// A library that aborts because it got no memory, or that uses memory which it did not get. For any other reason the
// process ends as it would have.
void EndOnSignal(int signal) {
  if (HasNoMemory()) EndWith(Prepared().memory);
  std::signal(signal, SIG_DFL);
}

[[noreturn]] void EndUncaught() {
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InternalError& error) {
      EndWithInternalError(error);
    } catch (const std::exception& error) {
      if (IsAboutMemory(error)) EndWith(Prepared().memory);
      if (IsAboutThreads(error)) EndWith(Prepared().threads);
      if (!HasNoMemory()) EndWithInternalError(InternalError(error.what(), std::source_location::current()));
    } catch (...) {
    }
  }
  if (HasNoMemory()) EndWith(Prepared().memory);
  EndWithInternalError(InternalError("ended without a cause", std::source_location::current()));
}

}  // namespace

Error OutOfThreads() {
  return {ErrorCode::kStorage,
          fmt::format("not enough threads: the system lets this process have no more of them (ulimit -u, or the limit "
                      "of its control group), or has no memory for them. {} Raise the limit, or use fewer --threads.",
                      kWhatIsLeft)};
}

Error OutOfMemory() {
  return {ErrorCode::kStorage,
          fmt::format("not enough memory: this process may have {} MB. {} Use a machine with more memory or raise the "
                      "limit, or use fewer --threads or a smaller table.",
                      MemoryOfProcess() >> 20, kWhatIsLeft)};
}

std::optional<Error> FindMachineLimit(const std::exception& thrown) {
  if (IsAboutMemory(thrown)) return OutOfMemory();
  if (IsAboutThreads(thrown)) return OutOfThreads();
  return std::nullopt;
}

std::uint64_t MemoryOfProcess() {
  const auto machine =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min({machine, LimitOfGroup(), LimitOf(RLIMIT_AS), LimitOf(RLIMIT_DATA)});
}

void EndOnUncaughtExceptions() {
  (void)Prepared();
  std::set_terminate(EndUncaught);
  for (const int signal : {SIGABRT, SIGSEGV}) std::signal(signal, EndOnSignal);
}

}  // namespace pentimento
