#include "base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fmt/core.h"

namespace pentimento {
namespace {

Error Reason(std::string reason) { return {ErrorCode::kBadInput, std::move(reason)}; }

Error ReasonOf(int error, std::string_view what) {
  if (error == ENOENT || error == ENOTDIR) return Reason("there is no such file");
  return Reason(fmt::format("{} ({})", what, std::strerror(error)));
}

Status RequireRegular(mode_t mode) {
  if (S_ISREG(mode)) return {};
  return Reason(S_ISDIR(mode) ? "is a folder" : "is a pipe, a device or a socket, and no file");
}

}  // namespace

Result<RegularFile> RegularFile::Open(const std::filesystem::path& path) {
  // Opening a pipe would wait for somebody who writes; after the look below the flag means nothing.
  const int number = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (number < 0) return ReasonOf(errno, "cannot be opened for reading");
  RegularFile file(number, 0);
  struct stat found {};
  if (fstat(number, &found) != 0) return ReasonOf(errno, "cannot be looked at");
  PENTIMENTO_RETURN_IF_ERROR(RequireRegular(found.st_mode));
  file.size_ = static_cast<std::uint64_t>(found.st_size);
  return file;
}

RegularFile::~RegularFile() {
  if (number_ >= 0) close(number_);
}

Result<std::size_t> RegularFile::Read(std::span<char> bytes) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = read(number_, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ReasonOf(errno, "cannot be read");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

Result<std::string> ReadRegularFile(const std::filesystem::path& path, std::uint64_t most) {
  PENTIMENTO_ASSIGN(RegularFile file, RegularFile::Open(path));
  const Error too_large = Reason(fmt::format("is larger than {} bytes", most));
  if (file.size() > most) return too_large;
  // What the system says of the size may be old, or 0 for files that it makes up.
  std::string text(static_cast<std::size_t>(file.size()) + 1, '\0');
  std::size_t filled = 0;
  while (true) {
    PENTIMENTO_ASSIGN(const std::size_t got, file.Read(std::span(text).subspan(filled)));
    filled += got;
    if (filled > most) return too_large;
    if (filled < text.size()) break;
    text.resize(2 * text.size());
  }
  text.resize(filled);
  return text;
}

}  // namespace pentimento
