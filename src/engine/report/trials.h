// What would become of a table under other policies: dry runs, of which nothing is published or recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "utility/report_numbers.h"

namespace pentimento {

struct TrialPlan {
  std::vector<std::filesystem::path> policies;  // laid side by side
  std::vector<std::uint64_t> ks;                // each policy with each of them; none: as it is
};

struct TrialPlaces {
  std::filesystem::path ledger;
  std::filesystem::path out;  // where the releases would go
};

// kUsage where a k is asked for of a policy whose guarantees have none. A trial that is refused is no error: it says
// so.
Result<std::vector<ReportedTrial>> RunTrials(const TrialPlan& plan, const TrialPlaces& places, Progress* progress);

}  // namespace pentimento
