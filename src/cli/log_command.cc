#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "fmt/core.h"
#include "ledger/ledger.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string ledger;
  bool check = false;
  bool json = false;
};

// Nothing is published by an import.
std::string_view StateOf(const ReleaseRecord& release) {
  return release.imported && release.state == ReleaseState::kPublished ? "imported" : ToString(release.state);
}

std::string LogText(const std::vector<ReleaseRecord>& releases) {
  if (releases.empty()) return "nothing has been published yet\n";
  std::string text;
  for (const ReleaseRecord& release : releases) {
    text += fmt::format("{}  {:<10}  {}  ({} rows)\n", release.opened_at, StateOf(release), release.name,
                        WithCommas(release.rows));
    text += fmt::format("    {}\n    {}\n", release.guarantee, release.final_path.string());
  }
  return text;
}

Json LogJson(const std::vector<ReleaseRecord>& releases) {
  Json array = Json::array();
  for (const ReleaseRecord& release : releases) {
    Json files = Json::array();
    for (const PublishedFile& file : release.files) {
      files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
    }
    array.push_back({{"release", release.name},
                     {"state", StateOf(release)},
                     {"opened_at", release.opened_at},
                     {"closed_at", release.closed_at},
                     {"rows", release.rows},
                     {"guarantees", Json::parse(release.parameters_json, nullptr, false)},
                     {"folder", release.final_path.string()},
                     {"files", files}});
  }
  return array;
}

int Check(const Arguments& arguments, Ledger& ledger, std::size_t releases) {
  const Result<std::vector<std::string>> problems = ledger.CheckAll();
  if (!problems.ok()) return Fail(problems.error(), arguments.json);
  if (arguments.json) {
    const Status printed = Print(Json{{"intact", problems->empty()}, {"problems", *problems}}.dump(2) + "\n");
    if (!printed.ok()) return Fail(printed.error());
  } else if (problems->empty()) {
    return PrintAndExit(
        fmt::format("the ledger is intact: {} release{} on record\n", releases, releases == 1 ? "" : "s"));
  }
  for (const std::string& problem : *problems) fmt::print(stderr, "pentimento: {}\n", problem);
  return problems->empty() ? 0 : ExitCode(ErrorCode::kCorruptLedger);
}

int Run(const Arguments& arguments) {
  Result<Ledger> ledger = Ledger::OpenForReading(arguments.ledger);
  if (!ledger.ok()) return Fail(ledger.error(), arguments.json);
  const Result<std::vector<ReleaseRecord>> releases = ledger->Releases();
  if (!releases.ok()) return Fail(releases.error(), arguments.json);
  if (arguments.check) return Check(arguments, *ledger, releases->size());
  return PrintAndExit(arguments.json ? LogJson(*releases).dump(2) + "\n" : LogText(*releases));
}

}  // namespace

void AddLogCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("log", "what went out when, under which guarantee");
  command->add_option("--ledger", arguments->ledger, "the ledger")->required();
  command->add_flag("--check", arguments->check,
                    "read everything on record and say whether anything was changed (exit 4 if so)");
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([=] { *exit_code = Run(*arguments); });
}

}  // namespace pentimento
