// Saves what a release adds to its series, while something else is done. Nothing of it counts until the release is on
// record.
#pragma once

#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/series_state.h"
#include "ledger/state_file.h"

namespace pentimento {

class SeriesSaving {
 public:
  SeriesSaving() = default;
  // Waits for what is still being written.
  ~SeriesSaving() = default;
  SeriesSaving(const SeriesSaving&) = delete;
  SeriesSaving& operator=(const SeriesSaving&) = delete;

  // Segment and identities, side by side. What they refer to stays as it is until Finish returns.
  void Begin(const std::filesystem::path& state_folder, const std::string& release, const SegmentView& segment,
             std::size_t columns, const SeriesIdentities& identities, std::string about);

  // Waits for all files, whatever becomes of one, and returns them.
  Result<std::vector<StateFileRecord>> Finish();

 private:
  std::vector<std::future<Result<StateFileRecord>>> files_;
};

}  // namespace pentimento
