// Failpoint("name"): a named step at which tests kill the process, to prove that a kill at any moment leaves the
// ledger and the published files in agreement. Compiled always, so that what is tested is what is shipped. It belongs
// to a run (run.h): the command takes it from the environment variable PENTIMENTO_FAILPOINT, and nobody else does.
#pragma once

#include <string_view>

namespace pentimento {

// Kills the process with SIGKILL (no destructor, no buffer is flushed) when the current run's failpoint is `name`.
void Failpoint(std::string_view name);

}  // namespace pentimento
