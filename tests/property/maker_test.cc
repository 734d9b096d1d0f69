// The maker against the definition: whatever AnonymizeByPartition makes must be anonymous, true and complete.
#include <gtest/gtest.h>

#include <set>
#include <variant>
#include <vector>

#include "anonymize/partition/partition.h"
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

void ExpectEqualRowsHaveEqualBoxes(const EncodedTable& table, const Draft& draft) {
  const auto published = oracle::PublishedIntervals(draft);
  for (std::size_t a = 0; a < table.rows; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      bool equal = true;
      for (const CodeColumn& column : table.quasi_identifiers) equal = equal && column[a] == column[b];
      ASSERT_TRUE(!equal || published[a] == published[b]) << "rows " << a << " and " << b;
    }
  }
}

void ExpectGoodRelease(const EncodedTable& table, const std::vector<Domain>& domains, const PartitionOptions& options) {
  const Result<Draft> draft = AnonymizeByPartition(table, domains, options);
  // Where there are not k persons at all there is nothing to publish, and that is the only reason to give up.
  const bool possible = table.rows > 0 && PersonsIn(table) >= options.k;
  ASSERT_EQ(draft.ok(), possible) << (draft.ok() ? "" : draft.error().message);
  if (!possible) {
    ASSERT_EQ(draft.error().code, ErrorCode::kRefused);
    return;
  }
  ASSERT_TRUE(oracle::IsTruthful(table, *draft));
  ASSERT_TRUE(oracle::LabelsAreTruthful(table, *draft, domains));
  ASSERT_TRUE(oracle::IsKAnonymous(oracle::PublishedIntervals(*draft), table.persons, options.k));
  ASSERT_TRUE(oracle::IsKAnonymous(oracle::PublishedLabels(*draft, domains), table.persons, options.k));
  ExpectEqualRowsHaveEqualBoxes(table, *draft);
  const std::vector<GuaranteePolicy> guarantees = {KAnonymityPolicy{options.k}};
  const auto verdict = Verify({table, domains, options.form, guarantees}, *draft);
  const auto* refusal = std::get_if<Refusal>(&verdict);
  ASSERT_EQ(refusal, nullptr) << refusal->guarantee << ": " << refusal->witness;
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

std::vector<Domain> LargerDomains() {
  std::vector<Domain> domains;
  domains.emplace_back(NumericRange{0, 99, 0, {}}, true);
  domains.emplace_back(NumericRange{-5, 1000, 1, {-5, 0, 3, 400, 999, 1000}}, false);
  domains.emplace_back(TaxonomyOf("a;ab;abc;*\nb;ab;abc;*\nc;abc;*\nd;de;*\ne;de;*\nf;*\n"), true);
  domains.emplace_back(TaxonomyOf("only;*\n"), false);
  domains.emplace_back(NumericRange{0, 69'999, 0, {}}, false);
  return domains;
}

TEST(Maker, IsRightOnRandomTables) {
  Random random(SeedFromNumber(11), "maker");
  const std::vector<Domain> domains = LargerDomains();
  for (int repeat = 0; repeat < 60; ++repeat) {
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
    if (repeat % 2 == 0) {
      const std::uint32_t count = 1 + random.Below(static_cast<std::uint32_t>(table.rows));
      table.persons = Persons{std::vector<std::uint32_t>(table.rows), count};
      for (std::uint32_t row = 0; row < table.rows; ++row) {
        table.persons->person_of_row[row] = row < count ? row : random.Below(count);
      }
    }
    ExpectGoodReleases(table, domains, 6);
    ASSERT_FALSE(HasFatalFailure()) << "repeat " << repeat;
  }
}

}  // namespace
}  // namespace pentimento::maker_test
