// k-anonymity straight from its definition, for tests: every row is compared with every other row on what is
// published of them, and persons are counted in a set. Slow on purpose, and it shares no code with the checker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "release/classes.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento::oracle {

template <typename Cell>
using Rows = std::vector<std::vector<Cell>>;

// What a reader of the table sees, row by row: as labels, and as the intervals that the labels stand for.
inline Rows<Interval> PublishedIntervals(const Classes& draft) {
  Rows<Interval> rows;
  for (const ClassNumber group : draft.of_row) {
    std::vector<Interval> row;
    for (std::size_t c = 0; c < draft.columns; ++c) row.push_back(draft.boxes.at(group * draft.columns + c));
    rows.push_back(row);
  }
  return rows;
}

inline Rows<std::string> PublishedLabels(const Classes& draft, std::span<const Domain> domains) {
  Rows<std::string> rows;
  for (const auto& intervals : PublishedIntervals(draft)) {
    std::vector<std::string> row;
    for (std::size_t c = 0; c < intervals.size(); ++c) row.push_back(domains[c].Label(intervals[c]));
    rows.push_back(row);
  }
  return rows;
}

// The fewest persons who share one published row; nothing for an empty table. Without persons every row is one.
template <typename Cell>
std::optional<std::uint64_t> FewestPersons(const Rows<Cell>& published, const std::optional<Persons>& persons) {
  std::optional<std::uint64_t> fewest;
  for (const auto& row : published) {
    std::set<std::size_t> alike;
    for (std::size_t other = 0; other < published.size(); ++other) {
      if (published[other] == row) alike.insert(persons ? persons->person_of_row.at(other) : other);
    }
    if (!fewest || alike.size() < *fewest) fewest = alike.size();
  }
  return fewest;
}

template <typename Cell>
bool IsKAnonymous(const Rows<Cell>& published, const std::optional<Persons>& persons, std::uint64_t k) {
  const auto fewest = FewestPersons(published, persons);
  return !fewest || *fewest >= k;
}

// Every original code is one of those that the published cell stands for, and no row is missing or invented.
inline bool IsTruthful(const EncodedTable& table, const Classes& draft) {
  const Rows<Interval> published = PublishedIntervals(draft);
  if (published.size() != table.rows || draft.columns != table.quasi_identifiers.size()) return false;
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t c = 0; c < draft.columns; ++c) {
      const Code code = table.quasi_identifiers[c][row];
      if (code < published[row][c].lo || code > published[row][c].hi) return false;
    }
  }
  return true;
}

// The same through the labels: each label is read back, as a reader of the published files would.
inline bool LabelsAreTruthful(const EncodedTable& table, const Classes& draft, std::span<const Domain> domains) {
  const Rows<std::string> published = PublishedLabels(draft, domains);
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t c = 0; c < domains.size(); ++c) {
      const auto meant = domains[c].ParseLabel(published.at(row)[c]);
      const Code code = table.quasi_identifiers[c][row];
      if (!meant || code < meant->lo || code > meant->hi) return false;
    }
  }
  return true;
}

}  // namespace pentimento::oracle
