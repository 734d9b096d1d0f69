#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <variant>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "guarantee/k_anonymity/k_anonymity.h"
#include "guarantee/verify.h"
#include "oracle/k_anonymity_oracle.h"
#include "property/mutant_checkers.h"
#include "property/small_tables.h"

namespace pentimento::guarantee_property_test {
namespace {

using property::ForEachPersons;
using property::ForEachSequence;
using property::ForEachTable;
using property::MutantChecker;
using property::TwoByTwoBoxes;
using property::TwoByTwoDomains;

Classes MakeDraft(std::vector<Interval> boxes, std::vector<ClassNumber> class_of_row) {
  return {.columns = 2, .boxes = std::move(boxes), .of_row = std::move(class_of_row)};
}

EncodedTable RowsWithoutCodes(std::size_t rows, std::optional<Persons> persons) {
  return {.rows = rows, .quasi_identifiers = {CodeColumn(2, rows), CodeColumn(2, rows)}, .persons = std::move(persons)};
}

// Every draft of up to five rows over all boxes of two columns (some of them under two group numbers), with rows as
// persons and with every other way in which rows can belong to persons; every k up to one more than there are rows.
template <typename Body>
void ForEachCase(const Body& body) {
  struct Size {
    std::size_t rows;
    std::size_t boxes_twice;
    std::size_t group_limit;
  };
  for (const Size size : {Size{0, 3, 12}, {1, 3, 12}, {2, 9, 18}, {3, 9, 18}, {4, 3, 12}, {5, 1, 4}}) {
    const std::vector<Interval> boxes = TwoByTwoBoxes(size.boxes_twice);
    const std::size_t first = boxes.size() / 2 - size.group_limit;
    ForEachSequence(size.rows, static_cast<std::uint32_t>(size.group_limit), [&](std::vector<std::uint32_t> groups) {
      for (std::uint32_t& group : groups) group += static_cast<std::uint32_t>(first);
      const Classes draft = MakeDraft(boxes, std::move(groups));
      body(RowsWithoutCodes(size.rows, std::nullopt), draft);
      ForEachPersons(size.rows, [&](const Persons& persons) { body(RowsWithoutCodes(size.rows, persons), draft); });
    });
  }
}

TEST(KAnonymityProperty, CheckerAgreesWithTheDefinitionOnAllSmallDrafts) {
  std::size_t cases = 0;
  ForEachCase([&](const EncodedTable& table, const Classes& draft) {
    ++cases;
    const auto fewest = oracle::FewestPersons(oracle::PublishedIntervals(draft), table.persons);
    if (!fewest) {
      ASSERT_FALSE(FindKAnonymityViolation(table, draft, std::numeric_limits<std::uint64_t>::max()));
      return;
    }
    ASSERT_FALSE(FindKAnonymityViolation(table, draft, *fewest));
    const auto violation = FindKAnonymityViolation(table, draft, *fewest + 1);
    ASSERT_TRUE(violation);
    ASSERT_EQ(violation->members, *fewest);
    // The witness names a class that really has that few persons, and the smallest group number of it.
    const auto alike = [&](ClassNumber g) { return std::ranges::equal(draft.box(g), draft.box(violation->group)); };
    std::set<std::uint32_t> members;
    for (std::uint32_t row = 0; row < table.rows; ++row) {
      if (alike(draft.of_row[row])) members.insert(table.persons ? table.persons->person_of_row[row] : row);
    }
    ASSERT_EQ(members.size(), *fewest);
    for (ClassNumber g = 0; g < violation->group; ++g) ASSERT_FALSE(alike(g));
  });
  EXPECT_GT(cases, 400'000U);
}

// Boundaries that no sweep of small numbers reaches.
std::vector<std::uint64_t> BoundaryKs(std::size_t rows) {
  std::vector<std::uint64_t> ks = {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1,
                                   std::numeric_limits<std::uint64_t>::max()};
  for (std::uint64_t k = 1; k <= rows + 1; ++k) ks.push_back(k);
  return ks;
}

TEST(KAnonymityProperty, EveryMutantDisagreesWithTheDefinitionSomewhere) {
  std::vector<MutantChecker> alive = property::MutantCheckers();
  ForEachCase([&](const EncodedTable& table, const Classes& draft) {
    if (alive.empty()) return;
    const auto published = oracle::PublishedIntervals(draft);
    for (const std::uint64_t k : BoundaryKs(table.rows)) {
      const bool truth = oracle::IsKAnonymous(published, table.persons, k);
      ASSERT_EQ(!FindKAnonymityViolation(table, draft, k), truth);
      std::erase_if(alive, [&](const MutantChecker& mutant) { return mutant.holds(table, draft, k) != truth; });
    }
  });
  for (const MutantChecker& mutant : alive) ADD_FAILURE() << "survives: a checker that " << mutant.mistake;
}

TEST(KAnonymityProperty, LabelsAndIntervalsGiveTheSameResult) {
  const std::vector<Domain> domains = TwoByTwoDomains();
  const std::vector<Interval> boxes = TwoByTwoBoxes(2);
  ForEachSequence(4, static_cast<std::uint32_t>(boxes.size() / 2), [&](const std::vector<std::uint32_t>& groups) {
    const Classes draft = MakeDraft(boxes, groups);
    ASSERT_EQ(oracle::FewestPersons(oracle::PublishedLabels(draft, domains), std::nullopt),
              oracle::FewestPersons(oracle::PublishedIntervals(draft), std::nullopt));
  });
}

TEST(VerifyProperty, AcceptsExactlyTheTruthfulAndAnonymousDraftsOfAllSmallTables) {
  const std::vector<Domain> domains = TwoByTwoDomains();
  const std::vector<Interval> boxes = TwoByTwoBoxes(1);
  std::size_t accepted = 0;
  for (std::size_t rows = 0; rows <= 3; ++rows) {
    ForEachTable(rows, domains, [&](const EncodedTable& table) {
      ForEachSequence(
          rows, static_cast<std::uint32_t>(boxes.size() / 2), [&](const std::vector<std::uint32_t>& groups) {
            const Classes draft = MakeDraft(boxes, groups);
            const std::uint64_t k = 1 + (groups.empty() ? 0 : groups[0] % 3);
            const std::vector<GuaranteePolicy> guarantees = {KAnonymityPolicy{k}};
            const auto result = Verify({draft}, {table, domains, CategoryForm::kTaxonomy, guarantees});
            const bool truth = oracle::IsTruthful(table, draft) &&
                               oracle::IsKAnonymous(oracle::PublishedLabels(draft, domains), table.persons, k);
            ASSERT_EQ(std::holds_alternative<VerifiedRelease>(result), truth);
            accepted += truth ? 1 : 0;
          });
    });
  }
  EXPECT_GT(accepted, 1000U);
}

struct Sample {
  EncodedTable table;
  Classes draft;
};

// A table of some thousand rows with truthful boxes: large enough for several tasks and for both ways of counting
// persons.
Sample RandomSample(Random& random, std::size_t rows, std::uint32_t groups, std::uint32_t persons) {
  Sample sample;
  sample.table.rows = rows;
  sample.draft.columns = 3;
  const std::vector<Code> sizes = {5, 300, 70'000};
  for (std::uint32_t g = 0; g < groups; ++g) {
    for (const Code size : sizes) {
      const Code lo = random.Below(3);
      sample.draft.boxes.push_back({lo, lo + random.Below(size - lo)});
    }
  }
  for (const Code size : sizes) sample.table.quasi_identifiers.emplace_back(size, rows);
  sample.table.persons = Persons{std::vector<std::uint32_t>(rows), persons};
  for (std::size_t row = 0; row < rows; ++row) {
    const ClassNumber group = random.Below(groups);
    sample.draft.of_row.push_back(group);
    sample.table.persons->person_of_row[row] = random.Below(persons);
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      const Interval interval = sample.draft.box(group)[c];
      sample.table.quasi_identifiers[c].Set(row,
                                            interval.lo + random.Below(static_cast<std::uint32_t>(interval.size())));
    }
  }
  return sample;
}

std::vector<Domain> SampleDomains() {
  std::vector<Domain> domains;
  for (const std::int64_t hi : {4, 299, 69'999}) domains.emplace_back(NumericRange{0, hi, 0, {}}, false);
  return domains;
}

template <typename T>
std::vector<T> Permuted(const std::vector<T>& values, const std::vector<std::size_t>& order) {
  std::vector<T> permuted;
  for (const std::size_t from : order) permuted.push_back(values[from]);
  return permuted;
}

std::vector<std::size_t> RandomOrder(Random& random, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.Below(static_cast<std::uint32_t>(i))]);
  return order;
}

Sample WithRowsReordered(const Sample& sample, Random& random) {
  const auto order = RandomOrder(random, sample.table.rows);
  Sample other = sample;
  other.draft.of_row = Permuted(sample.draft.of_row, order);
  other.table.persons->person_of_row = Permuted(sample.table.persons->person_of_row, order);
  for (std::size_t c = 0; c < sample.draft.columns; ++c) {
    for (std::size_t row = 0; row < order.size(); ++row) {
      other.table.quasi_identifiers[c].Set(row, sample.table.quasi_identifiers[c][order[row]]);
    }
  }
  return other;
}

Sample WithGroupsRenamed(const Sample& sample, Random& random) {
  const auto order = RandomOrder(random, sample.draft.count());  // order[new] = old
  std::vector<ClassNumber> new_of_old(order.size());
  Sample other = sample;
  other.draft.boxes.clear();
  for (std::size_t g = 0; g < order.size(); ++g) {
    new_of_old[order[g]] = static_cast<ClassNumber>(g);
    const auto box = sample.draft.box(static_cast<ClassNumber>(order[g]));
    other.draft.boxes.insert(other.draft.boxes.end(), box.begin(), box.end());
  }
  for (ClassNumber& group : other.draft.of_row) group = new_of_old[group];
  return other;
}

Sample WithColumnsReversed(const Sample& sample) {
  Sample other = sample;
  std::ranges::reverse(other.table.quasi_identifiers);
  for (std::size_t g = 0; g < sample.draft.count(); ++g) {
    std::ranges::reverse(std::span(other.draft.boxes).subspan(g * sample.draft.columns, sample.draft.columns));
  }
  return other;
}

bool IsAccepted(const Sample& sample, const std::vector<Domain>& domains, std::uint64_t k) {
  const std::vector<GuaranteePolicy> guarantees = {KAnonymityPolicy{k}};
  const Evidence claim{sample.table, domains, CategoryForm::kTaxonomy, guarantees};
  return std::holds_alternative<VerifiedRelease>(Verify({sample.draft}, claim));
}

TEST(VerifyProperty, RowOrderGroupNamesAndColumnOrderNeverChangeTheResult) {
  Random random(SeedFromNumber(7), "metamorphic");
  const std::vector<Domain> domains = SampleDomains();
  const std::vector<Domain> reversed(domains.rbegin(), domains.rend());
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Sample sample = RandomSample(random, 500, 10 + random.Below(20), 2 + random.Below(1000));
    const auto fewest = *oracle::FewestPersons(oracle::PublishedIntervals(sample.draft), sample.table.persons);
    for (const std::uint64_t k : {fewest - 1, fewest, fewest + 1}) {
      const bool truth = k <= fewest;
      EXPECT_EQ(IsAccepted(sample, domains, k), truth);
      EXPECT_EQ(IsAccepted(WithRowsReordered(sample, random), domains, k), truth);
      EXPECT_EQ(IsAccepted(WithGroupsRenamed(sample, random), domains, k), truth);
      EXPECT_EQ(IsAccepted(WithColumnsReversed(sample), reversed, k), truth);
    }
  }
}

TEST(VerifyProperty, OneFalseCellAmongManyRowsIsFoundWhereverItIs) {
  Random random(SeedFromNumber(8), "false cell");
  const std::vector<Domain> domains = SampleDomains();
  Sample sample = RandomSample(random, 20'000, 40, 15'000);
  // Nothing may lie at the upper end, so that one step beyond it is always still in the domain.
  for (std::size_t i = 0; i < sample.draft.boxes.size(); ++i) {
    const Code limit = domains[i % 3].size() - 2;
    sample.draft.boxes[i].hi = std::min(sample.draft.boxes[i].hi, limit);
  }
  for (std::size_t row = 0; row < sample.table.rows; ++row) {
    for (std::size_t c = 0; c < 3; ++c) {
      const Code hi = sample.draft.box(sample.draft.of_row[row])[c].hi;
      sample.table.quasi_identifiers[c].Set(row, std::min(sample.table.quasi_identifiers[c][row], hi));
    }
  }
  ASSERT_TRUE(IsAccepted(sample, domains, 2));
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::size_t row = repeat < 2 ? repeat * (sample.table.rows - 1) : random.Below(20'000);
    const std::size_t column = random.Below(3);
    const Interval interval = sample.draft.box(sample.draft.of_row[row])[column];
    const Code before = sample.table.quasi_identifiers[column][row];
    const bool below = interval.lo > 0 && random.Below(2) == 0;
    sample.table.quasi_identifiers[column].Set(row, below ? interval.lo - 1 : interval.hi + 1);
    EXPECT_FALSE(IsAccepted(sample, domains, 2)) << "row " << row << " column " << column;
    sample.table.quasi_identifiers[column].Set(row, before);
  }
}

TEST(VerifyProperty, TheWitnessDoesNotDependOnTheNumberOfThreads) {
  Random random(SeedFromNumber(9), "threads");
  const std::vector<Domain> domains = SampleDomains();
  const std::vector<GuaranteePolicy> guarantees = {KAnonymityPolicy{1'000'000}};
  Sample sample = RandomSample(random, 200'000, 5000, 50'000);
  for (const bool truthful : {true, false}) {
    if (!truthful) {
      for (const std::size_t row : {199'999, 77'777, 140'000}) sample.draft.of_row[row] = 3;
      for (std::size_t c = 0; c < 3; ++c) sample.draft.boxes[9 + c] = {4, 4};
    }
    const Evidence claim{sample.table, domains, CategoryForm::kTaxonomy, guarantees};
    const auto alone = [&] {
      const ThreadLimit one(1);
      return std::get<Refusal>(Verify({sample.draft}, claim));
    }();
    for (int repeat = 0; repeat < 5; ++repeat) {
      EXPECT_EQ(std::get<Refusal>(Verify({sample.draft}, claim)).witness, alone.witness);
    }
    EXPECT_EQ(alone.guarantee, truthful ? "k-anonymity" : "truthful release");
  }
}

}  // namespace
}  // namespace pentimento::guarantee_property_test
