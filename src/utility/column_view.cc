#include "utility/column_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pentimento {
namespace {

LabelWidth WidthOf(const Domain& domain, Interval codes) {
  if (codes.lo == codes.hi) return domain.IsMissing(codes.lo) ? LabelWidth::kMissing : LabelWidth::kExact;
  const double width = domain.RelativeWidth(codes);
  if (width >= 1) return LabelWidth::kEverything;
  return width <= 0.1 ? LabelWidth::kTenth : width <= 0.5 ? LabelWidth::kHalf : LabelWidth::kWider;
}

// A part of a domain with a label of its own: codes of a taxonomy, or numbers from `lo` to below `hi`.
struct Part {
  std::string label;
  double lo = 0;
  double hi = 0;
};

// The deepest level of the taxonomy that has few enough nodes; at least that below the root.
std::vector<Part> PartsOf(const Taxonomy& taxonomy) {
  std::vector<Taxonomy::NodeId> nodes = taxonomy.root().children;
  if (nodes.empty()) nodes = {Taxonomy::kRoot};
  for (bool grows = true; grows;) {
    std::vector<Taxonomy::NodeId> deeper;
    for (const Taxonomy::NodeId node : nodes) {
      const auto& children = taxonomy.node(node).children;
      if (children.empty()) deeper.push_back(node);
      deeper.insert(deeper.end(), children.begin(), children.end());
    }
    grows = deeper.size() > nodes.size() && deeper.size() <= kMostValueBins;
    if (grows) nodes = std::move(deeper);
  }
  std::vector<Part> parts;
  for (const Taxonomy::NodeId node : nodes) {
    const Interval leaves = taxonomy.node(node).leaves;
    parts.push_back({taxonomy.node(node).label, double(leaves.lo), double(leaves.hi) + 1});
  }
  return parts;
}

std::string NumberText(double units, int scale) {
  return fmt::format("{:.{}f}", units * std::pow(10.0, -scale), scale);
}

// Of a domain that has every point as a code its own words are used, which know what the numbers mean.
std::string LabelOfNumbers(const Domain& domain, double first, double last) {
  const NumericRange& range = domain.range();
  if (!range.points.empty())
    return first == last ? NumberText(first, range.scale)
                         : fmt::format("{} to {}", NumberText(first, range.scale), NumberText(last, range.scale));
  const auto lo = static_cast<double>(range.lo);
  return domain.Label({static_cast<Code>(first - lo), static_cast<Code>(last - lo)});
}

// Of the widths that make eight bins or more the one whose last bin is fullest.
double EvenWidth(double points) {
  double best = std::ceil(points / kMostValueBins), fullest = 0;
  for (std::size_t bins = kMostValueBins; bins >= 8; --bins) {
    const double width = std::ceil(points / static_cast<double>(bins));
    const double last = points - (std::ceil(points / width) - 1) * width;
    if (last / width > fullest) best = width, fullest = last / width;
  }
  return best;
}

std::vector<Part> PartsOf(const Domain& domain) {
  if (!domain.is_numeric()) return PartsOf(domain.taxonomy());
  const NumericRange& range = domain.range();
  const double points = static_cast<double>(range.hi) - static_cast<double>(range.lo) + 1;
  const double width = EvenWidth(points);
  std::vector<Part> parts;
  for (auto lo = static_cast<double>(range.lo); lo <= static_cast<double>(range.hi); lo += width) {
    const double last = std::min(lo + width - 1, static_cast<double>(range.hi));
    parts.push_back({LabelOfNumbers(domain, lo, last), lo, last + 1});
  }
  return parts;
}

// What a label stands for, on the axis of the parts. The missing value has no place there.
std::pair<double, double> Span(const Domain& domain, Interval codes) {
  if (domain.missing_code() && codes.hi == *domain.missing_code() && codes.lo < codes.hi) --codes.hi;
  if (!domain.is_numeric()) return {codes.lo, double(codes.hi) + 1};
  return {static_cast<double>(domain.range().point(codes.lo)), static_cast<double>(domain.range().point(codes.hi)) + 1};
}

// Rows in each part, and at last those with the missing value.
std::vector<double> Spread(const Domain& domain, const std::vector<Part>& parts, std::span<const LabelledRows> labels) {
  std::vector<double> rows(parts.size() + 1);
  for (const LabelledRows& label : labels) {
    const auto count = static_cast<double>(label.rows);
    if (label.codes.lo == label.codes.hi && domain.IsMissing(label.codes.lo)) {
      rows.back() += count;
      continue;
    }
    const auto [lo, hi] = Span(domain, label.codes);
    auto part = std::ranges::upper_bound(parts, lo, {}, &Part::lo);
    for (part -= part == parts.begin() ? 0 : 1; part != parts.end() && part->lo < hi; ++part) {
      const double shared = std::min(hi, part->hi) - std::max(lo, part->lo);
      if (shared > 0) rows[static_cast<std::size_t>(part - parts.begin())] += count * shared / (hi - lo);
    }
  }
  return rows;
}

// Of more parts than there is room for, those with most rows, in their order; the others together.
void KeepLargest(ColumnView& view) {
  if (view.bins.size() <= kMostValueBins) return;
  std::vector<std::size_t> order(view.bins.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return view.bins[a].after > view.bins[b].after; });
  std::vector<std::size_t> kept(order.begin(), order.begin() + kMostValueBins - 1);
  std::sort(kept.begin(), kept.end());
  std::vector<ValueBin> bins;
  for (const std::size_t bin : kept) bins.push_back(view.bins[bin]);
  ValueBin others{.label = kOtherValues};
  for (std::size_t i = kMostValueBins - 1; i < order.size(); ++i) {
    const ValueBin& bin = view.bins[order[i]];
    others.after += bin.after;
    if (bin.before) others.before = others.before.value_or(0) + *bin.before;
  }
  view.other_labels = order.size() - bins.size();
  bins.push_back(std::move(others));
  view.bins = std::move(bins);
}

void AddBins(const Domain& domain, std::span<const LabelledRows> after, const Domain* before_domain,
             std::span<const LabelledRows> before, ColumnView& view) {
  std::vector<Part> parts = PartsOf(domain);
  const std::vector<double> rows = Spread(domain, parts, after);
  std::vector<double> original(rows.size());
  if (before_domain != nullptr) original = Spread(*before_domain, parts, before);
  const auto add = [&](std::string label, std::size_t i) {
    ValueBin bin{.label = std::move(label), .after = rows[i]};
    if (before_domain != nullptr) bin.before = static_cast<std::uint64_t>(std::llround(original[i]));
    view.bins.push_back(std::move(bin));
  };
  for (std::size_t i = 0; i < parts.size(); ++i) add(std::move(parts[i].label), i);
  KeepLargest(view);
  if (rows.back() > 0 || original.back() > 0) add(kMissingValue, parts.size());
}

}  // namespace

ColumnView ViewColumn(const std::string& name, const Domain& domain, std::span<const LabelledRows> after,
                      const Domain* before_domain, std::span<const LabelledRows> before) {
  ColumnView view{.name = name, .is_numeric = domain.is_numeric()};
  double lost = 0, rows = 0;
  for (const LabelledRows& label : after) {
    if (label.rows == 0) continue;
    ++view.labels;
    view.rows_by_width[static_cast<std::size_t>(WidthOf(domain, label.codes))] += label.rows;
    lost += domain.RelativeWidth(label.codes) * static_cast<double>(label.rows);
    rows += static_cast<double>(label.rows);
  }
  view.ncp_percent = rows == 0 ? 0 : 100 * lost / rows;
  AddBins(domain, after, before_domain, before, view);
  return view;
}

}  // namespace pentimento
