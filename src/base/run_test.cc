#include "base/run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/check_testing.h"
#include "base/machine_limits.h"
#include "base/parallel.h"
#include "base/parallel_sort.h"
#include "base/progress.h"

namespace pentimento::run_test {
namespace {

// Calls `see` in every kind of task that a run can start, and in tasks of tasks.
void CallEverywhere(const std::function<void()>& see) {
  see();
  ParallelFor(8, 1, [&](std::size_t begin, std::size_t end) {
    see();
    ParallelFor(end - begin + 2, 1, [&](std::size_t, std::size_t) { see(); });
  });
  TaskGroup group;
  for (int i = 0; i < 8; ++i) {
    group.Run([&] {
      see();
      TaskGroup inner;
      inner.Run([&] { ParallelFor(4, 1, [&](std::size_t, std::size_t) { see(); }); });
      inner.Wait();
      see();
    });
  }
  group.Wait();
  StartSideTask([&] {
    see();
    ParallelFor(4, 1, [&](std::size_t, std::size_t) { see(); });
  }).get();
  see();
}

TEST(RunTest, EveryTaskWorksForTheRunThatStartedIt) {
  for (const std::size_t threads : {1, 2, 5}) {
    RunContext run({.threads = threads});
    const RunScope scope(run);
    std::atomic<int> elsewhere = 0;
    CallEverywhere([&] { elsewhere += &CurrentRun() != &run; });
    EXPECT_EQ(elsewhere, 0) << threads;
  }
}

TEST(RunTest, OutsideOfAnyRunNobodyIsCancelled) {
  RunContext& nobody = CurrentRun();
  {
    RunContext run;
    const RunScope scope(run);
    EXPECT_NE(&CurrentRun(), &nobody);
    run.Cancel();
    EXPECT_FALSE(CheckCancelled().ok());
  }
  EXPECT_EQ(&CurrentRun(), &nobody);
  EXPECT_TRUE(CheckCancelled().ok());
  CallEverywhere([] { EXPECT_TRUE(CheckCancelled().ok()); });
}

TEST(RunTest, ARunInARunEndsWithItsScope) {
  RunContext outer({.threads = 3}), inner({.threads = 1});
  const RunScope scope(outer);
  ParallelFor(6, 1, [&](std::size_t, std::size_t) {
    {
      const RunScope within(inner);
      CallEverywhere([&] { EXPECT_EQ(&CurrentRun(), &inner); });
    }
    EXPECT_EQ(&CurrentRun(), &outer);
  });
}

TEST(RunTest, OneOfTwoRunsIsCancelledAndTheOtherFinishes) {
  RunContext first({.threads = 2}), second({.threads = 2});
  std::atomic<bool> first_is_over = false;
  ErrorCode why = ErrorCode::kInternal;
  std::thread stopped([&] {
    const RunScope scope(first);
    std::atomic<bool> saw_it = false;
    while (!saw_it) {
      ParallelFor(4, 1, [&](std::size_t, std::size_t) { saw_it = saw_it || !CheckCancelled().ok(); });
    }
    why = CheckCancelled().error().code;
    first_is_over = true;
  });
  std::uint64_t rounds = 0;
  std::atomic<bool> was_cancelled = false;
  std::thread finishing([&] {
    const RunScope scope(second);
    while (!first_is_over || rounds < 10) {
      CallEverywhere([&] {
        if (!CheckCancelled().ok()) was_cancelled = true;
      });
      if (++rounds == 3) first.Cancel();
    }
  });
  stopped.join();
  finishing.join();
  EXPECT_EQ(why, ErrorCode::kCancelled);
  EXPECT_FALSE(was_cancelled);
  EXPECT_GE(rounds, 10U);
}

// The most tasks that were at work at the same time, and the number of threads that did one.
struct Seen {
  int at_once = 0;
  std::size_t threads = 0;
};
Seen LookAtThreads(std::size_t threads) {
  RunContext run({.threads = threads});
  const RunScope scope(run);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  int now = 0, most = 0;
  const auto work = [&] {
    {
      const std::scoped_lock lock(mutex);
      ids.insert(std::this_thread::get_id());
      most = std::max(most, ++now);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const std::scoped_lock lock(mutex);
    --now;
  };
  ParallelFor(40, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) work();
  });
  TaskGroup group;
  for (int i = 0; i < 40; ++i) group.Run(work);
  group.Wait();
  return {most, ids.size()};
}

TEST(RunTest, TwoRunsHaveTheirOwnNumbersOfThreads) {
  Seen one, three;
  std::thread alone([&] { one = LookAtThreads(1); });
  std::thread together([&] { three = LookAtThreads(3); });
  alone.join();
  together.join();
  EXPECT_EQ(one.at_once, 1);
  EXPECT_EQ(one.threads, 1U);
  EXPECT_GE(three.at_once, 2);
  EXPECT_LE(three.at_once, 3);
}

TEST(RunTest, SortingStaysWithinTheRun) {
  for (const std::size_t threads : {1, 2, 3}) {
    RunContext run({.threads = threads});
    const RunScope scope(run);
    std::vector<std::uint32_t> numbers(100'000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i * 2654435761U);
    std::mutex mutex;
    std::set<std::thread::id> ids;
    ParallelSort(numbers.begin(), numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (a % 4096 == 0) {
        const std::scoped_lock lock(mutex);
        ids.insert(std::this_thread::get_id());
      }
      return a < b;
    });
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    EXPECT_TRUE(threads > 1 || ids.size() == 1) << ids.size();
  }
}

TEST(RunTest, AFailpointIsSeenByItsRunAlone) {
  RunContext run({.failpoint = "here"});
  EXPECT_EQ(ExitCodeOf([&] {
              const RunScope scope(run);
              Failpoint("there");
              Failpoint("here");
            }),
            128 + SIGKILL);
  {
    RunContext other({.failpoint = "elsewhere"});
    const RunScope scope(other);
    CallEverywhere([] { Failpoint("here"); });
  }
  setenv("PENTIMENTO_FAILPOINT", "here", 1);
  Failpoint("here");  // the environment of whoever uses the library does nothing
  unsetenv("PENTIMENTO_FAILPOINT");
}

TEST(InternalErrorTest, AFailedCheckOfATaskArrivesWhereItWasStarted) {
  for (const std::size_t threads : {1, 2, 3}) {
    const ThreadLimit limit(threads);
    const auto fail_at_5 = [](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) Check(i != 5, "not five");
    };
    EXPECT_NE(FailedCheckIn([&] { ParallelFor(10, 1, fail_at_5); }).find("not five"), std::string::npos);
    EXPECT_NE(FailedCheckIn([&] {
                TaskGroup group;
                for (int i = 0; i < 4; ++i) group.Run([&] { ParallelFor(10, 1, fail_at_5); });
                group.Wait();
              }).find("not five"),
              std::string::npos);
    EXPECT_NE(FailedCheckIn([&] { StartSideTask([&] { ParallelFor(10, 1, fail_at_5); }).get(); }).find("not five"),
              std::string::npos);
  }
}

TEST(InternalErrorTest, AFailedCheckOfATaskThatNobodyWaitsForArrivesToo) {
  const auto leave_early = [] {
    TaskGroup group;
    group.Run([] { Check(false, "in the task"); });
  };
  EXPECT_NE(FailedCheckIn(leave_early).find("in the task"), std::string::npos);
  // What is on its way already is told.
  EXPECT_NE(FailedCheckIn([] {
              TaskGroup group;
              group.Run([] { Check(false, "in the task"); });
              Check(false, "before it");
            }).find("before it"),
            std::string::npos);
}

TEST(InternalErrorTest, ItSaysWhatAndWhere) {
  const std::string message = FailedCheckIn([] { Check(false, "two is three"); });
  EXPECT_EQ(message.find("internal error: two is three ("), 0U) << message;
  EXPECT_NE(message.find("run_test.cc:"), std::string::npos) << message;
}

TEST(InternalErrorTest, WhereNothingCanBeThrownTheProcessEndsWithTheSameCode) {
  EXPECT_EQ(ExitCodeOf([] {
              EndOnUncaughtExceptions();
              [&]() noexcept { Check(false, "in a destructor, say"); }();
            }),
            kExitInternal);
}

}  // namespace
}  // namespace pentimento::run_test
