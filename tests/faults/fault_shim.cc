// A library for LD_PRELOAD that counts the calls by which a process changes the disk, and lets one of them go wrong.
//
//   FAULT_LOG=FILE      every such call is appended there: number, call, and the paths it is about
//   FAULT_AT=N          the N-th call (from 1) goes wrong, as FAULT_DO says
//   FAULT_DO=kill       the process dies before the call, as by kill -9
//   FAULT_DO=ENOSPC     the call fails, and so does every later one that needs room: the disk stays full
//   FAULT_DO=EIO        the call fails, and the later ones work
//   FAULT_DO=short      a write stores half of its bytes and says so, which a disk may do; other calls work
//   FAULT_THREADS=N     the process gets N threads beside its first one, and no more
//
// Standard output and error are left alone. Calls that the C library makes inside itself (stdio) are not seen.
// tests/faults/sweep.py drives it; CONTRIBUTING.md tells how.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

namespace {

enum class Way { kNone, kKill, kFull, kFault, kShort };
// What a call does to a disk that is full.
enum class Needs { kRoom, kNothing };

struct Plan {
  Way way = Way::kNone;
  long at = 0;
  int log = -1;
};

Plan ReadPlan() {
  Plan plan;
  const char* at = getenv("FAULT_AT");
  const char* way = getenv("FAULT_DO");
  if (at != nullptr && way != nullptr) {
    plan.at = atol(at);
    if (strcmp(way, "kill") == 0) plan.way = Way::kKill;
    if (strcmp(way, "ENOSPC") == 0) plan.way = Way::kFull;
    if (strcmp(way, "EIO") == 0) plan.way = Way::kFault;
    if (strcmp(way, "short") == 0) plan.way = Way::kShort;
  }
  // By the system call itself: the wrappers below are what is being set up.
  if (const char* log = getenv("FAULT_LOG"))
    plan.log = static_cast<int>(syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  return plan;
}

const Plan& ThePlan() {
  static const Plan plan = ReadPlan();
  return plan;
}

std::atomic<long> calls{0};

void Log(long number, const char* call, const char* first, const char* second) {
  char line[8400];
  const int length = snprintf(line, sizeof line, "%ld\t%s\t%s\t%s\n", number, call, first, second);
  if (length > 0) (void)!syscall(SYS_write, ThePlan().log, line, static_cast<size_t>(length));
}

enum class Decision { kGo, kShort, kFail };

// Counts a call and says what becomes of it; on kFail errno is set.
Decision Decide(const char* call, Needs needs, const char* first, const char* second = "") {
  const int before = errno;
  const Plan& plan = ThePlan();
  const long number = ++calls;
  if (plan.log >= 0) Log(number, call, first, second);
  errno = before;
  if (plan.way == Way::kFull && number > plan.at && needs == Needs::kRoom) return errno = ENOSPC, Decision::kFail;
  if (plan.way == Way::kNone || number != plan.at) return Decision::kGo;
  switch (plan.way) {
    case Way::kKill:
      kill(getpid(), SIGKILL);
      for (;;) pause();
    case Way::kFull:
      return errno = ENOSPC, Decision::kFail;
    case Way::kFault:
      return errno = EIO, Decision::kFail;
    default:
      return Decision::kShort;
  }
}

// The path behind a descriptor; false where it is standard input, output or error, which are not of the disk.
struct PathOf {
  explicit PathOf(int file) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
  }
  char text[4096];
};

Decision JudgeFile(const char* call, Needs needs, int file) {
  if (file <= 2) return Decision::kGo;
  return Decide(call, needs, PathOf(file).text);
}

template <typename Function>
Function Real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// What is there already is not made again: such a call changes nothing, and is not counted.
bool IsThere(const char* path) {
  struct stat status;
  const int before = errno;
  const bool there = lstat(path, &status) == 0;
  errno = before;
  return there;
}

size_t Half(size_t count) { return count > 1 ? count / 2 : count; }

}  // namespace

#define REAL(name) static const auto real = Real<decltype(&name)>(#name)
#define PUBLISHED extern "C" __attribute__((visibility("default")))

PUBLISHED ssize_t write(int file, const void* data, size_t count) {
  REAL(write);
  const Decision verdict = JudgeFile("write", Needs::kRoom, file);
  return verdict == Decision::kFail ? -1 : real(file, data, verdict == Decision::kShort ? Half(count) : count);
}
PUBLISHED ssize_t pwrite(int file, const void* data, size_t count, off_t at) {
  REAL(pwrite);
  const Decision verdict = JudgeFile("write", Needs::kRoom, file);
  return verdict == Decision::kFail ? -1 : real(file, data, verdict == Decision::kShort ? Half(count) : count, at);
}
PUBLISHED ssize_t pwrite64(int file, const void* data, size_t count, off64_t at) {
  REAL(pwrite64);
  const Decision verdict = JudgeFile("write", Needs::kRoom, file);
  return verdict == Decision::kFail ? -1 : real(file, data, verdict == Decision::kShort ? Half(count) : count, at);
}
PUBLISHED ssize_t writev(int file, const struct iovec* parts, int count) {
  REAL(writev);
  const Decision verdict = JudgeFile("write", Needs::kRoom, file);
  return verdict == Decision::kFail ? -1 : real(file, parts, verdict == Decision::kShort && count > 1 ? 1 : count);
}
PUBLISHED ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t count, unsigned flags) {
  REAL(copy_file_range);
  const Decision verdict = JudgeFile("write", Needs::kRoom, to);
  return verdict == Decision::kFail ? -1 : real(from, from_at, to, to_at, count, flags);
}
PUBLISHED int fsync(int file) {
  REAL(fsync);
  return JudgeFile("sync", Needs::kRoom, file) == Decision::kFail ? -1 : real(file);
}
PUBLISHED int fdatasync(int file) {
  REAL(fdatasync);
  return JudgeFile("sync", Needs::kRoom, file) == Decision::kFail ? -1 : real(file);
}
PUBLISHED int ftruncate(int file, off_t size) {
  REAL(ftruncate);
  return JudgeFile("truncate", Needs::kNothing, file) == Decision::kFail ? -1 : real(file, size);
}
PUBLISHED int ftruncate64(int file, off64_t size) {
  REAL(ftruncate64);
  return JudgeFile("truncate", Needs::kNothing, file) == Decision::kFail ? -1 : real(file, size);
}
PUBLISHED int fallocate(int file, int mode, off_t at, off_t size) {
  REAL(fallocate);
  return JudgeFile("allocate", Needs::kRoom, file) == Decision::kFail ? -1 : real(file, mode, at, size);
}
PUBLISHED int posix_fallocate(int file, off_t at, off_t size) {
  REAL(posix_fallocate);
  return JudgeFile("allocate", Needs::kRoom, file) == Decision::kFail ? errno : real(file, at, size);
}
PUBLISHED int posix_fallocate64(int file, off64_t at, off64_t size) {
  REAL(posix_fallocate64);
  return JudgeFile("allocate", Needs::kRoom, file) == Decision::kFail ? errno : real(file, at, size);
}
PUBLISHED int fchmod(int file, mode_t mode) noexcept {
  REAL(fchmod);
  return JudgeFile("mode", Needs::kNothing, file) == Decision::kFail ? -1 : real(file, mode);
}
PUBLISHED int rename(const char* from, const char* to) noexcept {
  REAL(rename);
  return Decide("rename", Needs::kRoom, from, to) == Decision::kFail ? -1 : real(from, to);
}
PUBLISHED int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  REAL(renameat);
  return Decide("rename", Needs::kRoom, from, to) == Decision::kFail ? -1 : real(from_folder, from, to_folder, to);
}
PUBLISHED int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  REAL(renameat2);
  return Decide("rename", Needs::kRoom, from, to) == Decision::kFail ? -1
                                                                     : real(from_folder, from, to_folder, to, flags);
}
PUBLISHED int link(const char* from, const char* to) noexcept {
  REAL(link);
  return Decide("link", Needs::kRoom, from, to) == Decision::kFail ? -1 : real(from, to);
}
PUBLISHED int unlink(const char* path) noexcept {
  REAL(unlink);
  return Decide("remove", Needs::kNothing, path) == Decision::kFail ? -1 : real(path);
}
PUBLISHED int unlinkat(int folder, const char* path, int flags) noexcept {
  REAL(unlinkat);
  return Decide("remove", Needs::kNothing, path) == Decision::kFail ? -1 : real(folder, path, flags);
}
PUBLISHED int rmdir(const char* path) noexcept {
  REAL(rmdir);
  return Decide("remove", Needs::kNothing, path) == Decision::kFail ? -1 : real(path);
}
PUBLISHED int remove(const char* path) noexcept {
  REAL(remove);
  return Decide("remove", Needs::kNothing, path) == Decision::kFail ? -1 : real(path);
}
PUBLISHED int mkdir(const char* path, mode_t mode) noexcept {
  REAL(mkdir);
  return !IsThere(path) && Decide("mkdir", Needs::kRoom, path) == Decision::kFail ? -1 : real(path, mode);
}
PUBLISHED int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  REAL(mkdirat);
  return Decide("mkdir", Needs::kRoom, path) == Decision::kFail ? -1 : real(folder, path, mode);
}

namespace {

// The mode is there only where a file may be made.
mode_t ModeOf(int flags, va_list rest) { return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0; }

bool MayMake(int flags, const char* path) {
  return (flags & O_CREAT) == 0 || IsThere(path) || Decide("create", Needs::kRoom, path) != Decision::kFail;
}

}  // namespace

#define OPEN(name)                                              \
  PUBLISHED int name(const char* path, int flags, ...) {        \
    REAL(name);                                                 \
    va_list rest;                                               \
    va_start(rest, flags);                                      \
    const mode_t mode = ModeOf(flags, rest);                    \
    va_end(rest);                                               \
    return MayMake(flags, path) ? real(path, flags, mode) : -1; \
  }
OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                                   \
  PUBLISHED int name(int folder, const char* path, int flags, ...) {    \
    REAL(name);                                                         \
    va_list rest;                                                       \
    va_start(rest, flags);                                              \
    const mode_t mode = ModeOf(flags, rest);                            \
    va_end(rest);                                                       \
    return MayMake(flags, path) ? real(folder, path, flags, mode) : -1; \
  }
OPEN_AT(openat)
OPEN_AT(openat64)

PUBLISHED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                             void* argument) noexcept {
  REAL(pthread_create);
  static std::atomic<long> begun{0};
  const char* const most = getenv("FAULT_THREADS");
  if (most != nullptr && begun++ >= atol(most)) return EAGAIN;
  return real(thread, attributes, body, argument);
}
