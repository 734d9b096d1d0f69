#include "engine/incremental/measure_incremental.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/parallel_sort.h"
#include "engine/incremental/incremental_meter.h"
#include "engine/incremental/renamed_labels.h"
#include "engine/published/manifest.h"
#include "engine/published/published_cells.h"
#include "engine/published/published_table.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

Error NotThisSeries(const std::filesystem::path& folder, std::string_view why) {
  return {ErrorCode::kBadInput, fmt::format("{}: {}", folder.string(), why)};
}

bool IsSameField(const PublishedColumn& a, const PublishedColumn& b) {
  if (a.name != b.name || (a.taxonomy == nullptr) != (b.taxonomy == nullptr)) return false;
  if (a.taxonomy) return HaveSameShape(*a.taxonomy, *b.taxonomy);
  return ToString(a.range->first) == ToString(b.range->first) && ToString(a.range->second) == ToString(b.range->second);
}

// `before`: the release that the user named before this one, if any.
Status RequireNext(const std::filesystem::path& folder, const Manifest& manifest, std::size_t number,
                   const Manifest* before) {
  if (!manifest.global_series.empty()) {
    return NotThisSeries(
        folder, fmt::format("is a release of the series '{}' under the global guarantee, in which everybody is grouped "
                            "anew each time, so that nothing of one release is refined in the next; measure each of "
                            "its releases by itself. What the series has spent is told by pentimento plan",
                            manifest.global_series));
  }
  if (!manifest.series) {
    return NotThisSeries(folder,
                         "this release stands alone; only releases of one series can be measured together, so "
                         "measure it by itself");
  }
  const Manifest::Series& series = *manifest.series;
  if (before != nullptr && series.name != before->series->name) {
    return NotThisSeries(
        folder, fmt::format("is a release of the series '{}', and those before it are of '{}'; measure one series at "
                            "a time",
                            series.name, before->series->name));
  }
  if (series.number != number) {
    return NotThisSeries(folder, fmt::format("is release {} of the series '{}', but release {} is expected here; name "
                                             "all releases from the first on, in their order",
                                             series.number, series.name, number));
  }
  if (before != nullptr && series.follows != before->release) {
    return NotThisSeries(folder, fmt::format("follows the release '{}', but the one before it here is '{}'; two "
                                             "series of one name cannot be measured together",
                                             series.follows, before->release));
  }
  if (before != nullptr && !std::ranges::equal(manifest.quasi_identifiers, before->quasi_identifiers, IsSameField)) {
    return NotThisSeries(folder,
                         "has other quasi-identifiers, domains or taxonomies than the release before it; two series "
                         "of one name cannot be measured together");
  }
  return {};
}

Result<std::vector<Manifest>> ReadManifests(const std::vector<std::filesystem::path>& folders) {
  std::vector<Manifest> manifests;
  for (const std::filesystem::path& folder : folders) {
    PENTIMENTO_ASSIGN(Manifest manifest, ReadManifest(folder));
    PENTIMENTO_RETURN_IF_ERROR(
        RequireNext(folder, manifest, manifests.size() + 1, manifests.empty() ? nullptr : &manifests.back()));
    manifests.push_back(std::move(manifest));
  }
  return manifests;
}

std::vector<std::string> AllMissing(const std::vector<Manifest>& manifests) {
  std::vector<std::string> missing;
  for (const Manifest& manifest : manifests) {
    for (const std::string& token : manifest.missing) {
      if (std::ranges::find(missing, token) == missing.end()) missing.push_back(token);
    }
  }
  return missing;
}

// Cases of all tables, to be numbered by their place here.
std::vector<IdentityHash> AllCases(const std::vector<CaseRows>& tables) {
  std::vector<IdentityHash> cases;
  for (const CaseRows& rows : tables)
    cases.insert(cases.end(), rows.table.id_of_row.begin(), rows.table.id_of_row.end());
  ParallelSort(cases.begin(), cases.end(), std::less<>());
  cases.erase(std::unique(cases.begin(), cases.end()), cases.end());
  return cases;
}

IncrementalRelease ByCase(Classes draft, const PublishedTable& table, std::span<const IdentityHash> all_cases) {
  std::vector<std::uint32_t> row_of_case(all_cases.size(), UINT32_MAX);
  for (std::size_t row = 0; row < table.id_of_row.size(); ++row) {
    const auto place = std::ranges::lower_bound(all_cases, table.id_of_row[row]) - all_cases.begin();
    row_of_case[static_cast<std::size_t>(place)] = static_cast<std::uint32_t>(row);
  }
  IncrementalRelease release{.columns = draft.columns, .boxes = std::move(draft.boxes), .cases = {}, .box_of_case = {}};
  for (std::size_t number = 0; number < row_of_case.size(); ++number) {
    if (row_of_case[number] == UINT32_MAX) continue;
    release.cases.push_back(static_cast<CaseNumber>(number));
    release.box_of_case.push_back(draft.of_row[row_of_case[number]]);
  }
  return release;
}

// Newcomers were in no release before, who is refined or leaves was.
Status RequireFits(const std::filesystem::path& folder, const CaseRows& changes, const IncrementalRelease& before,
                   std::span<const IdentityHash> all_cases) {
  const auto was_there = [&](const IdentityHash& id) {
    const auto place = std::ranges::lower_bound(all_cases, id);
    if (place == all_cases.end() || *place != id) return false;
    return std::ranges::binary_search(before.cases, static_cast<CaseNumber>(place - all_cases.begin()));
  };
  bool fits = std::ranges::all_of(changes.withdrawn, was_there);
  for (std::size_t row = 0; row < changes.table.rows && fits; ++row)
    fits = was_there(changes.table.id_of_row[row]) == (changes.is_refined[row] != 0);
  if (fits) return {};
  return NotThisSeries(folder,
                       "calls a case new that was there before, or refines or withdraws one that was not; either it is "
                       "of another series with the same name, or its tables were changed after it was published");
}

// Who has left so far, as the releases tell; numbers of cases, ascending. Nothing from a whole table on that does not
// tell.
class WhoLeft {
 public:
  void Add(const Manifest& manifest, const CaseRows& rows, std::span<const IdentityHash> all_cases) {
    if (!manifest.is_changes_only()) {
      if (manifest.series->tells_withdrawn) {
        cases_.emplace();
      } else {
        cases_.reset();
      }
    }
    if (!cases_) return;
    for (const IdentityHash& id : rows.withdrawn) {
      const auto place = std::ranges::lower_bound(all_cases, id);
      if (place != all_cases.end() && *place == id) cases_->insert(static_cast<CaseNumber>(place - all_cases.begin()));
    }
  }

  // Of everybody in the release, whose boxes have one number where they are equal.
  std::optional<LivingCounts> Count(const IncrementalRelease& release, std::uint64_t k) const {
    if (!cases_) return std::nullopt;
    std::vector<std::uint8_t> is_withdrawn;
    for (const CaseNumber number : release.cases) is_withdrawn.push_back(cases_->contains(number) ? 1 : 0);
    return CountLiving({release.columns, release.boxes, release.box_of_case}, is_withdrawn, k);
  }

 private:
  std::optional<std::set<CaseNumber>> cases_;
};

// Labels may have other names from some release on.
std::vector<Domain> WithLabelsOf(const Manifest& manifest, const std::vector<Domain>& domains) {
  std::vector<Domain> own;
  for (std::size_t c = 0; c < domains.size(); ++c) {
    const std::shared_ptr<const Taxonomy>& taxonomy = manifest.quasi_identifiers[c].taxonomy;
    own.push_back(taxonomy ? Domain(taxonomy, domains[c].missing_code().has_value()) : domains[c]);
  }
  return own;
}

Result<std::vector<IncrementalReading>> MeasurePublished(const std::vector<std::filesystem::path>& folders,
                                                         const std::vector<Manifest>& manifests) {
  std::vector<CaseRows> tables;
  for (const Manifest& manifest : manifests) {
    PENTIMENTO_ASSIGN(CaseRows rows, ReadCaseRows(manifest));
    tables.push_back(std::move(rows));
  }
  std::vector<const PublishedTable*> labels;
  for (const CaseRows& rows : tables) labels.push_back(&rows.table);
  PENTIMENTO_ASSIGN(const std::vector<Domain> domains,
                    DomainsOfLabels(manifests.front(), !AllMissing(manifests).empty(), labels));
  const std::vector<IdentityHash> all_cases = AllCases(tables);
  IncrementalMeter meter(domains);
  WhoLeft who_left;
  std::vector<IncrementalReading> readings;
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    PENTIMENTO_ASSIGN(Classes draft, ReadBoxes(tables[i].table, WithLabelsOf(manifests[i], domains)));
    IncrementalRelease release = ByCase(std::move(draft), tables[i].table, all_cases);
    if (manifests[i].is_changes_only()) {
      PENTIMENTO_RETURN_IF_ERROR(RequireFits(folders[i], tables[i], meter.last(), all_cases));
      release = Overlay(meter.last(), release);
    } else if (!std::ranges::includes(release.cases, meter.last().cases)) {
      return NotThisSeries(folders[i],
                           "lacks cases of the releases before it, which a series never does; either it is of another "
                           "series with the same name, or its table was changed after it was published");
    }
    readings.push_back(meter.Add(release, manifests[i].k));
    who_left.Add(manifests[i], tables[i], all_cases);
    readings.back().living = who_left.Count(meter.last(), manifests[i].k);
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  }
  return readings;
}

Error CannotPair(std::size_t originals, std::size_t releases, std::string_view what_to_do) {
  return {ErrorCode::kUsage,
          fmt::format("{} {} and {} {} cannot be paired; {}", originals, originals == 1 ? "original" : "originals",
                      releases, releases == 1 ? "release" : "releases", what_to_do)};
}

// The last file of each batch. One file is one batch; where there are more, its rows and those before it are as many as
// the release has cases.
Result<std::vector<std::size_t>> PairBatches(std::span<const std::size_t> rows_after_file,
                                             const std::vector<IncrementalReading>& published) {
  std::vector<std::size_t> last(published.size());
  std::iota(last.begin(), last.end(), std::size_t{0});
  if (rows_after_file.size() == published.size()) return last;
  bool adds_up = rows_after_file.back() == published.back().metrics.rows;
  for (std::size_t i = 0; i < published.size() && adds_up; ++i) {
    const std::size_t rows = published[i].metrics.rows;
    const auto first = rows_after_file.begin() + static_cast<std::ptrdiff_t>(i == 0 ? 0 : last[i - 1] + 1);
    const auto found = std::find(first, rows_after_file.end(), rows);
    adds_up = found != rows_after_file.end();
    last[i] = static_cast<std::size_t>(found - rows_after_file.begin());
  }
  if (adds_up) return last;
  return CannotPair(rows_after_file.size(), published.size(),
                    "a batch in several files must have as many rows as the release has new cases, so put the rows "
                    "that came with each release into one file");
}

// What was published, and what comes of publishing everybody so far anew, release by release.
struct BothReadings {
  std::vector<IncrementalReading> published;
  std::vector<IncrementalReading> anew;
};

Result<BothReadings> MeasureAnew(const std::vector<std::filesystem::path>& originals,
                                 const std::vector<Manifest>& manifests, std::vector<IncrementalReading> published,
                                 Progress* progress) {
  PENTIMENTO_ASSIGN(const EncodedInput input,
                    ReadOriginals(TableFiles(originals, {}), manifests.front(), AllMissing(manifests), progress));
  PENTIMENTO_ASSIGN(const std::vector<std::size_t> last_file, PairBatches(input.rows_after_part, published));
  if (progress != nullptr) progress->Begin("publishing anew, to compare");
  IncrementalMeter meter(input.domains);
  BothReadings both{std::move(published), {}};
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    const std::size_t rows = input.rows_after_part[last_file[i]];
    if (rows < manifests[i].k) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: with it the originals have {} rows, which is fewer than the k = {} of the release "
                               "'{}'; is it the original of that release?",
                               originals[last_file[i]].string(), rows, manifests[i].k, manifests[i].release)};
    }
    const PartitionOptions options{manifests[i].k, manifests[i].categories, BoxKind::kMembers};
    PENTIMENTO_ASSIGN(const IncrementalRelease release, PublishAnew(input, rows, options));
    both.anew.push_back(meter.Add(release, manifests[i].k));
    const std::uint64_t depths = DepthsOfValues(input.table.quasi_identifiers, input.domains, rows);
    for (IncrementalReading* reading : {&both.published[i], &both.anew[i]}) {
      if (reading->metrics.rows == rows) TellDistortion(reading->metrics, depths);
    }
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  }
  return both;
}

}  // namespace

Result<MeasuredIncremental> MeasureIncremental(const std::vector<std::filesystem::path>& originals,
                                               const std::vector<std::filesystem::path>& folders, Progress* progress) {
  if (originals.empty() || originals.size() < folders.size()) {
    return CannotPair(originals.size(), folders.size(),
                      "name for each release of the series the table of rows that came with it, in the same order");
  }
  PENTIMENTO_ASSIGN(const std::vector<Manifest> manifests, ReadManifests(folders));
  if (progress != nullptr) progress->Begin("reading the releases");
  PENTIMENTO_ASSIGN(std::vector<IncrementalReading> published, MeasurePublished(folders, manifests));
  if (progress != nullptr) progress->Begin("reading the originals");
  PENTIMENTO_ASSIGN(const BothReadings both, MeasureAnew(originals, manifests, std::move(published), progress));
  if (progress != nullptr) progress->End();
  MeasuredIncremental measured{manifests.front().series->name, {}, {}};
  for (const PublishedColumn& field : manifests.front().quasi_identifiers)
    measured.quasi_identifiers.push_back(field.name);
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    measured.releases.push_back(
        {manifests[i].release, manifests[i].k, manifests[i].is_changes_only(), both.published[i], both.anew[i]});
  }
  return measured;
}

}  // namespace pentimento
