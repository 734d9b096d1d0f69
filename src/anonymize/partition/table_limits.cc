#include "anonymize/partition/table_limits.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace pentimento::partition {
namespace {

std::vector<std::uint32_t> RowsOfPersons(const EncodedTable& table) {
  std::vector<std::uint32_t> rows;
  if (!table.persons || table.persons->one_row_each()) return rows;
  rows.resize(table.persons->count);
  for (const std::uint32_t person : table.persons->person_of_row) ++rows[person];
  return rows;
}

std::uint64_t MostRows(const TableLimits& limits) {
  return limits.rows_of_person.empty() ? 1 : *std::ranges::max_element(limits.rows_of_person);
}

// Whoever calls the maker has the names of columns and values, and has asked before whether a release can be made at
// all. Where somebody has several rows the rule is stricter than the promise, so the words do not say that there is
// none.
Error TooFrequent(std::uint64_t most_rows) {
  return {ErrorCode::kRefused,
          fmt::format("a limited sensitive value or set of values is too frequent {}: raise the limit, or leave out "
                      "rows. Nothing was published.",
                      most_rows == 1 ? "in the table as a whole" : "for people with several rows")};
}

}  // namespace

void TableLimits::TreatAllAlike() {
  if (!rows_of_person.empty()) std::ranges::fill(rows_of_person, static_cast<std::uint32_t>(MostRows(*this)));
}

Result<TableLimits> LimitsOf(const EncodedTable& table, const Signatures& signatures, std::uint64_t k) {
  TableLimits limits(ClassRule(&signatures, k), RowsOfPersons(table));
  const std::vector<std::uint32_t> counts = signatures.CountRows();
  const std::uint64_t persons = table.persons ? table.persons->count : table.rows;
  const std::uint64_t most_rows = MostRows(limits);
  if (!limits.rule.KeepsLimits(counts, persons, most_rows)) return TooFrequent(most_rows);
  return limits;
}

bool AllKeep(const TableLimits& limits, const EncodedTable& table, const Signatures& signatures,
             std::span<const ClassNumber> class_of_row, std::size_t groups) {
  std::vector<std::size_t> next(groups + 1);
  for (const ClassNumber group : class_of_row) ++next[group + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> rows(class_of_row.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) rows[next[class_of_row[row]]++] = row;
  Tally members(limits.rule);
  std::vector<std::size_t> last_group(limits.rows_of_person.size(), groups);
  std::size_t begin = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    members.Clear();
    for (; begin < next[group]; ++begin) {
      const std::uint32_t row = rows[begin];
      if (last_group.empty()) {
        members.AddPerson(1);
      } else if (const std::uint32_t person = table.persons->person_of_row[row];
                 std::exchange(last_group[person], group) != group) {
        members.AddPerson(limits.rows_of_person[person]);
      }
      members.AddRows(signatures.of_row[row]);
    }
    if (!members.Holds()) return false;
  }
  return true;
}

}  // namespace pentimento::partition
