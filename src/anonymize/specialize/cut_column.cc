#include "anonymize/specialize/cut_column.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/check.h"

namespace pentimento {

CutColumn::CutColumn(const Domain& domain, ColumnHistogram histogram, Utility utility)
    : domain_(domain),
      histogram_(std::move(histogram)),
      utility_(utility),
      node_of_code_(domain.size()),
      child_of_code_(domain.size()) {
  const std::size_t classes = histogram_.classes;
  before_.assign((std::size_t{domain.size()} + 1) * classes, 0);
  for (std::size_t i = 0; i < histogram_.counts.size(); ++i) before_[i + classes] = before_[i] + histogram_.counts[i];
  nodes_.push_back({.codes = domain.root(), .records = CountRecords(domain.root())});
  EnterCut(0);
}

void CutColumn::Specialize(NodeId id) {
  Check(nodes_[id].child_count > 0, "only what has children is specialized");
  const NodeId first = nodes_[id].first_child;
  const std::uint32_t count = nodes_[id].child_count;
  std::erase(cut_, id);
  for (NodeId child = first; child < first + count; ++child) EnterCut(child);
}

// What its specialization would be is found when a node enters the cut.
void CutColumn::EnterCut(NodeId id) {
  cut_.push_back(id);
  const Interval codes = nodes_[id].codes;
  if (codes.lo < codes.hi && nodes_[id].records > 0) {
    const bool holds_missing = domain_.missing_code() && codes.hi == *domain_.missing_code();
    if (holds_missing && (domain_.is_numeric() || domain_.value_count() == 1)) {
      // A missing value is a value of its own under the root.
      const Interval parts[] = {{0, codes.hi - 1}, {codes.hi, codes.hi}};
      AddChildren(id, parts);
    } else if (domain_.is_numeric()) {
      GrowFromNumbers(id);
    } else {
      GrowFromTaxonomy(id);
    }
  }
  for (Code code = codes.lo; code <= codes.hi; ++code) {
    node_of_code_[code] = id;
    child_of_code_[code] = 0;
  }
  NumberChildren(id);
}

// Once a node has its children.
void CutColumn::NumberChildren(NodeId id) {
  const NodeId first = nodes_[id].first_child;
  for (std::uint32_t child = 0; child < nodes_[id].child_count; ++child) {
    const Interval part = nodes_[first + child].codes;
    for (Code code = part.lo; code <= part.hi; ++code) child_of_code_[code] = child;
  }
  nodes_[id].gain = nodes_[id].child_count > 0 ? GainOf(id) : 0;
}

void CutColumn::AddChildren(NodeId id, std::span<const Interval> children) {
  nodes_[id].first_child = static_cast<NodeId>(nodes_.size());
  nodes_[id].child_count = static_cast<std::uint32_t>(children.size());
  for (const Interval codes : children) nodes_.push_back({.codes = codes, .records = CountRecords(codes)});
}

void CutColumn::GrowFromTaxonomy(NodeId id) {
  const Interval codes = nodes_[id].codes;
  const Taxonomy& taxonomy = domain_.taxonomy();
  const bool holds_missing = domain_.missing_code() && codes.hi == *domain_.missing_code();
  // The lowest node that covers the same leaves: nodes with one child say nothing more than that child.
  const Taxonomy::NodeId top = taxonomy.Cover({codes.lo, holds_missing ? codes.hi - 1 : codes.hi});
  std::vector<Interval> children;
  for (const Taxonomy::NodeId child : taxonomy.node(top).children) children.push_back(taxonomy.node(child).leaves);
  if (holds_missing) children.push_back({codes.hi, codes.hi});
  AddChildren(id, children);
}

void CutColumn::GrowFromNumbers(NodeId id) {
  const std::vector<Code> splits = SplitsOf(id);
  if (splits.empty()) return;  // all of them have one value
  const Interval codes = nodes_[id].codes;
  const Interval parts[] = {{codes.lo, splits.front() - 1}, {splits.front(), codes.hi}};
  AddChildren(id, parts);
}

// Each in the middle of the gap between two values, so that it gives away neither.
std::vector<Code> CutColumn::SplitsOf(NodeId id) const {
  const Interval codes = nodes_[id].codes;
  if (!domain_.is_numeric() || (domain_.missing_code() && codes.hi == *domain_.missing_code())) return {};
  struct Split {
    Code at = 0;
    double gain = 0;
  };
  std::vector<Split> splits;
  std::optional<Code> below;
  for (Code code = codes.lo; code <= codes.hi; ++code) {
    if (CountRecords({code, code}) == 0) continue;
    if (below) {
      const Code at = *below + 1 + (code - *below - 1) / 2;
      splits.push_back({at, GainOfParts({codes.lo, at - 1}, {at, codes.hi})});
    }
    below = code;
  }
  std::ranges::stable_sort(splits, std::greater<>(), &Split::gain);
  std::vector<Code> places;
  for (const Split& split : splits) places.push_back(split.at);
  return places;
}

// To compare splits of one node.
double CutColumn::GainOfParts(Interval left, Interval right) const {
  if (utility_ == Utility::kClass) return -EntropyTimesRecords(left) - EntropyTimesRecords(right);
  return static_cast<double>(CountRecords(left)) * (1 - domain_.RelativeWidth(left)) +
         static_cast<double>(CountRecords(right)) * (1 - domain_.RelativeWidth(right));
}

void CutColumn::SplitAt(NodeId id, Code at) {
  const Interval codes = nodes_[id].codes;
  Check(nodes_[id].child_count == 2 && codes.lo < at && at <= codes.hi, "numbers are split in two");
  const NodeId first = nodes_[id].first_child;
  const Interval parts[] = {{codes.lo, at - 1}, {at, codes.hi}};
  for (NodeId child = 0; child < 2; ++child)
    nodes_[first + child] = {.codes = parts[child], .records = CountRecords(parts[child])};
  NumberChildren(id);
}

std::uint64_t CutColumn::CountRecords(Interval codes) const {
  std::uint64_t records = 0;
  for (std::size_t c = 0; c < histogram_.classes; ++c) {
    records += before_[(std::size_t{codes.hi} + 1) * histogram_.classes + c] -
               before_[std::size_t{codes.lo} * histogram_.classes + c];
  }
  return records;
}

double CutColumn::EntropyTimesRecords(Interval codes) const {
  const auto total = static_cast<double>(CountRecords(codes));
  double sum = 0;
  for (std::size_t c = 0; c < histogram_.classes; ++c) {
    const auto count = static_cast<double>(before_[(std::size_t{codes.hi} + 1) * histogram_.classes + c] -
                                           before_[std::size_t{codes.lo} * histogram_.classes + c]);
    if (count > 0) sum -= count * std::log2(count / total);
  }
  return sum;
}

double CutColumn::GainOf(NodeId id) const {
  const Node& node = nodes_[id];
  const auto records = static_cast<double>(node.records);
  double gain = utility_ == Utility::kClass ? EntropyTimesRecords(node.codes) / records : 0;
  for (NodeId child = node.first_child; child < node.first_child + node.child_count; ++child) {
    const auto there = static_cast<double>(nodes_[child].records);
    if (utility_ == Utility::kClass) {
      if (there > 0) gain -= EntropyTimesRecords(nodes_[child].codes) / records;
    } else if (domain_.is_numeric()) {
      gain += there * (domain_.RelativeWidth(node.codes) - domain_.RelativeWidth(nodes_[child].codes));
    } else {
      gain += there;  // one level for each record
    }
  }
  return std::max(gain, 0.0);
}

}  // namespace pentimento
