#include "taxonomy/calendar.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "fmt/core.h"
#include "taxonomy/label.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {
namespace {

constexpr std::string_view kTo = "..";
constexpr int kMostYearsWithoutDecades = 20;

enum Unit : std::size_t { kDecade, kYear, kQuarter, kMonth, kDay };
constexpr std::size_t kUnits = 5;

// What a day is in, counted on from one unit to the next.
struct Units {
  std::array<int, kUnits> numbers{};
  Date date;
  bool has_decade = false;  // of which the domain has more than a year
  int first_of_decade = 0;  // years in the domain
  int last_of_decade = 0;
};

Units UnitsOf(Date date, bool has_decades, int first_year, int last_year) {
  const int decade = date.year / 10;
  Units units{{decade, date.year, date.year * 4 + (date.month - 1) / 3, date.year * 12 + date.month, date.day},
              date,
              false,
              std::max(decade * 10, first_year),
              std::min(decade * 10 + 9, last_year)};
  units.has_decade = has_decades && units.first_of_decade < units.last_of_decade;
  return units;
}

std::string LabelOf(const Units& units, std::size_t unit) {
  const Date date = units.date;
  switch (unit) {
    case kDecade:
      return fmt::format("{:04}{}{:04}", units.first_of_decade, kTo, units.last_of_decade);
    case kYear:
      return fmt::format("{:04}", date.year);
    case kQuarter:
      return fmt::format("{:04}-Q{}", date.year, (date.month + 2) / 3);
    case kMonth:
      return fmt::format("{:04}-{:02}", date.year, date.month);
    default:
      return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
  }
}

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

// Node after node, depth first, because the builder of any taxonomy would look up the labels above each day: a tenth of
// the time, and every command that meets dates makes a calendar for each release that it reads.
Taxonomy MakeCalendarTaxonomy(DayRange domain) {
  Check(domain.first <= domain.last, "a domain of dates has days");
  const int first_year = DateOf(domain.first).year, last_year = DateOf(domain.last).year;
  const bool has_decades = last_year - first_year >= kMostYearsWithoutDecades;
  Taxonomy taxonomy;
  taxonomy.calendar_ = domain;
  taxonomy.nodes_.push_back({std::string(kPublishedRoot), {}, Taxonomy::kRoot, 0, {}});
  Units before;
  std::array<Taxonomy::NodeId, kUnits> open{};
  for (Day day = domain.first; day <= domain.last; ++day) {
    const Units units = UnitsOf(DateOf(day), has_decades, first_year, last_year);
    const auto code = static_cast<Code>(day - domain.first);
    bool is_new = day == domain.first;
    Taxonomy::NodeId above = Taxonomy::kRoot;
    for (std::size_t unit = 0; unit < kUnits; ++unit) {
      is_new = is_new || units.numbers[unit] != before.numbers[unit];
      if (unit == kDecade && !units.has_decade) continue;
      if (is_new) {
        open[unit] = static_cast<Taxonomy::NodeId>(taxonomy.nodes_.size());
        taxonomy.nodes_[above].children.push_back(open[unit]);
        taxonomy.nodes_.push_back({LabelOf(units, unit), {code, code}, above, taxonomy.nodes_[above].depth + 1, {}});
      }
      above = open[unit];
      taxonomy.nodes_[above].leaves.hi = code;
    }
    taxonomy.leaf_nodes_.push_back(above);
    before = units;
  }
  taxonomy.nodes_[Taxonomy::kRoot].leaves = {0, static_cast<Code>(domain.last - domain.first)};
  taxonomy.IndexLabels();
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
