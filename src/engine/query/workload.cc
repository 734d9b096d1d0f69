#include "engine/query/workload.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "engine/query/answer.h"
#include "engine/query/read_cells.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

// `count` of the numbers below `size`, each at most once, ascending.
std::vector<std::uint32_t> Draw(std::uint32_t size, std::uint32_t count, Random& random) {
  std::vector<std::uint32_t> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0U);
  for (std::uint32_t i = 0; i < count; ++i) std::swap(numbers[i], numbers[i + random.Below(size - i)]);
  numbers.resize(count);
  std::ranges::sort(numbers);
  return numbers;
}

Predicate DrawPredicate(const WorkloadColumn& column, double share, Random& random) {
  const auto size = static_cast<std::uint32_t>(column.values.size());
  // A root that is a whole number but for its last digit must not be rounded up.
  const double wanted = std::ceil(static_cast<double>(size) * share - 1e-9);
  Predicate predicate;
  predicate.column.text = column.name;
  const auto count = std::clamp(static_cast<std::uint32_t>(wanted), 1U, size);
  for (const std::uint32_t value : Draw(size, count, random)) predicate.values.push_back({column.values[value], 0});
  return predicate;
}

std::uint64_t DimensionsOf(const WorkloadPlan& plan, std::size_t quasi_identifiers) {
  constexpr std::size_t kOfThePaper = 4;
  return plan.dimensions.value_or(std::min(kOfThePaper, quasi_identifiers));
}

Status CheckPlan(const WorkloadPlan& plan, std::size_t quasi_identifiers, std::size_t sensitive) {
  const std::uint64_t dimensions = DimensionsOf(plan, quasi_identifiers);
  if (!(plan.selectivity > 0 && plan.selectivity <= 1))
    return Error{ErrorCode::kUsage, "--selectivity must be above 0 and at most 1"};
  if (dimensions > quasi_identifiers) {
    return Error{ErrorCode::kUsage, fmt::format("--dimensions is {}, and the release has {} quasi-identifiers",
                                                dimensions, quasi_identifiers)};
  }
  if (dimensions + sensitive == 0)
    return Error{ErrorCode::kUsage, "--dimensions must be at least 1 where the release has no sensitive column"};
  return {};
}

struct Values {
  std::vector<WorkloadColumn> quasi_identifiers;
  std::vector<WorkloadColumn> sensitive;
};

Result<Values> ReadValues(const std::vector<std::filesystem::path>& originals, const Manifest& manifest,
                          Progress* progress) {
  const std::vector<QueryColumn> columns = QueryColumnsOf(manifest);
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].is_plain() || columns[i].role == Role::kSensitive) wanted.push_back(i);
  }
  PENTIMENTO_ASSIGN(const CellTable table, ReadOriginalCells(originals, manifest, columns, wanted, progress));
  Values values;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const QueryColumn& column = columns[wanted[i]];
    WorkloadColumn read{column.name, table.columns[i].labels.Values()};
    if (read.values.empty()) continue;  // nothing but missing values: there is nothing to ask for
    (column.is_plain() ? values.sensitive : values.quasi_identifiers).push_back(std::move(read));
  }
  return values;
}

WorkloadError ErrorOf(const Answers& answers) {
  WorkloadError error;
  std::vector<double> errors;
  for (const Answer& answer : answers.answers) {
    const std::optional<double> relative = RelativeError(answer.count.estimate, answer.true_count);
    if (!relative) {
      ++error.left_out;
      continue;
    }
    errors.push_back(*relative);
    error.naive_average += *RelativeError(answer.count.naive, answer.true_count);
  }
  error.counted = errors.size();
  if (errors.empty()) return error;
  error.average = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  error.naive_average /= static_cast<double>(errors.size());
  std::ranges::sort(errors);
  error.median = (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
  return error;
}

}  // namespace

Result<std::vector<Query>> MakeWorkload(std::span<const WorkloadColumn> quasi_identifiers,
                                        std::span<const WorkloadColumn> sensitive, const WorkloadPlan& plan) {
  PENTIMENTO_RETURN_IF_ERROR(CheckPlan(plan, quasi_identifiers.size(), sensitive.size()));
  const auto dimensions = static_cast<std::uint32_t>(DimensionsOf(plan, quasi_identifiers.size()));
  const double predicates = dimensions + (sensitive.empty() ? 0 : 1);
  const double share = std::pow(plan.selectivity, 1 / predicates);
  Random random(SeedFromNumber(plan.seed), "query workload");
  std::vector<Query> queries;
  for (std::uint64_t i = 0; i < plan.queries; ++i) {
    Query query;
    for (const std::uint32_t column : Draw(static_cast<std::uint32_t>(quasi_identifiers.size()), dimensions, random))
      query.predicates.push_back(DrawPredicate(quasi_identifiers[column], share, random));
    if (!sensitive.empty()) {
      const std::uint32_t column = random.Below(static_cast<std::uint32_t>(sensitive.size()));
      query.predicates.push_back(DrawPredicate(sensitive[column], share, random));
    }
    query.text = WriteQuery(query.predicates);
    queries.push_back(std::move(query));
  }
  return queries;
}

Result<WorkloadError> MeasureWorkload(const std::vector<std::filesystem::path>& originals,
                                      const std::filesystem::path& release_folder, const WorkloadPlan& plan,
                                      Progress* progress) {
  PENTIMENTO_ASSIGN(const Manifest manifest, ReadManifest(release_folder));
  PENTIMENTO_ASSIGN(const Values values, ReadValues(originals, manifest, progress));
  PENTIMENTO_ASSIGN(const std::vector<Query> queries, MakeWorkload(values.quasi_identifiers, values.sensitive, plan));
  PENTIMENTO_ASSIGN(const Answers answers, AnswerQueries(release_folder, queries, originals, progress));
  WorkloadError error = ErrorOf(answers);
  error.dimensions = DimensionsOf(plan, values.quasi_identifiers.size());
  return error;
}

}  // namespace pentimento
