#include "audit/views.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

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

struct MatchFlags {
  static constexpr std::uint8_t kMet = 1, kSomeBelow = 2, kSomeKept = 4, kSomeAbove = 8, kSomeWithin = 16;
};

struct LeastOfViews {
  bool is_there = false;
  WideCount values = 0;
  WitnessValues where;
};
struct GreatestOfViews {
  bool is_there = false;
  WideFraction share;
  WitnessValues where;
};

// What one task has counted.
struct ViewCounts {
  bool was_too_much = false;
  LeastOfViews least;
  GreatestOfViews greatest;
  ViewRecords left;
  std::vector<std::uint8_t> flags_of_right;  // by source

  void Add(const ViewCounts& other) {
    was_too_much = was_too_much || other.was_too_much;
    if (other.least.is_there && (!least.is_there || other.least.values < least.values)) least = other.least;
    if (other.greatest.is_there && (!greatest.is_there || other.greatest.share > greatest.share))
      greatest = other.greatest;
    left.records += other.left.records;
    left.outside += other.left.outside;
    left.below_k_in_some += other.left.below_k_in_some;
    left.below_k_in_every += other.left.below_k_in_every;
    left.above_alpha_in_some += other.left.above_alpha_in_some;
    left.above_alpha_in_every += other.left.above_alpha_in_every;
    flags_of_right.resize(std::max(flags_of_right.size(), other.flags_of_right.size()));
    for (std::size_t i = 0; i < other.flags_of_right.size(); ++i) flags_of_right[i] |= other.flags_of_right[i];
  }
};

void CountRecords(std::uint8_t flags, std::uint64_t records, ViewRecords& counts) {
  const auto has = [&](std::uint8_t flag) { return (flags & flag) != 0 ? records : 0; };
  counts.records += records;
  counts.outside += records - has(MatchFlags::kMet);
  counts.below_k_in_some += has(MatchFlags::kSomeBelow);
  counts.above_alpha_in_some += has(MatchFlags::kSomeAbove);
  counts.below_k_in_every += has(MatchFlags::kMet) - has(MatchFlags::kSomeKept);
  counts.above_alpha_in_every += has(MatchFlags::kMet) - has(MatchFlags::kSomeWithin);
}

// All values on X of the left side in turn, against all of the right side: for each pair of them a(x), the values on Y,
// and the most frequent one; then what that says of the records on either side.
class ViewCounter {
 public:
  ViewCounter(const JoinSides& sides, const OtherSide& others, const ViewBars& bars, std::uint64_t work)
      : sides_(sides),
        others_(others),
        bars_(bars),
        work_(work),
        with_both_(others.pairs().size()),
        cell_of_(sides.others.x_count),
        flags_of_j_(sides.one.join_count) {
    counts_.flags_of_right.resize(sides.others.weight.size());
  }

  ViewCounts Count(std::span<const JoinRow> rows) {
    for (std::size_t begin = 0, end = 0; begin < rows.size() && !counts_.was_too_much; begin = end) {
      while (end < rows.size() && rows[end].x == rows[begin].x) ++end;
      CountOneX(rows.subspan(begin, end - begin));
    }
    return std::move(counts_);
  }

 private:
  // Of one pair of values on X.
  struct Cell {
    WideCount values = 0;     // 0: they do not meet
    WideCount rows = 0;       // of the join
    WideCount most = 0;       // with one value on Y
    std::uint32_t one_y = 0;  // that one
    std::uint32_t others_y = 0;
    std::uint8_t flags = 0;
  };

  void CountOneX(std::span<const JoinRow> rows) {
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      while (end < rows.size() && rows[end].y == rows[begin].y) ++end;
      AddValueOnY(rows.subspan(begin, end - begin));
      if (counts_.was_too_much) return;
    }
    for (const std::uint32_t x : met_) Offer(rows[0].x, x);
    for (const JoinRow& row : rows) FlagRecords(row);
    for (const JoinRow& row : rows) flags_of_j_[row.j] = 0;
    for (const std::uint32_t x : met_) cell_of_[x] = {};
    met_.clear();
  }

  // The rows have one value on X and one on Y.
  void AddValueOnY(std::span<const JoinRow> rows) {
    for (const JoinRow& row : rows) {
      if (counts_.was_too_much) return;
      const WideCount own = sides_.one.weight[row.source];
      others_.ForEachMatch(row.j, [&](std::uint32_t pair, std::uint32_t source) {
        if (with_both_[pair] == 0) met_pairs_.push_back(pair);
        with_both_[pair] += own * sides_.others.weight[source];
        TakeWork();
      });
    }
    for (const std::uint32_t pair : met_pairs_) {
      const auto [x, y] = others_.pairs()[pair];
      const WideCount values = MultiplyCounts(sides_.one.values(rows[0].y), sides_.others.values(y));
      Cell& cell = cell_of_[x];
      if (cell.values == 0) met_.push_back(x);
      cell.values = AddCounts(cell.values, values);
      cell.rows += with_both_[pair];
      // Values that one number stands for are in the same rows equally often.
      const WideCount with_one = with_both_[pair] / values;
      if (with_one > cell.most) {
        cell.most = with_one;
        cell.one_y = rows[0].y;
        cell.others_y = y;
      }
      with_both_[pair] = 0;
    }
    met_pairs_.clear();
  }

  void Offer(std::uint32_t one_x, std::uint32_t others_x) {
    Cell& cell = cell_of_[others_x];
    const WideFraction share{cell.most, cell.rows};
    LeastOfViews& least = counts_.least;
    if (!least.is_there || cell.values < least.values)
      least = {true, cell.values, {.one_x = one_x, .others_x = others_x}};
    GreatestOfViews& greatest = counts_.greatest;
    if (!greatest.is_there || share > greatest.share) {
      greatest = {true, share, {.one_x = one_x, .others_x = others_x, .one_y = cell.one_y, .others_y = cell.others_y}};
    }
    const bool is_above = share > WideFraction{bars_.alpha.num, bars_.alpha.den};
    cell.flags = MatchFlags::kMet | (cell.values < bars_.k ? MatchFlags::kSomeBelow : MatchFlags::kSomeKept) |
                 (is_above ? MatchFlags::kSomeAbove : MatchFlags::kSomeWithin);
  }

  // Which values on X of the right side a record meets depends on its join value alone.
  void FlagRecords(const JoinRow& row) {
    std::uint8_t& flags = flags_of_j_[row.j];
    if (flags == 0) {
      others_.ForEachMatch(row.j, [&](std::uint32_t pair, std::uint32_t source) {
        const std::uint8_t met = cell_of_[others_.pairs()[pair].x].flags;
        flags |= met;
        counts_.flags_of_right[source] |= met;
        TakeWork();
      });
    }
    CountRecords(flags, static_cast<std::uint64_t>(sides_.one.weight[row.source]), counts_.left);
  }

  void TakeWork() {
    counts_.was_too_much = counts_.was_too_much || work_ == 0;
    work_ -= work_ > 0 ? 1 : 0;
  }

  const JoinSides& sides_;
  const OtherSide& others_;
  const ViewBars& bars_;
  std::uint64_t work_;
  std::vector<WideCount> with_both_;  // by pair of the other side: rows of the join with the x and the y at hand
  std::vector<Cell> cell_of_;         // by x of the other side, with the x at hand
  std::vector<std::uint8_t> flags_of_j_;
  std::vector<std::uint32_t> met_pairs_;
  std::vector<std::uint32_t> met_;
  ViewCounts counts_;
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
  const OtherSide others(sides);
  ViewCounts counts;
  for (const ViewCounts& of_task : CountInTasks<ViewCounts>(sides.one.rows, [&](std::span<const JoinRow> rows) {
         return ViewCounter(sides, others, bars, work / kMostCountingTasks).Count(rows);
       })) {
    counts.Add(of_task);
  }
  if (counts.was_too_much) {
    FindExtremes(join, answer);
    return answer;
  }
  answer.left = counts.left;
  answer.right.emplace();
  for (std::size_t source = 0; source < sides.others.weight.size(); ++source)
    CountRecords(counts.flags_of_right[source], static_cast<std::uint64_t>(sides.others.weight[source]), *answer.right);
  if (!counts.least.is_there) return answer;
  answer.least = {.values = counts.least.values, .witness = join.WitnessOf(FindWitness(sides, counts.least.where))};
  answer.greatest = {.share = counts.greatest.share,
                     .witness = join.WitnessOf(FindWitness(sides, counts.greatest.where))};
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
