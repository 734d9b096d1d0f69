#include <signal.h>

#include <exception>
#include <new>
#include <source_location>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/output.h"

int main(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is then an error of write(), with a message, like a full disk
  try {
    return pentimento::RunCommandLine(argc, argv);
  } catch (const std::bad_alloc&) {
    return pentimento::Fail(
        {pentimento::ErrorCode::kStorage, "the memory of this machine is not enough for this table"});
  } catch (const std::exception& error) {
    pentimento::FailCheck(error.what(), std::source_location::current());
  }
}
