#include "guarantee/alpha_k/alpha_k_anonymity.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "guarantee/alpha_k/judge_people.h"
#include "guarantee/alpha_k/judged_column.h"
#include "guarantee/alpha_k/judged_items.h"
#include "guarantee/alpha_k/repeated_people.h"
#include "guarantee/form/box_classes.h"
#include "guarantee/form/rows_of_classes.h"

namespace pentimento {
namespace {

// The counts of one column in an SS table. Those of combinations add up.
struct TableBags {
  const SensitiveCounts& counts;
  std::size_t position;            // of the column, in the table's columns
  std::vector<std::size_t> begin;  // of a class in the entries, and one more for the end

  void Load(std::size_t c, BagTally& tally) const {
    for (std::size_t e = begin[c]; e < begin[c + 1]; ++e)
      tally.AddValue(counts.values[e * counts.columns.size() + position], static_cast<std::uint32_t>(counts.count[e]));
  }
};

// Entries are in the order of classes, so a class begins where the one before it ends.
std::vector<std::size_t> BeginOfClasses(const SensitiveCounts& counts, std::size_t classes) {
  std::vector<std::size_t> begin(classes + 1);
  ParallelFor(counts.entries() + 1, kRowsPerTask, [&](std::size_t first, std::size_t past) {
    for (std::size_t e = first; e < past; ++e) {
      const std::size_t before = e == 0 ? 0 : std::size_t{counts.class_of_entry[e - 1]} + 1;
      const std::size_t here = e == counts.entries() ? classes : counts.class_of_entry[e];
      for (std::size_t c = before; c <= here; ++c) begin[c] = e;
    }
  });
  return begin;
}

Code CodeBound(const SensitiveCounts& counts, std::size_t position) {
  Code bound = 0;
  for (std::size_t e = 0; e < counts.entries(); ++e)
    bound = std::max(bound, counts.values[e * counts.columns.size() + position] + 1);
  return bound;
}

// The smallest class; of several the one with the smallest number.
std::optional<AlphaKViolation> FindTooFewPeople(const RowsOfClasses& classes, const SharedRows& shared,
                                                std::uint64_t k) {
  std::optional<std::size_t> smallest;
  std::uint64_t fewest = 0;
  for (std::size_t c = 0; c < classes.classes(); ++c) {
    const std::uint64_t people = classes.size(c) - (shared.superfluous.empty() ? 0 : shared.superfluous[c]);
    if (people > 0 && (!smallest || people < fewest)) smallest = c, fewest = people;
  }
  if (!smallest || fewest >= k) return std::nullopt;
  return AlphaKViolation{AlphaKBreach::kTooFewPeople, 0, 0, fewest, k, {}, classes.FirstRow(*smallest)};
}

// By class whether somebody in it has several rows, here or elsewhere; empty where nobody has.
std::vector<std::uint8_t> ClassesOf(const RepeatedPeople& people, const RowsOfClasses& classes) {
  std::vector<std::uint8_t> is_theirs(people.empty() ? 0 : classes.classes());
  for (const RowInClass& row : people.rows) is_theirs[row.of_class] = 1;
  return is_theirs;
}

// judge_column(column, people with several rows in a class, classes whose counts are kept) -> JudgedColumn.
template <typename JudgeColumnOf>
std::optional<AlphaKViolation> Judge(const EncodedTable& table, const RowsOfClasses& classes, const AlphaKClaim& claim,
                                     std::size_t column_count, const JudgeColumnOf& judge_column) {
  const RepeatedPeople people = FindRepeatedPeople(table.persons ? &*table.persons : nullptr, classes);
  const SharedRows shared = FindSharedRows(people, classes);
  if (auto violation = FindTooFewPeople(classes, shared, claim.k)) return violation;
  const std::vector<std::uint8_t> keeps_counts = ClassesOf(people, classes);
  std::vector<JudgedColumn> columns;
  for (std::uint32_t c = 0; c < column_count; ++c) {
    columns.push_back(judge_column(c, shared, keeps_counts));
    if (columns.back().violation) return columns.back().violation;
  }
  return FindPersonTooOften(classes, people, columns);
}

std::optional<AlphaKViolation> JudgeRows(const EncodedTable& table, const RowsOfClasses& classes,
                                         std::span<const CodeColumn* const> sensitive, const AlphaKClaim& claim,
                                         PublishForm form) {
  return Judge(table, classes, claim, sensitive.size(),
               [&](std::uint32_t c, const SharedRows& shared, std::span<const std::uint8_t> keeps_counts) {
                 JudgedItems items = CollectJudgedItems(claim, c, CodeBound(*sensitive[c]));
                 const bool shows_people = form == PublishForm::kGeneralized && !shared.groups.empty();
                 return sensitive[c]->Visit([&](auto codes) {
                   using Narrow = std::remove_const_t<typename decltype(codes)::element_type>;
                   const RowBags<Narrow> bags{classes, codes, ByClass<Narrow>(classes, codes)};
                   return JudgeColumn(bags, std::move(items), classes, shows_people ? &shared : nullptr, keeps_counts);
                 });
               });
}

// For each row the number of its class; the groups themselves where no two of them have equal boxes.
std::vector<ClassNumber> ClassOfRow(const Classes& draft, std::span<const ClassId> class_of_group) {
  std::vector<ClassNumber> class_of_row(draft.of_row.size());
  ParallelFor(class_of_row.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) class_of_row[row] = class_of_group[draft.of_row[row]];
  });
  return class_of_row;
}

std::string DescribeLimited(const SensitiveLimit& limit, std::span<const std::string> column_names) {
  const std::string column = limit.column < column_names.size()
                                 ? fmt::format("column \"{}\"", column_names[limit.column])
                                 : fmt::format("sensitive column {}", limit.column + 1);
  return (limit.together ? "one of the listed values of " : "the same value of ") + column;
}

}  // namespace

std::optional<std::string> FindMalformedClaim(const AlphaKClaim& claim, std::size_t sensitive_columns) {
  for (std::size_t l = 0; l < claim.limits.size(); ++l) {
    const SensitiveLimit& limit = claim.limits[l];
    if (limit.column >= sensitive_columns)
      return fmt::format("limit {} is for sensitive column {} of {}", l + 1, limit.column + 1, sensitive_columns);
    if (limit.values.empty()) return fmt::format("limit {} is for no value at all", l + 1);
    if (!std::ranges::is_sorted(limit.values, std::ranges::less_equal{}))
      return fmt::format("the values of limit {} are not in order", l + 1);
    if (limit.at_most.den == 0) return fmt::format("limit {} is no fraction", l + 1);
  }
  return std::nullopt;
}

std::optional<AlphaKViolation> FindAlphaKViolation(const EncodedTable& table,
                                                   std::span<const CodeColumn* const> sensitive,
                                                   const AlphaKClaim& claim, const Classes& draft) {
  const std::vector<ClassId> class_of_group = ClassOfGroup(draft);
  const std::size_t classes = class_of_group.empty() ? 0 : std::size_t{std::ranges::max(class_of_group)} + 1;
  if (classes == class_of_group.size())
    return JudgeRows(table, LayOutClasses(draft.of_row, classes), sensitive, claim, PublishForm::kGeneralized);
  const std::vector<ClassNumber> class_of_row = ClassOfRow(draft, class_of_group);
  return JudgeRows(table, LayOutClasses(class_of_row, classes), sensitive, claim, PublishForm::kGeneralized);
}

std::optional<AlphaKViolation> FindAlphaKViolation(const EncodedTable& table, const AlphaKClaim& claim,
                                                   const Draft& tables) {
  const RowsOfClasses classes = LayOutClasses(tables.classes.of_row, tables.classes.count());
  std::vector<std::pair<const SensitiveCounts*, std::size_t>> table_of_column;
  for (const SensitiveCounts& counts : tables.sensitive) {
    for (std::size_t position = 0; position < counts.columns.size(); ++position) {
      table_of_column.resize(std::max<std::size_t>(table_of_column.size(), counts.columns[position] + 1));
      table_of_column[counts.columns[position]] = {&counts, position};
    }
  }
  return Judge(table, classes, claim, table_of_column.size(),
               [&](std::uint32_t c, const SharedRows&, std::span<const std::uint8_t> keeps_counts) {
                 const auto [counts, position] = table_of_column[c];
                 const TableBags bags{*counts, position, BeginOfClasses(*counts, tables.classes.count())};
                 JudgedItems items = CollectJudgedItems(claim, c, CodeBound(*counts, position));
                 return JudgeColumn(bags, std::move(items), classes, nullptr, keeps_counts);
               });
}

std::optional<AlphaKViolation> FindInfeasible(const EncodedTable& table, std::span<const CodeColumn* const> sensitive,
                                              const AlphaKClaim& claim, PublishForm form) {
  return JudgeRows(table, OneClass(table.rows), sensitive, claim, form);
}

std::string Describe(const AlphaKViolation& violation, const AlphaKClaim& claim, bool counts_people,
                     std::span<const std::string> column_names) {
  const char* one = counts_people ? "person" : "row";
  const char* s = violation.count == 1 ? "" : "s";
  if (violation.breach == AlphaKBreach::kTooFewPeople)
    return fmt::format("a class of {} {}{} is published, {} are required (row {} of the input is in it)",
                       violation.count, one, s, violation.of, violation.row + 1);
  const SensitiveLimit& limit = claim.limits[violation.limit];
  const std::string limited = DescribeLimited(limit, column_names);
  const std::string allowed = fmt::format("more than the {} that are allowed", ToString(limit.at_most));
  if (violation.breach == AlphaKBreach::kOnePersonTooOften)
    return fmt::format(
        "a person with {} rows in {} class{} has {} in one of them with a chance{}, {} (row {} of the input is theirs)",
        violation.count, violation.of, violation.of == 1 ? "" : "es", limited,
        violation.chance ? " of " + ToString(*violation.chance) : "", allowed, violation.row + 1);
  const char* who = violation.breach == AlphaKBreach::kTooManyPeople ? "persons" : "rows";
  return fmt::format("in a class of {} {} {} have {}, {} (row {} of the input is in it)", violation.of, who,
                     violation.count, limited, allowed, violation.row + 1);
}

}  // namespace pentimento
