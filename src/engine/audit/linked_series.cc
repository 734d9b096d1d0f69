#include "engine/audit/linked_series.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "audit/every_set.h"
#include "engine/incremental/incremental_meter.h"
#include "taxonomy/domain.h"

namespace pentimento {
namespace {

// How many sets of releases are tried for being minimal, and how many cases all of them may have.
constexpr std::size_t kMostTriedSets = 64;
constexpr std::uint64_t kMostTriedCases = 20'000'000;

SeriesColumns ColumnsOf(const AuditView& view, const LinkedPeople& link) {
  SeriesColumns columns;
  for (std::size_t i = 0; i < link.releases.size(); ++i) {
    for (const std::size_t domain : view.release(link, i).domain_of) {
      if (std::ranges::find(columns.domains, domain) != columns.domains.end()) continue;
      columns.domains.push_back(domain);
      columns.names.push_back(view.audited.domains[domain].name);
    }
  }
  return columns;
}

IncrementalRelease BoxesOf(const AuditView& view, const LinkedPeople& link, std::size_t place,
                           const SeriesColumns& columns) {
  const AuditedRelease& release = view.release(link, place);
  IncrementalRelease boxes{.columns = columns.domains.size(), .boxes = {}, .cases = {}, .box_of_case = {}};
  for (ClassNumber unit = 0; unit < release.units.count(); ++unit) {
    for (const std::size_t domain : columns.domains) {
      const auto shown = std::ranges::find(release.domain_of, domain);
      boxes.boxes.push_back(shown == release.domain_of.end()
                                ? view.audited.domains[domain].domain.root()
                                : release.units.box(unit)[static_cast<std::size_t>(shown - release.domain_of.begin())]);
    }
  }
  const std::vector<ClassNumber>& class_of = link.common.releases[place].class_of;
  for (CaseNumber number = 0; number < class_of.size(); ++number) {
    if (class_of[number] == kNotInRelease) continue;
    boxes.cases.push_back(number);
    boxes.box_of_case.push_back(class_of[number]);
  }
  return boxes;
}

// By case: whether its row has a sensitive value; nothing where the release shows none of any column.
std::vector<std::uint8_t> HasValues(const AuditView& view, const LinkedPeople& link, std::size_t place) {
  const AuditedRelease& release = view.release(link, place);
  if (release.sensitive.empty()) return {};
  std::vector<std::uint8_t> has(link.common.people, 0);
  for (std::size_t row = 0; row < release.rows; ++row) {
    const bool has_value = std::ranges::any_of(
        release.sensitive, [row](const SensitiveCells& cells) { return cells.codes[row] != kNoValueCode; });
    if (!has_value) continue;
    has[static_cast<std::size_t>(std::ranges::lower_bound(link.ids, release.key_of_row[row]) - link.ids.begin())] = 1;
  }
  return has;
}

void FindWithdrawn(const AuditView& view, const LinkedPeople& link, LinkedSeries& series) {
  std::vector<std::uint8_t> had(link.common.people, 0);
  for (std::size_t place = 0; place < link.releases.size(); ++place) {
    std::vector<CaseNumber>& withdrawn = series.withdrawn.emplace_back();
    const std::vector<std::uint8_t> has = HasValues(view, link, place);
    if (has.empty()) continue;
    for (const CaseNumber number : series.history[place].cases) {
      const bool is_here = link.common.releases[place].class_of[number] != kNotInRelease;
      if (is_here && had[number] != 0 && has[number] == 0) withdrawn.push_back(number);
      had[number] |= has[number];
    }
  }
}

std::vector<std::pair<BreachKind, std::uint64_t>> CountKinds(const std::vector<Breach>& breaches) {
  std::vector<std::pair<BreachKind, std::uint64_t>> kinds;
  for (const BreachKind kind :
       {BreachKind::kGroupChange, BreachKind::kSubgroupExpanding, BreachKind::kWidow, BreachKind::kOther}) {
    const auto cases = static_cast<std::uint64_t>(std::ranges::count(breaches, kind, &Breach::kind));
    if (cases > 0) kinds.emplace_back(kind, cases);
  }
  return kinds;
}

class BreachSearch {
 public:
  explicit BreachSearch(LinkedSeries& series) : series_(series) {}

  void Run() {
    const std::size_t count = series_.history.size();
    for (std::size_t i = 0; i < count; ++i) singles_.push_back(UnsafeIn({i}));
    std::vector<std::vector<std::size_t>> sets = {{}};
    for (std::size_t size = 1; size <= count && !sets.empty(); ++size) {
      std::vector<std::vector<std::size_t>> larger;
      for (const auto& set : sets) {
        for (std::size_t next = set.empty() ? 0 : set.back() + 1; next < count; ++next) {
          larger.push_back(set);
          larger.back().push_back(next);
        }
      }
      sets.clear();
      for (auto& set : larger) {
        if (size > 1 && !Try(set)) return;
        if (!IsFoundIn(set)) sets.push_back(std::move(set));
      }
    }
  }

 private:
  bool IsFoundIn(const std::vector<std::size_t>& set) const {
    return std::ranges::any_of(series_.breaches,
                               [&](const SeriesBreach& found) { return std::ranges::includes(set, found.releases); });
  }

  std::uint64_t UnsafeIn(const std::vector<std::size_t>& set) {
    const InferenceTable table = Infer(series_.history, set);
    std::uint64_t unsafe = 0;
    for (const std::uint64_t size : table.class_sizes) unsafe += size < series_.k ? size : 0;
    return unsafe;
  }

  // False where it was enough.
  bool Try(const std::vector<std::size_t>& set) {
    cases_ += series_.history[set.back()].cases.size() * set.size();
    const bool is_whole = set.size() == series_.history.size();
    if (!is_whole && (++tried_ > kMostTriedSets || cases_ > kMostTriedCases)) {
      series_.tried_every_set = false;
      std::vector<std::size_t> whole(series_.history.size());
      for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = i;
      Look(whole);
      return false;
    }
    Look(set);
    return true;
  }

  void Look(const std::vector<std::size_t>& set) {
    if (IsFoundIn(set)) return;
    const InferenceTable table = Infer(series_.history, set);
    SeriesBreach breach{.releases = set, .k = series_.k, .cases = table.inferred.cases.size(), .kinds = {}};
    std::uint64_t known = 0;
    for (const std::size_t i : set) known += singles_[i];
    std::vector<bool> is_small(table.class_sizes.size());
    for (std::size_t c = 0; c < is_small.size(); ++c) {
      is_small[c] = table.class_sizes[c] < series_.k;
      breach.unsafe += is_small[c] ? table.class_sizes[c] : 0;
      breach.alone += table.class_sizes[c] == 1 ? 1 : 0;
    }
    if (breach.unsafe <= known) return;
    for (std::size_t i = 0; i < table.inferred.cases.size(); ++i) {
      if (!is_small[table.inferred.box_of_case[i]]) continue;
      breach.witness = table.inferred.cases[i];
      break;
    }
    if (set.size() == 2) {
      breach.kinds = CountKinds(FindBreaches(series_.history[set[0]], series_.history[set[1]], series_.k));
      for (const auto& [kind, cases] : breach.kinds) AddKind(kind, cases);
    }
    series_.breaches.push_back(std::move(breach));
  }

  void AddKind(BreachKind kind, std::uint64_t cases) {
    const auto place = std::ranges::find(series_.kinds, kind, &std::pair<BreachKind, std::uint64_t>::first);
    if (place == series_.kinds.end()) {
      series_.kinds.emplace_back(kind, cases);
    } else {
      place->second += cases;
    }
  }

  LinkedSeries& series_;
  std::vector<std::uint64_t> singles_;
  std::size_t tried_ = 0;
  std::uint64_t cases_ = 0;
};

std::uint64_t KOfSeries(const AuditView& view, const LinkedPeople& link) {
  if (view.question.k) return *view.question.k;
  std::uint64_t k = 0;
  for (std::size_t i = 0; i < link.releases.size(); ++i) k = std::max(k, view.release(link, i).promise.k);
  return k == 0 ? 2 : k;
}

}  // namespace

Result<LinkedSeries> LaySeries(const AuditView& view, const LinkedPeople& link) {
  LinkedSeries series;
  series.columns = ColumnsOf(view, link);
  series.k = KOfSeries(view, link);
  for (std::size_t place = 0; place < link.releases.size(); ++place) {
    const AuditedRelease& release = view.release(link, place);
    if (release.has_two_tables) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("'{}' is in two tables, which have no boxes that could be intersected", release.name)};
    }
    IncrementalRelease boxes = BoxesOf(view, link, place, series.columns);
    if (release.is_changes_only && !series.history.empty()) boxes = Overlay(series.history.back(), boxes);
    series.history.push_back(std::move(boxes));
  }
  FindWithdrawn(view, link, series);
  return series;
}

Result<LinkedSeries> ReadLinkedSeries(const AuditView& view, const LinkedPeople& link) {
  PENTIMENTO_ASSIGN(LinkedSeries series, LaySeries(view, link));
  EverySet every;
  for (const IncrementalRelease& release : series.history) every.Add(release);
  const InferenceTable together = Infer(series.history);
  series.cases = together.case_count();
  series.contradictory = together.contradictory.size();
  series.alone = every.AloneCount();
  series.tried_every_set = every.is_exact();
  for (const std::uint64_t size : together.class_sizes) series.unsafe += size < series.k ? size : 0;
  // Contradictory cases are unsafe there, and are told apart here.
  if (series.contradictory == 0) series.unsafe = every.UnsafeCount(series.k);
  if (series.unsafe > 0) BreachSearch(series).Run();
  return series;
}

ShownInference ShowInference(const AuditView& view, const LinkedPeople& link, const LinkedSeries& series) {
  const InferenceTable table = Infer(series.history);
  ShownInference shown{.releases = {}, .quasi_identifiers = series.columns.names, .rows = {}};
  for (const CommonRelease& release : link.common.releases) shown.releases.push_back(release.name);
  shown.contradictory = table.contradictory.size();
  // By case: its row in the last release that has it.
  std::vector<std::pair<std::size_t, std::size_t>> row_of(link.common.people);
  for (std::size_t place = 0; place < link.releases.size(); ++place) {
    const AuditedRelease& release = view.release(link, place);
    for (std::size_t row = 0; row < release.rows; ++row) {
      const auto number = std::ranges::lower_bound(link.ids, release.key_of_row[row]) - link.ids.begin();
      row_of[static_cast<std::size_t>(number)] = {place, row};
    }
  }
  for (std::size_t i = 0; i < table.inferred.cases.size(); ++i) {
    const std::uint32_t box = table.inferred.box_of_case[i];
    const auto [place, row] = row_of[table.inferred.cases[i]];
    InferenceRow line{.labels = {}, .cases = table.class_sizes[box], .rows = {row + 1}, .release = {}};
    line.release = link.common.releases[place].name;
    for (std::size_t c = 0; c < series.columns.domains.size(); ++c)
      line.labels.push_back(view.audited.domains[series.columns.domains[c]].domain.Label(table.inferred.box(box)[c]));
    shown.rows.push_back(std::move(line));
  }
  std::ranges::sort(shown.rows, {}, [&](const InferenceRow& line) { return std::pair(line.release, line.rows); });
  return shown;
}

}  // namespace pentimento
