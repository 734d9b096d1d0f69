// The exit code of a child process, for what ends the process. Only tests include it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace pentimento {

// 128 and the signal where one ends it, as shells count.
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
