// Tables with limits on sensitive values for tests of the partition, and what may be a class of them, from the
// definition: no code is shared with what is tested.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "anonymize/limits/signatures.h"
#include "anonymize/partition/partition.h"
#include "anonymize/partition/partition_testing.h"
#include "base/random.h"

namespace pentimento::partition_testing {

using RowSet = std::vector<std::size_t>;

struct LimitedCase {
  Case given;
  std::vector<CodeColumn> sensitive;
  AlphaKClaim claim;
  Signatures signatures;

  PartitionOptions options() const {
    PartitionOptions options = given.options;
    options.signatures = &signatures;
    return options;
  }
};

inline LimitedCase Limited(Case given, std::vector<CodeColumn> sensitive, std::vector<Code> sizes, AlphaKClaim claim) {
  std::vector<const CodeColumn*> columns;
  for (const CodeColumn& column : sensitive) columns.push_back(&column);
  Signatures signatures = CollectSignatures(given.table.rows, columns, sizes, claim);
  given.options.k = claim.k;
  return {std::move(given), std::move(sensitive), std::move(claim), std::move(signatures)};
}

// One column, every value limited.
inline LimitedCase Limited(Case given, std::vector<Code> values, Ratio alpha, std::uint64_t k = 1) {
  const Code size = 1 + *std::ranges::max_element(values);
  CodeColumn column(size, values.size());
  SensitiveLimit limit{0, {}, false, alpha};
  for (Code value = 0; value < size; ++value) limit.values.push_back(value);
  for (std::size_t row = 0; row < values.size(); ++row) column.Set(row, values[row]);
  return Limited(std::move(given), {column}, {size}, {k, {limit}});
}

inline std::vector<std::vector<Code>> ItemsOf(const SensitiveLimit& limit) {
  if (limit.together) return {limit.values};
  std::vector<std::vector<Code>> items;
  for (const Code value : limit.values) items.push_back({value});
  return items;
}

// What the maker promises of a class: see ClassRule.
inline bool MayBeClass(const LimitedCase& limited, const RowSet& rows) {
  std::map<std::uint32_t, std::uint64_t> rows_in_table;
  for (std::size_t row = 0; row < limited.given.table.rows; ++row) ++rows_in_table[limited.given.person(row)];
  std::uint64_t most_rows = 1;
  for (const std::size_t row : rows) most_rows = std::max(most_rows, rows_in_table[limited.given.person(row)]);
  const std::uint64_t persons = limited.given.PersonsIn(rows);
  if (persons < limited.claim.k) return false;
  for (const SensitiveLimit& limit : limited.claim.limits) {
    if (limit.at_most == Ratio{1, 1}) continue;  // limits nothing
    for (const std::vector<Code>& values : ItemsOf(limit)) {
      const auto count = static_cast<std::uint64_t>(std::ranges::count_if(rows, [&](std::size_t row) {
        return std::ranges::find(values, limited.sensitive[limit.column][row]) != values.end();
      }));
      if (count * most_rows * limit.at_most.den > limit.at_most.num * persons) return false;
    }
  }
  return true;
}

inline bool HasLegalCut(const LimitedCase& limited, const RowSet& rows) {
  const Case& given = limited.given;
  for (std::size_t c = 0; c < given.domains.size(); ++c) {
    std::vector<Code> codes;
    for (const std::size_t row : rows) codes.push_back(given.code(row, c));
    for (const Code at : Boundaries(given.domains[c], given.options.form, codes)) {
      RowSet below, above;
      for (const std::size_t row : rows) (given.code(row, c) < at ? below : above).push_back(row);
      if (!below.empty() && !above.empty() && MayBeClass(limited, below) && MayBeClass(limited, above)) return true;
    }
  }
  return false;
}

template <typename Numbers>
std::vector<RowSet> RowsOfGroups(const Numbers& class_of_row, std::size_t groups) {
  std::vector<RowSet> rows(groups);
  for (std::size_t row = 0; row < class_of_row.size(); ++row) rows.at(class_of_row[row]).push_back(row);
  return rows;
}

// What readers are promised: persons, rows, and the chance that a person has a value in any of the person's rows.
inline void ExpectKeepsTheClaim(const LimitedCase& limited, const std::vector<RowSet>& classes) {
  const Case& given = limited.given;
  for (const SensitiveLimit& limit : limited.claim.limits) {
    for (const std::vector<Code>& values : ItemsOf(limit)) {
      const auto has = [&](std::size_t row) {
        return std::ranges::find(values, limited.sensitive[limit.column][row]) != values.end();
      };
      std::map<std::uint32_t, double> chance_of_none;
      for (const RowSet& rows : classes) {
        std::map<std::uint32_t, std::size_t> rows_of_person;
        std::set<std::uint32_t> with_value;
        for (const std::size_t row : rows) {
          ++rows_of_person[given.person(row)];
          if (has(row)) with_value.insert(given.person(row));
        }
        const auto count = static_cast<std::size_t>(std::ranges::count_if(rows, has));
        EXPECT_GE(rows_of_person.size(), limited.claim.k);
        EXPECT_LE(with_value.size() * limit.at_most.den, limit.at_most.num * rows_of_person.size());
        EXPECT_LE(count * limit.at_most.den, limit.at_most.num * rows.size());
        for (const auto& [person, own] : rows_of_person) {
          double& none = chance_of_none.try_emplace(person, 1).first->second;
          for (std::size_t i = 0; i < own; ++i) {
            const double left = static_cast<double>(rows.size() - i);
            none *= std::max(0.0, left - static_cast<double>(count)) / left;
          }
        }
      }
      const double at_most = static_cast<double>(limit.at_most.num) / static_cast<double>(limit.at_most.den);
      for (const auto& [person, none] : chance_of_none) EXPECT_LE(1 - none, at_most + 1e-9);
    }
  }
}

// One or two sensitive columns; every value limited, or some, or a set, or several of these.
inline LimitedCase RandomLimitedCase(Random& random) {
  Case given = RandomCase(random);
  constexpr Ratio kLimits[] = {{1, 2}, {1, 3}, {2, 3}, {2, 5}, {1, 4}, {1, 1}};
  std::vector<CodeColumn> sensitive;
  std::vector<Code> sizes;
  AlphaKClaim claim{1 + random.Below(3), {}};
  for (std::uint32_t c = 0; c <= random.Below(2); ++c) {
    const Code size = 2 + random.Below(8);
    CodeColumn column(size, given.table.rows);
    for (std::size_t row = 0; row < given.table.rows; ++row) column.Set(row, random.Below(size));
    SensitiveLimit every{c, {}, false, kLimits[random.Below(6)]};
    for (Code value = random.Below(2); value < size; ++value) every.values.push_back(value);
    if (random.Below(4) > 0) claim.limits.push_back(every);
    if (random.Below(3) == 0) claim.limits.push_back({c, {0, size - 1}, true, kLimits[random.Below(6)]});
    sensitive.push_back(std::move(column));
    sizes.push_back(size);
  }
  return Limited(std::move(given), std::move(sensitive), std::move(sizes), std::move(claim));
}

inline RowSet AllRows(const LimitedCase& limited) {
  RowSet rows(limited.given.table.rows);
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = row;
  return rows;
}

inline LimitedCase LargeLimitedCase(CategoryForm form, bool with_persons, std::size_t size = 150'000) {
  Random random(SeedFromNumber(15), "large limited");
  const std::vector<Domain> domains = {Numbers(0, 99), Numbers(0, 499, true), Flat(7), Tree(kDeepTree, true)};
  Rows rows(size, std::vector<Code>(domains.size()));
  std::vector<Code> values(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t c = 0; c < domains.size(); ++c)
      rows[row][c] = std::min(random.Below(domains[c].size()), random.Below(domains[c].size()));
    // Neighbours in the third column tend to have one value.
    values[row] = random.Below(3) == 0 ? rows[row][2] : random.Below(20);
  }
  Case made = MakeCase(domains, rows, {10, form, BoxKind::kMembers});
  if (with_persons) {
    made.table.persons = Persons{{}, 140'000};
    for (std::uint32_t row = 0; row < rows.size(); ++row) made.table.persons->person_of_row.push_back(row % 140'000);
  }
  return Limited(std::move(made), std::move(values), {1, 3}, 10);
}

}  // namespace pentimento::partition_testing
