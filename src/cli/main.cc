#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <source_location>
#include <string_view>

#include "base/machine_limits.h"
#include "base/result.h"
#include "cli/command_line.h"
#include "cli/output.h"
#include "files/table_file.h"

namespace {

int Run(int argc, char** argv) {
  const auto fail = [&](const pentimento::Error& error) {
    return pentimento::Fail(error, std::find(argv, argv + argc, std::string_view("--json")) != argv + argc);
  };
  const auto fail_internally = [&](const pentimento::InternalError& error) {
    return fail({pentimento::ErrorCode::kInternal, error.message()});
  };
  try {
    return pentimento::RunCommandLine(argc, argv);
  } catch (const pentimento::InternalError& error) {
    return fail_internally(error);
  } catch (const std::exception& error) {
    if (const auto limit = pentimento::FindMachineLimit(error)) return fail(*limit);
    return fail_internally({error.what(), std::source_location::current()});
  }
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is then an error of write(), with a message, like a full disk
  pentimento::EndOnUncaughtExceptions();
  pentimento::SetArrowThreads(0);
  const int exit_code = Run(argc, argv);
  if (exit_code == 0) return 0;
  // Libraries that could not have a thread or memory wait for it at their end, or fall over it. All of ours is closed.
  std::fflush(nullptr);
  std::_Exit(exit_code);
}
