#include "anonymize/serial/child_cuts.h"

#include <algorithm>
#include <numeric>

namespace pentimento::serial {

void ChildCuts::Begin(std::size_t column, Interval members) {
  column_ = column;
  width_ = search_.widths[column].Of(members);
  node_.emplace(search_.shapes[column], members);
  children_.clear();
  kinds_ = 0;
}

void ChildCuts::Add(Code code, std::uint32_t rows) {
  if (children_.empty() || code > children_.back().leaves.hi)
    children_.push_back({.leaves = node_->ChildOf(code), .members = {code, code}});
  children_.back().members.hi = code;
  children_.back().rows += rows;
}

std::size_t ChildCuts::ChildOf(Code code) const {
  const auto child = std::ranges::lower_bound(children_, code, {}, [](const Child& c) { return c.leaves.hi; });
  return static_cast<std::size_t>(child - children_.begin());
}

std::int64_t ChildCuts::MostGain() const {
  std::int64_t gain = 0;
  for (const Child& child : children_) {
    if (child.rows < search_.prices.k()) continue;
    gain += static_cast<std::int64_t>(child.rows) * (width_ - search_.widths[column_].Of(child.members));
  }
  return gain;
}

void ChildCuts::BeginHolders(std::size_t kinds, std::size_t level) {
  kinds_ = kinds;
  held_.assign(children_.size() * kinds, 0);
  for (Child& child : children_) child.level = level;
}

void ChildCuts::AddHolder(Code code, std::uint32_t signature, const HeldItems& held) {
  const std::size_t child = ChildOf(code);
  ++children_[child].holders;
  held.AddTo(std::span(held_).subspan(child * kinds_, kinds_), signature);
}

std::optional<std::int64_t> ChildCuts::Plan(const HeldItems& held, std::uint64_t rows, std::size_t lowest_level) {
  rest_.rows = 0;
  rest_.level = kMostLevels - 1;
  rest_.held.assign(kinds_, 0);
  for (std::size_t c = 0; c < children_.size(); ++c) {
    children_[c].stands = IsLegal(held, children_[c].rows, children_[c].level, HeldIn(c));
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
  for (std::uint32_t c = 0; c < children_.size(); ++c) {
    if (children_[c].stands) smallest_first_.push_back(c);
  }
  std::ranges::stable_sort(smallest_first_, {}, [this](std::uint32_t c) { return children_[c].rows; });
  for (const std::uint32_t c : smallest_first_) {
    JoinRest(c);
    if (is_legal()) return;
  }
}

std::int64_t ChildCuts::Gain(const HeldItems& held, std::uint64_t rows, std::size_t lowest_level) const {
  std::int64_t gain = 0;
  std::int64_t price = 0;
  const auto pay_for = [&](std::uint64_t part, std::size_t level, std::span<const std::uint32_t> counts) {
    gain -= search_.prices.LeftOver(part);
    if (kinds_ > 0) price += held.PriceOfPart(counts, part, level, rows, lowest_level);
  };
  for (std::size_t c = 0; c < children_.size(); ++c) {
    const Child& child = children_[c];
    if (!child.stands) continue;
    gain += static_cast<std::int64_t>(child.rows) * (width_ - search_.widths[column_].Of(child.members));
    pay_for(child.rows, child.level, HeldIn(c));
  }
  if (rest_.rows > 0) pay_for(rest_.rows, rest_.level, rest_.held);
  // Each part is compared with all others together, so two parts are compared twice.
  return gain - price / 2;
}

std::vector<ChildPart> ChildCuts::Standing() const {
  std::vector<ChildPart> standing;
  for (const Child& child : children_) {
    if (child.stands) standing.push_back({child.leaves, child.rows, child.holders});
  }
  return standing;
}

PartOfCode::PartOfCode(std::span<const ChildPart> children, Interval members, std::size_t rows)
    : children_(children), first_(members.lo) {
  constexpr std::size_t kCodesPerRow = 8;
  if (members.size() > kCodesPerRow * rows) return;
  part_.assign(members.size(), static_cast<std::uint32_t>(children.size()));
  for (std::uint32_t part = 0; part < children.size(); ++part) {
    const Interval codes{std::max(children[part].leaves.lo, members.lo),
                         std::min(children[part].leaves.hi, members.hi)};
    std::fill_n(part_.begin() + (codes.lo - members.lo), codes.size(), part);
  }
}

std::uint32_t PartOfCode::Search(Code code) const {
  const auto child = std::ranges::lower_bound(children_, code, {}, [](const ChildPart& c) { return c.leaves.hi; });
  const bool is_in = child != children_.end() && child->leaves.lo <= code;
  return static_cast<std::uint32_t>(is_in ? child - children_.begin() : children_.end() - children_.begin());
}

}  // namespace pentimento::serial
