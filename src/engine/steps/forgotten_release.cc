#include "engine/steps/forgotten_release.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/published/manifest.h"
#include "fmt/core.h"
#include "ledger/open_entry.h"

namespace pentimento {
namespace {

std::optional<std::string> SeriesOf(const Policy& policy) {
  for (const GuaranteePolicy& guarantee : policy.guarantees) {
    if (const auto* growing = std::get_if<IncrementalKAnonymityPolicy>(&guarantee)) return growing->series;
    if (const auto* global = std::get_if<GlobalGuaranteePolicy>(&guarantee)) return global->series;
  }
  return std::nullopt;
}

std::string NotLookedAt(const std::filesystem::path& path, std::string_view why) {
  return fmt::format("{}: {}; whether it is a release that the ledger has forgotten was not looked at", path.string(),
                     why);
}

// Where there is nothing of that name, the folder is none of ours.
bool IsAnythingThere(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::symlink_status(path, error).type() != std::filesystem::file_type::not_found;
}

// All releases in it.
UnrecordedReleases LookInto(const std::filesystem::path& out) {
  UnrecordedReleases contents;
  if (!IsAnythingThere(out)) return contents;
  std::error_code error;
  std::filesystem::directory_iterator place(out, error);
  for (; !error && place != std::filesystem::directory_iterator(); place.increment(error)) {
    const std::filesystem::path folder = place->path();
    // A release that is not visible yet begins with a dot, and its entry is not open.
    if (folder.filename().string().starts_with('.') || !IsAnythingThere(folder / kManifestName)) continue;
    Result<std::optional<ManifestHead>> head = ReadManifestHead(folder);
    if (!head.ok()) {
      contents.notes.push_back(NotLookedAt(folder / kManifestName, head.error().message));
    } else if (*head) {
      contents.releases.push_back({folder, **std::move(head)});
    }
  }
  if (error) contents.notes.push_back(NotLookedAt(out, fmt::format("cannot be read to its end ({})", error.message())));
  std::ranges::sort(contents.notes);
  std::ranges::sort(contents.releases, {}, &UnrecordedRelease::folder);
  return contents;
}

}  // namespace

Result<UnrecordedReleases> FindUnrecorded(const std::filesystem::path& out, Ledger* ledger) {
  UnrecordedReleases contents = LookInto(out);
  if (ledger == nullptr) return contents;
  PENTIMENTO_ASSIGN(std::vector<ReleaseRecord> known, ledger->Releases());
  // What was abandoned never was visible under that entry.
  std::erase_if(known, [](const ReleaseRecord& record) { return record.state == ReleaseState::kAbandoned; });
  std::erase_if(contents.releases, [&](const UnrecordedRelease& release) {
    return std::ranges::find(known, release.head.release, &ReleaseRecord::name) != known.end();
  });
  return contents;
}

Status RequireNoneForgotten(const Policy& policy, const std::vector<UnrecordedRelease>& unrecorded) {
  const std::optional<std::string> series = SeriesOf(policy);
  if (!series) return {};
  for (const UnrecordedRelease& release : unrecorded) {
    if (std::ranges::find(release.head.series, *series) == release.head.series.end()) continue;
    return Error{ErrorCode::kCorruptLedger,
                 fmt::format("{} is a release of the series '{}', and the ledger does not know it. If the ledger was "
                             "restored, the backup is older than that release: what it told would count as nothing. "
                             "Use a newer backup. If another ledger published it, use another --out, or another name "
                             "of the series. Nothing was published.",
                             release.folder.string(), *series)};
  }
  return {};
}

}  // namespace pentimento
