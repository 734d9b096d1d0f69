// One-to-one matching, straight from its definition, for tests: every assignment that gives each row of the smaller
// release a partner of its own in the other is built, one after the other. Slow on purpose. Whether two rows match it
// takes from the oracle of the join.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "oracle/xy_oracle.h"

namespace pentimento::oracle::one_to_one {

using RowPair = std::pair<std::size_t, std::size_t>;  // a row of release 0, and one of another release

class Assignments {
 public:
  Assignments(const join::Instance& instance, std::size_t release) : instance_(instance), release_(release) {
    const std::size_t here = instance.releases[0].size(), there = instance.releases[release].size();
    here_is_smaller_ = here <= there;
    smaller_ = here_is_smaller_ ? here : there;
    larger_ = here_is_smaller_ ? there : here;
    is_taken_.resize(larger_);
    Assign(0);
  }

  // The pairs of rows that some assignment has; nothing where there is no assignment.
  const std::optional<std::set<RowPair>>& pairs() const { return pairs_; }

 private:
  void Assign(std::size_t row) {
    if (row == smaller_) {
      if (!pairs_) pairs_.emplace();
      pairs_->insert(chosen_.begin(), chosen_.end());
      return;
    }
    for (std::size_t partner = 0; partner < larger_; ++partner) {
      const RowPair pair = here_is_smaller_ ? RowPair{row, partner} : RowPair{partner, row};
      if (is_taken_[partner] || !join::RowsMatch(instance_, 0, pair.first, release_, pair.second)) continue;
      is_taken_[partner] = true;
      chosen_.push_back(pair);
      Assign(row + 1);
      chosen_.pop_back();
      is_taken_[partner] = false;
    }
  }

  const join::Instance& instance_;
  std::size_t release_;
  bool here_is_smaller_ = true;
  std::size_t smaller_ = 0;
  std::size_t larger_ = 0;
  std::vector<bool> is_taken_;
  std::vector<RowPair> chosen_;
  std::optional<std::set<RowPair>> pairs_;
};

// The rows of the join whose pairs with release 0 are all in assignments. A release without one rules nothing out.
inline std::vector<join::Match> JoinLeft(const join::Instance& instance) {
  std::vector<std::optional<std::set<RowPair>>> pairs(1);
  for (std::size_t release = 1; release < instance.releases.size(); ++release)
    pairs.push_back(Assignments(instance, release).pairs());
  std::vector<join::Match> left;
  for (const join::Match& match : join::Join(instance)) {
    bool is_left = true;
    for (std::size_t release = 1; release < match.size(); ++release)
      is_left = is_left && (!pairs[release] || pairs[release]->contains({match[0], match[release]}));
    if (is_left) left.push_back(match);
  }
  return left;
}

// The fewest different values on y that a value on x meets in these rows; nothing without rows.
inline std::optional<std::size_t> FewestValues(const join::Instance& instance, const std::vector<join::Match>& matches,
                                               const join::Columns& x, const join::Columns& y) {
  std::map<join::Value, std::set<join::Value>> met;
  for (const join::Match& match : matches)
    met[join::ValueAt(instance, match, x)].insert(join::ValueAt(instance, match, y));
  std::optional<std::size_t> fewest;
  for (const auto& [value, ys] : met) {
    if (!fewest || ys.size() < *fewest) fewest = ys.size();
  }
  return fewest;
}

// The greatest share of one value on y in the rows with a value on x, as two counts.
inline std::optional<std::pair<std::uint64_t, std::uint64_t>> GreatestShare(const join::Instance& instance,
                                                                            const std::vector<join::Match>& matches,
                                                                            const join::Columns& x,
                                                                            const join::Columns& y) {
  std::map<join::Value, std::map<join::Value, std::uint64_t>> met;
  for (const join::Match& match : matches) ++met[join::ValueAt(instance, match, x)][join::ValueAt(instance, match, y)];
  std::optional<std::pair<std::uint64_t, std::uint64_t>> greatest;
  for (const auto& [value, ys] : met) {
    std::uint64_t all = 0;
    for (const auto& [y_value, count] : ys) all += count;
    for (const auto& [y_value, count] : ys) {
      if (!greatest || count * greatest->second > greatest->first * all) greatest = {count, all};
    }
  }
  return greatest;
}

}  // namespace pentimento::oracle::one_to_one
