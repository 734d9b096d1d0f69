#include "base/run.h"

#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/progress.h"

namespace pentimento {
namespace {

// For ever: threads may outlive the end of main.
RunContext& RunOfNobody() {
  static RunContext* const run = new RunContext();
  return *run;
}

}  // namespace

void Failpoint(std::string_view name) {
  if (CurrentRun().failpoint() != name) return;
  std::raise(SIGKILL);
  std::_Exit(128 + SIGKILL);  // The first process of a container is immune to its own signals.
}

RunPlace& PlaceOfThread() {
  static thread_local constinit RunPlace place;
  return place;
}

RunContext& CurrentRun() {
  RunContext* const run = PlaceOfThread().run;
  return run != nullptr ? *run : RunOfNobody();
}

RunScope::RunScope(RunContext& run) : before_(PlaceOfThread().run), was_inside_(PlaceOfThread().is_inside) {
  PlaceOfThread() = {&run, false};
}

RunScope::~RunScope() { PlaceOfThread() = {before_, was_inside_}; }

Status CheckCancelled() {
  if (CurrentRun().is_cancelled()) return Error{ErrorCode::kCancelled, "interrupted; nothing was published"};
  return {};
}

}  // namespace pentimento
