// A thread beside the others, for what waits for the disk or for somebody else: it would hold up a thread that
// computes. What computes is a task (parallel.h).
#pragma once

#include <future>
#include <utility>

#include "base/run.h"

namespace pentimento {

// The call works for the run of whoever starts it. The future throws what the call threw, and waits for it at its end.
template <typename Call>
auto StartSideTask(Call call) {
  return std::async(std::launch::async, [run = &CurrentRun(), call = std::move(call)]() mutable {
    const RunScope scope(*run);
    return call();
  });
}

}  // namespace pentimento
