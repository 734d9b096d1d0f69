#include "anonymize/partition/class_limits.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "anonymize/partition/row_tasks.h"
#include "anonymize/sensitive/growing_class.h"

namespace pentimento::partition {
namespace {

__extension__ using Wide = unsigned __int128;

std::vector<std::uint32_t> RowsOfPersons(const EncodedTable& table) {
  std::vector<std::uint32_t> rows;
  if (!table.persons || table.persons->one_row_each()) return rows;
  rows.resize(table.persons->count);
  for (const std::uint32_t person : table.persons->person_of_row) ++rows[person];
  return rows;
}

std::uint64_t MostRows(const ClassLimits& limits) {
  return limits.rows_of_person.empty() ? 1 : *std::ranges::max_element(limits.rows_of_person);
}

// By how much the whole table breaks a limit. The value is not named: it may be in the data only. Where somebody has
// several rows the rule is stricter than the promise, so the words do not say that nothing can be published.
Error TooFrequent(const SensitiveRule& rule, std::span<const std::uint32_t> counts, std::uint64_t persons,
                  std::uint64_t most_rows) {
  std::string excess;
  for (const SensitiveRule::Item& item : rule.items()) {
    std::uint64_t count = 0;
    for (const Code signature : rule.signatures_of(item)) count += counts[signature];
    const auto at_most = static_cast<std::uint64_t>(Wide{item.num} * persons / (Wide{item.den} * most_rows));
    if (count <= at_most) continue;
    excess =
        fmt::format("{} rows have it, but a share of {}/{} of {} persons{} is {}", count, item.num, item.den, persons,
                    most_rows > 1 ? fmt::format(", divided by the {} rows of one of them,", most_rows) : "", at_most);
    break;
  }
  if (most_rows == 1) {
    return {ErrorCode::kRefused,
            fmt::format("a limited sensitive value or set of values is too frequent in the table as a whole: {}. No "
                        "grouping can keep this limit; raise it, or leave out rows. Nothing was published.",
                        excess)};
  }
  return {
      ErrorCode::kRefused,
      fmt::format("a limited sensitive value or set of values is too frequent for people with several rows: {}. "
                  "method = \"partition\" divides like this to be on the safe side, so a release that keeps the limit "
                  "may exist and not be found; raise the limit, leave out rows, or give each person one row. Nothing "
                  "was published.",
                  excess)};
}

// Rows by signature.
std::vector<std::uint32_t> CountOf(const Signatures& signatures) {
  const RowTasks tasks(0, signatures.of_row.size());
  std::vector<std::vector<std::uint32_t>> of_task(tasks.count());
  signatures.of_row.Visit([&](const auto of_row) {
    tasks.ForEach([&](std::size_t task, std::size_t begin, std::size_t end) {
      of_task[task].resize(signatures.count);
      for (std::size_t row = begin; row < end; ++row) ++of_task[task][of_row[row]];
    });
  });
  std::vector<std::uint32_t> counts(signatures.count, 0);
  for (const std::vector<std::uint32_t>& counted : of_task)
    std::ranges::transform(counts, counted, counts.begin(), std::plus<>());
  return counts;
}

}  // namespace

void ClassLimits::TreatAllAlike() {
  if (!rows_of_person.empty()) std::ranges::fill(rows_of_person, static_cast<std::uint32_t>(MostRows(*this)));
}

Result<ClassLimits> LimitsOf(const EncodedTable& table, const Signatures& signatures, std::uint64_t k) {
  ClassLimits limits(SensitiveRule(signatures, k), RowsOfPersons(table));
  const std::vector<std::uint32_t> counts = CountOf(signatures);
  const std::uint64_t persons = table.persons ? table.persons->count : table.rows;
  const std::uint64_t most_rows = MostRows(limits);
  if (!limits.rule.KeepsLimits(counts, persons, most_rows)) return TooFrequent(limits.rule, counts, persons, most_rows);
  return limits;
}

bool AllKeep(const ClassLimits& limits, const EncodedTable& table, const Signatures& signatures,
             std::span<const GroupId> group_of_row, std::size_t groups) {
  std::vector<std::size_t> next(groups + 1);
  for (const GroupId group : group_of_row) ++next[group + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> rows(group_of_row.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) rows[next[group_of_row[row]]++] = row;
  GrowingClass members(limits.rule);
  std::vector<std::size_t> last_group(limits.rows_of_person.size(), groups);
  std::size_t begin = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    members.Clear();
    for (; begin < next[group]; ++begin) {
      const std::uint32_t row = rows[begin];
      if (last_group.empty()) {
        members.AddPerson();
      } else if (const std::uint32_t person = table.persons->person_of_row[row];
                 std::exchange(last_group[person], group) != group) {
        members.AddPerson(limits.rows_of_person[person]);
      }
      members.AddRow(signatures.of_row[row]);
    }
    if (!members.Keeps()) return false;
  }
  return true;
}

}  // namespace pentimento::partition
