#include "engine/published/published_folder.h"

#include <algorithm>
#include <system_error>

#include "base/regular_file.h"
#include "fmt/core.h"
#include "ledger/open_entry.h"

namespace pentimento {
namespace {

namespace fs = std::filesystem;

// Thousands of columns need a few megabytes.
constexpr std::uint64_t kLargestManifest = std::uint64_t{16} << 20;

bool LeadsOut(const fs::path& name) {
  return name.empty() || name.is_absolute() || name.native().find('\0') != std::string::npos ||
         std::find(name.begin(), name.end(), "..") != name.end();
}

// Whether the file is inside of the folder after all links were followed; true also for what is not there.
bool IsInside(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::path inner = fs::canonical(file, error);
  if (error) return true;
  const fs::path outer = fs::canonical(folder, error);
  return !error && std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

Error NotOfTheRelease(const fs::path& folder, std::string_view why) {
  return {ErrorCode::kBadInput,
          fmt::format("{}: names a file that {}; a release holds all of its files itself, so this one is not as it was "
                      "published",
                      (folder / kManifestName).string(), why)};
}

}  // namespace

Result<std::string> ReadManifest(const fs::path& folder) {
  if (!IsInside(folder, folder / kManifestName))
    return Error{ErrorCode::kBadInput, "is a link to something outside of its folder"};
  return ReadRegularFile(folder / kManifestName, kLargestManifest);
}

Result<fs::path> FileOfRelease(const fs::path& folder, const std::string& name) {
  if (LeadsOut(name) || !IsInside(folder, folder / name))
    return NotOfTheRelease(folder, "is not in the folder of the release");
  std::error_code error;
  const fs::file_status status = fs::status(folder / name, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    return NotOfTheRelease(folder, "is a folder, a pipe or a device");
  return folder / name;
}

}  // namespace pentimento
