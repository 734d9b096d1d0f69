// Series against the definition: whatever InsertBatch makes, release after release, is k-anonymous over every set of
// releases, true, complete and refined only where it may be.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "anonymize/incremental/insert_batch.h"
#include "anonymize/incremental/published_boxes.h"
#include "base/random.h"
#include "guarantee/incremental_k_anonymity.h"
#include "guarantee/truthful.h"
#include "guarantee/well_formed.h"

namespace pentimento {
namespace {

std::vector<Domain> SomeDomains(Random& random) {
  static const auto kTree = std::make_shared<const Taxonomy>(
      Taxonomy::Parse("a;A;X;*\nb;A;X;*\nc;B;X;*\nd;B;X;*\ne;B;X;*\nf;C;Y;*\ng;D;Y;*\nh;D;Y;*\ni;Z;*\nj;*\n", "tree")
          .value());
  static const auto kFlat =
      std::make_shared<const Taxonomy>(Taxonomy::Flat(std::vector<std::string>{"p", "q", "r", "s", "t"}).value());
  std::vector<Domain> domains;
  const std::size_t columns = 1 + random.Below(3);
  for (std::size_t c = 0; c < columns; ++c) {
    const bool allows_missing = random.Below(4) == 0;
    switch (random.Below(3)) {
      case 0:
        domains.emplace_back(NumericRange{0, 1 + static_cast<std::int64_t>(random.Below(30)), 0, {}}, allows_missing);
        break;
      case 1:
        domains.emplace_back(kTree, allows_missing);
        break;
      default:
        domains.emplace_back(kFlat, allows_missing);
    }
  }
  return domains;
}

EncodedTable SomePeople(Random& random, const std::vector<Domain>& domains, std::size_t rows) {
  EncodedTable table;
  table.rows = rows;
  for (const Domain& domain : domains) {
    CodeColumn codes(domain.size(), rows);
    for (std::size_t row = 0; row < rows; ++row) codes.Set(row, random.Below(domain.size()));
    table.quasi_identifiers.push_back(std::move(codes));
  }
  return table;
}

// A series that is kept in memory.
class Series {
 public:
  Series(std::vector<Domain> domains, const InsertOptions& options) : domains_(std::move(domains)), options_(options) {}

  Result<SeriesStep> Add(const EncodedTable& batch, const std::vector<CaseNumber>& withdrawn) {
    Result<SeriesStep> step = InsertBatch(view(), domains_, batch, withdrawn, options_);
    if (!step.ok()) return step;
    segments_.push_back(std::make_unique<SegmentData>(step->segment));
    const Draft draft = BoxesOfMembers(view(), domains_, options_.form);
    SeriesRelease release{domains_.size(), draft.boxes, {}, draft.group_of_row};
    for (CaseNumber member = 0; member < draft.group_of_row.size(); ++member) release.cases.push_back(member);
    history_.push_back(std::move(release));
    return step;
  }

  SeriesView view() const {
    SeriesView view{domains_.size(), {}};
    for (const auto& segment : segments_) view.segments.push_back(segment->view());
    return view;
  }
  const std::vector<Domain>& domains() const { return domains_; }
  const SeriesHistory& history() const { return history_; }
  CaseNumber members() const { return view().member_count(); }

 private:
  std::vector<Domain> domains_;
  InsertOptions options_;
  std::vector<std::unique_ptr<SegmentData>> segments_;
  SeriesHistory history_;
};

std::vector<CaseNumber> SomeMembers(Random& random, const Series& series, std::set<CaseNumber>& gone) {
  std::vector<CaseNumber> leaving;
  for (CaseNumber member = 0; member < series.members(); ++member) {
    if (random.Below(8) != 0 || gone.contains(member)) continue;
    leaving.push_back(member);
    gone.insert(member);
  }
  return leaving;
}

void ExpectGoodChange(const DescribedChange& described, const Series& series, const InsertOptions& options) {
  const SeriesChange& change = described.change;
  ASSERT_EQ(FindMalformation(described.table, series.domains(), options.form, change.draft), std::nullopt);
  ASSERT_FALSE(FindFalseCell(described.table, change.draft).has_value());
  const auto violation = FindViolationOfChange(change, options.k, options.hides_arrivals);
  ASSERT_FALSE(violation.has_value()) << *violation;
}

// What the described change says of each case is what everybody's boxes say.
void ExpectSameBoxes(const DescribedChange& some, const DescribedChange& all) {
  for (std::size_t row = 0; row < some.change.rows(); ++row) {
    const CaseNumber member = some.change.case_of_row[row];
    ASSERT_TRUE(std::ranges::equal(some.change.draft.box(some.change.draft.group_of_row[row]),
                                   all.change.draft.box(all.change.draft.group_of_row[member])));
    for (std::size_t c = 0; c < some.table.quasi_identifiers.size(); ++c)
      ASSERT_EQ(some.table.quasi_identifiers[c][row], all.table.quasi_identifiers[c][member]);
  }
  std::set<CaseNumber> described(some.change.case_of_row.begin(), some.change.case_of_row.end());
  for (CaseNumber member = 0; member < all.change.rows(); ++member) {
    if (described.contains(member)) continue;
    ASSERT_NE(all.change.previous_of_row[member], SeriesChange::kNew) << "a newcomer is missing from the change";
    ASSERT_TRUE(std::ranges::equal(all.change.draft.box(all.change.draft.group_of_row[member]),
                                   all.change.previous_box(all.change.previous_of_row[member])));
  }
}

TEST(Series, TenReleasesWithRandomBatchesAndWithdrawalsHold) {
  Random random(SeedFromNumber(7), "series");
  std::size_t refined = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const InsertOptions options{2 + random.Below(4),
                                random.Below(2) == 0 ? CategoryForm::kTaxonomy : CategoryForm::kSets,
                                random.Below(4) == 0};
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
      const Result<SeriesStep> step = series.Add(batch, leaving);
      ASSERT_TRUE(step.ok());
      if (release > 0) refined += step->leaves_refined;
      const DescribedChange some = DescribeChange(series.view(), series.domains(), options.form);
      const DescribedChange all = DescribeEverything(series.view(), series.domains(), options.form);
      ASSERT_EQ(all.table.rows, rows.size());
      for (std::size_t member = 0; member < rows.size(); ++member) {
        for (std::size_t c = 0; c < series.domains().size(); ++c)
          ASSERT_EQ(all.table.quasi_identifiers[c][member], rows[member][c]);
      }
      ASSERT_NO_FATAL_FAILURE(ExpectGoodChange(some, series, options));
      ASSERT_NO_FATAL_FAILURE(ExpectGoodChange(all, series, options));
      ASSERT_NO_FATAL_FAILURE(ExpectSameBoxes(some, all));
    }
    ASSERT_FALSE(FindViolationOfHistory(series.history(), options.k).has_value());
  }
  EXPECT_GT(refined, 100U) << "the batches must give the maker something to refine";
}

}  // namespace
}  // namespace pentimento
