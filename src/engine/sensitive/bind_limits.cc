#include "engine/sensitive/bind_limits.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/guarantee_words.h"
#include "fmt/core.h"
#include "fmt/ranges.h"
#include "io/csv_rows.h"

namespace pentimento {
namespace {

// The values of one sensitive column, by the text that the policy would write.
class ValueTexts {
 public:
  explicit ValueTexts(const ValueColumn& column) : column_(column), texts_(CsvTexts(column)) {
    for (Code code = 0; code < texts_.size(); ++code) {
      if (code != column.null_code) by_text_.push_back(code);
    }
    std::ranges::sort(by_text_, {}, [this](Code code) { return std::string_view(texts_[code]); });
  }

  const ValueColumn& column() const { return column_; }

  // Ascending, one for each value. A value that no row has gets a code beyond those of the column; `absent` receives
  // it.
  std::vector<Code> Find(const std::vector<std::string>& values, std::vector<std::string>& absent) const {
    std::vector<Code> codes;
    for (const std::string& value : values) {
      const auto found =
          std::ranges::lower_bound(by_text_, std::string_view(value), {}, [this](Code code) { return View(code); });
      if (found != by_text_.end() && texts_[*found] == value) {
        codes.push_back(*found);
      } else {
        codes.push_back(static_cast<Code>(texts_.size() + absent.size()));
        absent.push_back(value);
      }
    }
    std::ranges::sort(codes);
    return codes;
  }

 private:
  std::string_view View(Code code) const { return texts_[code]; }

  const ValueColumn& column_;
  std::vector<std::string> texts_;
  std::vector<Code> by_text_;
};

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

std::optional<BoundSensitive> BindLimits(const BoundPolicy& bound, const EncodedInput& input) {
  const AlphaKAnonymityPolicy* guarantee = FindAlphaK(bound);
  if (guarantee == nullptr) return std::nullopt;
  BoundSensitive result;
  result.guarantee = *guarantee;
  std::size_t value = 0;
  for (const ColumnPlan& column : bound.plan.columns) {
    if (column.role != Role::kSensitive && column.role != Role::kClass) continue;
    const ValueColumn& values = input.values[value++];
    if (column.role != Role::kSensitive) continue;
    result.columns.push_back(&values);
    result.codes.push_back(&values.codes);
    result.value_counts.push_back(static_cast<Code>(values.values.size()));
  }
  LimitBinder(bound, result).Run();
  result.signatures = CollectSignatures(input.table.rows, result.codes, result.value_counts, result.claim);
  return result;
}

}  // namespace pentimento
