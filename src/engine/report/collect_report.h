// Fills a report from the ledger and the published folders. Reads both and changes neither.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "engine/report/trials.h"
#include "utility/report_numbers.h"

namespace pentimento {

struct ReportOptions {
  std::filesystem::path ledger;
  ReportEdition edition = ReportEdition::kInternal;
  std::vector<std::string> releases = {};  // to report on; none: all
  std::vector<std::string> series = {};    // the same for all releases of a series
  std::filesystem::path out = {};          // where published folders are now; empty: where they were published
  std::vector<std::filesystem::path> originals = {};  // the table that the one release was made from
  TrialPlan trials = {};                              // policies to be tried; none: nothing is tried
  std::uint64_t queries = 0;                          // to be asked of the original and the release; 0: none
  Progress* progress = nullptr;
};

// kUsage where nothing on record has a name that is asked for, or originals are named for several releases or for the
// public edition, which has no trials either. A folder that is missing or damaged is no error: the report says so.
Result<ReportNumbers> CollectReport(const ReportOptions& options);

}  // namespace pentimento
