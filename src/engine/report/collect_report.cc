#include "engine/report/collect_report.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/plural.h"
#include "base/run.h"
#include "engine/incremental/incremental_memory.h"
#include "engine/query/workload.h"
#include "engine/report/budget_course.h"
#include "engine/report/report_verdict.h"
#include "engine/report/reported_release.h"
#include "engine/steps/people_on_record.h"
#include "ledger/ledger.h"

namespace pentimento {
namespace {

std::string SeriesOf(const ReleaseRecord& record) {
  std::string series = GrowingSeriesOf(record);
  return series.empty() ? GlobalSeriesOf(record) : series;
}

Error NotOnRecord(std::string_view kind, const std::string& name, const std::vector<ReleaseRecord>& records) {
  std::set<std::string> known;
  for (const ReleaseRecord& record : records) {
    std::string other = kind == "release" ? record.name : SeriesOf(record);
    if (!other.empty() && record.state != ReleaseState::kAbandoned) known.insert(std::move(other));
  }
  return {ErrorCode::kUsage, fmt::format("no {} '{}' is on record; {}", kind, name,
                                         known.empty() ? fmt::format("the ledger has no {}", kind)
                                                       : fmt::format("the ledger has '{}'", fmt::join(known, "', '")))};
}

// Those that were asked for and are, or may be, out.
Result<std::vector<ReleaseRecord>> Select(const ReportOptions& options, const std::vector<ReleaseRecord>& records,
                                          ReportNumbers& numbers) {
  for (const std::string& name : options.releases) {
    if (std::ranges::find(records, name, &ReleaseRecord::name) == records.end())
      return NotOnRecord("release", name, records);
    numbers.scope.push_back(fmt::format("release '{}'", name));
  }
  for (const std::string& name : options.series) {
    if (std::ranges::none_of(records, [&](const ReleaseRecord& record) { return SeriesOf(record) == name; }))
      return NotOnRecord("series", name, records);
    numbers.scope.push_back(fmt::format("series '{}'", name));
  }
  const auto is_asked = [&](const ReleaseRecord& record) {
    if (options.releases.empty() && options.series.empty()) return true;
    return std::ranges::find(options.releases, record.name) != options.releases.end() ||
           std::ranges::find(options.series, SeriesOf(record)) != options.series.end();
  };
  std::vector<ReleaseRecord> selected;
  for (const ReleaseRecord& record : records) {
    if (record.state != ReleaseState::kAbandoned && is_asked(record)) selected.push_back(record);
  }
  return selected;
}

Status RequireOneOriginal(const ReportOptions& options) {
  if (!options.trials.policies.empty() && options.edition == ReportEdition::kPublic)
    return Error{ErrorCode::kUsage,
                 "--compare is for the internal edition: the public one holds nothing that was not published"};
  if (!options.trials.ks.empty() && options.trials.policies.empty())
    return Error{ErrorCode::kUsage, "--k needs --compare: the policy that is to be tried with each k"};
  if (options.queries > 0 && options.originals.empty())
    return Error{ErrorCode::kUsage, "--queries needs --original: what the counts of the release are compared with"};
  if (options.originals.empty()) return {};
  if (options.edition == ReportEdition::kPublic)
    return Error{ErrorCode::kUsage,
                 "--original is for the internal edition: the public one holds nothing that was not published"};
  if (options.releases.size() == 1 && options.series.empty()) return {};
  return Error{ErrorCode::kUsage, "--original needs one --release: the one that was made from this table"};
}

void AddGrowth(const ReadRelease& read, ReportNumbers& numbers) {
  if (read.growing_series.empty()) return;
  auto series = std::ranges::find(numbers.growing, read.growing_series, &ReportedGrowth::series);
  if (series == numbers.growing.end())
    series = numbers.growing.insert(numbers.growing.end(), {.series = read.growing_series, .k = 0, .steps = {}});
  ReportedGrowth::Step step{.release = read.release.name, .living = read.living, .why_not = {}};
  if (!read.release.table) {
    step.why_not = "its folder could not be read";
  } else if (read.release.table->changes_only) {
    step.why_not = "it holds changes alone";
  } else {
    step.rows = read.release.rows;
    if (!read.living) step.why_not = "it does not tell who has left";
  }
  if (read.release.table) series->k = read.release.table->k;
  series->steps.push_back(std::move(step));
}

// The folder of a release that was moved; the copy of an import is in the ledger.
void LookIn(const std::filesystem::path& out, ReleaseRecord& record) {
  if (!out.empty() && !record.imported) record.final_path = std::filesystem::absolute(out / record.name);
}

Status ReadReleases(const ReportOptions& options, std::vector<ReleaseRecord> records, ReportNumbers& numbers,
                    std::vector<std::string>& global) {
  bool leaves_out = false;
  for (ReleaseRecord& record : records) {
    LookIn(options.out, record);
    std::optional<ReadRelease> read;
    if (options.edition == ReportEdition::kPublic) {
      read = ReadForPublic(record);
    } else {
      PENTIMENTO_ASSIGN(read, ReadForInternal(record, options.originals));
    }
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    if (!read) {
      leaves_out = true;
      continue;
    }
    AddGrowth(*read, numbers);
    if (!read->global_series.empty() && std::ranges::find(global, read->global_series) == global.end())
      global.push_back(read->global_series);
    numbers.releases.push_back(std::move(read->release));
  }
  // Said of every public page alike: how many there are, only the ledger knows.
  if (options.edition == ReportEdition::kPublic)
    numbers.left_out.emplace_back(
        "Releases that were withdrawn, that other tools made, or whose folder is not at hand as it was published are "
        "not on this page.");
  if (leaves_out && numbers.releases.empty())
    numbers.left_out.emplace_back("No published folder is at hand as it was published.");
  return {};
}

// Whoever asks for some releases is also told what the others did to their promises.
void LookElsewhere(const ReportOptions& options, std::vector<ReleaseRecord> records, ReportNumbers& numbers) {
  const auto is_shown = [&](const std::string& name) {
    return std::ranges::find(numbers.releases, name, &ReportedRelease::name) != numbers.releases.end();
  };
  for (ReleaseRecord& record : records) {
    if (is_shown(record.name)) continue;
    LookIn(options.out, record);
    const std::optional<ReportedComposition> composition = ReadComposition(record, options.edition);
    if (!composition) continue;
    for (const ReportedComposition::Broken& broken : composition->broken) {
      if (is_shown(broken.release)) numbers.broken_elsewhere.push_back({record.name, broken});
    }
  }
}

// Of the one release whose original is named, where its table could be read.
Status AskQueries(const ReportOptions& options, const std::vector<ReleaseRecord>& records, ReportNumbers& numbers) {
  if (options.queries == 0 || numbers.releases.empty() || !numbers.releases.front().table) return {};
  ReleaseRecord record = *std::ranges::find(records, options.releases.front(), &ReleaseRecord::name);
  LookIn(options.out, record);
  const WorkloadPlan plan{.queries = options.queries};
  PENTIMENTO_ASSIGN(const WorkloadError error,
                    MeasureWorkload(options.originals, record.final_path, plan, options.progress));
  numbers.query_error = {options.queries, error.dimensions, error.counted,      error.left_out,
                         error.average,   error.median,     error.naive_average};
  return {};
}

// A release that is tried would go to where the latest one is.
TrialPlaces PlacesOf(const ReportOptions& options, const std::vector<ReleaseRecord>& records) {
  if (!options.out.empty()) return {options.ledger, options.out};
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    if (!record->imported) return {options.ledger, record->final_path.parent_path()};
  }
  return {options.ledger, std::filesystem::path(options.ledger).concat("-published")};
}

void TellAbandoned(const std::vector<ReleaseRecord>& records, ReportNumbers& numbers) {
  const auto abandoned =
      static_cast<std::uint64_t>(std::ranges::count(records, ReleaseState::kAbandoned, &ReleaseRecord::state));
  if (abandoned == 0 || numbers.edition == ReportEdition::kPublic) return;
  numbers.left_out.push_back(fmt::format("{} {} begun and given up: nothing of {} was published.", abandoned,
                                         Plural(abandoned, "release was", "releases were"),
                                         Plural(abandoned, "it", "them")));
}

}  // namespace

Result<ReportNumbers> CollectReport(const ReportOptions& options) {
  PENTIMENTO_RETURN_IF_ERROR(RequireOneOriginal(options));
  PENTIMENTO_ASSIGN(Ledger ledger, Ledger::OpenForReading(options.ledger));
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> records, ledger.Releases());
  ReportNumbers numbers{.edition = options.edition, .version = PENTIMENTO_VERSION};
  const bool is_internal = options.edition == ReportEdition::kInternal;
  if (is_internal) numbers.ledger = options.ledger.string();
  PENTIMENTO_ASSIGN(std::vector<ReleaseRecord> selected, Select(options, records, numbers));
  if (!is_internal) numbers.scope.clear();
  if (options.progress != nullptr) options.progress->Begin("reading the releases");
  std::vector<std::string> global;
  PENTIMENTO_RETURN_IF_ERROR(ReadReleases(options, std::move(selected), numbers, global));
  if (is_internal) {
    for (const std::string& series : global) numbers.budgets.push_back(ReadBudgetCourse(ledger, series));
  }
  if (options.progress != nullptr) options.progress->End();
  PENTIMENTO_RETURN_IF_ERROR(AskQueries(options, records, numbers));
  PENTIMENTO_ASSIGN(numbers.trials, RunTrials(options.trials, PlacesOf(options, records), options.progress));
  LookElsewhere(options, records, numbers);
  TellAbandoned(records, numbers);
  numbers.verdict = JudgeReport(numbers);
  return numbers;
}

}  // namespace pentimento
