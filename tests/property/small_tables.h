// Every small table, every small draft: what the property tests walk through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "release/classes.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento::property {

// A number 0, 1 and a taxonomy a, b under the root, the latter without missing values.
inline std::vector<Domain> TwoByTwoDomains() {
  const std::vector<std::string> values = {"a", "b"};
  std::vector<Domain> domains;
  domains.emplace_back(NumericRange{0, 1, 0, {}}, false);
  domains.emplace_back(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), false);
  return domains;
}

// One box for each pair of intervals of {0, 1}, and some of them again under another group number.
inline std::vector<Interval> TwoByTwoBoxes(std::size_t boxes_twice) {
  const std::vector<Interval> intervals = {{0, 1}, {0, 0}, {1, 1}};
  std::vector<Interval> boxes;
  for (const Interval left : intervals) {
    for (const Interval right : intervals) boxes.insert(boxes.end(), {left, right});
  }
  const std::vector<Interval> again(boxes.begin(), boxes.begin() + static_cast<std::ptrdiff_t>(2 * boxes_twice));
  boxes.insert(boxes.end(), again.begin(), again.end());
  return boxes;
}

// Calls body(digits) for every sequence of `length` digits below `base`.
inline void ForEachSequence(std::size_t length, std::uint32_t base,
                            const std::function<void(const std::vector<std::uint32_t>&)>& body) {
  std::vector<std::uint32_t> digits(length, 0);
  while (true) {
    body(digits);
    std::size_t place = 0;
    while (place < length && ++digits[place] == base) digits[place++] = 0;
    if (place == length) return;
  }
}

// Calls body(persons) for every way in which rows can belong to persons: who is called what is of no matter, so
// each person has the number of persons met before.
inline void ForEachPersons(std::size_t rows, const std::function<void(const Persons&)>& body) {
  ForEachSequence(rows, static_cast<std::uint32_t>(rows > 0 ? rows : 1),
                  [&](const std::vector<std::uint32_t>& person_of_row) {
                    std::uint32_t count = 0;
                    for (const std::uint32_t person : person_of_row) {
                      if (person > count) return;
                      if (person == count) ++count;
                    }
                    body(Persons{person_of_row, count});
                  });
}

// Calls body(table) for every table with this many rows over the domains, without persons.
inline void ForEachTable(std::size_t rows, const std::vector<Domain>& domains,
                         const std::function<void(const EncodedTable&)>& body) {
  std::uint32_t combinations = 1;
  for (const Domain& domain : domains) combinations *= domain.size();
  ForEachSequence(rows, combinations, [&](const std::vector<std::uint32_t>& combination_of_row) {
    EncodedTable table;
    table.rows = rows;
    for (const Domain& domain : domains) table.quasi_identifiers.emplace_back(domain.size(), rows);
    for (std::size_t row = 0; row < rows; ++row) {
      std::uint32_t rest = combination_of_row[row];
      for (std::size_t c = 0; c < domains.size(); rest /= domains[c++].size()) {
        table.quasi_identifiers[c].Set(row, rest % domains[c].size());
      }
    }
    body(table);
  });
}

}  // namespace pentimento::property
