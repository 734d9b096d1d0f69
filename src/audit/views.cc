#include "audit/views.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "audit/view_counts.h"
#include "base/check.h"
#include "guarantee/xy/join_counting.h"
#include "guarantee/xy/normal_form.h"
#include "guarantee/xy/well_formed_join.h"
#include "guarantee/xy/xy_anonymity.h"
#include "guarantee/xy/xy_linkability.h"

namespace pentimento {
namespace {

constexpr std::array<std::uint32_t, 2> kBothReleases = {0, 1};

// The pair as the counting of joins takes it: the left release as the new one, a row for each record.
class PairAsJoin {
 public:
  explicit PairAsJoin(const ViewPair& pair) : example_(pair.left.example) {
    left_.columns = pair.left.columns;
    left_.boxes = pair.left.cells;
    left_.without_boxes = 1;
    for (std::size_t row = 0; row < pair.left.rows(); ++row)
      left_.of_row.insert(left_.of_row.end(), pair.left.records[row], static_cast<ClassNumber>(row));
    releases_.earlier = {pair.right};
    releases_.common = pair.common;
    releases_.impossible = pair.impossible;
  }
  PairAsJoin(const PairAsJoin&) = delete;  // the view looks at the classes in place
  PairAsJoin& operator=(const PairAsJoin&) = delete;

  NewReleaseView view() const { return {left_, {}, nullptr}; }
  const XyReleases& releases() const { return releases_; }
  ViewWitness WitnessOf(const MatchWitness& match) const {
    Check(match.records.size() == 1, "a match of two releases has one record of the right one");
    return {.left_record = example_[left_.of_row[match.row]], .right_record = match.records[0].record};
  }

 private:
  const std::vector<std::uint64_t>& example_;
  Classes left_;
  XyReleases releases_;
};

template <typename Value>
Value Told(Result<Value> result) {
  Check(result.ok(), result.ok() ? "" : result.error().message);
  return std::move(result).value();
}

// What the verifiers count, who leave out all values on X but the worst.
void FindExtremes(const PairAsJoin& join, ViewAnswer& answer) {
  const XyAnonymityClaim anonymity{.against = {1}, .x = answer.question.x, .y = answer.question.y};
  const auto least = Told(FindLeastAnonymity(join.view(), join.releases(), anonymity));
  if (!least) return;
  answer.least = {.values = least->values, .witness = join.WitnessOf(least->witness)};
  const XyLinkabilityClaim linkability{
      .against = {1}, .x = answer.question.x, .targets = {{.y = answer.question.y, .values = {}, .at_most = {1, 1}}}};
  const auto greatest = Told(FindGreatestLinkability(join.view(), join.releases(), linkability, 0));
  answer.greatest = {.share = {greatest->with_both, greatest->with_x}, .witness = join.WitnessOf(greatest->witness)};
}

ViewAnswer Answer(const PairAsJoin& join, const ViewQuestion& question, const ViewBars& bars, std::uint64_t work) {
  ViewAnswer answer;
  answer.question = question;
  const auto wrong =
      FindMalformedQuestion(join.view(), join.releases(), std::span(kBothReleases).subspan(1), question.x, question.y);
  Check(!wrong, wrong.value_or(""));
  const JoinQuestion asked{.x = question.x, .y = question.y, .y_values = {}, .counts_weights = true};
  const JoinSides sides = Told(MakeSides(join.view(), join.releases(), kBothReleases, asked, [](Relation& relation) {
    PrepareForLinkability(relation, CountingPath::kEverything);
  }));
  const ViewCounts counts = CountViews(sides, bars, work);
  if (counts.was_too_much) {
    FindExtremes(join, answer);
    return answer;
  }
  answer.left = counts.left;
  answer.right = counts.right;
  if (!counts.least) return answer;
  answer.least = {.values = counts.least->values, .witness = join.WitnessOf(FindWitness(sides, counts.least->where))};
  answer.greatest = {.share = counts.greatest->share,
                     .witness = join.WitnessOf(FindWitness(sides, counts.greatest->where))};
  return answer;
}

void AddColumn(EarlierRelease& release, std::span<const std::uint32_t> block_of_row) {
  std::vector<Interval> cells;
  cells.reserve(release.cells.size() + release.rows());
  for (std::size_t row = 0; row < release.rows(); ++row) {
    const auto own = release.row(row);
    cells.insert(cells.end(), own.begin(), own.end());
    cells.push_back({block_of_row[row], block_of_row[row]});
  }
  release.cells = std::move(cells);
  ++release.columns;
}

// The pair with the blocks of the pairing as one more common column. Being in one block is being equal there, so the
// join of these is the join of the matches that are left.
ViewPair WithBlocks(ViewPair pair, const ReleasePairing& pairing) {
  std::vector<std::uint32_t> block_of_left;
  std::uint64_t record = 0;
  for (const std::uint64_t records : pair.left.records) {
    block_of_left.push_back(pairing.block_of_row[record]);
    record += records;
  }
  pair.common.push_back(
      {{{0, static_cast<std::uint32_t>(pair.left.columns)}, {1, static_cast<std::uint32_t>(pair.right.columns)}},
       false});
  AddColumn(pair.left, block_of_left);
  AddColumn(pair.right, pairing.block_of_record);
  return pair;
}

// The columns that a common attribute makes the same for an attacker, this one included.
bool IsInX(const ViewPair& pair, const ViewQuestion& question, ReleaseColumn at) {
  const auto is_in_x = [&](ReleaseColumn other) { return std::ranges::find(question.x, other) != question.x.end(); };
  return is_in_x(at) || std::ranges::any_of(pair.common, [&](const CommonAttribute& attribute) {
           return std::ranges::find(attribute.columns, at) != attribute.columns.end() &&
                  std::ranges::any_of(attribute.columns, is_in_x);
         });
}

}  // namespace

std::vector<ViewQuestion> SensibleQuestions(const ViewPair& pair, const ViewRoles& roles) {
  const auto columns = [](std::uint32_t release, const std::vector<std::uint32_t>& numbers) {
    std::vector<ReleaseColumn> of_release;
    for (const std::uint32_t number : numbers) of_release.push_back({release, number});
    return of_release;
  };
  const std::vector<ReleaseColumn> left = columns(0, roles.left_identifying);
  const std::vector<ReleaseColumn> right = columns(1, roles.right_identifying);
  std::vector<ReleaseColumn> both = left;
  both.insert(both.end(), right.begin(), right.end());
  std::vector<ReleaseColumn> sensitive = columns(0, roles.left_sensitive);
  for (const ReleaseColumn at : columns(1, roles.right_sensitive)) sensitive.push_back(at);
  std::vector<ViewQuestion> questions;
  for (const std::vector<ReleaseColumn>& x : {both, left, right}) {
    for (const ReleaseColumn y : sensitive) {
      const ViewQuestion question{.x = x, .y = {y}};
      const bool is_of_both = std::ranges::any_of(x, [&](ReleaseColumn at) { return at.release != y.release; });
      const bool is_new = std::ranges::find(questions, question) == questions.end();
      if (is_of_both && is_new && !IsInX(pair, question, y)) questions.push_back(question);
    }
  }
  return questions;
}

ViewFindings LookAtViews(const ViewPair& pair, const std::vector<ViewQuestion>& questions, const ViewBars& bars,
                         const ViewLimits& limits) {
  const PairAsJoin join(pair);
  ViewFindings findings;
  for (const ViewQuestion& question : questions) findings.joined.push_back(Answer(join, question, bars, limits.work));
  if (!pair.is_one_to_one || !PairingCanMatter(join.view(), join.releases(), 1)) return findings;
  const ReleasePairing pairing = PairReleases(join.view(), join.releases(), 1, limits.pairing);
  findings.pairing = {.outcome = pairing.outcome, .pairs = pairing.pairs, .ruled_out = pairing.ruled_out};
  if (pairing.outcome != PairingOutcome::kPaired || pairing.ruled_out == 0) return findings;
  const ViewPair left_over = WithBlocks(pair, pairing);
  const PairAsJoin paired(left_over);
  for (const ViewQuestion& question : questions) findings.paired.push_back(Answer(paired, question, bars, limits.work));
  return findings;
}

}  // namespace pentimento
