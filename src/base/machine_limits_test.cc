#include "base/machine_limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/check_testing.h"

namespace pentimento::machine_limits_test {
namespace {

// Sanitizers map more memory than any limit lets them, and want no threads in a child.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHasSanitizer = true;
#else
constexpr bool kHasSanitizer = false;
#endif

TEST(MachineLimits, WhatRanOutIsRecognised) {
  EXPECT_NE(FindMachineLimit(std::bad_alloc())->message.find("not enough memory"), std::string::npos);
  const auto error = [](std::errc code) { return std::system_error(std::make_error_code(code)); };
  EXPECT_NE(FindMachineLimit(error(std::errc::not_enough_memory))->message.find("not enough memory"),
            std::string::npos);
  EXPECT_NE(FindMachineLimit(error(std::errc::resource_unavailable_try_again))->message.find("not enough threads"),
            std::string::npos);
  EXPECT_EQ(FindMachineLimit(std::bad_alloc())->code, ErrorCode::kStorage);
  EXPECT_FALSE(FindMachineLimit(error(std::errc::permission_denied)));
  EXPECT_FALSE(FindMachineLimit(std::runtime_error("a bug")));
}

TEST(MachineLimits, TheLimitOfAShellCounts) {
  if (kHasSanitizer) GTEST_SKIP() << "a sanitizer needs memory without limit";
  constexpr rlim_t kLimit = rlim_t{3} << 30;
  EXPECT_EQ(ExitCodeOf([&] {
              const rlimit limit{kLimit, RLIM_INFINITY};
              setrlimit(RLIMIT_DATA, &limit);
              _exit(MemoryOfProcess() <= kLimit ? 7 : 8);
            }),
            7);
}

TEST(MachineLimits, AnExceptionThatNobodyCanCatchEndsWithItsCause) {
  if (kHasSanitizer) GTEST_SKIP() << "a sanitizer wants no threads in a child";
  const auto throw_in_thread = [](auto exception) {
    return [=] {
      EndOnUncaughtExceptions();
      std::thread([=] { throw exception; }).join();
    };
  };
  EXPECT_EQ(ExitCodeOf(throw_in_thread(std::bad_alloc())), 4);
  EXPECT_EQ(ExitCodeOf(throw_in_thread(std::system_error(EAGAIN, std::generic_category()))), 4);
  EXPECT_EQ(ExitCodeOf(throw_in_thread(std::runtime_error("a bug"))), kExitInternal);
}

TEST(MachineLimits, ALibraryThatAbortsForWantOfMemoryIsToldApartFromAnyOtherAbort) {
  if (kHasSanitizer) GTEST_SKIP() << "a sanitizer needs memory without limit";
  EXPECT_EQ(ExitCodeOf([] {
              EndOnUncaughtExceptions();
              const rlimit limit{1 << 20, RLIM_INFINITY};  // less than the process has already
              setrlimit(RLIMIT_AS, &limit);
              std::abort();
            }),
            4);
  for (const int signal : {SIGABRT, SIGSEGV}) {
    EXPECT_EQ(ExitCodeOf([=] {
                EndOnUncaughtExceptions();
                raise(signal);
                raise(signal);
              }),
              128 + signal);
  }
}

}  // namespace
}  // namespace pentimento::machine_limits_test
