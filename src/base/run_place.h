// Which run a thread works for, and whether it is among the threads of it. For run.cc and parallel.cc alone.
#pragma once

#include "base/run.h"

namespace pentimento {

struct RunPlace {
  RunContext* run = nullptr;  // nothing outside of any scope
  bool is_inside = false;     // in the run's arena, where tasks are started without entering it
};

RunPlace& PlaceOfThread();

}  // namespace pentimento
