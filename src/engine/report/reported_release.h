// One release in a report: what its published folder says, and in the internal edition what the ledger has of it.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "utility/report_numbers.h"

namespace pentimento {

struct ReadRelease {
  ReportedRelease release;
  std::string growing_series;  // of which it is; empty: of none
  std::string global_series;   // the same under the global guarantee
  std::optional<LivingCounts> living;
};

// `originals`: of this release; none: not at hand. What cannot be read is said in `why_no_table`; an error where it is
// an original.
Result<ReadRelease> ReadForInternal(const ReleaseRecord& record, const std::vector<std::filesystem::path>& originals);

// From the folder alone. Nothing where it is not as it was published: then nobody can tell what is public of it.
std::optional<ReadRelease> ReadForPublic(const ReleaseRecord& record);

// What a release and those before it tell together, for the edition; nothing where nobody measured it, or the folder is
// not at hand.
std::optional<ReportedComposition> ReadComposition(const ReleaseRecord& record, ReportEdition edition);

}  // namespace pentimento
