// A small join for tests: T1(C, D, class) with the persons of its rows, and one earlier release T2(D, Y).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "guarantee/xy/xy_view.h"

namespace pentimento {

struct SmallJoin {
  struct NewRow {
    Interval c;
    Interval d;
    Code label = 0;
  };
  struct EarlierRow {
    Interval d;
    Interval y;
    std::uint64_t records = 1;
  };

  static constexpr ReleaseColumn kC{0, 0}, kD1{0, 1}, kLabel{0, 2}, kD2{1, 0}, kY{1, 1};
  static constexpr ReleaseColumn kPerson{0, ReleaseColumn::kWho}, kRecord{1, ReleaseColumn::kWho};

  SmallJoin(const std::vector<NewRow>& rows, const std::vector<EarlierRow>& earlier) : label(100, rows.size()) {
    draft.columns = 2;
    for (const NewRow& row : rows) {
      label.Set(draft.of_row.size(), row.label);
      draft.of_row.push_back(static_cast<ClassNumber>(draft.of_row.size()));
      draft.boxes.insert(draft.boxes.end(), {row.c, row.d});
    }
    AddEarlier("immigration-2025", earlier);
    releases.common.push_back({{kD1, kD2}, false});
  }

  void AddEarlier(std::string name, const std::vector<EarlierRow>& rows) {
    EarlierRelease release{.name = std::move(name), .columns = 2, .cells = {}, .records = {}, .example = {}};
    std::uint64_t record = 0;
    for (const EarlierRow& row : rows) {
      release.cells.insert(release.cells.end(), {row.d, row.y});
      release.records.push_back(row.records);
      release.example.push_back(record);
      record += row.records;
    }
    releases.earlier.push_back(std::move(release));
  }

  NewReleaseView view() const { return {draft, exact, persons ? &*persons : nullptr}; }

  SmallJoin(const SmallJoin&) = delete;  // the view looks at the columns in place
  SmallJoin& operator=(const SmallJoin&) = delete;

  Classes draft;
  CodeColumn label;
  std::vector<const CodeColumn*> exact = {&label};
  std::optional<Persons> persons;
  XyReleases releases;
};

}  // namespace pentimento
