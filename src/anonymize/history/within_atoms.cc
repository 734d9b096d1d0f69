#include "anonymize/history/within_atoms.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "anonymize/limits/signatures.h"
#include "base/check.h"
#include "release/equal_boxes.h"

namespace pentimento {
namespace {

CodeColumn RowsOfColumn(const CodeColumn& column, std::span<const std::uint32_t> rows) {
  CodeColumn some = column.SameWidth();
  some.VisitMutable([&](auto& codes) { codes.resize(rows.size()); });
  for (std::size_t i = 0; i < rows.size(); ++i) some.Set(i, column[rows[i]]);
  return some;
}

EncodedTable RowsOfTable(const EncodedTable& table, std::span<const std::uint32_t> rows) {
  EncodedTable some{.rows = rows.size(), .quasi_identifiers = {}, .persons = std::nullopt};
  for (const CodeColumn& column : table.quasi_identifiers) some.quasi_identifiers.push_back(RowsOfColumn(column, rows));
  if (!table.persons) return some;
  std::vector<std::uint32_t> met;
  for (const std::uint32_t row : rows) met.push_back(table.persons->person_of_row[row]);
  std::vector<std::uint32_t> people = met;
  std::ranges::sort(people);
  people.erase(std::unique(people.begin(), people.end()), people.end());
  for (std::uint32_t& person : met)
    person = static_cast<std::uint32_t>(std::ranges::lower_bound(people, person) - people.begin());
  some.persons = Persons{std::move(met), static_cast<std::uint32_t>(people.size())};
  return some;
}

// The classes of some rows by themselves.
Result<Classes> PartitionRows(const EncodedTable& table, std::span<const Domain> domains,
                              const PartitionOptions& options, std::span<const std::uint32_t> rows) {
  PartitionOptions own = options;
  std::optional<Signatures> signatures;
  if (options.signatures != nullptr) {
    signatures = Signatures{RowsOfColumn(options.signatures->of_row, rows), options.signatures->count,
                            options.signatures->items};
    own.signatures = &*signatures;
  }
  return AnonymizeByPartition(RowsOfTable(table, rows), domains, own);
}

// Rows of one atom after the other.
struct RowsOfAtoms {
  std::vector<std::size_t> begin;
  std::vector<std::uint32_t> row;

  std::span<const std::uint32_t> of(std::uint32_t atom) const {
    return std::span(row).subspan(begin[atom], begin[atom + 1] - begin[atom]);
  }
};

RowsOfAtoms GatherAtoms(std::span<const std::uint32_t> atom_of_row, std::uint32_t atoms) {
  RowsOfAtoms rows{std::vector<std::size_t>(std::size_t{atoms} + 1), std::vector<std::uint32_t>(atom_of_row.size())};
  for (const std::uint32_t atom : atom_of_row) ++rows.begin[atom + 1];
  std::partial_sum(rows.begin.begin(), rows.begin.end(), rows.begin.begin());
  std::vector<std::size_t> next = rows.begin;
  for (std::uint32_t row = 0; row < atom_of_row.size(); ++row) rows.row[next[atom_of_row[row]]++] = row;
  return rows;
}

void AddClasses(const Classes& some, std::span<const std::uint32_t> rows, Classes& all) {
  const std::uint32_t first = all.count();
  for (std::size_t i = 0; i < rows.size(); ++i) all.of_row[rows[i]] = first + some.of_row[i];
  all.boxes.insert(all.boxes.end(), some.boxes.begin(), some.boxes.end());
}

// The rows as one class, where that is legal: no cut keeps so many people.
Result<Classes> OneClassOf(const EncodedTable& table, std::span<const Domain> domains, const PartitionOptions& options,
                           std::span<const std::uint32_t> rows) {
  PENTIMENTO_ASSIGN(const Classes any, PartitionRows(table, domains, options, rows));
  Classes one{.columns = domains.size(), .boxes = {}, .of_row = std::vector<ClassNumber>(rows.size(), 0)};
  Check(any.of_row.size() == rows.size(), "one class for every row");
  for (std::size_t c = 0; c < domains.size(); ++c) {
    const CodeColumn& column = table.quasi_identifiers[c];
    Interval bounds{column[rows.front()], column[rows.front()]};
    for (const std::uint32_t row : rows) bounds = {std::min(bounds.lo, column[row]), std::max(bounds.hi, column[row])};
    one.boxes.push_back(domains[c].Cover(bounds, options.form));
  }
  return one;
}

// All atoms with enough people as one tree. Returns the rows of the others.
std::vector<std::uint32_t> CutTogether(const EncodedTable& table, std::span<const Domain> domains,
                                       const PartitionOptions& options, const RowsOfAtoms& rows, std::uint32_t atoms,
                                       Classes& classes) {
  std::vector<std::uint32_t> order, uncut;
  std::vector<std::size_t> ends;
  for (std::uint32_t atom = 0; atom < atoms; ++atom) {
    const std::span<const std::uint32_t> own = rows.of(atom);
    const bool is_enough = !own.empty() && own.size() >= options.k;
    std::vector<std::uint32_t>& to = is_enough ? order : uncut;
    to.insert(to.end(), own.begin(), own.end());
    if (is_enough) ends.push_back(order.size());
  }
  order.insert(order.end(), uncut.begin(), uncut.end());
  if (!ends.empty()) classes = AnonymizePartsByPartition(table, domains, options, {order, ends});
  return uncut;
}

// Rows that are in no class yet share one; where that is not legal, everybody does.
Result<WithinAtoms> WithUncut(const EncodedTable& table, std::span<const Domain> domains,
                              const PartitionOptions& options, std::vector<std::uint32_t> uncut, WithinAtoms made) {
  made.uncut_rows = uncut.size();
  std::ranges::sort(uncut);
  bool is_whole = table.rows > 0;
  if (is_whole && !uncut.empty()) {
    const Result<Classes> rest = OneClassOf(table, domains, options, uncut);
    if (rest.ok()) AddClasses(*rest, uncut, made.classes);
    is_whole = rest.ok();
  }
  if (is_whole) {
    const std::vector<ClassNumber> kept = MergeEqualBoxes(made.classes.columns, made.classes.boxes);
    for (ClassNumber& number : made.classes.of_row) number = kept[number];
    return made;
  }
  // Then all atoms together are one class: nothing is coarser.
  std::vector<std::uint32_t> all(table.rows);
  std::iota(all.begin(), all.end(), 0U);
  PENTIMENTO_RETURN_IF_ERROR(AnonymizeByPartition(table, domains, options));
  PENTIMENTO_ASSIGN(Classes one, OneClassOf(table, domains, options, all));
  return WithinAtoms{std::move(one), table.rows};
}

}  // namespace

Result<WithinAtoms> PartitionWithinAtoms(const EncodedTable& table, std::span<const Domain> domains,
                                         const PartitionOptions& options, std::span<const std::uint32_t> atom_of_row,
                                         std::uint32_t atoms) {
  Check(atom_of_row.size() == table.rows, "one atom for every row");
  Check(options.boxes == BoxKind::kMembers, "atoms need not be regions");
  if (domains.empty()) {
    PENTIMENTO_ASSIGN(Classes all, AnonymizeByPartition(table, domains, options));
    return WithinAtoms{std::move(all), 0};
  }
  const RowsOfAtoms rows = GatherAtoms(atom_of_row, atoms);
  WithinAtoms made{{.columns = domains.size(), .boxes = {}, .of_row = std::vector<ClassNumber>(table.rows)}, 0};
  std::vector<std::uint32_t> uncut;
  const bool are_people = !table.persons || table.persons->one_row_each();
  if (are_people && options.signatures == nullptr) {
    uncut = CutTogether(table, domains, options, rows, atoms, made.classes);
    return WithUncut(table, domains, options, std::move(uncut), std::move(made));
  }
  for (std::uint32_t atom = 0; atom < atoms; ++atom) {
    const std::span<const std::uint32_t> own = rows.of(atom);
    if (own.empty()) continue;
    const Result<Classes> classes = PartitionRows(table, domains, options, own);
    if (classes.ok()) {
      AddClasses(*classes, own, made.classes);
      continue;
    }
    if (classes.error().code != ErrorCode::kRefused) return classes.error();
    uncut.insert(uncut.end(), own.begin(), own.end());
  }
  return WithUncut(table, domains, options, std::move(uncut), std::move(made));
}

}  // namespace pentimento
