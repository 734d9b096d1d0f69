// Measuring a release from its published files, and comparing it with the original it came from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/published/manifest.h"
#include "utility/class_sizes.h"
#include "utility/column_view.h"
#include "utility/living.h"
#include "utility/metrics.h"

namespace pentimento {

// How well the quasi-identifiers of a table tell its rows apart.
struct Distinctness {
  std::uint64_t rows = 0;
  std::uint64_t combinations = 0;  // distinct
  std::uint64_t unique_rows = 0;   // rows that nobody shares
};

struct MeasuredRelease {
  std::string release;
  bool two_tables = false;  // the classes are not what the quasi-identifiers show
  std::uint64_t k = 0;
  std::string global_series;  // under the global guarantee; empty: of none
  std::vector<std::string> quasi_identifiers;
  Metrics metrics;
  std::vector<SizeBin> class_sizes;
  std::uint64_t rows_below_k = 0;      // in classes of fewer than k rows
  std::vector<ColumnView> columns;     // by quasi-identifier
  std::optional<LivingCounts> living;  // of a growing series, where the release tells who has left
  Distinctness released;
  Distinctness original;  // nothing of it where no original was named
};

// `originals`: the table that it came from, in one file or several; none: only what is published is measured.
Result<MeasuredRelease> MeasureRelease(const std::vector<std::filesystem::path>& originals, const Manifest& manifest);
Result<MeasuredRelease> MeasureRelease(const std::vector<std::filesystem::path>& originals,
                                       const std::filesystem::path& release_folder);

}  // namespace pentimento
