#include "guarantee/xy/relation.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>

#include "base/parallel.h"
#include "base/parallel_sort.h"
#include "guarantee/xy/numbering.h"

namespace pentimento {
namespace {

// A release on some of its columns: its different rows, and how many records are like each.
struct CollapsedRows {
  std::vector<std::uint32_t> columns;  // of the release, ascending
  std::vector<Interval> cells;         // columns.size() per row
  std::vector<std::uint64_t> records;  // by row
  std::vector<std::uint64_t> example;  // by row: the first record like it
  // Which of these rows each row of the input is like, or each row of the earlier release.
  std::vector<std::uint32_t> row_of_record;

  std::size_t rows() const { return records.size(); }
  std::size_t place(std::uint32_t column) const {  // of one of `columns`
    return static_cast<std::size_t>(std::ranges::lower_bound(columns, column) - columns.begin());
  }
  Interval cell(std::size_t row, std::size_t at) const { return cells[row * columns.size() + at]; }
};

// Tells rows apart by one more column. Returns how many numbers there are then.
std::uint32_t RefineBy(const CodeColumn& column, std::uint32_t count, std::vector<std::uint32_t>& number_of_row) {
  return column.Visit([&](auto codes) {
    const std::uint64_t limit = codes.empty() ? 1 : std::uint64_t{*std::ranges::max_element(codes)} + 1;
    return RefineNumbers(
        count, limit, [&](std::size_t row) { return std::uint32_t{codes[row]}; }, number_of_row);
  });
}

// Rows with equal cells in these columns have equal numbers. Some numbers may have no row.
NumberedTuples NumberRows(const NewReleaseView& view, std::span<const std::uint32_t> columns) {
  const Classes& draft = view.draft;
  const auto exact = std::ranges::lower_bound(columns, draft.columns);
  const NumberedTuples of_group = NumberTuples(
      draft.count(), static_cast<std::size_t>(exact - columns.begin()),
      [&](std::size_t group, std::size_t place) { return draft.box(static_cast<ClassNumber>(group))[columns[place]]; });
  NumberedTuples of_row{std::vector<std::uint32_t>(view.rows()), of_group.count};
  ParallelFor(view.rows(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) of_row.number[row] = of_group.number[draft.of_row[row]];
  });
  for (auto column = exact; column != columns.end(); ++column)
    of_row.count = RefineBy(*view.exact[*column - draft.columns], of_row.count, of_row.number);
  return of_row;
}

Interval CellOf(const NewReleaseView& view, std::size_t row, std::uint32_t column) {
  if (column < view.draft.columns) return view.draft.box(view.draft.of_row[row])[column];
  const Code code = (*view.exact[column - view.draft.columns])[row];
  return {code, code};
}

CollapsedRows CollapseNewRelease(const NewReleaseView& view, std::vector<std::uint32_t> columns) {
  NumberedTuples tuples = NumberRows(view, columns);
  // Numbered again in the order of the rows, so that numbers without a row are gone.
  constexpr std::uint32_t kUnplaced = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> place(tuples.count, kUnplaced);
  CollapsedRows collapsed{
      .columns = std::move(columns), .cells = {}, .records = {}, .example = {}, .row_of_record = {}};
  for (std::size_t row = 0; row < view.rows(); ++row) {
    std::uint32_t& known = place[tuples.number[row]];
    if (known == kUnplaced) {
      known = static_cast<std::uint32_t>(collapsed.records.size());
      collapsed.records.push_back(0);
      collapsed.example.push_back(row);
    }
    tuples.number[row] = known;
    ++collapsed.records[known];
  }
  collapsed.row_of_record = std::move(tuples.number);
  collapsed.cells.reserve(collapsed.rows() * collapsed.columns.size());
  for (const std::uint64_t row : collapsed.example) {
    for (const std::uint32_t column : collapsed.columns) collapsed.cells.push_back(CellOf(view, row, column));
  }
  return collapsed;
}

CollapsedRows CollapseEarlierRelease(const EarlierRelease& release, std::vector<std::uint32_t> columns) {
  NumberedTuples tuples = NumberTuples(release.rows(), columns.size(),
                                       [&](std::size_t row, std::size_t c) { return release.row(row)[columns[c]]; });
  CollapsedRows collapsed{
      .columns = std::move(columns), .cells = {}, .records = {}, .example = {}, .row_of_record = {}};
  for (std::size_t row = 0; row < release.rows(); ++row) {
    const std::uint32_t number = tuples.number[row];
    if (number == collapsed.rows()) {
      collapsed.records.push_back(0);
      collapsed.example.push_back(release.example[row]);
      for (const std::uint32_t column : collapsed.columns) collapsed.cells.push_back(release.row(row)[column]);
    }
    collapsed.records[number] += release.records[row];
  }
  collapsed.row_of_record = std::move(tuples.number);
  return collapsed;
}

bool HasSeveralRows(const Persons& persons) {
  // Looked up in the rows: a wrong count must not turn rows into persons.
  std::vector<bool> seen(persons.count);
  for (const std::uint32_t person : persons.person_of_row) {
    if (seen[person]) return true;
    seen[person] = true;
  }
  return false;
}

std::vector<std::uint32_t> ColumnsOf(std::uint32_t release, std::span<const ReleaseColumn> columns) {
  std::vector<std::uint32_t> own;
  for (const ReleaseColumn& at : columns) {
    if (at.release == release && at.column != ReleaseColumn::kWho) own.push_back(at.column);
  }
  return own;
}

struct OwnEnd {
  std::uint32_t link = 0;
  LinkKind kind = LinkKind::kPath;
  LinkEnd end;
};

std::vector<OwnEnd> EndsIn(std::uint32_t release, std::span<const JoinLink> links) {
  std::vector<OwnEnd> ends;
  for (std::uint32_t l = 0; l < links.size(); ++l) {
    if (links[l].left.at.release == release) ends.push_back({l, links[l].kind, links[l].left});
    if (links[l].right.at.release == release) ends.push_back({l, links[l].kind, links[l].right});
  }
  return ends;
}

CollapsedRows Collapse(std::uint32_t release, const NewReleaseView& view, const XyReleases& releases,
                       std::span<const OwnEnd> ends, const JoinQuestion& question) {
  std::vector<std::uint32_t> columns = ColumnsOf(release, question.x);
  for (const std::uint32_t column : ColumnsOf(release, question.y)) columns.push_back(column);
  for (const OwnEnd& own : ends) columns.push_back(own.end.at.column);
  std::ranges::sort(columns);
  columns.erase(std::ranges::unique(columns).begin(), columns.end());
  return release == 0 ? CollapseNewRelease(view, std::move(columns))
                      : CollapseEarlierRelease(releases.earlier[release - 1], std::move(columns));
}

NumberedTuples NumberColumns(const CollapsedRows& collapsed, std::span<const std::uint32_t> columns) {
  std::vector<std::size_t> places;
  for (const std::uint32_t column : columns) places.push_back(collapsed.place(column));
  return NumberTuples(collapsed.rows(), places.size(),
                      [&](std::size_t row, std::size_t at) { return collapsed.cell(row, places[at]); });
}

NumberedTuples NumberJoinValues(const CollapsedRows& collapsed, std::span<const OwnEnd> ends, Relation& relation) {
  std::vector<std::size_t> places;
  for (const OwnEnd& own : ends) places.push_back(collapsed.place(own.end.at.column));
  const auto cell_at = [&](std::size_t row, std::size_t place) {
    return JoinCell(ends[place].kind, ends[place].end, collapsed.cell(row, places[place]));
  };
  NumberedTuples joins = NumberTuples(collapsed.rows(), ends.size(), cell_at);
  std::uint32_t known = 0;
  for (std::size_t row = 0; row < collapsed.rows(); ++row) {
    if (joins.number[row] < known) continue;
    ++known;
    for (std::size_t place = 0; place < ends.size(); ++place) relation.join_cells.push_back(cell_at(row, place));
  }
  for (const OwnEnd& own : ends) relation.links.push_back(own.link);
  relation.join_count = joins.count;
  return joins;
}

// A column of Y that is in this relation: which of Y's it is, and where its cells are.
struct OwnY {
  std::size_t in_y = 0;
  std::size_t place = 0;
};

std::vector<OwnY> FindOwnY(std::uint32_t release, const CollapsedRows& collapsed, const JoinQuestion& question) {
  std::vector<OwnY> own;
  for (std::size_t i = 0; i < question.y.size(); ++i) {
    if (question.y[i].release == release) own.push_back({i, collapsed.place(question.y[i].column)});
  }
  return own;
}

// The listed values inside which a row is, as far as its own columns go.
std::vector<std::uint32_t> ListedWith(const CollapsedRows& collapsed, std::size_t row, std::span<const OwnY> own,
                                      const JoinQuestion& question) {
  std::vector<std::uint32_t> listed;
  for (std::uint32_t value = 0; value < question.y_values.size(); ++value) {
    const bool is_inside = std::ranges::all_of(own, [&](const OwnY& column) {
      return question.y_values[value][column.in_y].Contains(collapsed.cell(row, column.place));
    });
    if (is_inside) listed.push_back(value);
  }
  return listed;
}

NumberedTuples NumberListedY(std::uint32_t release, const CollapsedRows& collapsed, const JoinQuestion& question,
                             Relation& relation) {
  const std::vector<OwnY> own = FindOwnY(release, collapsed, question);
  const bool is_all = own.size() == question.y.size();
  NumberedTuples numbers{std::vector<std::uint32_t>(collapsed.rows()), 2};
  ListedNumbering sets;
  for (std::size_t row = 0; row < collapsed.rows(); ++row) {
    const std::vector<std::uint32_t> listed = ListedWith(collapsed, row, own, question);
    numbers.number[row] = is_all ? (listed.empty() ? 0 : 1) : sets.Number(listed);
  }
  if (is_all) return numbers;
  relation.listed_of_y = std::move(sets).sets();
  numbers.count = static_cast<std::uint32_t>(relation.listed_of_y.size());
  return numbers;
}

NumberedTuples NumberY(std::uint32_t release, const CollapsedRows& collapsed, const JoinQuestion& question,
                       Relation& relation) {
  const std::vector<std::uint32_t> columns = ColumnsOf(release, question.y);
  if (columns.empty() || question.y_values.empty()) return NumberColumns(collapsed, columns);
  return NumberListedY(release, collapsed, question, relation);
}

// Every record is a value of its own: the records of a row are as many values, and no other row has them.
void CountRecordsAsValues(const CollapsedRows& collapsed, Relation& relation) {
  relation.values_of_y.assign(collapsed.records.begin(), collapsed.records.end());
  relation.y_count = static_cast<std::uint32_t>(collapsed.rows());
  for (std::uint32_t row = 0; row < relation.rows.size(); ++row) relation.rows[row].y = row;
}

// A person's rows that are alike in everything else.
std::uint64_t PersonKey(const CollapsedRows& collapsed, const Persons& persons, std::size_t row) {
  return (std::uint64_t{persons.person_of_row[row]} << 32) | collapsed.row_of_record[row];
}

struct PersonRows {
  std::vector<std::uint64_t> keys;
  // Where weights are looked at, by key, and the keys are ascending without repetition.
  std::vector<std::uint64_t> records;
  std::vector<std::uint64_t> example;  // the first row
};

PersonRows CollapseByPerson(const CollapsedRows& collapsed, const Persons& persons, bool counts_weights) {
  PersonRows rows;
  rows.keys.resize(collapsed.row_of_record.size());
  for (std::size_t row = 0; row < rows.keys.size(); ++row) rows.keys[row] = PersonKey(collapsed, persons, row);
  if (!counts_weights) return rows;
  ParallelSort(rows.keys.begin(), rows.keys.end(), std::less<>());
  rows.keys.erase(std::ranges::unique(rows.keys).begin(), rows.keys.end());
  rows.records.resize(rows.keys.size());
  rows.example.resize(rows.keys.size());
  for (std::size_t row = 0; row < collapsed.row_of_record.size(); ++row) {
    const auto found = std::ranges::lower_bound(rows.keys, PersonKey(collapsed, persons, row));
    const auto at = static_cast<std::size_t>(found - rows.keys.begin());
    if (rows.records[at]++ == 0) rows.example[at] = row;
  }
  return rows;
}

// Persons are the values, and somebody has several rows: the rows of the relation are told apart by person as well.
void CountPersonsAsValues(const CollapsedRows& collapsed, const Persons& persons, bool counts_weights,
                          Relation& relation) {
  PersonRows by_person = CollapseByPerson(collapsed, persons, counts_weights);
  const std::vector<JoinRow> by_values = std::exchange(relation.rows, {});
  const bool only_persons = relation.y_count <= 1;
  Numbering ys;
  relation.rows.reserve(by_person.keys.size());
  for (std::uint32_t at = 0; at < by_person.keys.size(); ++at) {
    JoinRow row = by_values[static_cast<std::uint32_t>(by_person.keys[at])];
    const auto person = static_cast<std::uint32_t>(by_person.keys[at] >> 32);
    row.y = only_persons ? person : ys.NumberPair(person, row.y);
    if (counts_weights) row.source = at;
    relation.rows.push_back(row);
  }
  relation.y_count = only_persons ? persons.count : ys.count();
  if (!counts_weights) return;
  relation.weight.assign(by_person.records.begin(), by_person.records.end());
  relation.example = std::move(by_person.example);
}

bool Asks(std::span<const ReleaseColumn> columns, std::uint32_t release) {
  return std::ranges::any_of(columns, [&](const ReleaseColumn& at) { return at.release == release; });
}

bool AsksWho(std::span<const ReleaseColumn> columns, std::uint32_t release) {
  return std::ranges::find(columns, ReleaseColumn{release, ReleaseColumn::kWho}) != columns.end();
}

}  // namespace

std::vector<std::uint32_t> TakingPart(std::span<const std::uint32_t> against) {
  std::vector<std::uint32_t> releases = {0};
  releases.insert(releases.end(), against.begin(), against.end());
  return releases;
}

std::vector<JoinLink> LinksAmong(const XyReleases& releases, std::span<const std::uint32_t> taking_part) {
  const auto takes_part = [&](const ReleaseColumn& at) {
    return std::ranges::find(taking_part, at.release) != taking_part.end();
  };
  std::vector<JoinLink> links;
  for (const CommonAttribute& attribute : releases.common) {
    const LinkKind kind = attribute.by_overlap ? LinkKind::kOverlap : LinkKind::kPath;
    for (const ReleaseColumn left : attribute.columns) {
      for (const ReleaseColumn right : attribute.columns) {
        if (left.release >= right.release || !takes_part(left) || !takes_part(right)) continue;
        links.push_back({kind, {left, {}}, {right, {}}});
      }
    }
  }
  for (const ImpossiblePair& pair : releases.impossible) {
    if (pair.left.release == pair.right.release || !takes_part(pair.left) || !takes_part(pair.right)) continue;
    links.push_back({LinkKind::kExclusion, {pair.left, pair.left_values}, {pair.right, pair.right_values}});
  }
  return links;
}

Relation MakeRelation(std::uint32_t release, const NewReleaseView& view, const XyReleases& releases,
                      std::span<const JoinLink> links, const JoinQuestion& question) {
  const std::vector<OwnEnd> ends = EndsIn(release, links);
  const CollapsedRows collapsed = Collapse(release, view, releases, ends, question);
  Relation relation;
  const NumberedTuples x = NumberColumns(collapsed, ColumnsOf(release, question.x));
  const NumberedTuples y = NumberY(release, collapsed, question, relation);
  const NumberedTuples j = NumberJoinValues(collapsed, ends, relation);
  relation.x_count = x.count;
  relation.y_count = y.count;
  relation.releases = {release};
  relation.weight.assign(collapsed.records.begin(), collapsed.records.end());
  relation.example = collapsed.example;
  relation.rows.reserve(collapsed.rows());
  for (std::uint32_t row = 0; row < collapsed.rows(); ++row)
    relation.rows.push_back({x.number[row], j.number[row], y.number[row], row});
  relation.has_y = Asks(question.y, release);
  relation.ignores_first_y = relation.has_y && !question.y_values.empty();
  if (!AsksWho(question.y, release)) return relation;
  if (release == 0 && view.persons != nullptr && HasSeveralRows(*view.persons)) {
    CountPersonsAsValues(collapsed, *view.persons, question.counts_weights, relation);
  } else {
    CountRecordsAsValues(collapsed, relation);
  }
  return relation;
}

bool IsListed(const Relation& one, std::uint32_t y, const Relation& other, std::uint32_t other_y) {
  if ((one.ignores_first_y && y == 0) || (other.ignores_first_y && other_y == 0)) return false;
  if (one.listed_of_y.empty() || other.listed_of_y.empty()) return true;
  return std::ranges::any_of(one.listed_of_y[y], [&](std::uint32_t value) {
    return std::ranges::binary_search(other.listed_of_y[other_y], value);
  });
}

MatchValues FindMatchValues(std::uint32_t release, const NewReleaseView& view, const XyReleases& releases,
                            std::span<const JoinLink> links) {
  const std::vector<OwnEnd> ends = EndsIn(release, links);
  CollapsedRows collapsed = Collapse(release, view, releases, ends, JoinQuestion{});
  MatchValues values;
  const NumberedTuples joins = NumberJoinValues(collapsed, ends, values.relation);
  values.records.resize(joins.count);
  for (std::size_t row = 0; row < collapsed.rows(); ++row) values.records[joins.number[row]] += collapsed.records[row];
  values.of_row = std::move(collapsed.row_of_record);
  for (std::uint32_t& row : values.of_row) row = joins.number[row];
  return values;
}

Relation NeutralRelation() {
  Relation relation;
  relation.rows = {{}};
  relation.x_count = relation.y_count = relation.join_count = 1;
  relation.weight = {1};
  return relation;
}

}  // namespace pentimento
