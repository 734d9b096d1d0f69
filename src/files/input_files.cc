#include "files/input_files.h"

#include <fcntl.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>

#include "base/progress.h"
#include "base/temporary_folder.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNameOfStandardInput = "standard input";

Error CannotFind(const fs::path& name, std::string_view why) {
  return {ErrorCode::kBadInput, fmt::format("{}: {}", name.string(), why)};
}

bool IsPattern(const fs::path& name, const fs::path& folder) {
  const fs::path below = name.lexically_relative(folder.empty() ? "." : folder);  // empty: it is elsewhere
  return (below.empty() ? name : below).string().find_first_of("*?[") != std::string::npos;
}

// What glob() takes for the name itself.
std::string Escaped(const fs::path& path) {
  std::string escaped;
  for (const char c : path.string()) {
    if (std::strchr("*?[\\", c) != nullptr) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

Result<std::vector<fs::path>> FilesOfPattern(const fs::path& name, const fs::path& folder) {
  const std::string whole = name.string(), before = folder.string();
  const bool is_below = !before.empty() && whole.starts_with(before);
  const std::string pattern = is_below ? Escaped(folder) + whole.substr(before.size()) : whole;
  glob_t found{};
  const int error = glob(pattern.c_str(), GLOB_NOSORT | GLOB_ERR, nullptr, &found);
  std::vector<fs::path> files(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (error == GLOB_ABORTED) return CannotFind(name, "a folder of this pattern cannot be read");
  if (files.empty()) return CannotFind(name, "there is no file whose name fits this pattern");
  return files;
}

// Hidden files, and those that writers of such folders put beside the table ("_SUCCESS"), are not part of it.
Result<std::vector<fs::path>> FilesOfFolder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || name.starts_with('_')) continue;
    if (at->is_directory(error))
      return CannotFind(folder, fmt::format("is a folder with the folder '{}' in it; name the files, or the innermost "
                                            "folders, one by one",
                                            name));
    if (name.ends_with(".parquet")) files.push_back(at->path());
  }
  if (error) return CannotFind(folder, fmt::format("is a folder that cannot be read ({})", error.message()));
  if (files.empty())
    return CannotFind(folder,
                      "is a folder without Parquet files (NAME.parquet); name the files in it, or write a "
                      "pattern like \"*.csv\"");
  return files;
}

// A file that has no name, and is gone with the last who holds it.
class NamelessFile {
 public:
  explicit NamelessFile(int number) : number_(number) {}
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile() { close(number_); }
  int number() const { return number_; }
  // Where it can be opened all the same, by this process.
  fs::path path() const { return fmt::format("/proc/self/fd/{}", number_); }

 private:
  int number_;
};

Error CannotKeep(int error) {
  return {ErrorCode::kStorage,
          fmt::format("{}: cannot be kept in {} while it is read ({}); make room, or name another folder with TMPDIR",
                      kNameOfStandardInput, TemporaryFolder().string(), std::strerror(error))};
}

Result<std::shared_ptr<NamelessFile>> MakeNamelessFile() {
  std::string name = (TemporaryFolder() / "pentimento-XXXXXX").string();
  const int number = mkostemp(name.data(), O_CLOEXEC);  // of mode 0600
  if (number < 0) return CannotKeep(errno);
  unlink(name.c_str());
  return std::make_shared<NamelessFile>(number);
}

// Returns 0 or the error.
int WriteAll(int file, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return 0;
}

Result<TableFile> KeepStandardInput(const TextSetting& setting) {
  PENTIMENTO_ASSIGN(const std::shared_ptr<NamelessFile> kept, MakeNamelessFile());
  std::vector<char> block(1 << 20);
  while (true) {
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    const ssize_t got = read(STDIN_FILENO, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotFind(kNameOfStandardInput, fmt::format("cannot be read ({})", std::strerror(errno)));
    if (got == 0) break;
    if (const int error = WriteAll(kept->number(), block.data(), static_cast<std::size_t>(got)); error != 0)
      return CannotKeep(error);
  }
  TableFile file(kept->path(), setting);
  file.name = kNameOfStandardInput;
  file.kept = kept;
  return file;
}

Result<std::vector<fs::path>> FilesOf(const fs::path& name, const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_directory(name, ignored)) {
    PENTIMENTO_ASSIGN(std::vector<fs::path> files, FilesOfFolder(name));
    return files;
  }
  if (fs::exists(name, ignored) || !IsPattern(name, folder)) return std::vector{name};
  return FilesOfPattern(name, folder);
}

}  // namespace

Result<std::vector<TableFile>> FindInputFiles(const std::vector<fs::path>& names, const fs::path& folder,
                                              const TextSetting& setting) {
  std::vector<TableFile> all;
  for (const fs::path& name : names) {
    if (name == kStandardInput) {
      PENTIMENTO_ASSIGN(TableFile input, KeepStandardInput(setting));
      all.push_back(std::move(input));
      continue;
    }
    PENTIMENTO_ASSIGN(std::vector<fs::path> files, FilesOf(name, folder));
    std::ranges::sort(files);
    for (fs::path& file : files) {
      if (std::ranges::find(all, file, &TableFile::path) != all.end())
        return CannotFind(file, "is named twice, by a pattern too, so everybody in it would count twice");
      all.emplace_back(std::move(file), setting);
    }
  }
  return all;
}

}  // namespace pentimento
