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

// The name of the release in a folder, if it is one of the series.
std::optional<std::string> ReleaseOfSeries(const std::filesystem::path& folder, const std::string& series) {
  std::ifstream file(folder / kManifestName, std::ios::binary);
  if (!file) return std::nullopt;
  const Json manifest = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  try {
    const Json& ours = manifest.at("pentimento");
    for (const Json& guarantee : ours.at("guarantees")) {
      if (guarantee.value("series", "") == series) return ours.at("release").get<std::string>();
    }
  } catch (const Json::exception&) {
    // Somebody else's folder.
  }
  return std::nullopt;
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
    // A release that is not visible yet begins with a dot, and its entry is not open.
    if (folder.path().filename().string().starts_with('.')) continue;
    const std::optional<std::string> release = ReleaseOfSeries(folder.path(), *series);
    if (!release || std::ranges::find(known, *release, &ReleaseRecord::name) != known.end()) continue;
    return Error{ErrorCode::kCorruptLedger,
                 fmt::format("{} is a release of the series '{}', and the ledger does not know it. If the ledger was "
                             "restored, the backup is older than that release: what it told would count as nothing. "
                             "Use a newer backup. If another ledger published it, use another --out, or another name "
                             "of the series. Nothing was published.",
                             folder.path().string(), *series)};
  }
  return {};
}

}  // namespace pentimento
