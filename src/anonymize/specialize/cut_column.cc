#include "anonymize/specialize/cut_column.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
    if (holds_missing) {
      // A missing value is a value of its own under the root.
      if (domain_.is_numeric() || domain_.value_count() == 1) {
        const Interval parts[] = {{0, codes.hi - 1}, {codes.hi, codes.hi}};
        AddChildren(id, parts);
      } else {
        GrowFromTaxonomy(id);
      }
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

// The split between two values that occur which gains most; in the middle of the gap between them, so that it gives
// away neither.
void CutColumn::GrowFromNumbers(NodeId id) {
  const Interval codes = nodes_[id].codes;
  double best = -std::numeric_limits<double>::infinity();
  bool found = false;
  Code best_below = 0;
  Code best_above = 0;
  std::optional<Code> below;
  for (Code code = codes.lo; code <= codes.hi; ++code) {
    if (CountRecords({code, code}) == 0) continue;
    if (below) {
      const Interval left{codes.lo, code - 1};
      const Interval right{code, codes.hi};
      double gain = 0;
      if (utility_ == Utility::kClass) {
        gain = -EntropyTimesRecords(left) - EntropyTimesRecords(right);
      } else {
        gain = static_cast<double>(CountRecords(left)) * (1 - domain_.RelativeWidth(left)) +
               static_cast<double>(CountRecords(right)) * (1 - domain_.RelativeWidth(right));
      }
      if (gain > best) found = true, best = gain, best_below = *below, best_above = code;
    }
    below = code;
  }
  if (!found) return;  // all of them have one value
  const Code at = best_below + 1 + (best_above - best_below - 1) / 2;
  const Interval parts[] = {{codes.lo, at - 1}, {at, codes.hi}};
  AddChildren(id, parts);
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
