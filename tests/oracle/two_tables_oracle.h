// A release in two tables straight from its definition, for tests: what makes the tables well-formed and true, the
// result from them alone, and counts answered from them by building every possible world. Slow on purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "oracle/alpha_k_oracle.h"

namespace pentimento::oracle::alpha_k {

using Value = std::vector<Code>;  // of one SS table: a code for each of its columns

inline std::vector<Value> ValuesOf(const SensitiveCounts& counts) {
  std::vector<Value> values;
  const auto width = static_cast<std::ptrdiff_t>(counts.columns.size());
  for (auto at = counts.values.begin(); at != counts.values.end(); at += width) values.emplace_back(at, at + width);
  return values;
}

inline std::string FaultOfNumbers(const EncodedTable& table, const Draft& tables) {
  if (tables.classes.of_row.size() != table.rows) return "NSS does not have the rows of the input";
  std::set<ClassNumber> seen;
  for (const ClassNumber c : tables.classes.of_row) {
    if (c >= tables.classes.count()) return "a row is in a class that does not exist";
    seen.insert(c);
  }
  return seen.size() == tables.classes.count() ? "" : "a class has no rows";
}

inline std::string FaultOfColumns(const Draft& tables, std::size_t sensitive_columns) {
  std::multiset<std::size_t> named;
  for (const SensitiveCounts& counts : tables.sensitive) {
    if (counts.columns.empty()) return "an SS table has no column";
    if (!std::ranges::is_sorted(counts.columns)) return "the columns of an SS table are not in order";
    named.insert(counts.columns.begin(), counts.columns.end());
  }
  for (std::size_t c = 0; c < sensitive_columns; ++c) {
    if (named.count(c) != 1) return "a sensitive column is not in exactly one SS table";
  }
  return named.size() == sensitive_columns ? "" : "an SS table has a column that does not exist";
}

inline std::string FaultOfOrder(const SensitiveCounts& counts) {
  const std::size_t entries = counts.count.size();
  if (counts.class_of_entry.size() != entries || counts.values.size() != entries * counts.columns.size()) {
    return "an SS table has ragged columns";
  }
  const std::vector<Value> values = ValuesOf(counts);
  for (std::size_t e = 0; e < entries; ++e) {
    if (counts.count[e] == 0) return "an SS table counts nothing";
    if (e == 0) continue;
    const auto before = std::make_pair(counts.class_of_entry[e - 1], values[e - 1]);
    if (!(before < std::make_pair(counts.class_of_entry[e], values[e]))) return "an SS table is not in order";
  }
  return "";
}

// The counts of an SS table are those of the input. With that the sums are the sizes of the classes, and every class is
// there.
inline std::string FaultOfCounts(const SensitiveCounts& counts, const SensitiveColumns& sensitive,
                                 const Draft& tables) {
  std::map<std::pair<ClassNumber, Value>, std::uint64_t> published, real;
  const std::vector<Value> values = ValuesOf(counts);
  for (std::size_t e = 0; e < counts.count.size(); ++e) {
    published[{counts.class_of_entry[e], values[e]}] = counts.count[e];
  }
  for (std::size_t row = 0; row < tables.classes.of_row.size(); ++row) {
    Value value;
    for (const std::uint32_t c : counts.columns) value.push_back((*sensitive.at(c))[row]);
    ++real[{tables.classes.of_row[row], value}];
  }
  return published == real ? "" : "an SS table is not true";
}

inline std::string FaultOfForm(const EncodedTable& table, const SensitiveColumns& sensitive, const Draft& tables) {
  std::string fault = FaultOfNumbers(table, tables);
  if (fault.empty()) fault = FaultOfColumns(tables, sensitive.size());
  for (const SensitiveCounts& counts : tables.sensitive) {
    if (fault.empty()) fault = FaultOfOrder(counts);
    if (fault.empty()) fault = FaultOfCounts(counts, sensitive, tables);
  }
  return fault;
}

// The sensitive values are known from SS alone.
inline std::string FaultOfTwoTables(const EncodedTable& table, const SensitiveColumns& sensitive,
                                    const AlphaKClaim& claim, const Draft& tables) {
  if (std::string fault = FaultOfForm(table, sensitive, tables); !fault.empty()) return fault;
  const ClassOfRow class_of_row(tables.classes.of_row.begin(), tables.classes.of_row.end());
  const std::vector<std::size_t> person_of_row = PersonOfRow(table);
  if (std::string fault = FaultOfPersons(class_of_row, person_of_row, claim.k); !fault.empty()) return fault;
  for (const LimitedValues& limited : EachLimit(claim)) {
    std::map<std::size_t, std::size_t> with_value;
    for (const SensitiveCounts& counts : tables.sensitive) {
      const auto place = std::ranges::find(counts.columns, limited.column) - counts.columns.begin();
      if (static_cast<std::size_t>(place) == counts.columns.size()) continue;
      const std::vector<Value> values = ValuesOf(counts);
      for (std::size_t e = 0; e < values.size(); ++e) {
        if (limited.values.contains(values[e].at(static_cast<std::size_t>(place)))) {
          with_value[counts.class_of_entry[e]] += counts.count[e];
        }
      }
    }
    if (std::string fault = FaultOfChances(class_of_row, with_value, person_of_row, limited); !fault.empty()) {
      return fault;
    }
  }
  return "";
}

// --- Counts answered from two tables.

struct Fraction {
  std::int64_t num = 0;
  std::int64_t den = 1;
  Fraction() = default;
  Fraction(std::int64_t n, std::int64_t d = 1) : num(n / std::gcd(n, d)), den(d / std::gcd(n, d)) {}
  friend bool operator==(Fraction, Fraction) = default;
  friend Fraction operator+(Fraction a, Fraction b) { return {a.num * b.den + b.num * a.den, a.den * b.den}; }
  friend Fraction operator-(Fraction a, Fraction b) { return {a.num * b.den - b.num * a.den, a.den * b.den}; }
  friend Fraction operator*(Fraction a, Fraction b) { return {a.num * b.num, a.den * b.den}; }
};

struct CountAnswer {
  Fraction estimate;  // the mean over all worlds
  Fraction variance;
  std::int64_t naive = 0;  // the paper's: all that SS counts in a class that the quasi-identifiers touch
};

// `meets_quasi` by row of NSS; `with_value`: rows of each class that meet the sensitive predicate.
inline CountAnswer CountByWorlds(const ClassOfRow& class_of_row, const std::vector<bool>& meets_quasi,
                                 const std::map<std::size_t, std::size_t>& with_value) {
  std::int64_t worlds = 0, sum = 0, squares = 0;
  const std::size_t rows = class_of_row.size();
  for (std::uint64_t world = 0; world < (std::uint64_t{1} << rows); ++world) {
    std::map<std::size_t, std::size_t> here;
    std::int64_t count = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      if ((world >> row & 1) == 0) continue;
      ++here[class_of_row[row]];
      count += meets_quasi[row] ? 1 : 0;
    }
    if (here != with_value) continue;
    ++worlds;
    sum += count;
    squares += count * count;
  }
  CountAnswer answer;
  answer.estimate = {sum, worlds};
  answer.variance = Fraction(squares, worlds) - answer.estimate * answer.estimate;
  std::set<std::size_t> touched;
  for (std::size_t row = 0; row < rows; ++row) {
    if (meets_quasi[row]) touched.insert(class_of_row[row]);
  }
  for (const auto& [c, count] : with_value) answer.naive += touched.contains(c) ? static_cast<std::int64_t>(count) : 0;
  return answer;
}

}  // namespace pentimento::oracle::alpha_k
