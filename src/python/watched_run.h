// One run of the engine on behalf of Python: it works on a thread of its own, while the thread of the caller answers
// Ctrl-C and hands on progress. Called with the GIL; while the engine works nobody holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <functional>

#include "base/progress.h"
#include "base/result.h"

namespace pentimento::python {

// `work` must not touch Python. `progress`: None, or a function that is called with a step and a fraction of it, a few
// times a second. kCancelled after Ctrl-C; what `progress` raises cancels as well, and goes on to the caller.
Status RunWatched(std::size_t threads, const nanobind::object& progress,
                  const std::function<Status(Progress& progress)>& work);

}  // namespace pentimento::python
