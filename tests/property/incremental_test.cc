// Series against the definition: whatever InsertBatch makes, release after release, is k-anonymous over every set of
// releases, true, complete and refined only where it may be.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "anonymize/incremental/insert_batch.h"
#include "anonymize/incremental/published_boxes.h"
#include "base/random.h"
#include "guarantee/form/one_table_form.h"
#include "guarantee/incremental/incremental_k_anonymity.h"
#include "guarantee/incremental/whole_history_testing.h"
#include "oracle/incremental_k_anonymity_oracle.h"
#include "property/incremental_in_memory.h"
#include "property/small_series.h"

namespace pentimento::series_test {
namespace {

using property::Series;
using property::SomeDomains;
using property::SomeMembers;
using property::SomePeople;

void ExpectGoodChange(const DescribedChange& described, const Series& series, const InsertOptions& options) {
  const IncrementalChange& change = described.change;
  ASSERT_EQ(FindMalformation(described.table, series.domains(), options.form, change.classes), std::nullopt);
  ASSERT_FALSE(FindFalseCell(described.table, change.classes).has_value());
  const auto violation = FindViolationOfChange(change.classes, change, options.k, options.hides_arrivals);
  ASSERT_FALSE(violation.has_value()) << *violation;
}

// What the described change says of each case is what everybody's boxes say.
void ExpectSameBoxes(const DescribedChange& some, const DescribedChange& all) {
  for (std::size_t row = 0; row < some.change.rows(); ++row) {
    const CaseNumber member = some.change.case_of_row[row];
    ASSERT_TRUE(std::ranges::equal(some.change.classes.box(some.change.classes.of_row[row]),
                                   all.change.classes.box(all.change.classes.of_row[member])));
    for (std::size_t c = 0; c < some.table.quasi_identifiers.size(); ++c)
      ASSERT_EQ(some.table.quasi_identifiers[c][row], all.table.quasi_identifiers[c][member]);
  }
  std::set<CaseNumber> described(some.change.case_of_row.begin(), some.change.case_of_row.end());
  for (CaseNumber member = 0; member < all.change.rows(); ++member) {
    if (described.contains(member)) continue;
    ASSERT_NE(all.change.previous_of_row[member], IncrementalChange::kNew) << "a newcomer is missing from the change";
    ASSERT_TRUE(std::ranges::equal(all.change.classes.box(all.change.classes.of_row[member]),
                                   all.change.previous_box(all.change.previous_of_row[member])));
  }
}

// Strict cuts: they separate codes, never people with equal codes, whenever these came.
void ExpectEqualBoxesForEqualPeople(const std::vector<std::vector<Code>>& rows, const DescribedChange& all) {
  std::map<std::vector<Code>, ClassNumber> group_of;
  for (std::size_t member = 0; member < rows.size(); ++member) {
    const ClassNumber group = all.change.classes.of_row[member];
    const auto [first, is_first] = group_of.emplace(rows[member], group);
    ASSERT_TRUE(std::ranges::equal(all.change.classes.box(first->second), all.change.classes.box(group)));
  }
}

TEST(Series, TenReleasesWithRandomBatchesAndWithdrawalsHold) {
  Random random(SeedFromNumber(7), "series");
  std::size_t refined = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const InsertOptions options{.k = 2 + random.Below(4),
                                .form = random.Below(2) == 0 ? CategoryForm::kTaxonomy : CategoryForm::kSets,
                                .hides_arrivals = random.Below(4) == 0};
    Series series(SomeDomains(random), options);
    std::vector<std::vector<Code>> rows;
    std::set<CaseNumber> gone;
    for (int release = 0; release < 10; ++release) {
      const std::size_t newcomers = release == 0 ? options.k + random.Below(20) : random.Below(12);
      const EncodedTable batch = SomePeople(random, series.domains(), newcomers);
      const std::vector<CaseNumber> leaving = SomeMembers(random, series, gone);
      for (std::size_t row = 0; row < newcomers; ++row) {
        rows.emplace_back();
        for (const CodeColumn& column : batch.quasi_identifiers) rows.back().push_back(column[row]);
      }
      const Result<IncrementalStep> step = series.Add(batch, leaving);
      ASSERT_TRUE(step.ok());
      if (release > 0) refined += step->leaves_refined;
      const DescribedChange& some = step->described;
      const DescribedChange all =
          DescribeEverything(series.view(), series.domains(), options.form, options.hides_arrivals);
      ASSERT_EQ(all.table.rows, rows.size());
      for (std::size_t member = 0; member < rows.size(); ++member) {
        for (std::size_t c = 0; c < series.domains().size(); ++c)
          ASSERT_EQ(all.table.quasi_identifiers[c][member], rows[member][c]);
      }
      ASSERT_NO_FATAL_FAILURE(ExpectGoodChange(some, series, options));
      ASSERT_NO_FATAL_FAILURE(ExpectGoodChange(all, series, options));
      ASSERT_NO_FATAL_FAILURE(ExpectSameBoxes(some, all));
      ASSERT_NO_FATAL_FAILURE(ExpectEqualBoxesForEqualPeople(rows, all));
    }
    ASSERT_FALSE(FindViolationOfHistory(series.history(), options.k).has_value());
    if (repeat % 30 == 0) {
      ASSERT_TRUE(oracle::IsKAnonymousAgainstUpdates(series.history(), options.k));
    }
  }
  EXPECT_GT(refined, 100U) << "the batches must give the maker something to refine";
}

// The definition once more, counted among those alone who are in the last release of each set.
bool HoldsAmongThoseWhoStay(const IncrementalHistory& history, std::uint64_t k) {
  for (const oracle::ReleaseSet& set : oracle::ReleaseSets(history.size())) {
    oracle::Inference inference = oracle::InferFrom(history, set);
    const std::vector<CaseNumber>& staying = history[set.back()].cases;
    std::erase_if(inference.boxes, [&](const auto& entry) { return std::ranges::count(staying, entry.first) == 0; });
    for (const auto& [number, size] : oracle::ClassSizes(inference)) {
      if (size < k) return false;
    }
  }
  return true;
}

TEST(Series, TheCheckerOfHistoriesSaysWhatTheDefinitionSays) {
  Random random(SeedFromNumber(11), "histories");
  int held = 0, broke = 0;
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    const IncrementalHistory history = property::RandomSeries(random);
    for (std::uint64_t k = 1; k <= 3; ++k) {
      const bool holds = oracle::IsKAnonymousAgainstUpdates(history, k) && HoldsAmongThoseWhoStay(history, k);
      ASSERT_EQ(!FindViolationOfHistory(history, k).has_value(), holds) << "k = " << k;
      ++(holds ? held : broke);
    }
  }
  EXPECT_GT(held, 1000);
  EXPECT_GT(broke, 1000);
}

// Everything that a release says, as a change of the one before; nobody is withdrawn.
IncrementalChange ChangeOfAll(const IncrementalRelease& before, const IncrementalRelease& after) {
  IncrementalChange change;
  change.classes = {after.columns, after.boxes, after.box_of_case};
  change.case_of_row = after.cases;
  change.previous_boxes = before.boxes;
  change.staying_in_previous.resize(change.previous_count());
  change.staying_in_group.resize(change.classes.count());
  for (const CaseNumber number : after.cases) {
    const auto found = std::ranges::find(before.cases, number);
    const bool is_new = found == before.cases.end();
    change.previous_of_row.push_back(
        is_new ? IncrementalChange::kNew : before.box_of_case[static_cast<std::size_t>(found - before.cases.begin())]);
    change.is_withdrawn.push_back(0);
    change.arrival_of_row.push_back(is_new ? 1 : 0);
  }
  return change;
}

TEST(Series, AChangeThatPassesKeepsTheHistoryAnonymousAndOneThatFailsBreaksIt) {
  Random random(SeedFromNumber(12), "changes");
  int passed = 0, failed = 0;
  for (int repeat = 0; repeat < 100'000; ++repeat) {
    const IncrementalHistory history =
        random.Below(2) == 0 ? property::RandomGrowingPartitions(random) : property::RandomSeries(random);
    if (history.size() < 2) continue;
    const IncrementalHistory two = {history[0], history[1]};
    const bool everybody_stays = std::ranges::includes(two[1].cases, two[0].cases);
    for (std::uint64_t k = 1; k <= 3; ++k) {
      if (!everybody_stays || !oracle::IsKAnonymousAgainstUpdates({two[0]}, k)) continue;
      const IncrementalChange change = ChangeOfAll(two[0], two[1]);
      const bool passes = !FindViolationOfChange(change.classes, change, k, false).has_value();
      const bool holds = oracle::IsKAnonymousAgainstUpdates(two, k);
      ASSERT_TRUE(!passes || holds) << "k = " << k;
      // Only a change that does not nest may be refused though nothing is broken yet: it would break a later one.
      const bool is_monotone = !FindViolationOfChange(change.classes, change, 1, false).has_value();
      ASSERT_TRUE(passes || !holds || !is_monotone) << "k = " << k;
      ++(passes ? passed : failed);
    }
  }
  EXPECT_GT(passed, 300);
  EXPECT_GT(failed, 300);
}

}  // namespace
}  // namespace pentimento::series_test
