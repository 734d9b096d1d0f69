// Answers counts from a release: reads what the queries ask for, brings both together, and estimates. Where the table
// that the release was made from is given, the true counts stand beside the estimates.
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
#include "utility/count_estimate.h"

namespace pentimento {

struct Answer {
  CountEstimate count;
  std::optional<std::uint64_t> true_count;  // where an original was given
};

struct Answers {
  std::string release;
  std::string form;                // "generalized" or "two-tables"
  std::vector<Answer> answers;     // in the order of the queries
  std::vector<std::string> notes;  // what somebody who asked should know
};

// |estimate - true| / true; nothing where nothing is true, or nobody knows.
std::optional<double> RelativeError(double estimate, std::optional<std::uint64_t> true_count);

// `originals`: the table that the release was made from, in any number of files; none: true counts are not known.
Result<Answers> AnswerQueries(const std::filesystem::path& release_folder, std::span<const Query> queries,
                              const std::vector<std::filesystem::path>& originals, Progress* progress);

}  // namespace pentimento
