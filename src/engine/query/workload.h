// The queries that Wong et al. measure a release with (section 7 of their paper, after Xiao and Tao): counts with a
// predicate on each of qd quasi-identifiers and one on the sensitive column,
//
//   A = x1 or A = x2 or ... or A = xb,     b = ceil(|A| * s^(1/(qd+1))),
//
// where |A| is how many different values the column has and s the target selectivity. The quasi-identifiers
// of a query, and the values of a predicate, are drawn without repetition.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "engine/query/query.h"

namespace pentimento {

struct WorkloadPlan {
  std::uint64_t queries = 1000;
  std::optional<std::uint64_t> dimensions =
      std::nullopt;           // qd; nothing: 4, or all quasi-identifiers where there are fewer
  double selectivity = 0.05;  // s
  std::uint64_t seed = 1;
};

struct WorkloadColumn {
  std::string name;
  std::vector<std::string> values;  // the different ones, in a fixed order; none are missing
};

// Where there are several sensitive columns each query asks for one of them; where there is none, the predicates are on
// quasi-identifiers alone, and the root is the qd-th. kUsage for a plan that cannot be: more dimensions than
// quasi-identifiers, a selectivity that is not between 0 and 1.
Result<std::vector<Query>> MakeWorkload(std::span<const WorkloadColumn> quasi_identifiers,
                                        std::span<const WorkloadColumn> sensitive, const WorkloadPlan& plan);

// How far off a release is over such queries. Those whose true count is 0 have no relative error and are left out.
struct WorkloadError {
  double average = 0;
  double median = 0;
  double naive_average = 0;  // of the estimator of Wong et al. 2007
  std::uint64_t counted = 0;
  std::uint64_t left_out = 0;
  std::uint64_t dimensions = 0;  // that each query had
};

// The queries are drawn from the values of the original.
Result<WorkloadError> MeasureWorkload(const std::vector<std::filesystem::path>& originals,
                                      const std::filesystem::path& release_folder, const WorkloadPlan& plan,
                                      Progress* progress);

}  // namespace pentimento
