#include "engine/steps/staged_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "base/hash.h"
#include "base/progress.h"
#include "engine/published/datapackage.h"
#include "fmt/core.h"
#include "ledger/file_descriptor.h"
#include "taxonomy/padded_text.h"

namespace pentimento {
namespace {

constexpr std::size_t kCopyBlock = std::size_t{4} << 20;

Status MakeFolder(const std::filesystem::path& folder) {
  if (mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return Error{ErrorCode::kStorage, fmt::format("{}: cannot be made ({})", folder.string(), std::strerror(errno))};
}

Error CannotBeRead(const std::filesystem::path& file, int error) {
  return {ErrorCode::kBadInput, fmt::format("{}: cannot be read ({})", file.string(), std::strerror(error))};
}

}  // namespace

Result<PublishedFile> StageText(const std::filesystem::path& folder, const std::string& name, std::string_view text) {
  const std::filesystem::path path = folder / name;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  bool ok = file >= 0;
  for (std::string_view left = text; ok && !left.empty();) {
    const ssize_t written = write(file, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    ok = written > 0;
    if (ok) left.remove_prefix(static_cast<std::size_t>(written));
  }
  ok = ok && fsync(file) == 0;
  const int error = errno;
  if (file >= 0) ok = close(file) == 0 && ok;
  if (!ok)
    return Error{ErrorCode::kStorage, fmt::format("{}: cannot be written ({})", path.string(), std::strerror(error))};
  return PublishedFile{name, ToHex(HashContent(text)), text.size()};
}

Result<PublishedFile> StageCopy(const std::filesystem::path& folder, const std::string& name,
                                const std::filesystem::path& from) {
  const FileDescriptor source(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source.valid()) return CannotBeRead(from, errno);
  PENTIMENTO_ASSIGN(const FileDescriptor copy, CreatePrivateFile(folder / name));
  ContentHasher hasher;
  PublishedFile file{name, "", 0};
  for (std::string block(kCopyBlock, '\0');;) {
    const ssize_t length = read(source.get(), block.data(), block.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return CannotBeRead(from, errno);
    if (length == 0) break;
    const std::string_view bytes(block.data(), static_cast<std::size_t>(length));
    hasher.Update(bytes);
    file.bytes += bytes.size();
    PENTIMENTO_RETURN_IF_ERROR(WriteAll(copy, std::as_bytes(std::span(bytes)), folder / name));
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  }
  PENTIMENTO_RETURN_IF_ERROR(SyncFile(copy, folder / name));
  file.sha256 = ToHex(hasher.Finish());
  return file;
}

namespace {

// The taxonomies of the columns that have one.
Result<std::vector<PublishedFile>> StageTaxonomies(const std::filesystem::path& folder, const BoundPolicy& bound) {
  std::vector<PublishedFile> files;
  for (const ColumnPlan& column : bound.plan.columns) {
    if (!column.taxonomy) continue;
    PENTIMENTO_RETURN_IF_ERROR(MakeFolder(folder / "taxonomies"));
    PENTIMENTO_ASSIGN(PublishedFile file, StageText(folder, TaxonomyFileName(column), PaddedText(*column.taxonomy)));
    files.push_back(std::move(file));
  }
  return files;
}

// The folder, and the folders in it.
Status SyncFoldersOf(const std::filesystem::path& folder, std::span<const PublishedFile> files) {
  std::set<std::filesystem::path> folders = {folder};
  for (const PublishedFile& file : files) folders.insert((folder / file.name).parent_path());
  for (const std::filesystem::path& inner : folders) PENTIMENTO_RETURN_IF_ERROR(SyncFolder(inner));
  return {};
}

}  // namespace

Result<std::vector<PublishedFile>> FinishStaging(
    const std::filesystem::path& folder, const BoundPolicy& bound, std::vector<PublishedFile> tables,
    const std::function<std::string(std::span<const PublishedFile>)>& manifest_of) {
  std::vector<PublishedFile> files = std::move(tables);
  PENTIMENTO_ASSIGN(const std::vector<PublishedFile> taxonomies, StageTaxonomies(folder, bound));
  files.insert(files.end(), taxonomies.begin(), taxonomies.end());
  PENTIMENTO_ASSIGN(PublishedFile manifest, StageText(folder, std::string(kManifestName), manifest_of(files)));
  files.push_back(std::move(manifest));
  PENTIMENTO_RETURN_IF_ERROR(SyncFoldersOf(folder, files));
  return files;
}

}  // namespace pentimento
