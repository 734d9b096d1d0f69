#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/series_report.h"
#include "engine/measure.h"
#include "engine/series/measure_series.h"
#include "fmt/core.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::vector<std::string> originals;
  std::vector<std::string> releases;
  bool json = false;
};

std::string Text(const MeasuredRelease& measured) {
  std::string text = fmt::format("{} ({})\n", measured.release,
                                 measured.two_tables ? fmt::format("two tables, classes of at least {}", measured.k)
                                                     : fmt::format("{}-anonymity", measured.k));
  text +=
      measured.two_tables ? ClassesText(measured.metrics) : MetricsText(measured.metrics, measured.quasi_identifiers);
  text += fmt::format(
      "\n  before: {} of {} rows were the only ones with their combination of quasi-identifiers\n"
      "  after:  {} of {}\n",
      WithCommas(measured.original.unique_rows), WithCommas(measured.original.rows),
      WithCommas(measured.released.unique_rows), WithCommas(measured.released.rows));
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

int RunSeries(const Arguments& arguments) {
  const std::unique_ptr<Progress> progress = MakeProgress();
  ListenForInterrupts();
  const Result<MeasuredSeries> measured =
      MeasureSeries({arguments.originals.begin(), arguments.originals.end()},
                    {arguments.releases.begin(), arguments.releases.end()}, progress.get());
  progress->End();
  if (!measured.ok()) return Fail(measured.error(), arguments.json);
  return PrintAndExit(arguments.json ? SeriesJson(*measured) : SeriesText(*measured));
}

int Run(const Arguments& arguments) {
  if (arguments.originals.size() != 1 || arguments.releases.size() != 1) return RunSeries(arguments);
  const Result<MeasuredRelease> measured = MeasureRelease(arguments.originals.front(), arguments.releases.front());
  if (!measured.ok()) return Fail(measured.error(), arguments.json);
  if (!arguments.json) return PrintAndExit(Text(*measured));
  const Json json = {{"release", measured->release},
                     {"k", measured->k},
                     {"metrics", Json::parse(MetricsJson(measured->metrics, measured->quasi_identifiers))},
                     {"original", DistinctnessJson(measured->original)},
                     {"released", DistinctnessJson(measured->released)}};
  return PrintAndExit(json.dump(2) + "\n");
}

}  // namespace

void AddMetricsCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("metrics", "how much a release has lost, measured from its files");
  command
      ->add_option("--original", arguments->originals,
                   "the table it was made from, CSV or Parquet; for a series the rows that came with each release")
      ->required();
  command
      ->add_option("--release", arguments->releases,
                   "the folder of the release; for a series all of them, from the first on")
      ->required();
  command->add_flag("--json", arguments->json, "print JSON");
  command->footer(
      "Examples:\n  pentimento metrics --original people.csv --release published/people-q1\n"
      "  pentimento metrics --original first.csv more.csv --release published/first published/second\n");
  command->callback([=] { *exit_code = Run(*arguments); });
}

}  // namespace pentimento
