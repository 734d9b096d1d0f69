#include "audit/views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check_testing.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::views_test {
namespace {

using Cells = std::vector<Interval>;

// Every row as it is given, with so many records like it.
EarlierRelease ReleaseOf(std::size_t columns, const std::vector<Cells>& rows,
                         const std::vector<std::uint64_t>& records = {}) {
  EarlierRelease release{.name = "r", .columns = columns, .cells = {}, .records = {}, .example = {}};
  std::uint64_t next = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    release.cells.insert(release.cells.end(), rows[row].begin(), rows[row].end());
    release.records.push_back(records.empty() ? 1 : records[row]);
    release.example.push_back(next);
    next += release.records.back();
  }
  return release;
}

Interval One(Code code) { return {code, code}; }

// The join record by record, and everything counted in it.
class JoinByRecord {
 public:
  JoinByRecord(const ViewPair& pair, const ViewQuestion& question) : pair_(pair), question_(question) {
    left_ = RecordsOf(pair.left);
    right_ = RecordsOf(pair.right);
    for (std::size_t l = 0; l < left_.size(); ++l) {
      for (std::size_t r = 0; r < right_.size(); ++r) {
        if (Match(l, r)) matches_.emplace_back(l, r);
      }
    }
    Recount();
  }

  // Leaves those matches that are in some pairing of all records of the smaller side; false where there is none.
  bool PairOff() {
    std::set<std::pair<std::size_t, std::size_t>> possible;
    std::vector<bool> is_taken(right_.size());
    std::vector<std::size_t> partner(left_.size(), right_.size());
    Pair(0, 0, is_taken, partner, possible);
    std::erase_if(matches_, [&](const auto& match) { return !possible.contains(match); });
    Recount();
    return !possible.empty();
  }

  void ExpectAnswer(const ViewAnswer& answer, const ViewBars& bars) const {
    ASSERT_EQ(answer.least.has_value(), !matches_.empty());
    ASSERT_EQ(answer.greatest.has_value(), !matches_.empty());
    if (!matches_.empty()) {
      std::uint64_t least = ~std::uint64_t{0};
      double greatest = 0;
      for (const auto& [x, values] : values_of_x_) {
        least = std::min<std::uint64_t>(least, values.size());
        greatest = std::max(greatest, ShareOf(x));
      }
      ASSERT_TRUE(answer.least->values == least);
      ASSERT_DOUBLE_EQ(
          static_cast<double>(answer.greatest->share.num) / static_cast<double>(answer.greatest->share.den), greatest);
      const Cells at_least = XAt(answer.least->witness), at_greatest = XAt(answer.greatest->witness);
      ASSERT_EQ(values_of_x_.at(at_least).size(), least);
      ASSERT_DOUBLE_EQ(ShareOf(at_greatest), greatest);
    }
    if (answer.left) {
      ASSERT_EQ(*answer.left, Records(left_.size(), bars, [](const auto& match) { return match.first; }));
    }
    if (answer.right) {
      ASSERT_EQ(*answer.right, Records(right_.size(), bars, [](const auto& match) { return match.second; }));
    }
  }

 private:
  static std::vector<Cells> RecordsOf(const EarlierRelease& release) {
    std::vector<Cells> records;
    for (std::size_t row = 0; row < release.rows(); ++row) {
      const auto cells = release.row(row);
      records.insert(records.end(), release.records[row], Cells(cells.begin(), cells.end()));
    }
    return records;
  }

  bool Match(std::size_t l, std::size_t r) const {
    const auto cell = [&](ReleaseColumn at) { return at.release == 0 ? left_[l][at.column] : right_[r][at.column]; };
    for (const CommonAttribute& attribute : pair_.common) {
      const Interval a = cell(attribute.columns[0]), b = cell(attribute.columns[1]);
      if (!(attribute.by_overlap ? a.Intersects(b) : a.Contains(b) || b.Contains(a))) return false;
    }
    return std::ranges::none_of(pair_.impossible, [&](const ImpossiblePair& pair) {
      return pair.left_values.Contains(cell(pair.left)) && pair.right_values.Contains(cell(pair.right));
    });
  }

  Cells At(std::size_t l, std::size_t r, const std::vector<ReleaseColumn>& columns) const {
    Cells cells;
    for (const ReleaseColumn at : columns) {
      if (at.column == ReleaseColumn::kWho) {
        cells.push_back(One(static_cast<Code>(at.release == 0 ? l : r)));
      } else {
        cells.push_back(at.release == 0 ? left_[l][at.column] : right_[r][at.column]);
      }
    }
    return cells;
  }
  Cells XAt(const ViewWitness& witness) const {
    EXPECT_TRUE(std::ranges::find(matches_, std::pair<std::size_t, std::size_t>{
                                                witness.left_record, witness.right_record}) != matches_.end());
    return At(witness.left_record, witness.right_record, question_.x);
  }

  void Recount() {
    values_of_x_.clear();
    for (const auto& [l, r] : matches_) ++values_of_x_[At(l, r, question_.x)][At(l, r, question_.y)];
  }

  double ShareOf(const Cells& x) const {
    std::uint64_t all = 0, most = 0;
    for (const auto& [value, rows] : values_of_x_.at(x)) {
      all += rows;
      most = std::max(most, rows);
    }
    return static_cast<double>(most) / static_cast<double>(all);
  }

  template <typename Side>
  ViewRecords Records(std::size_t records, const ViewBars& bars, const Side& side) const {
    ViewRecords counts{.records = records};
    const double alpha = static_cast<double>(bars.alpha.num) / static_cast<double>(bars.alpha.den);
    for (std::size_t record = 0; record < records; ++record) {
      std::size_t met = 0, below = 0, above = 0;
      for (const auto& match : matches_) {
        if (side(match) != record) continue;
        const Cells x = At(match.first, match.second, question_.x);
        ++met;
        below += values_of_x_.at(x).size() < bars.k ? 1 : 0;
        above += ShareOf(x) > alpha + 1e-12 ? 1 : 0;
      }
      counts.outside += met == 0 ? 1 : 0;
      counts.below_k_in_some += below > 0 ? 1 : 0;
      counts.below_k_in_every += met > 0 && below == met ? 1 : 0;
      counts.above_alpha_in_some += above > 0 ? 1 : 0;
      counts.above_alpha_in_every += met > 0 && above == met ? 1 : 0;
    }
    return counts;
  }

  void Pair(std::size_t l, std::size_t paired, std::vector<bool>& is_taken, std::vector<std::size_t>& partner,
            std::set<std::pair<std::size_t, std::size_t>>& possible) const {
    if (l == left_.size()) {
      if (paired < std::min(left_.size(), right_.size())) return;
      for (std::size_t i = 0; i < l; ++i) {
        if (partner[i] < right_.size()) possible.emplace(i, partner[i]);
      }
      return;
    }
    for (std::size_t r = 0; r < right_.size(); ++r) {
      if (is_taken[r] || !Match(l, r)) continue;
      is_taken[r] = true;
      partner[l] = r;
      Pair(l + 1, paired + 1, is_taken, partner, possible);
      is_taken[r] = false;
    }
    partner[l] = right_.size();
    Pair(l + 1, paired, is_taken, partner, possible);
  }

  const ViewPair& pair_;
  const ViewQuestion& question_;
  std::vector<Cells> left_, right_;
  std::vector<std::pair<std::size_t, std::size_t>> matches_;
  std::map<Cells, std::map<Cells, std::uint64_t>> values_of_x_;
};

// Two columns that both have (a node of a small taxonomy, an interval of a number), two of their own.
ViewPair DrawPair(Random& random, std::uint64_t most_records) {
  constexpr std::array<Interval, 7> kNodes = {{{0, 3}, {0, 1}, {2, 3}, {0, 0}, {1, 1}, {2, 2}, {3, 3}}};
  ViewPair pair;
  for (EarlierRelease* release : {&pair.left, &pair.right}) {
    std::vector<Cells> rows;
    std::vector<std::uint64_t> records;
    const std::uint32_t count = 1 + random.Below(4);
    for (std::uint32_t row = 0; row < count; ++row) {
      const Code lo = random.Below(4);
      rows.push_back(
          {kNodes[random.Below(7)], Interval{lo, lo + random.Below(2)}, One(random.Below(2)), One(random.Below(3))});
      records.push_back(1 + random.Below(static_cast<std::uint32_t>(most_records)));
    }
    *release = ReleaseOf(4, rows, records);
  }
  pair.common.push_back({{{0, 0}, {1, 0}}, false});
  if (random.Below(2) == 0) pair.common.push_back({{{0, 1}, {1, 1}}, true});
  if (random.Below(3) == 0) pair.impossible.push_back({{0, 2}, {0, 0}, {1, 2}, {1, 1}});
  pair.is_one_to_one = true;
  return pair;
}

ViewQuestion DrawQuestion(Random& random) {
  ViewQuestion question;
  for (const ReleaseColumn at : std::vector<ReleaseColumn>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}) {
    if (random.Below(2) == 0) question.x.push_back(at);
  }
  const auto y = random.Below(5);
  if (y == 0) question.y = {{0, 3}};
  if (y == 1) question.y = {{1, 3}};
  if (y == 2) question.y = {{0, 3}, {1, 3}};
  if (y == 3) question.y = {{0, ReleaseColumn::kWho}};
  if (y == 4) question.y = {{1, ReleaseColumn::kWho}};
  return question;
}

TEST(Views, FindWhatTheJoinRecordByRecordHas) {
  Random random(SeedFromNumber(1), "views");
  int ruled_out = 0, without = 0;
  for (std::size_t round = 0; round < TestRounds(6000); ++round) {
    ViewPair pair = DrawPair(random, 2);
    const ViewQuestion question = DrawQuestion(random);
    const ViewBars bars{.k = 1 + random.Below(3), .alpha = {1, 1 + random.Below(3)}};
    JoinByRecord join(pair, question);
    const ViewFindings found = LookAtViews(pair, {question}, bars);
    ASSERT_NO_FATAL_FAILURE(join.ExpectAnswer(found.joined.at(0), bars)) << round;
    const ViewFindings hurried = LookAtViews(pair, {question}, bars, {.work = 0});
    ASSERT_NO_FATAL_FAILURE(join.ExpectAnswer(hurried.joined.at(0), bars)) << round;
    if (!found.pairing) continue;
    const bool can_be_paired = join.PairOff();
    ASSERT_EQ(found.pairing->outcome == PairingOutcome::kPaired, can_be_paired) << round;
    without += can_be_paired ? 0 : 1;
    if (found.paired.empty()) continue;
    ++ruled_out;
    ASSERT_NO_FATAL_FAILURE(join.ExpectAnswer(found.paired[0], bars)) << round;
  }
  EXPECT_GT(ruled_out, TestRounds(100));
  EXPECT_GT(without, TestRounds(100));
}

// Towns and diseases beside jobs and diseases: two diseases fit Ann, a clerk from Aston, in each; one fits in both.
TEST(Views, TheTownAndTheJobOfAnnGiveHerDisease) {
  constexpr Code kHiv = 0, kFlu = 1, kAsthma = 2, kCold = 3;
  ViewPair pair{.left = ReleaseOf(2, {{One(0), One(kHiv)},
                                      {One(0), One(kFlu)},
                                      {One(1), One(kAsthma)},
                                      {One(1), One(kCold)},
                                      {One(2), One(kHiv)},
                                      {One(2), One(kFlu)},
                                      {One(3), One(kAsthma)},
                                      {One(3), One(kCold)}}),
                .right = ReleaseOf(2, {{One(0), One(kHiv)},
                                       {One(0), One(kCold)},
                                       {One(1), One(kAsthma)},
                                       {One(1), One(kFlu)},
                                       {One(2), One(kCold)},
                                       {One(2), One(kFlu)},
                                       {One(3), One(kHiv)},
                                       {One(3), One(kAsthma)}}),
                .common = {{{{0, 1}, {1, 1}}, false}}};
  const ViewRoles roles{{0}, {1}, {0}, {1}};
  const std::vector<ViewQuestion> questions = SensibleQuestions(pair, roles);
  ASSERT_EQ(questions.size(), 4) << "both columns with X of both, and each with X of the other release";
  EXPECT_EQ(questions[0], (ViewQuestion{{{0, 0}, {1, 0}}, {{0, 1}}}));
  const ViewFindings found = LookAtViews(pair, questions, {.k = 2, .alpha = {1, 2}});
  EXPECT_TRUE(found.joined[0].least->values == 1);
  EXPECT_TRUE(found.joined[0].greatest->share.num == found.joined[0].greatest->share.den);
  EXPECT_EQ(found.joined[0].left->below_k_in_every, 8) << "whatever the job, the town and the job name the disease";
  EXPECT_EQ(found.joined[0].left->outside, 0);
}

// A row that was recoded by itself falls to whoever pairs the records off.
TEST(Views, ALocallyRecodedReleaseFallsToPairing) {
  ViewPair pair{.left = ReleaseOf(2, {{One(0), One(1)}, {One(1), One(2)}}),
                .right = ReleaseOf(2, {{One(1), One(7)}, {{0, 3}, One(8)}}),
                .common = {{{{0, 1}, {1, 0}}, false}}};
  const std::vector<ViewQuestion> questions = {{{{0, 0}}, {{1, 1}}}};
  const ViewBars bars{.k = 2, .alpha = {1, 2}};
  EXPECT_FALSE(LookAtViews(pair, questions, bars).pairing.has_value());
  pair.is_one_to_one = true;
  const ViewFindings found = LookAtViews(pair, questions, bars);
  EXPECT_EQ(found.joined[0].left->below_k_in_every, 1) << "b has y2 alone by the join, a has two values";
  ASSERT_EQ(found.pairing->ruled_out, 1);
  EXPECT_EQ(found.paired[0].left->below_k_in_every, 2);
}

TEST(Views, AtTheBarNothingIsFoundAndBeyondItAll) {
  const ViewPair pair{.left = ReleaseOf(2, {{One(0), One(0)}}, {3}),
                      .right = ReleaseOf(2, {{One(0), One(0)}, {One(0), One(1)}}, {29, 71}),
                      .common = {{{{0, 1}, {1, 0}}, false}}};
  const std::vector<ViewQuestion> questions = {{{{0, 0}}, {{1, 1}}}};
  ViewAnswer found = LookAtViews(pair, questions, {.k = 2, .alpha = {71, 100}}).joined[0];
  EXPECT_EQ(found.left->below_k_in_some, 0);
  EXPECT_EQ(found.left->above_alpha_in_some, 0);
  found = LookAtViews(pair, questions, {.k = 3, .alpha = {709'999, 1'000'000}}).joined[0];
  EXPECT_EQ(found.left->below_k_in_every, 3);
  EXPECT_EQ(found.right->below_k_in_every, 100);
  EXPECT_EQ(found.left->above_alpha_in_every, 3);
}

TEST(Views, QuestionsOfOneReleaseOrOfACommonColumnInXAreLeftOut) {
  const ViewPair pair{.left = ReleaseOf(2, {{One(0), One(0)}}),
                      .right = ReleaseOf(2, {{One(0), One(0)}}),
                      .common = {{{{0, 0}, {1, 1}}, false}}};
  // The right one calls sensitive what identifies on the left.
  const std::vector<ViewQuestion> questions = SensibleQuestions(pair, {{0}, {1}, {0}, {1}});
  EXPECT_EQ(questions, (std::vector<ViewQuestion>{{{{0, 0}, {1, 0}}, {{0, 1}}}, {{{1, 0}}, {{0, 1}}}}));
}

TEST(Views, WhatMatchesNothingIsOutsideAndHasNoNumbers) {
  const ViewPair pair{
      .left = ReleaseOf(1, {{One(0)}}, {2}), .right = ReleaseOf(1, {{One(1)}}), .common = {{{{0, 0}, {1, 0}}, false}}};
  const ViewAnswer found = LookAtViews(pair, {{{}, {{1, 0}}}}, {}).joined[0];
  EXPECT_FALSE(found.least.has_value());
  EXPECT_EQ(*found.left, (ViewRecords{.records = 2, .outside = 2}));
  EXPECT_EQ(*found.right, (ViewRecords{.records = 1, .outside = 1}));
}

TEST(Views, AColumnThatIsNotThereIsABugOfOurs) {
  const ViewPair pair{.left = ReleaseOf(1, {{One(0)}}), .right = ReleaseOf(1, {{One(0)}}), .common = {}};
  EXPECT_NE(FailedCheckIn([&] { (void)LookAtViews(pair, {{{}, {{1, 9}}}}, {}); }).find("y names"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::views_test
