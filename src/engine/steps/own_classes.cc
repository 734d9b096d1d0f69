#include "engine/steps/own_classes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "files/table_file.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

// Classes that can be confused become one, and all are numbered from 0 on without gaps.
std::vector<ClassNumber> MergedNumbers(std::uint32_t count, const std::vector<ClassNumber>& confusable,
                                       std::uint32_t& merged) {
  std::vector<ClassNumber> number(count);
  merged = 0;
  for (ClassNumber c = 0; c < count; ++c)
    number[c] = confusable.empty() || confusable[c] == c ? merged++ : number[confusable[c]];
  return number;
}

// Whoever has several rows is in a class of those with rows in the same classes.
void NumberSets(std::span<const ClassNumber> class_of_row, const ReleasedRows& released, OwnClasses& own) {
  std::vector<std::vector<ClassNumber>> classes_of(released.people);
  for (std::size_t row = 0; row < class_of_row.size(); ++row)
    classes_of[released.person_of_row[row]].push_back(class_of_row[row]);
  std::map<std::vector<ClassNumber>, ClassNumber> number_of;
  for (std::uint32_t person = 0; person < released.people; ++person) {
    std::ranges::sort(classes_of[person]);
    const auto [place, is_new] =
        number_of.emplace(std::move(classes_of[person]), static_cast<ClassNumber>(number_of.size()));
    own.class_of[person] = place->second;
  }
  own.rows.assign(number_of.size(), 0);
  for (const ClassNumber number : own.class_of) ++own.rows[number];
}

// Rows in the order of their classes.
std::vector<std::uint32_t> RowsByClass(std::span<const ClassNumber> class_of_row,
                                       std::span<const std::uint32_t> begin) {
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  std::vector<std::uint32_t> rows(class_of_row.size());
  for (std::size_t row = 0; row < class_of_row.size(); ++row)
    rows[next[class_of_row[row]]++] = static_cast<std::uint32_t>(row);
  return rows;
}

// Sorts the codes of each class and counts equal ones. `begin`: by class, where its rows begin.
ValueBags CountBags(const ValueColumn& column, std::span<const std::uint32_t> rows,
                    std::span<const std::uint32_t> begin, std::span<const std::uint32_t> input_rows) {
  const std::size_t classes = begin.size() - 1;
  std::vector<Code> codes(rows.size());
  std::vector<std::uint32_t> distinct(classes + 1, 0);
  constexpr std::size_t kClassesAtOnce = 4096;
  column.codes.Visit([&](auto of_row) {
    ParallelFor(classes, kClassesAtOnce, [&](std::size_t first, std::size_t last) {
      for (std::size_t c = first; c < last; ++c) {
        const auto in_class = std::span(codes).subspan(begin[c], begin[c + 1] - begin[c]);
        for (std::size_t i = 0; i < in_class.size(); ++i) {
          const std::uint32_t row = rows[begin[c] + i];
          in_class[i] = of_row[input_rows.empty() ? row : input_rows[row]];
        }
        std::ranges::sort(in_class);
        std::uint32_t different = in_class.empty() ? 0 : 1;
        for (std::size_t i = 1; i < in_class.size(); ++i) different += in_class[i] != in_class[i - 1];
        distinct[c + 1] = different;
      }
    });
  });
  ValueBags bags{column.name, std::move(distinct), {}, {}};
  for (std::size_t c = 0; c < classes; ++c) bags.begin[c + 1] += bags.begin[c];
  bags.value.reserve(bags.begin.back());
  bags.count.reserve(bags.begin.back());
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t i = begin[c]; i < begin[c + 1]; ++i) {
      if (i > begin[c] && codes[i] == codes[i - 1]) {
        ++bags.count.back();
      } else {
        bags.value.push_back(codes[i]);
        bags.count.push_back(1);
      }
    }
  }
  return bags;
}

void AddValues(std::span<const ClassNumber> class_of_row, const ReleasedRows& released, const IdentityHasher& hasher,
               OwnClasses& own) {
  std::vector<std::uint32_t> begin(own.rows.size() + 1, 0);
  for (std::size_t c = 0; c < own.rows.size(); ++c) begin[c + 1] = begin[c] + own.rows[c];
  std::vector<std::uint32_t> rows;
  for (const ValueColumn* column : released.sensitive) {
    if (column->values.size() > kMostComparedValues) {
      own.not_compared.push_back(column->name);
      continue;
    }
    if (rows.empty()) rows = RowsByClass(class_of_row, begin);
    own.values.push_back(CountBags(*column, rows, begin, released.input_rows));
    own.dictionaries.push_back(HashValues(*column, hasher));
  }
}

}  // namespace

IdentityHash HashValue(std::string_view text, const IdentityHasher& hasher) {
  return hasher("value:" + std::string(text));
}

std::vector<IdentityHash> HashValues(const ValueColumn& column, const IdentityHasher& hasher) {
  const std::vector<std::string> texts = CsvTexts(column);
  std::vector<IdentityHash> hashes;
  hashes.reserve(texts.size());
  for (std::size_t code = 0; code < texts.size(); ++code)
    hashes.push_back(column.null_code && *column.null_code == code ? hasher("no value:")
                                                                   : HashValue(texts[code], hasher));
  return hashes;
}

std::vector<ClassNumber> ClassesWithEqualRows(const EncodedTable& table, const Classes& classes) {
  std::vector<const CodeColumn*> columns;
  for (const CodeColumn& column : table.quasi_identifiers) columns.push_back(&column);
  const Combinations tuples = NumberCombinations(table.rows, columns);
  std::vector<ClassNumber> smallest(classes.count());
  std::iota(smallest.begin(), smallest.end(), 0U);
  const auto find = [&](ClassNumber number) {
    while (smallest[number] != number) number = smallest[number] = smallest[smallest[number]];
    return number;
  };
  std::vector<ClassNumber> class_of_tuple(tuples.count, kNotInRelease);
  for (std::size_t row = 0; row < table.rows; ++row) {
    ClassNumber& first = class_of_tuple[tuples.of_row[row]];
    if (first == kNotInRelease) first = classes.of_row[row];
    const ClassNumber one = find(first);
    const ClassNumber other = find(classes.of_row[row]);
    smallest[std::max(one, other)] = std::min(one, other);
  }
  for (ClassNumber number = 0; number < smallest.size(); ++number) smallest[number] = find(number);
  return smallest;
}

OwnClasses ClassesOf(const ReleasedRows& released, const IdentityHasher& hasher) {
  OwnClasses own;
  const std::vector<ClassNumber>& of_row = released.classes.of_row;
  std::uint32_t merged = 0;
  const std::vector<ClassNumber> number = MergedNumbers(released.classes.count(), released.confusable, merged);
  std::vector<ClassNumber> class_of_row(of_row.size());
  for (std::size_t row = 0; row < of_row.size(); ++row) class_of_row[row] = number[of_row[row]];
  own.class_of.resize(released.people);
  if (released.people != of_row.size()) {
    NumberSets(class_of_row, released, own);
    for (const ValueColumn* column : released.sensitive) own.not_compared.push_back(column->name);
    return own;
  }
  own.rows.assign(merged, 0);
  for (std::size_t row = 0; row < of_row.size(); ++row) {
    own.class_of[released.person_of_row[row]] = class_of_row[row];
    ++own.rows[class_of_row[row]];
  }
  AddValues(class_of_row, released, hasher, own);
  return own;
}

Result<StateFileRecord> WriteOwnClasses(const std::filesystem::path& state_folder, const std::string& release,
                                        const OwnClasses& own) {
  KeptClassesView view{{}, own.class_of, own.rows, {}};
  if (!own.people_are_on_file) view.people = *own.people;
  for (std::size_t i = 0; i < own.values.size(); ++i) {
    const ValueBags& bags = own.values[i];
    view.columns.push_back({bags.column, own.dictionaries[i], bags.begin, bags.value, bags.count});
  }
  return WriteKeptClasses(state_folder, release + ".classes", view);
}

}  // namespace pentimento
