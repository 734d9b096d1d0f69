#include "engine/forgotten_release.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/datapackage.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::string> SeriesOf(const Policy& policy) {
  for (const GuaranteePolicy& guarantee : policy.guarantees) {
    if (const auto* growing = std::get_if<IncrementalKAnonymityPolicy>(&guarantee)) return growing->series;
    if (const auto* global = std::get_if<GlobalGuaranteePolicy>(&guarantee)) return global->series;
  }
  return std::nullopt;
}

// What a folder says of itself, if it is a release of ours.
struct ReleaseInFolder {
  std::string name;
  std::vector<std::string> series;  // of its guarantees
};

std::optional<ReleaseInFolder> ReadReleaseIn(const std::filesystem::path& folder) {
  // A release that is not visible yet begins with a dot, and its entry is not open.
  if (folder.filename().string().starts_with('.')) return std::nullopt;
  std::ifstream file(folder / kManifestName, std::ios::binary);
  if (!file) return std::nullopt;
  const Json manifest = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  try {
    const Json& ours = manifest.at("pentimento");
    ReleaseInFolder release{ours.at("release").get<std::string>(), {}};
    for (const Json& guarantee : ours.at("guarantees")) release.series.push_back(guarantee.value("series", ""));
    return release;
  } catch (const Json::exception&) {
    return std::nullopt;  // somebody else's folder
  }
}

}  // namespace

Status RequireNoneForgotten(const Policy& policy, const std::filesystem::path& out, Ledger* ledger) {
  const std::optional<std::string> series = SeriesOf(policy);
  if (!series) return {};
  std::vector<ReleaseRecord> known;
  if (ledger != nullptr) {
    PENTIMENTO_ASSIGN(known, ledger->Releases());
  }
  std::error_code none_there;
  for (const std::filesystem::directory_entry& folder : std::filesystem::directory_iterator(out, none_there)) {
    const std::optional<ReleaseInFolder> release = ReadReleaseIn(folder.path());
    if (!release || std::ranges::find(release->series, *series) == release->series.end()) continue;
    if (std::ranges::find(known, release->name, &ReleaseRecord::name) != known.end()) continue;
    return Error{ErrorCode::kCorruptLedger,
                 fmt::format("{} is a release of the series '{}', and the ledger does not know it. If the ledger was "
                             "restored, the backup is older than that release: what it told would count as nothing. "
                             "Use a newer backup. If another ledger published it, use another --out, or another name "
                             "of the series. Nothing was published.",
                             folder.path().string(), *series)};
  }
  return {};
}

Result<std::vector<std::filesystem::path>> FindUnrecorded(const std::filesystem::path& out, Ledger& ledger) {
  PENTIMENTO_ASSIGN(std::vector<ReleaseRecord> known, ledger.Releases());
  // What was abandoned never was visible under that entry.
  std::erase_if(known, [](const ReleaseRecord& record) { return record.state == ReleaseState::kAbandoned; });
  std::vector<std::filesystem::path> unrecorded;
  std::error_code none_there;
  for (const std::filesystem::directory_entry& folder : std::filesystem::directory_iterator(out, none_there)) {
    const std::optional<ReleaseInFolder> release = ReadReleaseIn(folder.path());
    if (release && std::ranges::find(known, release->name, &ReleaseRecord::name) == known.end())
      unrecorded.push_back(folder.path());
  }
  std::ranges::sort(unrecorded);
  return unrecorded;
}

}  // namespace pentimento
