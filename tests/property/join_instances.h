// From an instance of the oracle to what the verifiers of a join get: boxes and groups, exact columns, persons, and the
// different rows of earlier releases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "guarantee/xy/xy_view.h"
#include "oracle/xy_oracle.h"
#include "release/classes.h"
#include "release/xy_releases.h"
#include "table/code_column.h"
#include "table/encoded_table.h"

namespace pentimento::property {

using OracleInstance = oracle::join::Instance;
using OracleColumn = oracle::join::Column;

inline Interval FromOracle(oracle::join::Interval interval) { return {interval.lo, interval.hi}; }
inline std::vector<Interval> FromOracle(const oracle::join::Value& value) {
  std::vector<Interval> parts;
  for (const oracle::join::Interval part : value) parts.push_back(FromOracle(part));
  return parts;
}

// How an instance is handed to the verifiers; the answer must not depend on it.
struct Shape {
  std::vector<bool> exact = {};        // by column of the new release: published as it is
  bool groups_once = true;             // rows with equal boxes share a group
  bool rows_once = true;               // equal rows of an earlier release are one
  std::vector<OracleColumn> who = {};  // columns that the verifiers do not see, but know as kWho
  bool knows_persons = true;           // otherwise who a row of the new release is about is its own person
};

class EngineInstance {
 public:
  EngineInstance(const OracleInstance& instance, const Shape& shape) : instance_(instance), shape_(shape) {
    for (std::size_t release = 0; release < instance.releases.size(); ++release) PlaceColumns(release);
    MakeNewRelease();
    for (std::size_t release = 1; release < instance.releases.size(); ++release) AddEarlier(release);
    for (const auto& attribute : instance.common) {
      releases.common.push_back({{}, attribute.by_overlap});
      for (const OracleColumn at : attribute.columns) releases.common.back().columns.push_back(Column(at));
    }
    for (const auto& pair : instance.impossible) {
      releases.impossible.push_back(
          {Column(pair.left), FromOracle(pair.left_values), Column(pair.right), FromOracle(pair.right_values)});
    }
  }

  NewReleaseView view() const { return {draft, exact, persons ? &*persons : nullptr}; }
  ReleaseColumn Column(OracleColumn at) const { return {static_cast<std::uint32_t>(at.release), place_.at(at)}; }
  std::vector<ReleaseColumn> Columns(const oracle::join::Columns& columns) const {
    std::vector<ReleaseColumn> mapped;
    for (const OracleColumn at : columns) mapped.push_back(Column(at));
    return mapped;
  }

  XyReleases releases;
  Classes draft;
  std::vector<const CodeColumn*> exact;
  std::optional<Persons> persons;

 private:
  bool IsWho(OracleColumn at) const { return std::ranges::find(shape_.who, at) != shape_.who.end(); }
  bool IsExact(std::size_t column) const { return column < shape_.exact.size() && shape_.exact[column]; }
  std::size_t Width(std::size_t release) const {
    const auto& rows = instance_.releases[release];
    return rows.empty() ? kColumnsOfNothing : rows[0].size();
  }

  // Boxes come first, then the exact columns; who is no column at all.
  void PlaceColumns(std::size_t release) {
    std::uint32_t next = 0;
    for (const bool exact_ones : {false, true}) {
      for (std::size_t column = 0; column < Width(release); ++column) {
        const OracleColumn at{release, column};
        if (IsWho(at)) {
          place_[at] = ReleaseColumn::kWho;
        } else if ((release == 0 && IsExact(column)) == exact_ones) {
          place_[at] = next++;
          columns_[release].push_back(column);
        }
      }
    }
  }

  void MakeNewRelease() {
    const auto& rows = instance_.releases[0];
    std::map<std::vector<Interval>, ClassNumber> group_of_box;
    std::vector<std::size_t> in_box;
    for (const std::size_t column : columns_[0]) {
      if (!IsExact(column)) in_box.push_back(column);
    }
    draft.columns = in_box.size();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::vector<Interval> box;
      for (const std::size_t column : in_box) box.push_back(FromOracle(rows[row][column]));
      const bool is_known = shape_.groups_once && group_of_box.contains(box);
      const auto next = static_cast<ClassNumber>(in_box.empty() ? 0 : draft.boxes.size() / in_box.size());
      if (!is_known) draft.boxes.insert(draft.boxes.end(), box.begin(), box.end());
      if (!is_known) group_of_box[box] = next;
      draft.of_row.push_back(group_of_box[box]);
    }
    // A group that nobody is in must not count.
    for (std::size_t c = 0; c < in_box.size(); ++c) draft.boxes.push_back({7, 7});
    codes_.reserve(columns_[0].size());
    for (const std::size_t column : columns_[0]) {
      if (!IsExact(column)) continue;
      codes_.emplace_back(column % 2 == 0 ? 100 : 70000, rows.size());
      for (std::size_t row = 0; row < rows.size(); ++row) codes_.back().Set(row, rows[row][column].lo);
    }
    for (const CodeColumn& column : codes_) exact.push_back(&column);
    for (const OracleColumn at : shape_.who) {
      if (at.release != 0 || !shape_.knows_persons) continue;
      persons.emplace();
      for (const auto& row : rows) {
        persons->person_of_row.push_back(row[at.column].lo);
        persons->count = std::max(persons->count, row[at.column].lo + 1);
      }
    }
  }

  void AddEarlier(std::size_t release) {
    EarlierRelease earlier{.name = "earlier-" + std::to_string(release),
                           .columns = columns_[release].size(),
                           .cells = {},
                           .records = {},
                           .example = {}};
    std::map<std::vector<Interval>, std::size_t> row_of;
    const auto& rows = instance_.releases[release];
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::vector<Interval> cells;
      for (const std::size_t column : columns_[release]) cells.push_back(FromOracle(rows[row][column]));
      if (shape_.rows_once && row_of.contains(cells)) {
        ++earlier.records[row_of[cells]];
        continue;
      }
      row_of[cells] = earlier.rows();
      earlier.cells.insert(earlier.cells.end(), cells.begin(), cells.end());
      earlier.records.push_back(1);
      earlier.example.push_back(row);
    }
    releases.earlier.push_back(earlier);
  }

  static constexpr std::size_t kColumnsOfNothing = 4;
  const OracleInstance& instance_;
  const Shape& shape_;
  std::map<OracleColumn, std::uint32_t> place_;
  std::map<std::size_t, std::vector<std::size_t>> columns_;
  std::vector<CodeColumn> codes_;
};

// The releases that take part, and what is between them, as an instance of its own.
class OracleSelection {
 public:
  OracleSelection(const OracleInstance& instance, const std::vector<std::uint32_t>& against) {
    Add(instance, 0);
    for (const std::uint32_t release : against) Add(instance, release);
    for (const auto& attribute : instance.common) {
      selected.common.push_back({{}, attribute.by_overlap});
      for (const OracleColumn at : attribute.columns) {
        if (number_.contains(at.release)) selected.common.back().columns.push_back(Column(at));
      }
    }
    for (const auto& pair : instance.impossible) {
      if (!number_.contains(pair.left.release) || !number_.contains(pair.right.release)) continue;
      selected.impossible.push_back({Column(pair.left), pair.left_values, Column(pair.right), pair.right_values});
    }
  }
  OracleColumn Column(OracleColumn at) const { return {number_.at(at.release), at.column}; }
  oracle::join::Columns Columns(oracle::join::Columns columns) const {
    for (OracleColumn& at : columns) at = Column(at);
    return columns;
  }

  OracleInstance selected;

 private:
  void Add(const OracleInstance& instance, std::size_t release) {
    number_[release] = selected.releases.size();
    selected.releases.push_back(instance.releases[release]);
  }
  std::map<std::size_t, std::size_t> number_;
};

}  // namespace pentimento::property
