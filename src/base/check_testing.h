// For tests of what only a bug of ours can do, and of what ends the process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "base/check.h"

namespace pentimento {

// What a failed check in `body` says; empty where none failed.
template <typename Body>
std::string FailedCheckIn(const Body& body) {
  try {
    body();
  } catch (const InternalError& error) {
    return error.message();
  }
  return "";
}

// The exit code of a child process: 128 and the signal where one ends it, as shells count.
inline int ExitCodeOf(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace pentimento
