#include "files/file_functions.h"

#include <mutex>
#include <optional>

#include "files/arrow_plugin.h"

namespace pentimento {
namespace {

// A process has one libarrow, and that one its threads.
struct FoundFunctions {
  std::mutex mutex;
  const FileFunctions* functions = nullptr;
  std::optional<std::size_t> threads;  // asked for before there were functions
};

FoundFunctions& Found() {
  static FoundFunctions found;
  return found;
}

}  // namespace

Result<const FileFunctions*> FindFileFunctions() {
  FoundFunctions& found = Found();
  const std::lock_guard lock(found.mutex);
  if (found.functions != nullptr) return found.functions;
  PENTIMENTO_ASSIGN(const FileFunctions* functions, LoadFileFunctions());
  if (found.threads) functions->set_arrow_threads(*found.threads);
  found.functions = functions;
  return functions;
}

void SetArrowThreads(std::size_t threads) {
  FoundFunctions& found = Found();
  const std::lock_guard lock(found.mutex);
  found.threads = threads;
  if (found.functions != nullptr) found.functions->set_arrow_threads(threads);
}

}  // namespace pentimento
