#include "engine/steps/one_row_each.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/parallel_sort.h"

namespace pentimento {
namespace {

// The file, and the row in it, counted from 1.
std::pair<std::size_t, std::size_t> FileAndRow(const RowPlaces& places, std::size_t row) {
  const auto file =
      static_cast<std::size_t>(std::ranges::upper_bound(places.rows_after_file, row) - places.rows_after_file.begin());
  return {file, row - (file == 0 ? 0 : places.rows_after_file[file - 1]) + 1};
}

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

std::string RowPlaces::Of(std::size_t row) const {
  const auto [file, number] = FileAndRow(*this, row);
  return fmt::format("{}: row {} (the header not counted)", files[file].string(), number);
}

std::string RowPlaces::Of(std::size_t first, std::size_t second) const {
  const auto [file, number] = FileAndRow(*this, first);
  const auto [other_file, other_number] = FileAndRow(*this, second);
  if (file == other_file) {
    return fmt::format("{}: rows {} and {} (the header not counted)", files[file].string(), number, other_number);
  }
  return fmt::format("{}: row {} and {}: row {} (headers not counted)", files[file].string(), number,
                     files[other_file].string(), other_number);
}

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
