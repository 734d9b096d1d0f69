// The makers of k-anonymous tables against the definition: whatever AnonymizeByPartition and AnonymizeBySpecialization
// make must be anonymous, true and complete.
#include <gtest/gtest.h>

#include <set>
#include <variant>
#include <vector>

#include "anonymize/partition/partition.h"
#include "anonymize/specialize/specialize.h"
#include "base/parallel.h"
#include "base/random.h"
#include "guarantee/verify.h"
#include "oracle/k_anonymity_oracle.h"
#include "property/small_tables.h"

namespace pentimento::maker_test {
namespace {

using property::ForEachPersons;
using property::ForEachTable;

std::size_t PersonsIn(const EncodedTable& table) {
  if (!table.persons) return table.rows;
  return std::set<std::uint32_t>(table.persons->person_of_row.begin(), table.persons->person_of_row.end()).size();
}

void ExpectEqualRowsHaveEqualBoxes(const EncodedTable& table, const Classes& draft) {
  const auto published = oracle::PublishedIntervals(draft);
  for (std::size_t a = 0; a < table.rows; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      bool equal = true;
      for (const CodeColumn& column : table.quasi_identifiers) equal = equal && column[a] == column[b];
      ASSERT_TRUE(!equal || published[a] == published[b]) << "rows " << a << " and " << b;
    }
  }
}

void ExpectGoodDraft(const EncodedTable& table, const std::vector<Domain>& domains, std::uint64_t k, CategoryForm form,
                     const Classes& draft) {
  ASSERT_TRUE(oracle::IsTruthful(table, draft));
  ASSERT_TRUE(oracle::LabelsAreTruthful(table, draft, domains));
  ASSERT_TRUE(oracle::IsKAnonymous(oracle::PublishedIntervals(draft), table.persons, k));
  ASSERT_TRUE(oracle::IsKAnonymous(oracle::PublishedLabels(draft, domains), table.persons, k));
  ExpectEqualRowsHaveEqualBoxes(table, draft);
  const std::vector<GuaranteePolicy> guarantees = {KAnonymityPolicy{k}};
  const auto result = Verify({draft}, {table, domains, form, guarantees});
  const auto* refusal = std::get_if<Refusal>(&result);
  ASSERT_EQ(refusal, nullptr) << refusal->guarantee << ": " << refusal->witness;
}

void ExpectGoodRelease(const EncodedTable& table, const std::vector<Domain>& domains, const PartitionOptions& options) {
  const Result<Classes> draft = AnonymizeByPartition(table, domains, options);
  // Where there are not k persons at all there is nothing to publish, and that is the only reason to give up.
  const bool possible = table.rows > 0 && PersonsIn(table) >= options.k;
  ASSERT_EQ(draft.ok(), possible) << (draft.ok() ? "" : draft.error().message);
  if (!possible) {
    ASSERT_EQ(draft.error().code, ErrorCode::kRefused);
    return;
  }
  ExpectGoodDraft(table, domains, options.k, options.form, *draft);
}

void ExpectGoodReleases(const EncodedTable& table, const std::vector<Domain>& domains, std::uint64_t largest_k) {
  for (std::uint64_t k = 1; k <= largest_k; ++k) {
    for (const CategoryForm form : {CategoryForm::kTaxonomy, CategoryForm::kSets}) {
      for (const BoxKind boxes : {BoxKind::kMembers, BoxKind::kRegion}) {
        ExpectGoodRelease(table, domains, {.k = k, .form = form, .boxes = boxes});
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

std::shared_ptr<const Taxonomy> TaxonomyOf(std::string_view text) {
  return std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "test").value());
}

// A range with a missing value, and a taxonomy with a ragged level.
std::vector<Domain> SmallDomains() {
  std::vector<Domain> domains;
  domains.emplace_back(NumericRange{0, 1, 0, {}}, true);
  domains.emplace_back(TaxonomyOf("a;ab;*\nb;ab;*\nc;*\n"), false);
  return domains;
}

TEST(Maker, IsRightOnAllSmallTables) {
  const std::vector<Domain> domains = SmallDomains();
  for (std::size_t rows = 0; rows <= 4; ++rows) {
    ForEachTable(rows, domains, [&](const EncodedTable& table) {
      if (HasFatalFailure()) return;
      ExpectGoodReleases(table, domains, rows < 4 ? rows + 1 : 2);
    });
  }
}

TEST(Maker, IsRightOnAllSmallTablesWithPersonsInSeveralRows) {
  std::vector<Domain> domains;
  domains.emplace_back(NumericRange{0, 1, 0, {}}, false);
  domains.emplace_back(TaxonomyOf("a;*\nb;*\n"), false);
  for (std::size_t rows = 1; rows <= 4; ++rows) {
    ForEachPersons(rows, [&](const Persons& persons) {
      ForEachTable(rows, domains, [&](EncodedTable table) {
        if (HasFatalFailure()) return;
        table.persons = persons;
        ExpectGoodReleases(table, domains, 3);
      });
    });
  }
}

// Every way to make one value of a column more special, from the table alone. Both columns of SmallDomains have the
// codes 0 and 1 under one node and 2 beside it; numbers are split only between two that occur.
std::vector<std::vector<Interval>> MoreSpecial(const EncodedTable& table, const std::vector<Domain>& domains,
                                               std::size_t column, Interval value) {
  std::vector<bool> occurs(domains[column].size());
  bool anybody = false;
  for (std::size_t row = 0; row < table.rows; ++row) {
    const Code code = table.quasi_identifiers[column][row];
    occurs[code] = true;
    anybody = anybody || value.Contains(code);
  }
  if (!anybody) return {};
  if (value == Interval{0, 2}) return {{{0, 1}, {2, 2}}};
  const bool can_split = !domains[column].is_numeric() || (occurs[0] && occurs[1]);
  if (value == Interval{0, 1} && can_split) return {{{0, 0}, {1, 1}}};
  return {};
}

Result<Specialized> Specialize(const EncodedTable& table, const std::vector<Domain>& domains, std::uint64_t k,
                               Utility utility, const CodeColumn& classes) {
  const std::vector<bool> is_generalized(domains.size(), true);
  return AnonymizeBySpecialization({table, domains, {}, is_generalized, {}, k, utility, &classes});
}

// The table with one value replaced by more special ones.
bool StaysAnonymous(const EncodedTable& table, const std::vector<Domain>& domains,
                    std::vector<std::vector<Interval>> cuts, std::size_t column, Interval value,
                    const std::vector<Interval>& parts, std::uint64_t k) {
  std::erase(cuts[column], value);
  cuts[column].insert(cuts[column].end(), parts.begin(), parts.end());
  return oracle::IsKAnonymous(oracle::PublishedIntervals(DraftOfCuts(table, domains, cuts)), table.persons, k);
}

constexpr Utility kUtilities[] = {Utility::kClass, Utility::kDistortion, Utility::kDiscernibility};

// Good, and a maximum: nothing more special is anonymous. Adds how often that was held up by k.
void ExpectGoodSpecialization(const EncodedTable& table, const std::vector<Domain>& domains, std::uint64_t k,
                              Utility utility, std::size_t& held_up) {
  CodeColumn classes(2, table.rows);
  for (std::size_t row = 0; row < table.rows; ++row) classes.Set(row, static_cast<Code>((row + 1) / 2 % 2));
  const Result<Specialized> made = Specialize(table, domains, k, utility, classes);
  ASSERT_EQ(made.ok(), PersonsIn(table) >= k);
  if (!made.ok()) return;
  ExpectGoodDraft(table, domains, k, CategoryForm::kTaxonomy, made->draft);
  for (std::size_t column = 0; column < domains.size(); ++column) {
    for (const Interval value : made->cuts[column]) {
      for (const auto& parts : MoreSpecial(table, domains, column, value)) {
        ASSERT_FALSE(StaysAnonymous(table, domains, made->cuts, column, value, parts, k)) << "column " << column;
        ++held_up;
      }
    }
  }
}

TEST(Specializer, IsRightAndMaximalOnAllSmallTables) {
  const std::vector<Domain> domains = SmallDomains();
  std::size_t tables = 0, held_up = 0;
  for (std::size_t rows = 1; rows <= 4; ++rows) {
    ForEachTable(rows, domains, [&](const EncodedTable& table) {
      for (std::uint64_t k = 2; k <= (rows < 4 ? rows + 1 : 2) && !HasFatalFailure(); ++k)
        ExpectGoodSpecialization(table, domains, k, kUtilities[tables++ % 3], held_up);
    });
  }
  EXPECT_GT(held_up, 5000u);
}

TEST(Specializer, CountsPersonsInSeveralRowsOnAllSmallTables) {
  const std::vector<Domain> domains = SmallDomains();
  std::size_t tables = 0, held_up = 0;
  for (std::size_t rows = 2; rows <= 3; ++rows) {
    ForEachPersons(rows, [&](const Persons& persons) {
      ForEachTable(rows, domains, [&](EncodedTable table) {
        if (HasFatalFailure()) return;
        table.persons = persons;
        ExpectGoodSpecialization(table, domains, 2, kUtilities[tables++ % 3], held_up);
      });
    });
  }
  EXPECT_GT(held_up, 1000u);
}

std::vector<Domain> LargerDomains() {
  std::vector<Domain> domains;
  domains.emplace_back(NumericRange{0, 99, 0, {}}, true);
  domains.emplace_back(NumericRange{-5, 1000, 1, {-5, 0, 3, 400, 999, 1000}}, false);
  domains.emplace_back(TaxonomyOf("a;ab;abc;*\nb;ab;abc;*\nc;abc;*\nd;de;*\ne;de;*\nf;*\n"), true);
  domains.emplace_back(TaxonomyOf("only;*\n"), false);
  domains.emplace_back(NumericRange{0, 69'999, 0, {}}, false);
  return domains;
}

EncodedTable RandomTable(Random& random, const std::vector<Domain>& domains, bool has_persons) {
  EncodedTable table;
  table.rows = 1 + random.Below(120);
  const std::uint32_t spread = 1 + random.Below(100);  // small: many equal rows
  for (const Domain& domain : domains) {
    CodeColumn column(domain.size(), table.rows);
    for (std::size_t row = 0; row < table.rows; ++row) {
      const Code step = random.Below(std::min(spread, domain.size()));
      column.Set(row, random.Below(4) == 0 ? domain.size() - 1 - step : step);
    }
    table.quasi_identifiers.push_back(std::move(column));
  }
  if (!has_persons) return table;
  const std::uint32_t count = 1 + random.Below(static_cast<std::uint32_t>(table.rows));
  table.persons = Persons{std::vector<std::uint32_t>(table.rows), count};
  for (std::uint32_t row = 0; row < table.rows; ++row)
    table.persons->person_of_row[row] = row < count ? row : random.Below(count);
  return table;
}

TEST(Maker, IsRightOnRandomTables) {
  Random random(SeedFromNumber(11), "maker");
  const std::vector<Domain> domains = LargerDomains();
  for (int repeat = 0; repeat < 60; ++repeat) {
    const EncodedTable table = RandomTable(random, domains, repeat % 2 == 0);
    ExpectGoodReleases(table, domains, 6);
    ASSERT_FALSE(HasFatalFailure()) << "repeat " << repeat;
  }
}

void ExpectSameWithThreads(const EncodedTable& table, const std::vector<Domain>& domains, std::uint64_t k,
                           Utility utility, const CodeColumn& classes) {
  std::vector<Classes> drafts;
  for (const std::size_t threads : {1, 2}) {
    const ThreadLimit limit(threads);
    const Result<Specialized> made = Specialize(table, domains, k, utility, classes);
    ASSERT_EQ(made.ok(), PersonsIn(table) >= k);
    if (!made.ok()) return;
    ExpectGoodDraft(table, domains, k, CategoryForm::kTaxonomy, made->draft);
    for (const LeftGeneral& left : made->left_general)
      ASSERT_FALSE(StaysAnonymous(table, domains, made->cuts, left.column, left.value, left.children, k));
    drafts.push_back(made->draft);
  }
  ASSERT_EQ(drafts[0].boxes, drafts[1].boxes);
  ASSERT_EQ(drafts[0].of_row, drafts[1].of_row);
}

TEST(Specializer, IsRightOnRandomTablesAtAnyNumberOfThreads) {
  Random random(SeedFromNumber(12), "specializer");
  const std::vector<Domain> domains = LargerDomains();
  for (int repeat = 0; repeat < 30; ++repeat) {
    const EncodedTable table = RandomTable(random, domains, repeat % 2 == 0);
    CodeColumn classes(3, table.rows);
    for (std::size_t row = 0; row < table.rows; ++row) classes.Set(row, random.Below(3));
    for (const Utility utility : kUtilities) {
      ExpectSameWithThreads(table, domains, 2 + random.Below(5), utility, classes);
      ASSERT_FALSE(HasFatalFailure()) << "repeat " << repeat;
    }
  }
}

}  // namespace
}  // namespace pentimento::maker_test
