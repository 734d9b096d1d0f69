#include "engine/global/account_size.h"

#include <algorithm>

#include "base/machine_limits.h"
#include "engine/alpha_k/bind_limits.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

// What is spent is in memory twice while a release is charged and written.
constexpr std::uint64_t kBytesPerNumber = 2 * sizeof(LogCost) + sizeof(HeldLast);

// A sensitive column of which every value is protected.
struct WholeColumn {
  std::string name;
  std::uint64_t values = 0;
};

WholeColumn LargestWholeColumn(const BoundPolicy& bound, const EncodedInput& input) {
  WholeColumn largest;
  for (const ValueColumn* column : SensitiveColumnsOf(bound, input)) {
    const auto policy = std::ranges::find(bound.policy.columns, column->name, &ColumnPolicy::name);
    const bool is_whole = policy != bound.policy.columns.end() && policy->values.empty();
    if (is_whole && column->values.size() > largest.values) largest = {column->name, column->values.size()};
  }
  return largest;
}

// A person has one: older ones are left out by now.
std::uint64_t RowsThatCount(const EncodedInput& input) {
  const auto skipped = std::ranges::count(input.form_of_row, RowForm::kSkipped);
  return input.table.rows - static_cast<std::uint64_t>(skipped);
}

}  // namespace

Status RequireAccountFits(const BoundPolicy& bound, const EncodedInput& input, const Account& account) {
  const WholeColumn column = LargestWholeColumn(bound, input);
  const std::uint64_t people = std::max<std::uint64_t>(account.people().size(), RowsThatCount(input));
  const std::uint64_t memory = MemoryOfProcess();
  if (column.values == 0 || people <= memory / kBytesPerNumber / column.values) return {};
  const double gigabytes = 1e9;
  return Error{
      ErrorCode::kStorage,
      fmt::format(
          "the column '{}' has {} different values, and every one of them is protected: an account of {} people "
          "and so many values needs {:.1f} GB of memory, and this process may have {:.1f} GB. Nothing was "
          "published. If it is a number or a text of its own for nearly everybody, leave it out; otherwise list "
          "the values to protect in 'values', or publish coarser ones.",
          column.name, column.values, people,
          static_cast<double>(people) * static_cast<double>(column.values) * kBytesPerNumber / gigabytes,
          static_cast<double>(memory) / gigabytes)};
}

}  // namespace pentimento
