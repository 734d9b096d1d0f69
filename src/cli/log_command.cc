#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "engine/serial/check_account.h"
#include "fmt/core.h"
#include "ledger/ledger.h"
#include "ledger/printable.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

struct LogArguments {
  std::string ledger;
  std::string out;
  bool check = false;
  bool json = false;
};

// A path may be any bytes.
std::string Text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

// Nothing is published by an import.
std::string_view StateOf(const ReleaseRecord& release) {
  return release.imported && release.state == ReleaseState::kPublished ? "imported" : ToString(release.state);
}

std::string LogText(const std::vector<ReleaseRecord>& releases) {
  if (releases.empty()) return "nothing has been published yet\n";
  std::string text;
  for (const ReleaseRecord& release : releases) {
    text += fmt::format("{}  {:<10}  {}  ({} rows)\n", Printable(release.opened_at), StateOf(release),
                        Printable(release.name), WithCommas(release.rows));
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
    array.push_back({{"release", Printable(release.name)},
                     {"state", StateOf(release)},
                     {"opened_at", Printable(release.opened_at)},
                     {"closed_at", Printable(release.closed_at)},
                     {"rows", release.rows},
                     {"guarantees", Json::parse(release.parameters_json, nullptr, false)},
                     {"folder", release.final_path.string()},
                     {"files", files}});
  }
  return array;
}

std::string Count(std::size_t releases) { return fmt::format("{} release{}", releases, releases == 1 ? "" : "s"); }

// What is said where nothing is wrong with the ledger.
std::string CheckText(const LogArguments& arguments, std::size_t releases, const PublishedCheck& published,
                      const AccountCheck& accounts) {
  std::string text = fmt::format("the ledger is intact: {} on record\n", Count(releases));
  if (arguments.out.empty()) return text;
  text += fmt::format("{}: {} as published\n", arguments.out, Count(published.intact.size()));
  for (const std::string& name : published.missing)
    text += fmt::format("{}: not there, and not looked at; name the folder it was moved to with --out\n",
                        (std::filesystem::path(arguments.out) / name).string());
  for (const std::string& name : accounts.covered)
    text += fmt::format("the account of the series '{}' covers what its published tables tell\n", name);
  for (const std::string& name : accounts.incomplete)
    text += fmt::format(
        "the account of the series '{}' was not compared: its releases are not all there, or cannot be read\n", name);
  return text;
}

Json CheckJson(const LogArguments& arguments, const std::vector<std::string>& problems, const PublishedCheck& published,
               const AccountCheck& accounts) {
  Json json = {{"intact", problems.empty()}, {"problems", problems}};
  if (arguments.out.empty() || !problems.empty()) return json;
  json["published"] = {{"intact", published.intact}, {"missing", published.missing}, {"problems", published.problems}};
  json["accounts"] = {
      {"covered", accounts.covered}, {"incomplete", accounts.incomplete}, {"problems", accounts.problems}};
  return json;
}

int Check(const LogArguments& arguments, Ledger& ledger) {
  const Result<std::vector<std::string>> problems = ledger.CheckAll();
  if (!problems.ok()) return Fail(problems.error(), arguments.json);
  PublishedCheck published;
  AccountCheck accounts;
  std::size_t on_record = 0;
  // What a damaged ledger has on record proves nothing about published files.
  if (problems->empty()) {
    const Result<std::vector<ReleaseRecord>> releases = ledger.Releases();
    if (!releases.ok()) return Fail(releases.error(), arguments.json);
    on_record = releases->size();
  }
  if (problems->empty() && !arguments.out.empty()) {
    Result<PublishedCheck> found = ledger.CheckPublished(arguments.out);
    if (!found.ok()) return Fail(found.error(), arguments.json);
    published = std::move(found).value();
    Result<AccountCheck> compared = CheckAccounts(ledger, arguments.out, published.intact);
    if (!compared.ok()) return Fail(compared.error(), arguments.json);
    accounts = std::move(compared).value();
  }
  const Status printed = Print(arguments.json      ? Text(CheckJson(arguments, *problems, published, accounts))
                               : problems->empty() ? CheckText(arguments, on_record, published, accounts)
                                                   : "");
  if (!printed.ok()) return Fail(printed.error());
  for (const std::string& problem : *problems) fmt::print(stderr, "pentimento: {}\n", problem);
  for (const std::string& problem : published.problems) fmt::print(stderr, "pentimento: {}\n", problem);
  for (const std::string& problem : accounts.problems) fmt::print(stderr, "pentimento: {}\n", problem);
  return problems->empty() && published.problems.empty() && accounts.problems.empty()
             ? 0
             : ExitCode(ErrorCode::kCorruptLedger);
}

int RunLog(const LogArguments& arguments) {
  Result<Ledger> ledger = Ledger::OpenForReading(arguments.ledger);
  if (!ledger.ok()) return Fail(ledger.error(), arguments.json);
  if (arguments.check) return Check(arguments, *ledger);
  const Result<std::vector<ReleaseRecord>> releases = ledger->Releases();
  if (!releases.ok()) return Fail(releases.error(), arguments.json);
  return PrintAndExit(arguments.json ? Text(LogJson(*releases)) : LogText(*releases));
}

}  // namespace

void AddLogCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<LogArguments>();
  CLI::App* command = app.add_subcommand("log", "what went out when, under which guarantee");
  command->add_option("--ledger", arguments->ledger, "the ledger")->required();
  CLI::Option* check = command->add_flag(
      "--check", arguments->check, "read everything on record and say whether anything was changed (exit 4 if so)");
  command
      ->add_option(
          "--out", arguments->out,
          "with --check: also compare what was published, as it stands in this folder, with its hashes on "
          "record, and the accounts of series under the global guarantee with their tables (exit 4 where something "
          "differs; a release that is not there is told)")
      ->needs(check);
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([=] { *exit_code = RunLog(*arguments); });
}

}  // namespace pentimento
