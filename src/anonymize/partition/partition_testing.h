// Tables for tests of the partition: small random ones of every kind of column, and what may be cut in them, from the
// definition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "anonymize/partition/partition.h"
#include "base/random.h"
#include "taxonomy/calendar.h"

namespace pentimento::partition_testing {

using Rows = std::vector<std::vector<Code>>;

inline Domain Numbers(std::int64_t lo, std::int64_t hi, bool allows_missing = false) {
  return Domain(NumericRange{lo, hi, 0, {}}, allows_missing);
}
inline Domain Tree(std::string_view text, bool allows_missing = false) {
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "test").value()), allows_missing);
}
inline Domain Flat(Code leaves, bool allows_missing = false) {
  std::vector<std::string> values;
  for (Code leaf = 0; leaf < leaves; ++leaf) values.push_back("v" + std::to_string(leaf));
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), allows_missing);
}

inline Domain Dates(std::string_view first, std::string_view last, bool allows_missing = false) {
  const DayRange domain{ParseDay(first).value(), ParseDay(last).value()};
  return Domain(std::make_shared<const Taxonomy>(MakeCalendarTaxonomy(domain)), allows_missing);
}

struct Case {
  std::vector<Domain> domains;
  EncodedTable table;
  PartitionOptions options;

  Code code(std::size_t row, std::size_t column) const { return table.quasi_identifiers[column][row]; }
  std::uint32_t person(std::size_t row) const {
    return table.persons ? table.persons->person_of_row[row] : static_cast<std::uint32_t>(row);
  }
  std::size_t PersonsIn(const std::vector<std::size_t>& rows) const {
    std::set<std::uint32_t> persons;
    for (const std::size_t row : rows) persons.insert(person(row));
    return persons.size();
  }
};

inline Case MakeCase(std::vector<Domain> domains, const Rows& rows, PartitionOptions options) {
  Case made{std::move(domains), {}, options};
  made.table.rows = rows.size();
  for (std::size_t c = 0; c < made.domains.size(); ++c) {
    made.table.quasi_identifiers.emplace_back(made.domains[c].size(), rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) made.table.quasi_identifiers[c].Set(row, rows[row][c]);
  }
  return made;
}

// From the definition: where may this column be cut at all, whoever has which code?
inline std::vector<Code> Boundaries(const Domain& domain, CategoryForm form, const std::vector<Code>& codes) {
  std::vector<Code> boundaries;
  if (domain.is_cut_anywhere(form)) {
    for (Code at = 1; at < domain.size(); ++at) boundaries.push_back(at);
    return boundaries;
  }
  const Taxonomy::Node* smallest = &domain.taxonomy().root();
  const bool has_missing = std::ranges::any_of(codes, [&](Code code) { return domain.IsMissing(code); });
  for (const Taxonomy::Node& node : domain.taxonomy().nodes()) {
    const bool covers = std::ranges::all_of(codes, [&](Code code) { return node.leaves.Contains(code); });
    if (covers && node.depth > smallest->depth) smallest = &node;
  }
  for (const Taxonomy::NodeId child : smallest->children) boundaries.push_back(domain.taxonomy().node(child).leaves.lo);
  if (has_missing) boundaries.push_back(*domain.missing_code());
  return boundaries;
}

inline constexpr std::string_view kDeepTree =
    "a;A;X;*\nb;A;X;*\nc;B;X;*\nd;B;X;*\ne;B;X;*\nf;C;Y;*\ng;D;Y;*\nh;D;Y;*\ni;Z;*\nj;*\n";

inline Domain RandomDomain(Random& random) {
  const bool allows_missing = random.Below(2) == 0;
  switch (random.Below(7)) {
    case 0:
      return Numbers(0, 1 + random.Below(8), allows_missing);
    case 1:
      return Domain(NumericRange{-5, 1'000'000, 2, {-5, -1, 0, 10, 1'000, 999'999, 1'000'000}}, allows_missing);
    case 2:
      return Numbers(0, 299, allows_missing);
    case 3:
      return Flat(1 + random.Below(6), allows_missing);
    case 4:
      return Flat(100, allows_missing);
    case 5:
      return Dates("2023-12-20", "2024-03-05", allows_missing);
    default:
      return Tree(kDeepTree, allows_missing);
  }
}

// Small enough for brute force, with many ties: half of the cells repeat the cell above.
inline Case RandomCase(Random& random) {
  const std::size_t columns = 1 + random.Below(4);
  std::vector<Domain> domains;
  for (std::size_t c = 0; c < columns; ++c) domains.push_back(RandomDomain(random));
  const std::uint64_t k = 1 + random.Below(4);
  Rows rows(4 + random.Below(40), std::vector<Code>(columns));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t c = 0; c < columns; ++c) {
      const bool repeats = row > 0 && random.Below(2) == 0;
      rows[row][c] = repeats ? rows[row - 1][c] : random.Below(domains[c].size());
    }
  }
  const PartitionOptions options{k, random.Below(2) == 0 ? CategoryForm::kTaxonomy : CategoryForm::kSets,
                                 random.Below(2) == 0 ? BoxKind::kMembers : BoxKind::kRegion};
  Case made = MakeCase(std::move(domains), rows, options);
  if (random.Below(2) == 0) {
    // Four persons have the first four rows, so that k of them exist; others share what is left.
    const auto count = static_cast<std::uint32_t>(4 + random.Below(static_cast<std::uint32_t>(rows.size()) - 3));
    made.table.persons = Persons{{}, count};
    for (std::uint32_t row = 0; row < rows.size(); ++row) {
      made.table.persons->person_of_row.push_back(row < count ? row : random.Below(count));
    }
  }
  return made;
}

}  // namespace pentimento::partition_testing
