#include "engine/series/series_saving.h"

#include <optional>
#include <utility>

#include "ledger/identities.h"

namespace pentimento {

void SeriesSaving::Begin(const std::filesystem::path& state_folder, const std::string& release,
                         const SegmentView& segment, std::size_t columns, const SeriesIdentities& identities,
                         std::string about) {
  files_.push_back(std::async(std::launch::async, [=, about = std::move(about)] {
    return WriteSeriesSegment(state_folder, release + ".segment", segment, columns, identities, about);
  }));
  if (identities.hashes.empty()) return;
  files_.push_back(std::async(
      std::launch::async, [=] { return WriteIdentities(state_folder, release + ".identities", identities.hashes); }));
}

Result<std::vector<StateFileRecord>> SeriesSaving::Finish() {
  std::vector<StateFileRecord> records;
  std::optional<Error> error;
  for (std::future<Result<StateFileRecord>>& file : files_) {
    Result<StateFileRecord> saved = file.get();
    if (saved.ok()) {
      records.push_back(std::move(saved).value());
    } else if (!error) {
      error = std::move(saved).error();
    }
  }
  files_.clear();
  if (error) return *std::move(error);
  return records;
}

}  // namespace pentimento
