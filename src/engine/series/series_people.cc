#include "engine/series/series_people.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/parallel.h"

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
Status DropOlderRows(std::vector<IdentifiedRow>& rows, RepeatedRule rule, std::vector<std::uint32_t>& dropped) {
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
    return Error{
        ErrorCode::kBadInput,
        fmt::format("rows {} and {} of the input (headers not counted) are about the same person, and a person has "
                    "one row in a series; {}",
                    first_twice->second + 1, first_twice->first + 1, kWhatToDo)};
  }
  return {};
}

}  // namespace

Result<SeriesPeople> SortOutPeople(const SeriesMemory& memory, std::vector<IdentityHash> identity_of_row,
                                   RepeatedRule rule, std::span<const Removal> removals) {
  SeriesPeople people;
  if (!removals.empty() || !identity_of_row.empty()) PENTIMENTO_RETURN_IF_ERROR(memory.RequireIntactIdentities());
  for (const Removal& removal : removals) {
    const std::optional<CaseNumber> member = memory.FindMember(removal.identity);
    if (!member) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: this person is not in the series, or has left it before; take the "
                               "row out, nothing was changed",
                               removal.where)};
    }
    people.withdrawn.push_back(*member);
  }
  std::ranges::sort(people.withdrawn);
  const auto repeated = std::ranges::unique(people.withdrawn);
  people.withdrawn.erase(repeated.begin(), repeated.end());

  std::vector<IdentifiedRow> rows = SortedRows(std::move(identity_of_row));
  PENTIMENTO_RETURN_IF_ERROR(DropOlderRows(rows, rule, people.dropped));
  std::optional<std::uint32_t> first_known;
  std::vector<CaseNumber> replaced;
  people.identities.reserve(rows.size());
  people.rows.reserve(rows.size());
  for (const IdentifiedRow& row : rows) {
    people.identities.push_back(row.identity);
    people.rows.push_back(row.row);
    const std::optional<CaseNumber> member = memory.FindMember(row.identity);
    if (!member || std::ranges::binary_search(people.withdrawn, *member)) continue;
    first_known = std::min(first_known.value_or(row.row), row.row);
    replaced.push_back(*member);
  }
  if (first_known && rule == RepeatedRule::kRefuse) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("row {} of the input (headers not counted) is about a person who is in "
                             "the series already; {}",
                             *first_known + 1, kWhatToDo)};
  }
  people.withdrawn.insert(people.withdrawn.end(), replaced.begin(), replaced.end());
  std::ranges::sort(people.withdrawn);
  return people;
}

}  // namespace pentimento
