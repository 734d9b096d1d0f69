#include "engine/sensitive/bind_limits.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/guarantee_words.h"
#include "engine/sensitive/value_texts.h"
#include "fmt/core.h"
#include "fmt/ranges.h"

namespace pentimento {
namespace {

class LimitBinder {
 public:
  LimitBinder(const BoundPolicy& bound, BoundSensitive& result) : bound_(bound), result_(result) {}

  void Run() {
    for (const ValueColumn* column : result_.columns) texts_.emplace_back(*column);
    result_.claim.k = result_.guarantee.k;
    std::uint32_t number = 0;
    for (const ColumnPolicy& column : bound_.policy.columns) {
      if (column.role == Role::kSensitive) AddAlpha(column, number++);
    }
    for (const SensitiveLimitPolicy& limit : result_.guarantee.limits) {
      const auto found = std::ranges::find(result_.columns, limit.column, &ValueColumn::name);
      const auto of = static_cast<std::uint32_t>(found - result_.columns.begin());
      Add({of, Named(of, limit.values), true, limit.at_most}, limit.values);
    }
  }

 private:
  void AddAlpha(const ColumnPolicy& column, std::uint32_t number) {
    std::vector<Code> values;
    if (column.values.empty()) {
      values.resize(result_.value_counts[number]);
      std::iota(values.begin(), values.end(), Code{0});
    } else {
      values = Named(number, column.values);
    }
    Add({number, std::move(values), false, result_.guarantee.alpha}, column.values);
  }

  std::vector<Code> Named(std::uint32_t column, const std::vector<std::string>& values) {
    std::vector<std::string> absent;
    std::vector<Code> codes = texts_[column].Find(values, absent);
    if (!absent.empty()) {
      result_.notes.push_back(
          fmt::format("the policy limits {} of '{}', which no row has; look that nothing is misspelt",
                      fmt::join(absent, ", "), texts_[column].column().name));
    }
    return codes;
  }

  void Add(SensitiveLimit limit, const std::vector<std::string>& named) {
    result_.claim.limits.push_back(std::move(limit));
    result_.named_values.push_back(named);
  }

  const BoundPolicy& bound_;
  BoundSensitive& result_;
  std::vector<ValueTexts> texts_;
};

}  // namespace

std::vector<const ValueColumn*> SensitiveColumnsOf(const BoundPolicy& bound, const EncodedInput& input) {
  std::vector<const ValueColumn*> columns;
  std::size_t value = 0;
  for (const ColumnPlan& column : bound.plan.columns) {
    if (column.role != Role::kSensitive && column.role != Role::kClass) continue;
    const ValueColumn& values = input.values[value++];
    if (column.role == Role::kSensitive) columns.push_back(&values);
  }
  return columns;
}

std::optional<BoundSensitive> BindLimits(const BoundPolicy& bound, const EncodedInput& input) {
  const AlphaKAnonymityPolicy* guarantee = FindAlphaK(bound);
  if (guarantee == nullptr) return std::nullopt;
  BoundSensitive result;
  result.guarantee = *guarantee;
  result.columns = SensitiveColumnsOf(bound, input);
  for (const ValueColumn* column : result.columns) {
    result.codes.push_back(&column->codes);
    result.value_counts.push_back(static_cast<Code>(column->values.size()));
  }
  LimitBinder(bound, result).Run();
  result.signatures = CollectSignatures(input.table.rows, result.codes, result.value_counts, result.claim);
  return result;
}

}  // namespace pentimento
