#include <fstream>

#include "base/plural.h"
#include "base/temporary_folder.h"
#include "cli/demo.h"
#include "cli/output.h"
#include "engine/bind/bind.h"
#include "engine/incremental/incremental_meter.h"
#include "engine/incremental/measure_incremental.h"
#include "engine/measure.h"
#include "fmt/core.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr const char* kSeries = "clinic";

// What fits on a line of a terminal; a character of several bytes is not cut in two.
std::string Shortened(std::string line) {
  constexpr std::size_t kWidth = 112;
  if (line.size() <= kWidth) return line;
  std::size_t end = kWidth;
  while ((line[end] & 0xC0) == 0x80) --end;
  return line.substr(0, end) + "...";
}

// The header and the first rows, for the eye.
Result<std::string> FirstLines(const std::filesystem::path& file, int lines) {
  std::ifstream input(file);
  std::string text, line;
  for (int i = 0; i < lines && std::getline(input, line); ++i) text += "    " + Shortened(line) + "\n";
  if (text.empty()) return Error{ErrorCode::kStorage, fmt::format("{}: cannot be read", file.string())};
  return text;
}

// Everybody's quasi-identifiers and diseases.
Result<EncodedInput> ReadEverybody(const BoundPolicy& bound, const std::vector<std::filesystem::path>& batches) {
  EncodePlan plan{{}, bound.plan.missing};
  for (const ColumnPlan& column : bound.plan.columns) {
    if (column.role == Role::kQuasiIdentifier || column.role == Role::kSensitive) plan.columns.push_back(column);
  }
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  return EncodeTable(OpenInputs(batches, plan), plan, options);
}

std::string TableHead(bool is_series) {
  return fmt::format("    {:<9}{:>9}{:>9}{:>9}{:>14}     all tables so far, side by side\n", "", "", "", "", "") +
         fmt::format("    {:<9}{:>9}{:>9}{:>9}{:>14}     {:>14}{:>17}\n", "table", "people", "classes",
                     is_series ? "refined" : "", "detail lost", "fewer than 10", "standing alone");
}

std::string TableLine(const std::string& name, const IncrementalReading& reading, const std::string& refined) {
  return fmt::format("    {:<9}{:>9}{:>9}{:>9}{:>12.1f} %     {:>14}{:>17}\n", name, WithCommas(reading.metrics.rows),
                     WithCommas(reading.metrics.classes), refined, reading.metrics.ncp_percent,
                     WithCommas(reading.unsafe), WithCommas(reading.alone));
}

std::string ExampleText(const EncodedInput& everybody, const std::vector<std::string>& columns, const LoneCase& lone,
                        std::uint64_t cases) {
  std::string text =
      fmt::format("    {:<12}{:<26}{:<26}{:<24}{}\n", "", "spring says", "summer says", "so both say", "a neighbour");
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Domain& domain = everybody.domains[c];
    const Code truth = everybody.table.quasi_identifiers[c][lone.number];
    text += fmt::format("    {:<12}{:<26}{:<26}{:<24}{}\n", columns[c], domain.Label(lone.first[c]),
                        domain.Label(lone.second[c]), domain.Label(lone.together[c]), domain.Label({truth, truth}));
  }
  const ValueColumn& disease = everybody.values.front();
  return text +
         fmt::format("\n   Of {} cases only this one can be the neighbour, and beside it stands the disease: {}.\n",
                     WithCommas(cases), disease.values[disease.codes[lone.number]]);
}

}  // namespace

DemoStory::DemoStory(std::filesystem::path folder, std::uint64_t rows, Progress* progress)
    : folder_(std::move(folder)),
      batches_({{{"spring", rows - rows * 10 / 31 - rows / 31}, {"summer", rows * 10 / 31}, {"autumn", rows / 31}}}),
      progress_(progress) {}

Status DemoStory::MakeUpRegister() {
  progress_->Begin("making up people");
  const Status written = WritePeopleBatches(folder_ / "register", batches_, kSeries, kSeed);
  progress_->End();
  if (!written.ok()) return written;
  PENTIMENTO_ASSIGN(Policy policy, ReadPolicy(folder_ / "register" / "spring.toml"));
  PENTIMENTO_ASSIGN(bound_, Bind(std::move(policy)));
  return {};
}

Result<ReleaseOutcome> DemoStory::Publish(const std::string& policy, const std::string& place) {
  PENTIMENTO_ASSIGN(Policy read, ReadPolicy(folder_ / "register" / policy));
  ReleaseOptions options;
  options.ledger = folder_ / place / "ledger";
  options.out = folder_ / place / "published";
  options.seed = ++releases_;  // by equal seeds rows would be in the same order, and could be followed
  options.progress = progress_;
  return PublishRelease(std::move(read), options);
}

std::vector<std::filesystem::path> DemoStory::BatchFiles() const {
  std::vector<std::filesystem::path> files;
  for (const PeopleBatch& batch : batches_) files.push_back(folder_ / "register" / (batch.name + ".csv"));
  return files;
}

Status DemoStory::TellOneRelease() {
  const std::filesystem::path table = BatchFiles().front();
  PENTIMENTO_ASSIGN(const std::string before, FirstLines(table, 3));
  PENTIMENTO_ASSIGN(const ReleaseOutcome outcome, Publish("spring-alone.toml", "alone"));
  PENTIMENTO_ASSIGN(const MeasuredRelease measured, MeasureRelease({table}, outcome.folder));
  PENTIMENTO_ASSIGN(const std::string after, FirstLines(outcome.folder / "table.csv", 3));
  return Print(fmt::format(
      "1. ONE RELEASE. A clinic has a register of {} people, all of them invented.\n\n{}\n"
      "   {} of them are the only ones with their age, sex, zip, job, education, marital state, origin and hours: who\n"
      "   knows these of a neighbour finds the neighbour's disease. So in spring the table is published like this:\n\n"
      "{}\n"
      "   Every row looks like at least {} others, at the price of {:.1f} % of the detail. By itself this table is "
      "safe.\n\n",
      WithCommas(measured.original.rows), before, WithCommas(measured.original.unique_rows), after,
      measured.metrics.smallest_class - 1, measured.metrics.ncp_percent));
}

Status DemoStory::TellReleasesSideBySide() {
  PENTIMENTO_RETURN_IF_ERROR(
      Print(fmt::format("2. THREE RELEASES THAT DO NOT KNOW OF EACH OTHER. {} people join by summer and {} by autumn. "
                        "Each time everybody\n"
                        "   is anonymized from scratch. Each table is {}-anonymous. But a row is easily found again in "
                        "the next table: its\n"
                        "   weight, visit and note are published as they are. What the tables say of it must then be "
                        "true all at once.\n\n",
                        WithCommas(batches_[1].rows), WithCommas(batches_[2].rows), bound_->k)));
  PENTIMENTO_ASSIGN(const EncodedInput everybody, ReadEverybody(*bound_, BatchFiles()));
  IncrementalMeter meter(everybody.domains);
  IncrementalHistory history;
  std::string text = TableHead(false);
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    // The first table is out already.
    if (i > 0) PENTIMENTO_RETURN_IF_ERROR(Publish(batches_[i].name + "-alone.toml", "alone"));
    const PartitionOptions options{.k = bound_->k};
    PENTIMENTO_ASSIGN(IncrementalRelease release, PublishAnew(everybody, everybody.rows_after_part[i], options));
    anew_ = meter.Add(release, bound_->k);
    text += TableLine(batches_[i].name, anew_, "");
    history.push_back(std::move(release));
  }
  text += fmt::format("\n   Only {} of the people are still hidden among {}.", PercentText(anew_.safe), bound_->k);
  const std::optional<LoneCase> lone = FindLoneCase(history[0], history[1], everybody.table);
  if (!lone) return Print(text + "\n\n");
  text += " Two tables are enough to find this neighbour:\n\n";
  return Print(text + ExampleText(everybody, bound_->quasi_identifiers, *lone, history[1].cases.size()) + "\n");
}

Status DemoStory::TellSeries() {
  std::vector<std::filesystem::path> folders;
  for (const PeopleBatch& batch : batches_) {
    PENTIMENTO_ASSIGN(const ReleaseOutcome outcome, Publish(batch.name + ".toml", "series"));
    folders.push_back(outcome.folder);
  }
  PENTIMENTO_ASSIGN(const MeasuredIncremental measured, MeasureIncremental(BatchFiles(), folders, progress_));
  std::string text = fmt::format(
      "3. THE SAME AS A SERIES. The policy now says type = \"incremental-k-anonymity\", series = \"{}\". Pentimento "
      "remembers\n   what went out. Newcomers join the classes that are there, and a class is only ever cut within its "
      "own box:\n   what a later table says lies inside of what the earlier ones said.\n\n",
      kSeries);
  text += TableHead(true);
  for (const MeasuredIncrementalRelease& release : measured.releases) {
    const bool is_first = &release == &measured.releases.front();
    text += TableLine(release.release, release.published, is_first ? "" : WithCommas(release.published.groups_refined));
  }
  const IncrementalReading& last = measured.releases.back().published;
  return Print(text + fmt::format("\n   {} of the people are hidden among at least {}, whoever lays the tables side by "
                                  "side, measured from the\n   published files. The price: {:.1f} % of the detail is "
                                  "gone, instead of {:.1f} %.\n",
                                  PercentText(last.safe), measured.releases.back().k, last.metrics.ncp_percent,
                                  anew_.metrics.ncp_percent));
}

}  // namespace pentimento
