#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/forget.h"
#include "fmt/core.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

struct ForgetArguments {
  std::vector<std::string> people;
  std::string file;
  std::string ledger;
  bool json = false;
};

std::string ForgetText(const ForgetOutcome& outcome) {
  std::string text;
  for (const ForgetOutcome::Release& release : outcome.releases) {
    text +=
        fmt::format("{}: the cells of {} {} were erased from what the ledger keeps of the series '{}'\n",
                    release.release, WithCommas(release.cases), Plural(release.cases, "case", "cases"), release.series);
  }
  if (outcome.releases.empty()) text += "the ledger keeps no cells of these people; nothing was erased\n";
  if (outcome.unknown > 0) {
    text += fmt::format("  {} of {} {} in no release on record; is the id written as in the table?\n",
                        WithCommas(outcome.unknown), WithCommas(outcome.people), Plural(outcome.unknown, "is", "are"));
  }
  if (!outcome.kept_in.empty()) {
    text += fmt::format(
        "  what stays: keyed hashes of who took part in {} {}, and in a series the codes of their quasi-identifiers.\n"
        "  Without them nobody could hold later releases to what was promised to everybody. What was published stays "
        "published.\n",
        WithCommas(outcome.kept_in.size()), Plural(outcome.kept_in.size(), "release", "releases"));
  }
  for (const ForgetOutcome::Series& series : outcome.still_there) {
    text += fmt::format(
        "  {} of them {} not left the series '{}': the next release publishes their rows without these cells. Let them "
        "leave\n  with it, and keep their rows out of its table: what it holds is kept again.\n",
        WithCommas(series.living), Plural(series.living, "has", "have"), series.series);
  }
  if (!outcome.releases.empty()) text += "  Backups of the ledger, and of the disk, may still hold what was erased.\n";
  return text;
}

std::string ForgetJson(const ForgetOutcome& outcome) {
  nlohmann::ordered_json releases = nlohmann::ordered_json::array(), still_there = releases;
  for (const ForgetOutcome::Release& release : outcome.releases)
    releases.push_back({{"release", release.release}, {"series", release.series}, {"cases", release.cases}});
  for (const ForgetOutcome::Series& series : outcome.still_there)
    still_there.push_back({{"series", series.series}, {"people", series.living}});
  return JsonText(nlohmann::ordered_json{{"people", outcome.people},
                                         {"unknown", outcome.unknown},
                                         {"erased", releases},
                                         {"still_there", still_there},
                                         {"kept_in", outcome.kept_in},
                                         {"recovered", outcome.recovered}});
}

int RunForget(const ForgetArguments& arguments) {
  const CommandRun run;
  ForgetOptions options{arguments.ledger, arguments.people};
  if (!arguments.file.empty()) {
    const Result<std::vector<std::string>> ids = ReadIdsOfFile(arguments.file);
    if (!ids.ok()) return Fail(ids.error(), arguments.json);
    options.ids.insert(options.ids.end(), ids->begin(), ids->end());
  }
  const Result<ForgetOutcome> outcome = ForgetPeople(options);
  if (!outcome.ok()) return Fail(outcome.error(), arguments.json);
  Note(outcome->recovered);
  return PrintAndExit(arguments.json ? ForgetJson(*outcome) : ForgetText(*outcome));
}

}  // namespace

void AddForgetCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<ForgetArguments>();
  CLI::App* command = app.add_subcommand("forget", "erase the cells that the ledger keeps of some people");
  command->add_option("PERSON", arguments->people, "their ids, as they stand in the id column");
  command->add_option("--ids", arguments->file,
                      "a file with an id on each line, so that none is in the shell's history");
  command->add_option("--ledger", arguments->ledger, "the ledger")->required();
  command->add_flag("--json", arguments->json, "print the outcome as JSON");
  command->footer("Example:\n  pentimento forget --ids gone.txt --ledger ledger\n");
  command->callback([=] { *exit_code = RunForget(*arguments); });
}

}  // namespace pentimento
