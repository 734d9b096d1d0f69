// (alpha,k)-anonymity straight from its definition, for tests: a class is a set of rows that are published alike, and a
// chance is a share of possible worlds, which are built one after the other. Slow on purpose, and it shares no code
// with the checker. A fault is told in words; an empty text means that the release holds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "oracle/k_anonymity_oracle.h"
#include "release/alpha_k_claim.h"
#include "release/classes.h"
#include "release/draft.h"
#include "table/code_column.h"
#include "table/encoded_table.h"

namespace pentimento::oracle::alpha_k {

__extension__ using Wide = unsigned __int128;
using ClassOfRow = std::vector<std::size_t>;  // by row: the class it is published in
using SensitiveColumns = std::vector<const CodeColumn*>;

// Values that are limited, each by itself or several as one.
struct LimitedValues {
  std::size_t column = 0;
  std::set<Code> values;
  Ratio at_most;
};

inline std::vector<LimitedValues> EachLimit(const AlphaKClaim& claim) {
  std::vector<LimitedValues> each;
  for (const SensitiveLimit& limit : claim.limits) {
    if (limit.together) {
      each.push_back({limit.column, {limit.values.begin(), limit.values.end()}, limit.at_most});
      continue;
    }
    for (const Code value : limit.values) each.push_back({limit.column, {value}, limit.at_most});
  }
  return each;
}

inline bool IsAtMost(std::uint64_t part, std::uint64_t whole, Ratio limit) {
  return Wide{part} * limit.den <= Wide{limit.num} * whole;
}

inline std::vector<std::size_t> PersonOfRow(const EncodedTable& table) {
  std::vector<std::size_t> person_of_row;
  for (std::size_t row = 0; row < table.rows; ++row) {
    person_of_row.push_back(table.persons ? table.persons->person_of_row.at(row) : row);
  }
  return person_of_row;
}

// Rows that are published with equal boxes are in one class, whatever their group number.
inline ClassOfRow ClassesOf(const Classes& draft) {
  const Rows<Interval> published = PublishedIntervals(draft);
  ClassOfRow class_of_row;
  for (const auto& row : published) {
    class_of_row.push_back(static_cast<std::size_t>(std::ranges::find(published, row) - published.begin()));
  }
  return class_of_row;
}

inline std::map<std::size_t, std::size_t> ClassSizes(const ClassOfRow& class_of_row) {
  std::map<std::size_t, std::size_t> sizes;
  for (const std::size_t c : class_of_row) ++sizes[c];
  return sizes;
}

struct Chance {
  std::uint64_t worlds_with = 0;
  std::uint64_t worlds = 0;
};

// A reader knows which rows are whose and how many rows of each class have the value, not which. So each choice of that
// many rows in every class is a possible world, all are equally likely, and the chance of a person is the share of
// worlds in which some row of this person has the value.
inline std::map<std::size_t, Chance> ChancesByWorlds(const ClassOfRow& class_of_row,
                                                     const std::map<std::size_t, std::size_t>& with_value,
                                                     const std::vector<std::size_t>& person_of_row) {
  using RowSet = std::uint64_t;  // a bit for each row
  std::map<std::size_t, RowSet> rows_of_class, rows_of_person;
  for (std::size_t row = 0; row < class_of_row.size(); ++row) {
    rows_of_class[class_of_row[row]] |= RowSet{1} << row;
    rows_of_person[person_of_row[row]] |= RowSet{1} << row;
  }
  std::map<std::size_t, Chance> chances;
  for (RowSet world = 0; world < (RowSet{1} << class_of_row.size()); ++world) {
    const bool possible = std::ranges::all_of(rows_of_class, [&](const auto& c) {
      const auto found = with_value.find(c.first);
      return static_cast<std::size_t>(std::popcount(world & c.second)) ==
             (found == with_value.end() ? 0 : found->second);
    });
    if (!possible) continue;
    for (const auto& [person, rows] : rows_of_person) {
      ++chances[person].worlds;
      chances[person].worlds_with += (world & rows) != 0 ? 1 : 0;
    }
  }
  return chances;
}

inline std::string FaultOfPersons(const ClassOfRow& class_of_row, const std::vector<std::size_t>& person_of_row,
                                  std::uint64_t k) {
  std::map<std::size_t, std::set<std::size_t>> members;
  for (std::size_t row = 0; row < class_of_row.size(); ++row) members[class_of_row[row]].insert(person_of_row[row]);
  for (const auto& [c, persons] : members) {
    if (persons.size() < k) return "class " + std::to_string(c) + " has " + std::to_string(persons.size()) + " persons";
  }
  return "";
}

// `with_value`: rows of each class that have one of the values; classes without such rows are left out.
inline std::string FaultOfChances(const ClassOfRow& class_of_row, const std::map<std::size_t, std::size_t>& with_value,
                                  const std::vector<std::size_t>& person_of_row, const LimitedValues& limited) {
  for (const auto& [c, size] : ClassSizes(class_of_row)) {
    const auto found = with_value.find(c);
    if (found != with_value.end() && !IsAtMost(found->second, size, limited.at_most)) {
      return "class " + std::to_string(c) + ": " + std::to_string(found->second) + " of " + std::to_string(size) +
             " rows have a limited value";
    }
  }
  for (const auto& [person, chance] : ChancesByWorlds(class_of_row, with_value, person_of_row)) {
    if (!IsAtMost(chance.worlds_with, chance.worlds, limited.at_most)) {
      return "person " + std::to_string(person) + " has a limited value in " + std::to_string(chance.worlds_with) +
             " of " + std::to_string(chance.worlds) + " worlds";
    }
  }
  return "";
}

inline std::string FaultOfPersonShares(const ClassOfRow& class_of_row, const std::vector<bool>& has_value,
                                       const std::vector<std::size_t>& person_of_row, Ratio at_most) {
  std::map<std::size_t, std::set<std::size_t>> persons, persons_with;
  for (std::size_t row = 0; row < class_of_row.size(); ++row) {
    persons[class_of_row[row]].insert(person_of_row[row]);
    if (has_value[row]) persons_with[class_of_row[row]].insert(person_of_row[row]);
  }
  for (const auto& [c, with] : persons_with) {
    if (!IsAtMost(with.size(), persons[c].size(), at_most)) {
      return "class " + std::to_string(c) + ": " + std::to_string(with.size()) + " of " +
             std::to_string(persons[c].size()) + " persons have a limited value";
    }
  }
  return "";
}

// One table: the classes, and each row with its sensitive values.
inline std::string FaultOfClasses(const EncodedTable& table, const SensitiveColumns& sensitive,
                                  const AlphaKClaim& claim, const ClassOfRow& class_of_row) {
  const std::vector<std::size_t> person_of_row = PersonOfRow(table);
  if (std::string fault = FaultOfPersons(class_of_row, person_of_row, claim.k); !fault.empty()) return fault;
  for (const LimitedValues& limited : EachLimit(claim)) {
    std::vector<bool> has_value;
    std::map<std::size_t, std::size_t> with_value;
    for (std::size_t row = 0; row < table.rows; ++row) {
      has_value.push_back(limited.values.contains((*sensitive.at(limited.column))[row]));
      if (has_value.back()) ++with_value[class_of_row[row]];
    }
    std::string fault = FaultOfPersonShares(class_of_row, has_value, person_of_row, limited.at_most);
    if (fault.empty()) fault = FaultOfChances(class_of_row, with_value, person_of_row, limited);
    if (!fault.empty()) return fault;
  }
  return "";
}

inline std::string FaultOfDraft(const EncodedTable& table, const SensitiveColumns& sensitive, const AlphaKClaim& claim,
                                const Classes& draft) {
  if (!IsTruthful(table, draft)) return "the boxes are not true";
  return FaultOfClasses(table, sensitive, claim, ClassesOf(draft));
}

// The table as one class: the coarsest release there is.
inline std::string FaultOfOneClass(const EncodedTable& table, const SensitiveColumns& sensitive,
                                   const AlphaKClaim& claim) {
  return FaultOfClasses(table, sensitive, claim, ClassOfRow(table.rows, 0));
}

}  // namespace pentimento::oracle::alpha_k
