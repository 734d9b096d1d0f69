#include "engine/query/answer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "engine/published/manifest.h"
#include "engine/query/bind_query.h"
#include "engine/query/count_boxes.h"
#include "engine/query/count_classes.h"
#include "engine/query/read_cells.h"
#include "fmt/core.h"
#include "fmt/ranges.h"

namespace pentimento {
namespace {

// The columns that any query asks for, by table, and where each stands among those of its table.
struct Wanted {
  std::vector<std::vector<std::uint32_t>> of_table;
  std::map<std::uint32_t, std::uint32_t> place;
};

Wanted WantedBy(std::span<const BoundQuery> queries, std::span<const QueryColumn> columns, std::size_t tables) {
  Wanted wanted;
  wanted.of_table.resize(tables);
  std::set<std::uint32_t> asked;
  for (const BoundQuery& query : queries) {
    for (const ColumnCondition& condition : query.conditions) asked.insert(condition.column);
  }
  for (const std::uint32_t column : asked) {
    std::vector<std::uint32_t>& of_table = wanted.of_table[columns[column].table];
    wanted.place[column] = static_cast<std::uint32_t>(of_table.size());
    of_table.push_back(column);
  }
  return wanted;
}

// All columns as if they stood in one table, as they do in an original.
std::vector<QueryColumn> InOneTable(std::vector<QueryColumn> columns) {
  for (QueryColumn& column : columns) column.table = 0;
  return columns;
}

std::vector<std::uint64_t> PositionsOf(const ClassLayout& layout, const std::vector<std::uint32_t>& class_of_row) {
  std::vector<std::uint64_t> next = layout.first_position;
  std::vector<std::uint64_t> positions(class_of_row.size());
  for (std::size_t row = 0; row < class_of_row.size(); ++row) positions[row] = next[class_of_row[row]]++;
  return positions;
}

MatchIndex IndexOf(const ClassLayout& layout, const CellTable& table, const std::vector<std::uint64_t>& positions) {
  std::vector<MatchIndex::Column> columns;
  for (const CellColumn& column : table.columns)
    columns.push_back({&column.codes, static_cast<std::uint32_t>(column.labels.size())});
  return MatchIndex(layout, positions, columns);
}

Result<ColumnMatch> MatchOf(const BoundQuery& query, const ColumnCondition& condition, const CellTable& table,
                            std::uint32_t place) {
  PENTIMENTO_ASSIGN(const std::vector<CellMatch> matches, table.columns[place].labels.Match(query, condition));
  std::vector<std::uint8_t> by_code;
  for (const CellMatch& match : matches) by_code.push_back(match.certain ? 1 : 0);
  return MakeColumnMatch(place, std::move(by_code));
}

Result<std::vector<ClassQuery>> ClassQueries(std::span<const BoundQuery> queries, std::span<const QueryColumn> columns,
                                             const Wanted& wanted, const std::vector<CellTable>& tables) {
  std::vector<ClassQuery> ready;
  for (const BoundQuery& query : queries) {
    ClassQuery one;
    one.of_table.resize(tables.size());
    for (const ColumnCondition& condition : query.conditions) {
      const std::size_t table = columns[condition.column].table;
      PENTIMENTO_ASSIGN(ColumnMatch match, MatchOf(query, condition, tables[table], wanted.place.at(condition.column)));
      one.of_table[table].push_back(std::move(match));
    }
    ready.push_back(std::move(one));
  }
  return ready;
}

// Values of a query that no cell of a published column is: the answer is 0, and most likely the spelling is wrong.
void NoteUnknownValues(const BoundQuery& query, const ColumnCondition& condition, const QueryColumn& column,
                       const LabelMeanings& labels, std::vector<std::string>& notes) {
  if (!column.is_plain()) return;
  for (const std::uint32_t number : condition.predicates) {
    for (const QueryWord& value : query.query->predicates[number].values) {
      if (labels.Holds(value.text)) continue;
      const std::string note = fmt::format("no row of the release has '{}' in column '{}'", value.text, column.name);
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
    }
  }
}

// Somebody who writes (30, 40) of numbers may mean all between them.
void NoteListsOfTwoNumbers(const Query& query, std::span<const QueryColumn> columns, std::vector<std::string>& notes) {
  for (const Predicate& predicate : query.predicates) {
    if (predicate.kind != Predicate::Kind::kOneOf || predicate.values.size() != 2) continue;
    const auto column = std::ranges::find(columns, predicate.column.text, &QueryColumn::name);
    if (column == columns.end() || !column->range) continue;
    notes.push_back(
        fmt::format("{0} in ({1}, {2}) asks for two numbers; for those between them write {0} > {1} and "
                    "{0} < {2}",
                    column->name, predicate.values[0].text, predicate.values[1].text));
  }
}

// Numbers that no row of the column can have: the answer is 0, and no cell of the release shows why.
void NoteOutsideOfDomain(const Query& query, std::span<const QueryColumn> columns, std::vector<std::string>& notes) {
  for (const Predicate& predicate : query.predicates) {
    const auto column = std::ranges::find(columns, predicate.column.text, &QueryColumn::name);
    if (column == columns.end() || !column->range || MeetsRange(predicate, *column->range)) continue;
    const auto& [lo, hi] = *column->range;
    const std::string note = fmt::format("nothing of {} lies in the domain of the column, which goes from {} to {}",
                                         WritePredicate(predicate), ToString(lo), ToString(hi));
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  }
}

// What goes together across SS tables is not published.
void NoteIndependence(const BoundQuery& query, std::span<const QueryColumn> columns, std::vector<std::string>& notes) {
  std::vector<std::string> names;
  std::set<std::size_t> tables;
  for (const ColumnCondition& condition : query.conditions) {
    const QueryColumn& column = columns[condition.column];
    if (column.table == 0) continue;
    names.push_back(column.name);
    tables.insert(column.table);
  }
  if (tables.size() < 2) return;
  const std::string note = fmt::format(
      "{} are published apart, so they are taken to be independent within each class; if they go together, the "
      "estimate is off by more than its standard error says. What is certain stays certain",
      fmt::join(names, " and "));
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

struct Estimates {
  std::vector<CountEstimate> counts;
  std::vector<std::string> notes;
  std::size_t rows = 0;  // of the release
};

struct TrueCounts {
  std::vector<std::uint64_t> counts;
  std::size_t rows = 0;
};

Result<Estimates> CountTwoTables(const Manifest& manifest, std::span<const BoundQuery> queries,
                                 std::span<const QueryColumn> columns, Progress* progress) {
  const Wanted wanted = WantedBy(queries, columns, manifest.sensitive_tables.size() + 1);
  PENTIMENTO_ASSIGN(ClassTables read, ReadClassTables(manifest, columns, wanted.of_table, progress));
  PENTIMENTO_ASSIGN(const std::vector<ClassQuery> ready, ClassQueries(queries, columns, wanted, read.tables));
  const ClassLayout layout = LayOutClasses(read.class_sizes);
  std::vector<MatchIndex> indices;
  for (std::size_t table = 0; table < read.tables.size(); ++table)
    indices.push_back(IndexOf(layout, read.tables[table], PositionsOf(layout, read.class_of_row[table])));
  Estimates estimates{CountInClasses(layout, indices, ready), {}, read.tables[0].rows};
  for (const BoundQuery& query : queries) {
    NoteIndependence(query, columns, estimates.notes);
    for (const ColumnCondition& condition : query.conditions) {
      const QueryColumn& column = columns[condition.column];
      NoteUnknownValues(query, condition, column,
                        read.tables[column.table].columns[wanted.place.at(condition.column)].labels, estimates.notes);
    }
  }
  return estimates;
}

Result<Estimates> CountGeneralized(const Manifest& manifest, std::span<const BoundQuery> queries,
                                   std::span<const QueryColumn> columns, Progress* progress) {
  const Wanted wanted = WantedBy(queries, columns, 1);
  PENTIMENTO_ASSIGN(const CellTable read, ReadCellTable(manifest, columns, wanted.of_table[0], progress));
  Estimates estimates;
  std::vector<BoxQuery> ready;
  for (const BoundQuery& query : queries) {
    BoxQuery one;
    for (const ColumnCondition& condition : query.conditions) {
      const std::uint32_t place = wanted.place.at(condition.column);
      PENTIMENTO_ASSIGN(std::vector<CellMatch> matches, read.columns[place].labels.Match(query, condition));
      one.conditions.push_back({place, std::move(matches)});
      NoteUnknownValues(query, condition, columns[condition.column], read.columns[place].labels, estimates.notes);
    }
    ready.push_back(std::move(one));
  }
  std::vector<const CodeColumn*> codes;
  for (const CellColumn& column : read.columns) codes.push_back(&column.codes);
  estimates.counts = CountInBoxes(BoxTable(read.rows, codes), ready);
  estimates.rows = read.rows;
  return estimates;
}

// The same index serves: a row is a class of its own, and nothing is sensitive.
Result<TrueCounts> CountOriginals(const std::vector<std::filesystem::path>& files, const Manifest& manifest,
                                  std::span<const Query> queries, std::span<const QueryColumn> published,
                                  Progress* progress) {
  const std::vector<QueryColumn> columns = InOneTable({published.begin(), published.end()});
  std::vector<BoundQuery> bound;
  for (const Query& query : queries) {
    PENTIMENTO_ASSIGN(BoundQuery one, BindQuery(query, columns));
    bound.push_back(std::move(one));
  }
  const Wanted wanted = WantedBy(bound, columns, 1);
  PENTIMENTO_ASSIGN(CellTable read, ReadOriginalCells(files, manifest, columns, wanted.of_table[0], progress));
  const std::vector<CellTable> tables = {std::move(read)};
  PENTIMENTO_ASSIGN(const std::vector<ClassQuery> ready, ClassQueries(bound, columns, wanted, tables));
  const ClassLayout layout = LayOutClasses(std::vector<std::uint32_t>(tables[0].rows, 1));
  std::vector<std::uint64_t> positions = layout.first_position;
  const std::vector<MatchIndex> indices = {IndexOf(layout, tables[0], positions)};
  TrueCounts truth{{}, tables[0].rows};
  for (const CountEstimate& count : CountInClasses(layout, indices, ready))
    truth.counts.push_back(static_cast<std::uint64_t>(count.estimate));
  return truth;
}

Status RequireWholeTable(const std::filesystem::path& folder, const Manifest& manifest) {
  if (manifest.is_changes_only()) {
    return Error{
        ErrorCode::kBadInput,
        fmt::format("{}: this release holds only changes of a series; counts need the whole table", folder.string())};
  }
  return {};
}

}  // namespace

std::optional<double> RelativeError(double estimate, std::optional<std::uint64_t> true_count) {
  if (!true_count || *true_count == 0) return std::nullopt;
  const double truth = static_cast<double>(*true_count);
  return std::abs(estimate - truth) / truth;
}

Result<Answers> AnswerQueries(const std::filesystem::path& release_folder, std::span<const Query> queries,
                              const std::vector<std::filesystem::path>& originals, Progress* progress) {
  PENTIMENTO_ASSIGN(const Manifest manifest, ReadManifest(release_folder));
  PENTIMENTO_RETURN_IF_ERROR(RequireWholeTable(release_folder, manifest));
  const std::vector<QueryColumn> columns = QueryColumnsOf(manifest);
  std::vector<BoundQuery> bound;
  for (const Query& query : queries) {
    PENTIMENTO_ASSIGN(BoundQuery one, BindQuery(query, columns));
    bound.push_back(std::move(one));
  }
  const bool two_tables = manifest.has_two_tables();
  PENTIMENTO_ASSIGN(Estimates estimates, two_tables ? CountTwoTables(manifest, bound, columns, progress)
                                                    : CountGeneralized(manifest, bound, columns, progress));
  Answers answers{manifest.release, manifest.form, {}, std::move(estimates.notes)};
  if (queries.size() == 1) NoteListsOfTwoNumbers(queries.front(), columns, answers.notes);
  for (const Query& query : queries) NoteOutsideOfDomain(query, columns, answers.notes);
  for (const CountEstimate& count : estimates.counts) answers.answers.push_back({count, std::nullopt});
  if (originals.empty()) return answers;
  PENTIMENTO_ASSIGN(const TrueCounts truth, CountOriginals(originals, manifest, queries, columns, progress));
  for (std::size_t i = 0; i < truth.counts.size(); ++i) answers.answers[i].true_count = truth.counts[i];
  if (truth.rows != estimates.rows) {
    answers.notes.push_back(
        fmt::format("the table to compare with has {} rows, and the release has {}; is this the table that it was made "
                    "from?",
                    truth.rows, estimates.rows));
  }
  return answers;
}

}  // namespace pentimento
