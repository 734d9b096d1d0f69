// `pentimento log --check --out DIR`: what was published, held against the hashes on record.
#include <system_error>

#include "fmt/core.h"
#include "ledger/ledger.h"

namespace pentimento {
namespace {

// What is wrong with a published file, or nothing.
std::optional<std::string> FindProblem(const std::filesystem::path& path, const PublishedFile& file) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return "missing, though it was published";
  const Result<Sha256> hash = HashFile(path);
  if (!hash.ok()) return "cannot be read to compare it with what was published";
  if (ToHex(*hash) == file.sha256) return std::nullopt;
  return "not the file that was published";
}

}  // namespace

Result<PublishedCheck> Ledger::CheckPublished(const std::filesystem::path& folder) {
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> releases, Releases());
  PublishedCheck check;
  for (const ReleaseRecord& release : releases) {
    if (release.state != ReleaseState::kPublished || release.imported) continue;
    const std::filesystem::path place = folder / release.name;
    std::error_code error;
    if (!std::filesystem::is_directory(place, error)) {
      check.missing.push_back(release.name);
      continue;
    }
    const std::size_t before = check.problems.size();
    for (const PublishedFile& file : release.files) {
      const std::optional<std::string> problem = FindProblem(place / file.name, file);
      if (!problem) continue;
      check.problems.push_back(fmt::format("{}: {}. Put a copy of the original back, and tell whoever took this one.",
                                           (place / file.name).string(), *problem));
    }
    if (check.problems.size() == before) check.intact.push_back(release.name);
  }
  return check;
}

}  // namespace pentimento
