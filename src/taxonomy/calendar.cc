#include "taxonomy/calendar.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "fmt/core.h"
#include "taxonomy/label.h"
#include "taxonomy/taxonomy.h"
#include "taxonomy/taxonomy_builder.h"

namespace pentimento {
namespace {

constexpr std::string_view kTo = "..";
constexpr int kMostYearsWithoutDecades = 20;

bool IsUnit(std::string_view label) { return label.find(kTo) == label.npos; }

bool AreOfOneKind(std::string_view a, std::string_view b) { return a.size() == b.size() && a.find('Q') == b.find('Q'); }

// The days, months, quarters and years that `fits`, from a day upwards.
template <typename Fits>
std::vector<std::string_view> UnitsOver(const Taxonomy& taxonomy, Code day, const Fits& fits) {
  std::vector<std::string_view> labels;
  for (Taxonomy::NodeId id = taxonomy.leaf_node(day); id != Taxonomy::kRoot; id = taxonomy.node(id).parent) {
    const Taxonomy::Node& node = taxonomy.node(id);
    if (fits(node.leaves) && IsUnit(node.label)) labels.push_back(node.label);
  }
  return labels;
}

std::optional<Interval> ParseUnit(const Taxonomy& taxonomy, std::string_view label) {
  const auto node = taxonomy.FindNode(label);
  if (!node || *node == Taxonomy::kRoot) return std::nullopt;
  return taxonomy.node(*node).leaves;
}

}  // namespace

Taxonomy MakeCalendarTaxonomy(DayRange domain) {
  Check(domain.first <= domain.last, "a domain of dates has days");
  const int first_year = DateOf(domain.first).year, last_year = DateOf(domain.last).year;
  const bool has_decades = last_year - first_year >= kMostYearsWithoutDecades;
  TaxonomyBuilder builder;
  for (Day day = domain.first; day <= domain.last; ++day) {
    const Date date = DateOf(day);
    std::vector<std::string> path = {WriteDay(day), fmt::format("{:04}-{:02}", date.year, date.month),
                                     fmt::format("{:04}-Q{}", date.year, (date.month + 2) / 3),
                                     fmt::format("{:04}", date.year)};
    const int decade = date.year / 10 * 10;
    const int from = std::max(decade, first_year), to = std::min(decade + 9, last_year);
    // A decade of which the domain has one year is that year.
    if (has_decades && from < to) path.push_back(fmt::format("{:04}{}{:04}", from, kTo, to));
    path.emplace_back(kPublishedRoot);
    const auto fault = builder.AddPath(path, static_cast<std::size_t>(day - domain.first) + 1);
    Check(!fault, "days make a tree");
  }
  Taxonomy taxonomy = builder.Finish();
  taxonomy.calendar_ = domain;
  return taxonomy;
}

Interval CoverByRun(const Taxonomy& taxonomy, Interval days) {
  const Taxonomy::Node& over = taxonomy.node(taxonomy.Cover(days));
  if (over.children.empty()) return over.leaves;
  const auto leaves_over = [&](Code day) {
    const auto child = std::ranges::lower_bound(over.children, day, {},
                                                [&](Taxonomy::NodeId id) { return taxonomy.node(id).leaves.hi; });
    return taxonomy.node(*child).leaves;
  };
  return {leaves_over(days.lo).lo, leaves_over(days.hi).hi};
}

std::string WriteDateLabel(const Taxonomy& taxonomy, Interval days) {
  const Taxonomy::NodeId node = taxonomy.Cover(days);
  if (taxonomy.node(node).leaves == days && node != Taxonomy::kRoot) return taxonomy.node(node).label;
  const auto first = UnitsOver(taxonomy, days.lo, [&](Interval unit) { return unit.lo == days.lo; });
  const auto last = UnitsOver(taxonomy, days.hi, [&](Interval unit) { return unit.hi == days.hi; });
  // The largest units that both ends are ends of; days always are.
  for (auto from = first.rbegin(); from != first.rend(); ++from) {
    const auto to = std::ranges::find_if(last, [&](std::string_view label) { return AreOfOneKind(*from, label); });
    if (to != last.end()) return fmt::format("{}{}{}", *from, kTo, *to);
  }
  Check(false, "an interval of days has a first and a last day");
  return {};
}

std::optional<Interval> ParseDateLabel(const Taxonomy& taxonomy, std::string_view label) {
  const std::size_t to = label.find(kTo);
  if (to == label.npos) return ParseUnit(taxonomy, label);
  const std::string_view first = label.substr(0, to), last = label.substr(to + kTo.size());
  if (!AreOfOneKind(first, last)) return std::nullopt;
  const auto from = ParseUnit(taxonomy, first), until = ParseUnit(taxonomy, last);
  if (!from || !until || until->lo < from->lo) return std::nullopt;
  return Interval{from->lo, until->hi};
}

}  // namespace pentimento
