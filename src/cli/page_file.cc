#include "cli/page_file.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fmt/core.h"

extern char** environ;

namespace pentimento {
namespace {

Error CannotWrite(const std::filesystem::path& file, int error) {
  return {ErrorCode::kStorage, fmt::format("{}: cannot be written ({})", file.string(), std::strerror(error))};
}

// 0, or the errno of what went wrong.
int WriteAll(int number, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(number, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

Status WritePage(const std::filesystem::path& file, std::string_view html, bool is_private) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  // A device or a pipe is written to: a file renamed to its name would take its place.
  const bool is_in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  std::filesystem::path aside = file;
  if (!is_in_place) aside += fmt::format(".partial-{}", getpid());
  const int flags = O_WRONLY | O_CLOEXEC | (is_in_place ? 0 : O_CREAT | O_TRUNC | O_NOFOLLOW);
  const int number = open(aside.c_str(), flags, is_private ? 0600 : 0644);
  if (number < 0) return CannotWrite(file, errno);
  int failed = WriteAll(number, html);
  if (close(number) != 0 && failed == 0) failed = errno;
  if (failed == 0 && !is_in_place && rename(aside.c_str(), file.c_str()) != 0) failed = errno;
  if (failed == 0) return {};
  if (!is_in_place) unlink(aside.c_str());
  return CannotWrite(file, failed);
}

Status OpenPage(const std::filesystem::path& file) {
  std::string program = "xdg-open", path = std::filesystem::absolute(file).string();
  char* const arguments[] = {program.data(), path.data(), nullptr};
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) == 0 &&
      waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {};
  return Error{
      ErrorCode::kUsage,
      fmt::format("{}: is written, but no browser could be opened by xdg-open; open the file yourself", file.string())};
}

}  // namespace pentimento
