// The makers of (alpha,k)-anonymous releases against the definition: whatever they make must hold, and they find
// something exactly where the whole table as one class holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "anonymize/anatomy/anatomy.h"
#include "anonymize/limits/count_classes.h"
#include "anonymize/limits/signatures.h"
#include "anonymize/partition/partition.h"
#include "anonymize/recode/recode.h"
#include "property/alpha_k_examples.h"
#include "property/alpha_k_large.h"

namespace pentimento::alpha_k_makers_test {
namespace {

using property::AlphaKInstance;
using property::AlphaKPromise;
using property::AlphaKTable;
using property::Ids;

Signatures SignaturesOf(const AlphaKTable& data, const AlphaKClaim& claim) {
  return CollectSignatures(data.table.rows, data.columns(), data.value_counts, claim);
}

bool OneClassHolds(const AlphaKTable& data, const AlphaKClaim& claim) {
  return oracle::alpha_k::FaultOfOneClass(data.table, data.columns(), claim).empty();
}

std::map<std::size_t, std::uint64_t> RowsOfPersons(const AlphaKTable& data) {
  std::map<std::size_t, std::uint64_t> rows;
  for (const std::size_t person : oracle::alpha_k::PersonOfRow(data.table)) ++rows[person];
  return rows;
}

bool SomebodyHasSeveralRows(const AlphaKTable& data) { return RowsOfPersons(data).size() < data.table.rows; }

// The stricter rule of the makers, as its header states it: the share of rows among people, and every limit divided by
// the most rows that anybody has.
bool OneClassKeepsTheMakersRule(const AlphaKTable& data, const AlphaKClaim& claim) {
  const auto rows = RowsOfPersons(data);
  std::uint64_t most = 0;
  for (const auto& [person, count] : rows) most = std::max(most, count);
  if (rows.size() < claim.k) return false;
  for (const auto& limited : oracle::alpha_k::EachLimit(claim)) {
    if (limited.at_most.num == limited.at_most.den) continue;  // limits nothing, however many rows anybody has
    std::uint64_t with_value = 0;
    for (std::size_t row = 0; row < data.table.rows; ++row) {
      with_value += limited.values.contains(data.sensitive[limited.column][row]) ? 1 : 0;
    }
    if (!oracle::alpha_k::IsAtMost(with_value * most, rows.size(), limited.at_most)) return false;
  }
  return true;
}

// Two quasi-identifiers with several levels, a missing value in one of them.
std::vector<Domain> TwoDomains() {
  std::vector<Domain> domains;
  domains.emplace_back(NumericRange{0, 7, 0, {}}, true);
  const auto taxonomy = Taxonomy::Parse("a;ab;abc;*\nb;ab;abc;*\nc;abc;*\nd;de;*\ne;de;*\n", "test");
  domains.emplace_back(std::make_shared<const Taxonomy>(taxonomy.value()), false);
  return domains;
}

AlphaKInstance RandomTask(Random& random, Ids ids) {
  AlphaKInstance instance = property::RandomInstance(random, ids);
  instance.data.domains = TwoDomains();
  instance.data.table.quasi_identifiers.clear();
  const bool alike = random.Below(3) == 0;  // many equal rows
  for (const Domain& domain : instance.data.domains) {
    CodeColumn column(domain.size(), instance.data.table.rows);
    for (std::size_t row = 0; row < instance.data.table.rows; ++row) {
      column.Set(row, random.Below(alike ? 2 : domain.size()));
    }
    instance.data.table.quasi_identifiers.push_back(std::move(column));
  }
  return instance;
}

std::string DescribeTask(const AlphaKInstance& task) {
  AlphaKInstance shown = task;
  shown.draft = {.columns = 1, .boxes = {{0, 0}}, .of_row = std::vector<ClassNumber>(task.data.table.rows, 0)};
  std::string text = Describe(shown) + "\n  quasi-identifiers:";
  for (std::size_t row = 0; row < task.data.table.rows; ++row) {
    text += " ";
    for (const CodeColumn& column : task.data.table.quasi_identifiers) text += std::to_string(column[row]) + ",";
  }
  return text;
}

void ExpectGoodDraft(AlphaKInstance task, const Result<Classes>& draft) {
  task.draft = *draft;
  ASSERT_EQ(DraftFault(task), "") << DescribeTask(task);
  ASSERT_TRUE(oracle::LabelsAreTruthful(task.data.table, task.draft, task.data.domains)) << DescribeTask(task);
}

// Both ways to publish classes in two tables.
void ExpectGoodTables(AlphaKInstance task, const Classes& grouping, Random& random) {
  std::vector<std::vector<std::uint32_t>> separate, combined(1);
  for (std::uint32_t c = 0; c < task.data.sensitive.size(); ++c) {
    separate.push_back({c});
    combined[0].push_back(c);
  }
  for (const auto& tables : {separate, combined}) {
    task.tables = CountClasses(grouping, task.data.columns(), tables, SeedFromNumber(random.Next32()));
    ASSERT_EQ(task.tables.sensitive.size(), tables.size());
    ASSERT_EQ(TablesFault(task), "") << DescribeTask(task);
    // The classes are those of the grouping, whatever their numbers.
    for (std::size_t a = 0; a < task.data.table.rows; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        ASSERT_EQ(task.tables.classes.of_row[a] == task.tables.classes.of_row[b],
                  grouping.of_row[a] == grouping.of_row[b]);
      }
    }
  }
}

constexpr int kRepeats = 2500;

TEST(AlphaKMakers, PartitionIsRightOnRandomTables) {
  Random random(SeedFromNumber(71), "partition");
  std::size_t made = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const AlphaKInstance task = RandomTask(random, static_cast<Ids>(repeat % 3));
    const Signatures signatures = SignaturesOf(task.data, task.promise.claim);
    const CategoryForm form = repeat % 2 == 0 ? CategoryForm::kTaxonomy : CategoryForm::kSets;
    const auto draft = AnonymizeByPartition(task.data.table, task.data.domains,
                                            {.k = task.promise.claim.k, .form = form, .signatures = &signatures});
    const bool possible = OneClassKeepsTheMakersRule(task.data, task.promise.claim);
    ASSERT_EQ(draft.ok(), possible) << DescribeTask(task);
    if (!SomebodyHasSeveralRows(task.data)) {
      ASSERT_EQ(possible, OneClassHolds(task.data, task.promise.claim)) << DescribeTask(task);
    }
    if (!possible) {
      ASSERT_EQ(draft.error().code, ErrorCode::kRefused);
      continue;
    }
    ++made;
    ExpectGoodDraft(task, draft);
    ExpectGoodTables(task, ClassesWithoutBoxes(draft->count(), draft->of_row), random);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(made, 300U);
}

TEST(AlphaKMakers, RecodingIsRightOnRandomTables) {
  Random random(SeedFromNumber(72), "recode");
  std::size_t made = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const AlphaKInstance task = RandomTask(random, static_cast<Ids>(repeat % 3));
    const Signatures signatures = SignaturesOf(task.data, task.promise.claim);
    const auto draft =
        AnonymizeByRecoding(task.data.table, task.data.domains, {.k = task.promise.claim.k, .signatures = &signatures});
    const bool possible = !SomebodyHasSeveralRows(task.data) && OneClassHolds(task.data, task.promise.claim);
    ASSERT_EQ(draft.ok(), possible) << DescribeTask(task);
    if (!possible) {
      ASSERT_EQ(draft.error().code, SomebodyHasSeveralRows(task.data) ? ErrorCode::kBadPolicy : ErrorCode::kRefused);
      continue;
    }
    ++made;
    ExpectGoodDraft(task, draft);
    ExpectGoodTables(task, ClassesWithoutBoxes(draft->count(), draft->of_row), random);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(made, 300U);
}

TEST(AlphaKMakers, RecodingWithKAloneIsRightOnRandomTables) {
  Random random(SeedFromNumber(73), "recode k");
  for (int repeat = 0; repeat < kRepeats / 2; ++repeat) {
    const AlphaKInstance task = RandomTask(random, repeat % 2 == 0 ? Ids::kNone : Ids::kOneRowEach);
    const std::uint64_t k = task.promise.claim.k;
    const auto draft = AnonymizeByRecoding(task.data.table, task.data.domains, {.k = k});
    ASSERT_EQ(draft.ok(), task.data.table.rows >= k) << DescribeTask(task);
    if (!draft.ok()) continue;
    ASSERT_TRUE(oracle::IsTruthful(task.data.table, *draft)) << DescribeTask(task);
    ASSERT_TRUE(oracle::IsKAnonymous(oracle::PublishedLabels(*draft, task.data.domains), task.data.table.persons, k))
        << DescribeTask(task);
  }
}

TEST(AlphaKMakers, AnatomyIsRightOnRandomTables) {
  Random random(SeedFromNumber(74), "anatomy");
  std::size_t made = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const AlphaKInstance task = RandomTask(random, static_cast<Ids>(repeat % 3));
    const Signatures signatures = SignaturesOf(task.data, task.promise.claim);
    const auto grouping =
        GroupByAnatomy(task.data.table,
                       {.k = task.promise.claim.k, .signatures = &signatures, .seed = SeedFromNumber(random.Next32())});
    const bool possible = !SomebodyHasSeveralRows(task.data) && OneClassHolds(task.data, task.promise.claim);
    ASSERT_EQ(grouping.ok(), possible) << DescribeTask(task);
    if (!possible) {
      ASSERT_EQ(grouping.error().code, SomebodyHasSeveralRows(task.data) ? ErrorCode::kBadPolicy : ErrorCode::kRefused);
      continue;
    }
    ++made;
    ExpectGoodTables(task, *grouping, random);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(made, 300U);
}

// Few values and very many, few classes and many, one column and combinations of three: whichever way of counting is
// chosen, the tables are well-formed and true.
TEST(AlphaKMakers, ClassesAreCountedRightWhateverTheNumberOfValues) {
  Random random(SeedFromNumber(77), "count");
  const std::uint32_t rows = 3000;
  for (const std::uint32_t classes : {1U, 40U, 1000U}) {
    for (const std::vector<Code>& value_counts :
         {std::vector<Code>{2}, {300}, {70'000}, {1'000'000}, {3, 5}, {70'000, 2, 70'000}, {200, 300, 90'000}}) {
      AlphaKTable data;
      data.table.rows = rows;
      data.value_counts = value_counts;
      for (const Code count : value_counts) {
        CodeColumn column(count, rows);
        for (std::uint32_t row = 0; row < rows; ++row) {
          column.Set(row, random.Below(2) == 0 ? random.Below(count) : count - 1 - random.Below(std::min(count, 20U)));
        }
        data.sensitive.push_back(std::move(column));
      }
      Classes grouping = ClassesWithoutBoxes(classes, {});
      for (std::uint32_t row = 0; row < rows; ++row) {
        grouping.of_row.push_back(row < classes ? row : random.Below(classes));
      }
      std::vector<std::vector<std::uint32_t>> separate, combined(1);
      for (std::uint32_t c = 0; c < value_counts.size(); ++c) {
        separate.push_back({c});
        combined[0].push_back(c);
      }
      for (const auto& tables : {separate, combined}) {
        const Draft counted = CountClasses(grouping, data.columns(), tables, SeedFromNumber(random.Next32()));
        ASSERT_EQ(oracle::alpha_k::FaultOfForm(data.table, data.columns(), counted), "")
            << classes << " classes, " << tables.size() << " tables, " << value_counts.size()
            << " columns, the first of " << value_counts[0] << " values";
      }
    }
  }
}

// Class numbers are a random permutation: over many seeds every class has every number about equally often.
TEST(AlphaKMakers, ClassNumbersTellNothingOfHowClassesWereFound) {
  const AlphaKTable data = property::TableOf({0, 1, 2, 3}, {{0, 1, 0, 1}}, {2});
  std::map<std::pair<std::size_t, ClassNumber>, int> times;
  constexpr int kSeeds = 4000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Draft tables = CountClasses(ClassesWithoutBoxes(4, {0, 1, 2, 3}), data.columns(), {{0}},
                                      SeedFromNumber(static_cast<std::uint64_t>(seed)));
    for (std::size_t row = 0; row < 4; ++row) ++times[{row, tables.classes.of_row[row]}];
  }
  ASSERT_EQ(times.size(), 16U);
  // 1000 expected; 200 is more than seven standard deviations.
  for (const auto& [place, count] : times) EXPECT_NEAR(count, kSeeds / 4, 200);
}

// --- Tables of some hundred rows, verified by the closed form: many cuts, many groups, values of very different
// frequency.

AlphaKInstance LargerTask(Random& random, Ids ids) {
  const std::uint32_t rows = 30 + random.Below(400);
  const Code values = 4 + random.Below(14);
  std::vector<Code> value_of_row;
  for (std::uint32_t row = 0; row < rows; ++row) {
    value_of_row.push_back(random.Below(3) == 0 ? random.Below(1 + values / 3) : random.Below(values));
  }
  std::vector<std::uint32_t> persons;
  // Most people have one row, some two or three.
  for (std::uint32_t row = 0; ids != Ids::kNone && row < rows; ++row) {
    const std::uint32_t next = row == 0 ? 0 : 1 + *std::ranges::max_element(persons);
    persons.push_back(ids == Ids::kSeveralRows && row > 0 && random.Below(10) == 0 ? random.Below(next) : next);
  }
  AlphaKInstance task{property::TableOf(std::vector<Code>(rows, 0), {value_of_row}, {values}, persons),
                      property::PromiseOf(property::Reduced(1 + random.Below(3), 6), 2 + random.Below(9), {values}),
                      {},
                      {}};
  if (random.Below(2) == 0) property::AddLimit(task.promise, 0, {0, 1}, property::Reduced(1 + random.Below(4), 5));
  task.data.domains = TwoDomains();
  task.data.domains.emplace_back(NumericRange{0, 999, 0, {}}, false);
  task.data.table.quasi_identifiers.clear();
  for (const Domain& domain : task.data.domains) {
    CodeColumn column(domain.size(), rows);
    for (std::uint32_t row = 0; row < rows; ++row) {
      // Correlated with the value, so that many cuts would break a limit.
      const Code shift = random.Below(2) == 0 ? value_of_row[row] : 0;
      column.Set(row, (shift + random.Below(domain.size())) % domain.size());
    }
    task.data.table.quasi_identifiers.push_back(std::move(column));
  }
  return task;
}

bool HoldsInClasses(AlphaKInstance task, const std::vector<std::size_t>& class_of_row, property::FormOf form) {
  task.tables = property::TablesOf(task.data, class_of_row, false);
  return property::KeepsByClosedForm(task, form);
}

TEST(AlphaKMakers, AllMakersAreRightOnLargerTables) {
  Random random(SeedFromNumber(76), "larger");
  std::size_t made = 0, classes = 0;
  for (int repeat = 0; repeat < 240; ++repeat) {
    const AlphaKInstance task = LargerTask(random, static_cast<Ids>(repeat % 3));
    const Signatures signatures = SignaturesOf(task.data, task.promise.claim);
    const std::uint64_t k = task.promise.claim.k;
    const bool several = SomebodyHasSeveralRows(task.data);
    const bool possible = OneClassKeepsTheMakersRule(task.data, task.promise.claim);
    const auto cut = AnonymizeByPartition(task.data.table, task.data.domains, {.k = k, .signatures = &signatures});
    const auto recoded = AnonymizeByRecoding(task.data.table, task.data.domains, {.k = k, .signatures = &signatures});
    const auto grouping =
        GroupByAnatomy(task.data.table, {.k = k, .signatures = &signatures, .seed = SeedFromNumber(random.Next32())});
    ASSERT_EQ(cut.ok(), possible) << repeat;
    ASSERT_EQ(recoded.ok(), possible && !several) << repeat;
    ASSERT_EQ(grouping.ok(), possible && !several) << repeat;
    for (const auto* draft : {&cut, &recoded}) {
      if (!draft->ok()) continue;
      const auto class_of_row = oracle::alpha_k::ClassesOf(**draft);
      ASSERT_TRUE(oracle::LabelsAreTruthful(task.data.table, **draft, task.data.domains)) << repeat;
      ASSERT_TRUE(HoldsInClasses(task, class_of_row, property::FormOf::kGeneralized)) << repeat;
      ASSERT_TRUE(HoldsInClasses(task, class_of_row, property::FormOf::kTwoTables)) << repeat;
      ++made;
      classes += std::set<std::size_t>(class_of_row.begin(), class_of_row.end()).size();
    }
    if (!grouping.ok()) continue;
    ASSERT_TRUE(HoldsInClasses(task, {grouping->of_row.begin(), grouping->of_row.end()}, property::FormOf::kTwoTables))
        << repeat;
  }
  EXPECT_GT(made, 80U);
  EXPECT_GT(classes, 8 * made);  // and they are worth something: the tables are really taken apart
}

// --- Any -> {A, B}: what top-down recoding must make of the three vectors.

// Which row goes up a level is drawn, and here the order says so: the second.
TEST(AlphaKMakers, RecodingPullsBackARowThatTheRemainderCanBear) {
  const AlphaKTable data = property::BranchTable({0, 0, 0, 1}, {0, 1, 2, 0});
  const AlphaKPromise promise = property::PromiseOf({1, 2}, 2, {3});
  const Signatures signatures = SignaturesOf(data, promise.claim);
  const std::vector<std::uint32_t> order = {1, 3, 0, 2};
  const auto draft = AnonymizeByRecoding(data.table, data.domains, {.k = 2, .signatures = &signatures, .order = order});
  ASSERT_TRUE(draft.ok());
  const auto labels = oracle::PublishedLabels(*draft, data.domains);
  for (const auto& [row, label] : std::map<std::size_t, std::string>{{0, "A"}, {1, "*"}, {2, "A"}, {3, "*"}})
    EXPECT_EQ(labels[row][0], label) << row;
}

TEST(AlphaKMakers, OneClassOfThreeIsAllThatCanBeMade) {
  const AlphaKTable data = property::BranchTable({0, 0, 1}, {0, 1, 2});
  const AlphaKPromise promise = property::PromiseOf({1, 2}, 2, {3});
  const Signatures signatures = SignaturesOf(data, promise.claim);
  const auto recoded = AnonymizeByRecoding(data.table, data.domains, {.k = 2, .signatures = &signatures});
  const auto cut = AnonymizeByPartition(data.table, data.domains, {.k = 2, .signatures = &signatures});
  ASSERT_TRUE(recoded.ok() && cut.ok());
  for (const Classes& draft : {*recoded, *cut}) {
    for (const auto& row : oracle::PublishedLabels(draft, data.domains)) EXPECT_EQ(row[0], "*");
  }
  const auto grouping = GroupByAnatomy(data.table, {.k = 2, .signatures = &signatures});
  ASSERT_TRUE(grouping.ok());
  EXPECT_EQ(grouping->count(), 1U);
}

TEST(AlphaKMakers, TwoOfThreeAlikeIsInfeasible) {
  const AlphaKTable data = property::BranchTable({0, 0, 1}, {0, 1, 0});
  const AlphaKPromise promise = property::PromiseOf({1, 2}, 2, {3});
  const Signatures signatures = SignaturesOf(data, promise.claim);
  EXPECT_FALSE(AnonymizeByRecoding(data.table, data.domains, {.k = 2, .signatures = &signatures}).ok());
  EXPECT_FALSE(AnonymizeByPartition(data.table, data.domains, {.k = 2, .signatures = &signatures}).ok());
  EXPECT_FALSE(GroupByAnatomy(data.table, {.k = 2, .signatures = &signatures}).ok());
}

// Tables 2 to 4, up to free choices: more than one class, all of them legal.
TEST(AlphaKMakers, TableOneOfThePaperIsTakenApartByEveryMaker) {
  AlphaKInstance task = property::PaperInstance(property::PaperTable3(), {1, 2}, 2);
  const Signatures signatures = SignaturesOf(task.data, task.promise.claim);
  const auto recoded = AnonymizeByRecoding(task.data.table, task.data.domains, {.k = 2, .signatures = &signatures});
  const auto cut = AnonymizeByPartition(task.data.table, task.data.domains, {.k = 2, .signatures = &signatures});
  ASSERT_TRUE(recoded.ok() && cut.ok());
  for (const Classes& draft : {*recoded, *cut}) {
    task.draft = draft;
    EXPECT_EQ(DraftFault(task), "");
    EXPECT_GT(std::set<std::size_t>(draft.of_row.begin(), draft.of_row.end()).size(), 1U);
  }
  Random random(SeedFromNumber(75), "paper");
  const auto grouping = GroupByAnatomy(task.data.table, {.k = 2, .signatures = &signatures});
  ASSERT_TRUE(grouping.ok());
  // Three flu, two fever, one HIV make three pairs of different values.
  EXPECT_EQ(grouping->count(), 3U);
  ExpectGoodTables(task, *grouping, random);
}

}  // namespace
}  // namespace pentimento::alpha_k_makers_test
