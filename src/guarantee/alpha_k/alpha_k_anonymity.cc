#include "guarantee/alpha_k/alpha_k_anonymity.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "guarantee/alpha_k/chance_of_ever.h"
#include "guarantee/alpha_k/checked_column.h"
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

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kClassesLoaded = 4096;  // by one task
constexpr std::size_t kPeopleChecked = 4096;  // likewise

// What a limit allows in all, as a number that many small numbers divide: shares of a half, a third or a seventh of the
// limit are not rounded then.
constexpr std::uint64_t kWhole = std::uint64_t{720'720} << 20;

// One row's part of what the limit allows, rounded up.
std::uint64_t LoadOf(std::uint64_t with_value, std::uint64_t rows, Ratio limit) {
  // A limit of very fine parts is rounded down, so that nothing below overflows.
  if (limit.den >> 48 != 0) limit = {static_cast<std::uint64_t>((Wide{limit.num} << 48) / limit.den), 1ULL << 48};
  if (limit.num == 0) return 2 * kWhole;
  const Wide allowed = Wide{rows} * limit.num;
  const Wide load = (Wide{with_value} * limit.den * kWhole + allowed - 1) / allowed;
  return load > kWhole ? 2 * kWhole : static_cast<std::uint64_t>(load);
}

std::uint64_t GreatestLoad(const CheckedColumn& column, std::size_t c, std::uint64_t rows) {
  std::uint64_t greatest = 0;
  std::uint32_t most = 0;
  Ratio limit{1, 1};
  for (const ItemCount& count : column.of(c)) {
    const Ratio at_most = column.items.items[count.item].at_most;
    // Nearly always the limit is the same, and no division is needed to see which share is greater.
    if (count.rows <= most && at_most == limit) continue;
    greatest = std::max(greatest, LoadOf(count.rows, rows, at_most));
    most = count.rows;
    limit = at_most;
  }
  return greatest;
}

// By class: the greatest load of any item. The chance of having a value in one of several rows is at most the sum of
// the chances of the rows, so whoever has no more than kWhole of load breaks no limit.
std::vector<std::uint64_t> GreatestLoads(const RowsOfClasses& classes, std::span<const CheckedColumn> columns) {
  std::vector<std::uint64_t> loads(classes.classes());
  ParallelFor(loads.size(), kClassesLoaded, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      for (const CheckedColumn& column : columns)
        loads[c] = std::max(loads[c], GreatestLoad(column, c, classes.size(c)));
    }
  });
  return loads;
}

// Somebody's rows by class: all that a result about them depends on.
struct OwnRows {
  ClassNumber of_class = 0;
  std::uint32_t rows = 0;
  friend auto operator<=>(const OwnRows&, const OwnRows&) = default;
};

class PersonChecker {
 public:
  PersonChecker(const RowsOfClasses& classes, std::span<const CheckedColumn> columns,
                std::span<const std::uint64_t> loads)
      : classes_(classes), columns_(columns), loads_(loads) {}

  bool Holds(std::span<const RowInClass> rows) {
    Wide load = 0;
    profile_.clear();
    ForEachClass(rows, [&](std::span<const RowInClass> in_class) {
      profile_.push_back({in_class[0].of_class, static_cast<std::uint32_t>(in_class.size())});
      load += Wide{loads_[in_class[0].of_class]} * in_class.size();
    });
    if (load <= kWhole) return true;
    // Many people may have their rows in the same few classes, and to look costs as much as these have values.
    if (known_to_hold_.contains(profile_)) return true;
    if (FindBroken()) return false;
    known_to_hold_.insert(profile_);
    return true;
  }

  AlphaKViolation Describe(std::span<const RowInClass> rows) {
    Holds(rows);
    AlphaKViolation violation = *FindBroken();
    violation.count = rows.size();
    violation.row = std::ranges::min(rows, {}, &RowInClass::row).row;
    return violation;
  }

 private:
  struct DrawsOfItem {
    std::uint32_t item;
    DrawsFromClass draws;
  };

  std::optional<AlphaKViolation> FindBroken() {
    for (const CheckedColumn& column : columns_) {
      draws_.clear();
      for (const OwnRows& own : profile_) {
        for (const ItemCount& count : column.of(own.of_class))
          draws_.push_back({count.item, {classes_.size(own.of_class), count.rows, own.rows}});
      }
      std::ranges::stable_sort(draws_, {}, &DrawsOfItem::item);
      if (auto violation = FindBrokenItem(column)) return violation;
    }
    return std::nullopt;
  }

  std::optional<AlphaKViolation> FindBrokenItem(const CheckedColumn& column) {
    for (std::size_t begin = 0, end = 0; begin < draws_.size(); begin = end) {
      of_item_.clear();
      for (; end < draws_.size() && draws_[end].item == draws_[begin].item; ++end)
        of_item_.push_back(draws_[end].draws);
      const CheckedItem& item = column.items.items[draws_[begin].item];
      if (ChanceOfEverIsAtMost(of_item_, item.at_most)) continue;
      return AlphaKViolation{AlphaKBreach::kOnePersonTooOften, item.limit, item.value, 0, profile_.size(),
                             ChanceOfEver(of_item_),           0};
    }
    return std::nullopt;
  }

  const RowsOfClasses& classes_;
  std::span<const CheckedColumn> columns_;
  std::span<const std::uint64_t> loads_;
  std::vector<OwnRows> profile_;
  std::set<std::vector<OwnRows>> known_to_hold_;
  std::vector<DrawsOfItem> draws_;
  std::vector<DrawsFromClass> of_item_;
};

// Whether somebody with several rows has a limited value in one of them with too great a chance: the person with the
// smallest number, if there is one. The columns have kept their counts.
std::optional<AlphaKViolation> FindPersonTooOften(const RowsOfClasses& classes, const RepeatedPeople& people,
                                                  std::span<const CheckedColumn> columns) {
  if (people.empty()) return std::nullopt;
  const std::vector<std::uint64_t> loads = GreatestLoads(classes, columns);
  SmallestIndex broken;
  ParallelFor(people.size(), kPeopleChecked, [&](std::size_t begin, std::size_t end) {
    PersonChecker checker(classes, columns, loads);
    for (std::size_t person = begin; person < end; ++person) {
      if (!checker.Holds(people.of(person))) return broken.Offer(person);
    }
  });
  const auto person = broken.Get();
  if (!person) return std::nullopt;
  return PersonChecker(classes, columns, loads).Describe(people.of(*person));
}

// check_column(column, people with several rows in a class, classes whose counts are kept) -> CheckedColumn.
template <typename CheckColumnOf>
std::optional<AlphaKViolation> CheckAll(const EncodedTable& table, const RowsOfClasses& classes,
                                        const AlphaKClaim& claim, std::size_t column_count,
                                        const CheckColumnOf& check_column) {
  const RepeatedPeople people = FindRepeatedPeople(table.persons ? &*table.persons : nullptr, classes);
  const SharedRows shared = FindSharedRows(people, classes);
  if (auto violation = FindTooFewPeople(classes, shared, claim.k)) return violation;
  const std::vector<std::uint8_t> keeps_counts = ClassesOf(people, classes);
  std::vector<CheckedColumn> columns;
  for (std::uint32_t c = 0; c < column_count; ++c) {
    columns.push_back(check_column(c, shared, keeps_counts));
    if (columns.back().violation) return columns.back().violation;
  }
  return FindPersonTooOften(classes, people, columns);
}

std::optional<AlphaKViolation> CheckRows(const EncodedTable& table, const RowsOfClasses& classes,
                                         std::span<const CodeColumn* const> sensitive, const AlphaKClaim& claim,
                                         PublishForm form) {
  return CheckAll(table, classes, claim, sensitive.size(),
                  [&](std::uint32_t c, const SharedRows& shared, std::span<const std::uint8_t> keeps_counts) {
                    CheckedItems items = CollectCheckedItems(claim, c, CodeBound(*sensitive[c]));
                    const bool shows_people = form == PublishForm::kGeneralized && !shared.groups.empty();
                    return sensitive[c]->Visit([&](auto codes) {
                      using Narrow = std::remove_const_t<typename decltype(codes)::element_type>;
                      const RowBags<Narrow> bags{classes, codes, ByClass<Narrow>(classes, codes)};
                      return CheckColumn(bags, std::move(items), classes, shows_people ? &shared : nullptr,
                                         keeps_counts);
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

std::optional<AlphaKViolation> FindAlphaKViolation(const EncodedTable& table,
                                                   std::span<const CodeColumn* const> sensitive,
                                                   const AlphaKClaim& claim, const Classes& draft) {
  const std::vector<ClassId> class_of_group = ClassOfGroup(draft);
  const std::size_t classes = class_of_group.empty() ? 0 : std::size_t{std::ranges::max(class_of_group)} + 1;
  if (classes == class_of_group.size())
    return CheckRows(table, LayOutClasses(draft.of_row, classes), sensitive, claim, PublishForm::kGeneralized);
  const std::vector<ClassNumber> class_of_row = ClassOfRow(draft, class_of_group);
  return CheckRows(table, LayOutClasses(class_of_row, classes), sensitive, claim, PublishForm::kGeneralized);
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
  return CheckAll(table, classes, claim, table_of_column.size(),
                  [&](std::uint32_t c, const SharedRows&, std::span<const std::uint8_t> keeps_counts) {
                    const auto [counts, position] = table_of_column[c];
                    const TableBags bags{*counts, position, BeginOfClasses(*counts, tables.classes.count())};
                    CheckedItems items = CollectCheckedItems(claim, c, CodeBound(*counts, position));
                    return CheckColumn(bags, std::move(items), classes, nullptr, keeps_counts);
                  });
}

std::optional<AlphaKViolation> FindInfeasible(const EncodedTable& table, std::span<const CodeColumn* const> sensitive,
                                              const AlphaKClaim& claim, PublishForm form) {
  return CheckRows(table, OneClass(table.rows), sensitive, claim, form);
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
