#include "guarantee/form/two_tables_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "guarantee/form/rows_of_classes.h"
#include "guarantee/form/smallest_index.h"

namespace pentimento {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kEntriesPerTask = 1 << 14;
constexpr std::size_t kMostTasks = 32;
constexpr std::size_t kFewestClassesPerTask = 512;

std::optional<std::string> FindWrongRows(const EncodedTable& table, const Draft& tables) {
  if (tables.classes.of_row.size() != table.rows)
    return fmt::format("{} rows have a class, the table has {}", tables.classes.of_row.size(), table.rows);
  const auto outside =
      std::ranges::find_if(tables.classes.of_row, [&](ClassNumber c) { return c >= tables.classes.count(); });
  if (outside != tables.classes.of_row.end())
    return fmt::format("row {} of the input is in a class that is not there",
                       outside - tables.classes.of_row.begin() + 1);
  if (!table.persons) return std::nullopt;
  const Persons& persons = *table.persons;
  if (persons.person_of_row.size() != table.rows)
    return fmt::format("{} rows have a person, the table has {}", persons.person_of_row.size(), table.rows);
  const auto unknown = std::ranges::find_if(persons.person_of_row, [&](std::uint32_t p) { return p >= persons.count; });
  if (unknown == persons.person_of_row.end()) return std::nullopt;
  return fmt::format("row {} of the table is about a person who is not counted",
                     unknown - persons.person_of_row.begin() + 1);
}

std::optional<std::string> FindWrongColumns(std::size_t sensitive_columns, const Draft& tables) {
  std::vector<std::size_t> tables_of(sensitive_columns);
  for (const SensitiveCounts& counts : tables.sensitive) {
    if (counts.columns.empty()) return "a table of sensitive values has no column";
    if (!std::ranges::is_sorted(counts.columns, std::ranges::less_equal{}))
      return "the columns of a table of sensitive values are not in order";
    if (counts.columns.back() >= sensitive_columns)
      return fmt::format("a table has sensitive column {} of {}", counts.columns.back() + 1, sensitive_columns);
    for (const std::uint32_t column : counts.columns) ++tables_of[column];
  }
  for (std::size_t column = 0; column < sensitive_columns; ++column) {
    if (tables_of[column] == 1) continue;
    return fmt::format("sensitive column {} is in {} tables instead of one", column + 1, tables_of[column]);
  }
  return std::nullopt;
}

// Whether the entry comes after the one before it.
bool IsInOrder(const SensitiveCounts& counts, std::size_t entry) {
  if (counts.class_of_entry[entry - 1] != counts.class_of_entry[entry])
    return counts.class_of_entry[entry - 1] < counts.class_of_entry[entry];
  const std::size_t width = counts.columns.size();
  const auto values = counts.values.begin() + static_cast<std::ptrdiff_t>(entry * width);
  const auto step = static_cast<std::ptrdiff_t>(width);
  return std::lexicographical_compare(values - step, values, values, values + step);
}

std::optional<std::string> FindWrongEntry(const SensitiveCounts& counts, std::size_t classes) {
  if (counts.class_of_entry.size() != counts.entries() ||
      counts.values.size() != counts.entries() * counts.columns.size())
    return fmt::format("{} entries have {} classes and {} values of {} columns", counts.entries(),
                       counts.class_of_entry.size(), counts.values.size(), counts.columns.size());
  SmallestIndex wrong;
  ParallelFor(counts.entries(), kEntriesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const bool is_right =
          counts.count[e] != 0 && counts.class_of_entry[e] < classes && (e == 0 || IsInOrder(counts, e));
      if (!is_right) return wrong.Offer(e);
    }
  });
  const auto entry = wrong.Get();
  if (!entry) return std::nullopt;
  if (counts.count[*entry] == 0) return fmt::format("entry {} counts nothing", *entry + 1);
  if (counts.class_of_entry[*entry] >= classes)
    return fmt::format("entry {} is of a class that is not there", *entry + 1);
  return fmt::format("entry {} does not come after the one before it", *entry + 1);
}

// What is counted of each row: the code of the column, or one number for the combination. Numbers of combinations are
// in the order of their values.
std::optional<std::vector<std::uint64_t>> Radices(std::span<const CodeColumn* const> sensitive,
                                                  const SensitiveCounts& counts) {
  std::vector<std::uint64_t> radices;
  Wide product = 1;
  for (const std::uint32_t column : counts.columns) {
    radices.push_back(std::max<std::uint64_t>(CodeBound(*sensitive[column]), 1));
    product *= radices.back();
    if (product >> 64 != 0) return std::nullopt;
  }
  return radices;
}

std::vector<std::uint64_t> Combinations(std::span<const CodeColumn* const> sensitive, const SensitiveCounts& counts,
                                        std::span<const std::uint64_t> radices, std::size_t rows) {
  std::vector<std::uint64_t> combination(rows);
  for (std::size_t i = 0; i < counts.columns.size(); ++i) {
    sensitive[counts.columns[i]]->Visit([&](auto codes) {
      for (std::size_t row = 0; row < rows; ++row) combination[row] = combination[row] * radices[i] + codes[row];
    });
  }
  return combination;
}

// The number of the combination of an entry; nothing where a value is none that the column has.
std::optional<std::uint64_t> CombinationOf(const SensitiveCounts& counts, std::span<const std::uint64_t> radices,
                                           std::size_t entry) {
  std::uint64_t combination = 0;
  for (std::size_t i = 0; i < radices.size(); ++i) {
    const Code value = counts.values[entry * radices.size() + i];
    if (value >= radices[i]) return std::nullopt;
    combination = combination * radices[i] + value;
  }
  return combination;
}

// The smallest class for which is_true(class, its first entry, past its last one) says no. `make_is_true` is called
// once per task, so that each of them counts in a place of its own.
template <typename MakeIsTrue>
std::optional<std::size_t> FindFalseClass(const SensitiveCounts& counts, std::size_t classes,
                                          const MakeIsTrue& make_is_true) {
  const std::size_t tasks = std::clamp<std::size_t>(classes / kFewestClassesPerTask, 1, kMostTasks);
  const auto first_entry_of = [&](std::size_t c) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(counts.class_of_entry, c, {}, [](ClassNumber number) { return std::size_t{number}; }) -
        counts.class_of_entry.begin());
  };
  SmallestIndex found;
  ParallelFor(tasks, 1, [&](std::size_t first_task, std::size_t past_task) {
    for (std::size_t task = first_task; task < past_task; ++task) {
      auto is_true = make_is_true();
      const std::size_t last = classes * (task + 1) / tasks;
      std::size_t begin = first_entry_of(classes * task / tasks);
      for (std::size_t c = classes * task / tasks; c < last; ++c) {
        std::size_t end = begin;
        while (end < counts.entries() && counts.class_of_entry[end] == c) ++end;
        if (!is_true(c, begin, end)) return found.Offer(c);
        begin = end;
      }
    }
  });
  return found.Get();
}

std::optional<std::string> FindWrongSum(const SensitiveCounts& counts, const RowsOfClasses& classes) {
  const auto sum = [&](std::size_t begin, std::size_t end) {
    Wide rows = 0;
    for (std::size_t e = begin; e < end; ++e) rows += counts.count[e];
    return rows;
  };
  const auto c = FindFalseClass(counts, classes.classes(), [&] {
    return [&](std::size_t number, std::size_t begin, std::size_t end) {
      return begin < end && classes.size(number) > 0 && sum(begin, end) == classes.size(number);
    };
  });
  if (!c) return std::nullopt;
  if (classes.size(*c) == 0) return fmt::format("class {} has no row", *c + 1);
  const auto [first, past] = std::ranges::equal_range(counts.class_of_entry, static_cast<ClassNumber>(*c));
  if (first == past) return fmt::format("class {} has no entry", *c + 1);
  return fmt::format("class {} has {} rows, but counts that add up to {}", *c + 1, classes.size(*c),
                     sum(static_cast<std::size_t>(first - counts.class_of_entry.begin()),
                         static_cast<std::size_t>(past - counts.class_of_entry.begin())));
}

// Entries are not alike and add up to the size of the class, so if each of them is true none is missing.
template <typename Narrow>
std::optional<std::size_t> FindFalseCount(std::span<const Narrow> codes, Code bound, const RowsOfClasses& classes,
                                          const SensitiveCounts& counts) {
  const std::vector<Narrow> by_class = ByClass<Narrow>(classes, codes);
  return FindFalseClass(counts, classes.classes(), [&] {
    return [&, count = std::vector<std::uint32_t>(bound)](std::size_t c, std::size_t begin, std::size_t end) mutable {
      const auto values = std::span(by_class).subspan(classes.begin[c], classes.size(c));
      for (const Narrow value : values) ++count[value];
      bool is_true = true;
      for (std::size_t e = begin; e < end; ++e) {
        is_true = is_true && counts.values[e] < bound && count[counts.values[e]] == counts.count[e];
      }
      for (const Narrow value : values) count[value] = 0;
      return is_true;
    };
  });
}

std::optional<std::size_t> FindFalseCombination(std::span<const std::uint64_t> combinations,
                                                std::span<const std::uint64_t> radices, const RowsOfClasses& classes,
                                                const SensitiveCounts& counts) {
  std::vector<std::uint64_t> by_class = ByClass<std::uint64_t>(classes, combinations);
  return FindFalseClass(counts, classes.classes(), [&] {
    return [&](std::size_t c, std::size_t begin, std::size_t end) {
      const auto values = std::span(by_class).subspan(classes.begin[c], classes.size(c));
      std::ranges::sort(values);
      for (std::size_t e = begin; e < end; ++e) {
        const auto combination = CombinationOf(counts, radices, e);
        if (!combination) return false;
        const auto same = std::ranges::equal_range(values, *combination);
        if (same.size() != counts.count[e]) return false;
      }
      return true;
    };
  });
}

}  // namespace

std::optional<std::string> FindMalformation(const EncodedTable& table, std::size_t sensitive_columns,
                                            const Draft& tables) {
  if (tables.classes.columns != 0 || !tables.classes.boxes.empty()) return "classes of two tables have no boxes";
  if (auto wrong = FindWrongRows(table, tables)) return wrong;
  if (auto wrong = FindWrongColumns(sensitive_columns, tables)) return wrong;
  // Before anything is made for each of them.
  if (tables.classes.count() > table.rows)
    return fmt::format("there are {} classes of {} rows", tables.classes.count(), table.rows);
  const RowsOfClasses classes = LayOutClasses(tables.classes.of_row, tables.classes.count());
  for (const SensitiveCounts& counts : tables.sensitive) {
    if (auto wrong = FindWrongEntry(counts, tables.classes.count())) return wrong;
    if (auto wrong = FindWrongSum(counts, classes)) return wrong;
  }
  return std::nullopt;
}

std::optional<std::string> FindUntruth(std::span<const CodeColumn* const> sensitive, const Draft& tables) {
  const RowsOfClasses classes = LayOutClasses(tables.classes.of_row, tables.classes.count());
  for (const SensitiveCounts& counts : tables.sensitive) {
    const auto radices = Radices(sensitive, counts);
    if (!radices)
      return "the combinations of the sensitive columns are too many to be numbered; publish them in separate tables";
    std::optional<std::size_t> found;
    if (counts.columns.size() == 1) {
      found = sensitive[counts.columns[0]]->Visit(
          [&](auto codes) { return FindFalseCount(codes, static_cast<Code>((*radices)[0]), classes, counts); });
    } else {
      found =
          FindFalseCombination(Combinations(sensitive, counts, *radices, classes.rows()), *radices, classes, counts);
    }
    if (found)
      return fmt::format(
          "class {} is said to have other sensitive values than its rows have (row {} of the input is in it)",
          *found + 1, classes.FirstRow(*found) + 1);
  }
  return std::nullopt;
}

}  // namespace pentimento
