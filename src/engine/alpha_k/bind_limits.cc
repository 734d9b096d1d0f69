#include "engine/alpha_k/bind_limits.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/suggest.h"
#include "engine/bind/guarantee_words.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "fmt/ranges.h"

namespace pentimento {
namespace {

class LimitBinder {
 public:
  LimitBinder(const BoundPolicy& bound, BoundAlphaK& result) : bound_(bound), result_(result) {}

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
    for (std::size_t i = 0; i < absent_.size(); ++i) TellAbsent(i);
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
    absent_.resize(result_.claim.limits.size() + 1);
    return texts_[column].Find(values, absent_.back());
  }

  // What the policy writes of this column elsewhere, and some row has.
  std::vector<std::string> KnownNames(std::uint32_t column) const {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < result_.named_values.size(); ++i) {
      if (result_.claim.limits[i].column != column) continue;
      for (const std::string& name : result_.named_values[i]) {
        if (std::ranges::find(absent_[i], name) == absent_[i].end()) known.push_back(name);
      }
    }
    return known;
  }

  void TellAbsent(std::size_t limit) {
    const std::vector<std::string>& absent = absent_[limit];
    if (absent.empty()) return;
    const std::uint32_t column = result_.claim.limits[limit].column;
    const std::vector<std::string> known = KnownNames(column);
    std::string warning = fmt::format("the policy limits {} of '{}', which no row has; look that nothing is misspelt",
                                      fmt::join(absent, ", "), texts_[column].column().name);
    std::string suggestions;
    for (const std::string& name : absent) suggestions += DidYouMean(name, known);
    if (!suggestions.empty()) warning += "." + suggestions;
    if (absent.size() == result_.named_values[limit].size()) result_.idle.push_back(warning);
    result_.warnings.push_back(std::move(warning));
  }

  void Add(SensitiveLimit limit, const std::vector<std::string>& named) {
    result_.claim.limits.push_back(std::move(limit));
    result_.named_values.push_back(named);
    absent_.resize(result_.claim.limits.size());
  }

  const BoundPolicy& bound_;
  BoundAlphaK& result_;
  std::vector<ValueTexts> texts_;
  std::vector<std::vector<std::string>> absent_;  // by limit: the values it names and no row has
};

}  // namespace

ValueTexts::ValueTexts(const ValueColumn& column) : column_(column), texts_(CsvTexts(column)) {
  for (Code code = 0; code < texts_.size(); ++code) {
    if (code != column.null_code) by_text_.push_back(code);
  }
  std::ranges::sort(by_text_, {}, [this](Code code) { return View(code); });
}

std::vector<Code> ValueTexts::Find(const std::vector<std::string>& values, std::vector<std::string>& absent) const {
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

std::optional<BoundAlphaK> BindLimits(const BoundPolicy& bound, const EncodedInput& input) {
  const AlphaKAnonymityPolicy* guarantee = FindAlphaK(bound);
  if (guarantee == nullptr) return std::nullopt;
  BoundAlphaK result;
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
