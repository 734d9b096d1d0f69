#include "base/failpoint.h"

#include <csignal>
#include <cstdlib>

#include "base/run.h"

namespace pentimento {

void Failpoint(std::string_view name) {
  if (CurrentRun().failpoint() != name) return;
  std::raise(SIGKILL);
  std::_Exit(128 + SIGKILL);  // The first process of a container is immune to its own signals.
}

}  // namespace pentimento
