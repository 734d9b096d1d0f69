#include "engine/steps/one_row_each.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/parallel_sort.h"

namespace pentimento {
namespace {

struct IdentifiedRow {
  IdentityHash identity;
  std::uint32_t row = 0;
  friend auto operator<=>(const IdentifiedRow&, const IdentifiedRow&) = default;
};

constexpr const char* kWhatToDo =
    "remove one of them, or let the newest row count with [input] repeated = \"latest\" in the policy";

std::vector<IdentifiedRow> SortedRows(std::vector<IdentityHash> identity_of_row) {
  std::vector<IdentifiedRow> rows(identity_of_row.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) rows[row] = {identity_of_row[row], row};
  identity_of_row = {};  // as much memory as the list itself
  ParallelSort(rows.begin(), rows.end(), std::less<>());
  return rows;
}

// Keeps the last row of each person.
Status DropOlderRows(std::vector<IdentifiedRow>& rows, RepeatedRule rule, const RowPlaces& places,
                     std::vector<std::uint32_t>& dropped) {
  std::optional<std::pair<std::uint32_t, std::uint32_t>> first_twice;  // the later row, the earlier row
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_last = i + 1 == rows.size() || rows[i + 1].identity != rows[i].identity;
    if (is_last) {
      rows[kept++] = rows[i];
      continue;
    }
    const std::pair twice(rows[i + 1].row, rows[i].row);
    if (!first_twice || twice < *first_twice) first_twice = twice;
    dropped.push_back(rows[i].row);
  }
  rows.resize(kept);
  std::ranges::sort(dropped);
  if (first_twice && rule == RepeatedRule::kRefuse) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("{} are about the same person, and a person has one row in a series; {}",
                             places.Of(first_twice->second, first_twice->first), kWhatToDo)};
  }
  return {};
}

}  // namespace

Result<PeopleOfRows> RequireOneRowEach(std::vector<IdentityHash> identity_of_row, RepeatedRule rule,
                                       const RowPlaces& places) {
  PeopleOfRows people;
  std::vector<IdentifiedRow> rows = SortedRows(std::move(identity_of_row));
  PENTIMENTO_RETURN_IF_ERROR(DropOlderRows(rows, rule, places, people.dropped));
  people.identities.reserve(rows.size());
  people.rows.reserve(rows.size());
  for (const IdentifiedRow& row : rows) {
    people.identities.push_back(row.identity);
    people.rows.push_back(row.row);
  }
  return people;
}

}  // namespace pentimento
