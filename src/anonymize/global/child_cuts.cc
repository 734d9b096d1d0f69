#include "anonymize/global/child_cuts.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace pentimento::global {
namespace {

constexpr std::uint32_t kOther = std::numeric_limits<std::uint32_t>::max();  // of those with fewer than k rows

}  // namespace

void ChildCuts::Begin(std::size_t column, Interval members) {
  constexpr Code kMostInTable = Code{1} << 16;
  column_ = column;
  width_ = search_.shapes[column].Width(members);
  node_.emplace(search_.shapes[column], members);
  children_.clear();
  kinds_ = 0;
  first_ = members.lo;
  has_table_ = members.size() <= kMostInTable;
  // Whatever was noted there before: no code is asked for that is not added.
  if (has_table_ && child_of_code_.size() < members.size()) child_of_code_.resize(members.size());
}

void ChildCuts::AddAll(std::span<const std::uint32_t> rows_of_code) {
  // First which codes there are, without a branch that nobody could foresee.
  if (occupied_.size() < rows_of_code.size()) occupied_.resize(rows_of_code.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows_of_code.size(); ++i) {
    occupied_[count] = static_cast<std::uint32_t>(i);
    count += rows_of_code[i] != 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < count; ++i) Add(first_ + occupied_[i], rows_of_code[occupied_[i]]);
}

std::optional<std::int64_t> ChildCuts::MostGain() {
  const std::uint64_t k = search_.prices.k();
  Child others{};
  std::int64_t most = 0;
  large_ = 0;
  number_of_.resize(children_.size());
  last_leaf_.clear();
  for (std::size_t c = 0; c < children_.size(); ++c) {
    if (!has_table_) last_leaf_.push_back(children_[c].leaves.hi);
    Child& child = children_[c];
    if (child.rows < k) {
      number_of_[c] = kOther;
      others.rows += child.rows;
      continue;
    }
    child.gain = static_cast<std::int64_t>(child.rows) * (width_ - search_.shapes[column_].Width(child.members)) -
                 search_.prices.LeftOver(child.rows);
    most += std::max<std::int64_t>(child.gain, 0);
    number_of_[c] = static_cast<std::uint32_t>(large_);
    children_[large_++] = child;
  }
  children_.resize(large_);
  if (others.rows > 0) {
    for (std::uint32_t& number : number_of_) number = std::min(number, static_cast<std::uint32_t>(large_));
    children_.push_back(others);
  }
  // Too few others take in a child, and another one must be left.
  if (large_ < (others.rows > 0 && others.rows < k ? 2 : 1)) return std::nullopt;
  return most;
}

std::size_t ChildCuts::Search(Code code) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(last_leaf_, code) - last_leaf_.begin());
}

void ChildCuts::BeginHolders(std::size_t kinds, std::size_t level) {
  kinds_ = kinds;
  held_.assign(children_.size() * kinds, 0);
  for (Child& child : children_) child.level = level;
}

std::optional<std::int64_t> ChildCuts::Plan(const HeldItems& held, std::uint64_t rows, std::size_t lowest_level) {
  rest_.rows = 0;
  rest_.level = kMostLevels - 1;
  rest_.held.assign(kinds_, 0);
  for (std::size_t c = 0; c < children_.size(); ++c) {
    children_[c].stands = c < large_ && IsLegal(held, children_[c].rows, children_[c].level, HeldIn(c));
    if (!children_[c].stands) JoinRest(c);
  }
  FillRest(held);
  if (rest_.rows == rows) return std::nullopt;
  return Gain(held, rows, lowest_level);
}

bool ChildCuts::IsLegal(const HeldItems& held, std::uint64_t rows, std::size_t level,
                        std::span<const std::uint32_t> counts) const {
  return rows >= search_.prices.k() && (kinds_ == 0 || held.KeepsPart(counts, rows, level));
}

void ChildCuts::JoinRest(std::size_t child) {
  children_[child].stands = false;
  rest_.rows += children_[child].rows;
  rest_.level = std::min(rest_.level, children_[child].level);
  for (std::size_t kind = 0; kind < kinds_; ++kind) rest_.held[kind] += HeldIn(child)[kind];
}

// In the worst case nothing stands, and the rest is the node, which keeps its caps.
void ChildCuts::FillRest(const HeldItems& held) {
  const auto is_legal = [&] { return rest_.rows == 0 || IsLegal(held, rest_.rows, rest_.level, rest_.held); };
  if (is_legal()) return;
  smallest_first_.clear();
  for (std::uint32_t c = 0; c < large_; ++c) {
    if (children_[c].stands) smallest_first_.push_back(c);
  }
  std::ranges::sort(smallest_first_, {}, [this](std::uint32_t c) { return std::pair(children_[c].rows, c); });
  for (const std::uint32_t c : smallest_first_) {
    JoinRest(c);
    if (is_legal()) return;
  }
}

std::int64_t ChildCuts::Gain(const HeldItems& held, std::uint64_t rows, std::size_t lowest_level) const {
  std::int64_t gain = 0;
  std::int64_t price = 0;
  const auto pay_for = [&](std::uint64_t part, std::size_t level, std::span<const std::uint32_t> counts) {
    if (kinds_ > 0) price += held.PriceOfPart(counts, part, level, rows, lowest_level);
  };
  for (std::size_t c = 0; c < large_; ++c) {
    const Child& child = children_[c];
    if (!child.stands) continue;
    gain += child.gain;
    pay_for(child.rows, child.level, HeldIn(c));
  }
  if (rest_.rows > 0) {
    gain -= search_.prices.LeftOver(rest_.rows);
    pay_for(rest_.rows, rest_.level, rest_.held);
  }
  // Each part is compared with all others together, so two parts are compared twice.
  return gain - price / 2;
}

void ChildCuts::CopyStanding(std::vector<partition::CutRun>& standing) const {
  standing.clear();
  for (const Child& child : children_) {
    if (child.stands) standing.push_back({child.leaves, child.rows});
  }
}

}  // namespace pentimento::global
