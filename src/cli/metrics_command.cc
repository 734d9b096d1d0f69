#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/global/chance_so_far.h"
#include "engine/incremental/measure_incremental.h"
#include "engine/measure.h"
#include "engine/query/workload.h"
#include "fmt/core.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLivingExplanation =
    "  among few: the living in classes with fewer than k living; fewest: living in the class that has the fewest\n";
constexpr const char* kExplanation =
    "  refined: classes of the release before whose cases have smaller boxes now\n"
    "  NCP:     share of the detail that is gone, in percent\n"
    "  safe:    share of the cases that at least k - 1 others equal, whichever of the releases so far are laid side "
    "by side\n"
    "  anew:    the same, had everybody so far been put into classes from scratch each time, without a memory of what "
    "went "
    "out\n";

std::string Line(std::string_view release, std::string_view kind, const IncrementalReading& reading,
                 std::string_view refined) {
  return fmt::format("  {:<20}{:<6}{:>12}{:>10}{:>9}{:>16}{:>8}{:>8.2f}{:>10}\n", release, kind,
                     WithCommas(reading.metrics.rows), WithCommas(reading.metrics.classes), refined,
                     WithCommas(static_cast<std::uint64_t>(reading.metrics.discernibility)),
                     NumberOrDash(reading.metrics.c_avg), reading.metrics.ncp_percent, PercentText(reading.safe));
}

// Of the releases from which on somebody has left.
std::string LivingText(const MeasuredIncremental& measured) {
  std::string text;
  for (const MeasuredIncrementalRelease& release : measured.releases) {
    const std::optional<LivingCounts>& living = release.published.living;
    if (!living || living->withdrawn == 0) continue;
    text += fmt::format("  {:<26}{:>12}{:>10}{:>12}{:>9}\n", release.release, WithCommas(living->living),
                        WithCommas(living->withdrawn), WithCommas(living->among_few), WithCommas(living->fewest));
  }
  if (text.empty()) return text;
  return fmt::format("\n  {:<26}{:>12}{:>10}{:>12}{:>9}\n{}", "", "living", "withdrawn", "among few", "fewest", text) +
         kLivingExplanation;
}

Json ReadingJson(const IncrementalReading& reading, const std::vector<std::string>& quasi_identifiers) {
  return {{"metrics", Json::parse(MetricsJson(reading.metrics, quasi_identifiers))},
          {"groups_refined", reading.groups_refined},
          {"safe_ratio", static_cast<double>(reading.safe.num) / static_cast<double>(reading.safe.den)},
          {"safe", PercentText(reading.safe)},
          {"unsafe_cases", reading.unsafe},
          {"cases_alone", reading.alone},
          {"tried_every_set", reading.tried_every_set}};
}

std::string IncrementalText(const MeasuredIncremental& measured) {
  const std::uint64_t k = measured.releases.back().k;
  std::string text = fmt::format("{} (incremental {}-anonymity, {} {})\n\n", measured.series, k,
                                 measured.releases.size(), measured.releases.size() == 1 ? "release" : "releases");
  text += fmt::format("  {:<26}{:>12}{:>10}{:>9}{:>16}{:>8}{:>8}{:>10}\n", "release", "rows", "classes", "refined",
                      "discernibility", "C_AVG", "NCP", "safe");
  bool rows_differ = false;
  for (std::size_t i = 0; i < measured.releases.size(); ++i) {
    const MeasuredIncrementalRelease& release = measured.releases[i];
    text += Line(release.release, "", release.published, i == 0 ? "" : WithCommas(release.published.groups_refined));
    text += Line("", "anew", release.anew, "");
    rows_differ = rows_differ || release.published.metrics.rows != release.anew.metrics.rows;
  }
  text += LivingText(measured);
  text += fmt::format("\n{}", kExplanation);
  if (!measured.releases.back().anew.tried_every_set) {
    text += fmt::format(
        "  note: of more than {} releases only each, each two and all together were laid side by side for 'anew', "
        "which "
        "may\n        be less safe than it says.\n",
        EverySet::kMostReleases);
  }
  if (rows_differ) {
    text +=
        "  note: the originals do not have as many rows as the releases have cases. Rows of people who came back may "
        "be "
        "why;\n        otherwise, are these the originals of this series?\n";
  }
  return text;
}

std::string IncrementalJson(const MeasuredIncremental& measured) {
  Json releases = Json::array();
  for (const MeasuredIncrementalRelease& release : measured.releases) {
    releases.push_back({{"release", release.release},
                        {"k", release.k},
                        {"changes_only", release.changes_only},
                        {"published", ReadingJson(release.published, measured.quasi_identifiers)},
                        {"living", Json::parse(LivingJson(release.published.living))},
                        {"anew", ReadingJson(release.anew, measured.quasi_identifiers)}});
  }
  const Json json = {{"series", measured.series}, {"releases", std::move(releases)}};
  return JsonText(json);
}

using Json = nlohmann::ordered_json;

struct MetricsArguments {
  std::vector<std::string> originals;
  std::vector<std::string> releases;
  std::string ledger;
  WorkloadPlan workload{.queries = 0};  // none unless asked for
  bool json = false;
};

std::string WorkloadText(const WorkloadPlan& plan, const WorkloadError& error) {
  std::string text = fmt::format(
      "\n  query error: {:.2f} % on average over {} counts with {} quasi-identifiers each, selectivity {}\n",
      error.average * 100, WithCommas(error.counted), error.dimensions, plan.selectivity);
  text += fmt::format("    median {:.2f} %; with the estimator of Wong et al. 2007 {:.2f} % on average\n",
                      error.median * 100, error.naive_average * 100);
  if (error.left_out > 0) text += fmt::format("    {} more, whose true count is 0, are left out\n", error.left_out);
  return text;
}

Json WorkloadJson(const WorkloadPlan& plan, const WorkloadError& error) {
  return {{"queries", plan.queries},
          {"dimensions", error.dimensions},
          {"selectivity", plan.selectivity},
          {"seed", plan.seed},
          {"average", error.average},
          {"median", error.median},
          {"naive_average", error.naive_average},
          {"counted", error.counted},
          {"left_out", error.left_out}};
}

// Not every guarantee has a k.
std::string FormInWords(const MeasuredRelease& measured) {
  if (measured.k == 0) return measured.two_tables ? "two tables" : "one table";
  if (measured.two_tables) return fmt::format("two tables, classes of at least {}", measured.k);
  return fmt::format("{}-anonymity", measured.k);
}

std::string Text(const MeasuredRelease& measured) {
  std::string text = fmt::format("{} ({})\n", measured.release, FormInWords(measured));
  text +=
      measured.two_tables ? ClassesText(measured.metrics) : MetricsText(measured.metrics, measured.quasi_identifiers);
  text += fmt::format(
      "\n  before: {} of {} {} the only ones with their combination of quasi-identifiers\n"
      "  after:  {} of {}\n",
      WithCommas(measured.original.unique_rows), WithCommas(measured.original.rows),
      Plural(measured.original.rows, "row is", "rows were"), WithCommas(measured.released.unique_rows),
      WithCommas(measured.released.rows));
  if (measured.original.rows != measured.released.rows) {
    text += "  note: the two tables do not have the same number of rows; is this the original of this release?\n";
  }
  return text;
}

Json DistinctnessJson(const Distinctness& distinctness) {
  return {{"rows", distinctness.rows},
          {"combinations", distinctness.combinations},
          {"unique_rows", distinctness.unique_rows}};
}

double AsFraction(ClassShare share) { return static_cast<double>(share) / static_cast<double>(kWholeClass); }

std::string ChanceText(const ChanceSoFar& so_far) {
  std::string text =
      fmt::format("\n  series '{}' after {} {}, {} people: the chance that somebody ever had a value\n", so_far.series,
                  so_far.releases, Plural(so_far.releases, "release", "releases"), WithCommas(so_far.people));
  for (const ChanceSoFar::Item& item : so_far.items) {
    text += fmt::format("    {} of '{}': at most {:.4f} so far, limit 1/{}; {} {} above nine tenths of it\n",
                        item.is_set ? "a set" : "a value", item.column, AsFraction(item.largest), item.l,
                        WithCommas(item.near), Plural(item.near, "person is", "people are"));
  }
  return text;
}

Json ChanceJson(const ChanceSoFar& so_far) {
  Json items = Json::array();
  for (const ChanceSoFar::Item& item : so_far.items) {
    items.push_back({{"column", item.column},
                     {"set", item.is_set},
                     {"l", item.l},
                     {"largest_chance", AsFraction(item.largest)},
                     {"people_near", item.near},
                     {"people_above", item.above}});
  }
  return {
      {"series", so_far.series}, {"releases", so_far.releases}, {"people", so_far.people}, {"items", std::move(items)}};
}

// Nothing for a release of no such series, or where no ledger is named.
Result<std::optional<ChanceSoFar>> ChanceOf(const MeasuredRelease& measured, const std::string& ledger) {
  if (ledger.empty()) return std::optional<ChanceSoFar>();
  if (measured.global_series.empty())
    return Error{ErrorCode::kUsage, fmt::format("--ledger is for releases under the global guarantee, and '{}' is none",
                                                measured.release)};
  PENTIMENTO_ASSIGN(Ledger opened, Ledger::OpenForReading(ledger));
  PENTIMENTO_ASSIGN(ChanceSoFar so_far, ReadChanceSoFar(opened, measured.global_series));
  return std::optional(std::move(so_far));
}

int RunIncrementalMetrics(const MetricsArguments& arguments) {
  const std::unique_ptr<Progress> progress = MakeProgress();
  const CommandRun run;
  const Result<MeasuredIncremental> measured =
      MeasureIncremental({arguments.originals.begin(), arguments.originals.end()},
                         {arguments.releases.begin(), arguments.releases.end()}, progress.get());
  progress->End();
  if (!measured.ok()) return Fail(measured.error(), arguments.json);
  return PrintAndExit(arguments.json ? IncrementalJson(*measured) : IncrementalText(*measured));
}

int RunMetrics(const MetricsArguments& arguments) {
  const bool asks = arguments.workload.queries > 0;
  if (arguments.releases.size() != 1) {
    if (asks) return Fail({ErrorCode::kUsage, "--queries is for one release and its original"}, arguments.json);
    if (!arguments.ledger.empty())
      return Fail(
          {ErrorCode::kUsage, "--ledger is for one release under the global guarantee: its series has one account"},
          arguments.json);
    return RunIncrementalMetrics(arguments);
  }
  const std::vector<std::filesystem::path> originals(arguments.originals.begin(), arguments.originals.end());
  const Result<MeasuredRelease> measured = MeasureRelease(originals, arguments.releases.front());
  if (!measured.ok()) return Fail(measured.error(), arguments.json);
  WorkloadError error;
  if (asks) {
    const Result<WorkloadError> asked =
        MeasureWorkload(originals, arguments.releases.front(), arguments.workload, nullptr);
    if (!asked.ok()) return Fail(asked.error(), arguments.json);
    error = *asked;
  }
  const Result<std::optional<ChanceSoFar>> so_far = ChanceOf(*measured, arguments.ledger);
  if (!so_far.ok()) return Fail(so_far.error(), arguments.json);
  if (!arguments.json) {
    return PrintAndExit(Text(*measured) + (asks ? WorkloadText(arguments.workload, error) : "") +
                        (*so_far ? ChanceText(**so_far) : ""));
  }
  Json json = {{"release", measured->release},
               {"k", measured->k},
               {"metrics", Json::parse(MetricsJson(measured->metrics, measured->quasi_identifiers))},
               {"original", DistinctnessJson(measured->original)},
               {"released", DistinctnessJson(measured->released)},
               {"class_sizes", Json::parse(ClassSizesJson(measured->class_sizes))},
               {"rows_below_k", measured->rows_below_k},
               {"columns", Json::parse(ColumnsJson(measured->columns))},
               {"living", Json::parse(LivingJson(measured->living))}};
  if (*so_far) json["chance_of_ever"] = ChanceJson(**so_far);
  if (asks) json["query_error"] = WorkloadJson(arguments.workload, error);
  return PrintAndExit(JsonText(json));
}

}  // namespace

void AddMetricsCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<MetricsArguments>();
  CLI::App* command = app.add_subcommand("metrics", "how much a release has lost, measured from its files");
  command
      ->add_option(
          "--original", arguments->originals,
          "the table it was made from, CSV or Parquet, in one file or several; for a series the rows that came "
          "with each release")
      ->required();
  command
      ->add_option("--release", arguments->releases,
                   "the folder of the release; for a series all of them, from the first on")
      ->required();
  command
      ->add_option("--queries", arguments->workload.queries,
                   "also ask this many random counts, and tell how far off the release is")
      ->check(CLI::Range(1, 10000000));
  command->add_option("--dimensions", arguments->workload.dimensions,
                      "of --queries: how many quasi-identifiers each asks for (4, or all of fewer)");
  command->add_option("--selectivity", arguments->workload.selectivity,
                      "of --queries: which share of the rows each is to have (0.05)");
  command->add_option("--seed", arguments->workload.seed, "of --queries: other numbers draw other queries (1)");
  command->add_option("--ledger", arguments->ledger,
                      "of a series under the global guarantee: also how near its people are to their limits");
  command->add_flag("--json", arguments->json, "print JSON");
  command->footer(
      "Examples:\n  pentimento metrics --original people.csv --release published/people-q1\n"
      "  pentimento metrics --original people.csv --release published/people-q1 --queries 1000 --dimensions 3\n"
      "  pentimento metrics --original first.csv more.csv --release published/first published/second\n");
  command->callback([=] { *exit_code = RunMetrics(*arguments); });
}

}  // namespace pentimento
