#include "engine/audit/shared_domains.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/decimal.h"
#include "engine/published/foreign_cells.h"
#include "engine/published/published_cells.h"
#include "taxonomy/foreign_label.h"

namespace pentimento {
namespace {

// Columns of one name and one meaning.
struct Sharing {
  PublishedColumn column;
  std::vector<const std::vector<std::string>*> labels;
  bool has_foreign = false;
};

Result<Domain> DomainOfSharing(const Sharing& sharing) {
  if (!sharing.has_foreign) return DomainOfLabels(sharing.column, sharing.labels, /*allows_missing=*/true);
  std::vector<std::string> all;
  for (const std::vector<std::string>* labels : sharing.labels) all.insert(all.end(), labels->begin(), labels->end());
  return DomainOfForeignLabels(sharing.column, all, /*allows_missing=*/true);
}

bool HasDates(const PublishedColumn& column) { return column.taxonomy && column.taxonomy->calendar(); }

// Months and years that the narrower domain cuts off are read in full then: more days than they stand for, never fewer.
void WidenDates(const PublishedColumn& by, PublishedColumn& column) {
  const DayRange one = *column.taxonomy->calendar(), other = *by.taxonomy->calendar();
  const DayRange both{std::min(one.first, other.first), std::max(one.last, other.last)};
  if (both != one) column.taxonomy = std::make_shared<const Taxonomy>(MakeCalendarTaxonomy(both));
}

void Widen(const PublishedColumn& by, PublishedColumn& column) {
  if (HasDates(column)) return WidenDates(by, column);
  if (WideUnits(by.range->first) < WideUnits(column.range->first)) column.range->first = by.range->first;
  if (WideUnits(by.range->second) > WideUnits(column.range->second)) column.range->second = by.range->second;
  column.scale = std::max(column.scale, by.scale);
}

}  // namespace

Result<SharedDomains> ShareDomains(std::span<const ColumnToShare> columns, std::span<const MorePoints> more) {
  SharedDomains shared;
  std::vector<Sharing> sharings;
  std::map<std::pair<std::string, std::string>, std::size_t> number_of;
  for (const ColumnToShare& one : columns) {
    const bool has_dates = HasDates(*one.column);
    const std::string tree = has_dates ? "dates" : one.column->taxonomy ? one.column->taxonomy->ToText() : "";
    const auto [place, is_new] = number_of.try_emplace({one.column->name, tree}, sharings.size());
    if (is_new) sharings.push_back({*one.column, {}, false});
    Sharing& sharing = sharings[place->second];
    if (!is_new && (has_dates || !one.column->taxonomy)) Widen(*one.column, sharing.column);
    sharing.labels.push_back(one.labels);
    sharing.has_foreign |= one.is_foreign;
    shared.of_column.push_back(place->second);
  }
  for (Sharing& sharing : sharings) {
    for (const MorePoints& points : more) {
      if (points.name == sharing.column.name) sharing.labels.push_back(points.texts);
    }
    PENTIMENTO_ASSIGN(Domain domain, DomainOfSharing(sharing));
    shared.domains.push_back({sharing.column.name, std::move(domain)});
  }
  return shared;
}

std::vector<std::optional<Interval>> MeaningsOf(const Domain& domain, std::span<const std::string> texts,
                                                std::span<const std::string> missing, bool is_foreign) {
  const ForeignLabelReader reader(domain);
  std::vector<std::optional<Interval>> meanings;
  meanings.reserve(texts.size());
  for (const std::string& text : texts) {
    const bool is_missing = std::ranges::find(missing, text) != missing.end();
    if (is_missing || !is_foreign) {
      meanings.push_back(domain.ParseLabel(is_missing ? "" : text));
      continue;
    }
    const ForeignLabel label = text.empty() ? ForeignLabel() : reader.Read(text);
    const bool is_read = label.reading == LabelReading::kExact || label.reading == LabelReading::kWider;
    meanings.push_back(is_read ? std::optional(label.codes) : std::nullopt);
  }
  return meanings;
}

}  // namespace pentimento
