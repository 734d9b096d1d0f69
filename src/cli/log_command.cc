#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/composition/composition_json.h"
#include "engine/composition/composition_words.h"
#include "engine/global/check_account.h"
#include "engine/steps/forgotten_release.h"
#include "fmt/core.h"
#include "fmt/ranges.h"
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

// Nothing is published by an import.
std::string_view StateOf(const ReleaseRecord& release) {
  return release.imported && release.state == ReleaseState::kPublished ? "imported" : ToString(release.state);
}

// Versions before 0.2.0 did not record it.
std::string WhoAndWhatText(const ReleaseRecord& release) {
  std::string text;
  if (!release.user.empty())
    text += fmt::format("    by {}, with {}\n", Printable(release.user), Printable(release.policy_file));
  if (release.input) {
    const RecordedInput& input = *release.input;
    text += Printable(fmt::format("    from {} {} of {}: {}", WithCommas(input.rows), Plural(input.rows, "row", "rows"),
                                  fmt::join(input.files, ", "), fmt::join(input.columns, ", "))) +
            "\n";
  }
  if (release.retracted) {
    text += Printable(fmt::format("    retracted {} by {}{}{}", release.retracted->time, release.retracted->user,
                                  release.retracted->reason.empty() ? "" : ": ", release.retracted->reason)) +
            "\n";
  }
  for (const Forgetting& forgetting : release.forgotten) {
    text += fmt::format("    {} {} forgotten {} by {}\n", WithCommas(forgetting.cases),
                        Plural(forgetting.cases, "case was", "cases were"), Printable(forgetting.time),
                        Printable(forgetting.user));
  }
  for (const std::string& note : release.notes) text += fmt::format("    accepted: {}\n", Printable(note));
  return text;
}

std::string LogText(const std::vector<ReleaseRecord>& releases) {
  if (releases.empty()) return "nothing has been published yet\n";
  std::string text;
  for (const ReleaseRecord& release : releases) {
    text += fmt::format("{}  {:<10}  {}  ({} {})\n", Printable(release.opened_at), StateOf(release),
                        Printable(release.name), WithCommas(release.rows), Plural(release.rows, "row", "rows"));
    text += fmt::format("    {}\n    {}\n", release.guarantee, release.final_path.string());
    text += WhoAndWhatText(release);
    if (const auto composition = ParseComposition(release.composition_json)) {
      const std::string words = CompositionOnRecordInWords(*composition);
      if (!words.empty()) text += fmt::format("    {}\n", Printable(words));
    }
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
    if (!release.user.empty()) array.back()["user"] = release.user;
    if (!release.policy_file.empty()) array.back()["policy_file"] = release.policy_file;
    if (release.input) {
      array.back()["input"] = {
          {"files", release.input->files}, {"rows", release.input->rows}, {"columns", release.input->columns}};
    }
    array.back()["notes"] = release.notes;
    if (release.retracted) {
      array.back()["retracted"] = {
          {"time", release.retracted->time}, {"user", release.retracted->user}, {"reason", release.retracted->reason}};
    }
    for (const Forgetting& forgetting : release.forgotten) {
      array.back()["forgotten"].push_back(
          {{"time", forgetting.time}, {"user", forgetting.user}, {"cases", forgetting.cases}});
    }
    // Versions that did not measure it left it out.
    if (!release.composition_json.empty())
      array.back()["composition"] =
          Json::parse(CompositionJson(ParseComposition(release.composition_json)), nullptr, false);
  }
  return array;
}

std::string Count(std::size_t releases) { return fmt::format("{} release{}", releases, releases == 1 ? "" : "s"); }

// What a check found out; where the ledger itself is damaged, that alone.
struct Findings {
  std::vector<std::string> damage;  // of the ledger
  std::size_t on_record = 0;
  std::vector<std::filesystem::path> unrecorded;  // folders that are releases and not on record
  std::vector<std::string> not_looked_at;         // whether they are: in words
  PublishedCheck published;
  AccountCheck accounts;

  bool ledger_is_whole() const { return damage.empty() && unrecorded.empty(); }
  std::vector<std::string> problems() const {
    std::vector<std::string> all = damage;
    for (const std::filesystem::path& folder : unrecorded)
      all.push_back(fmt::format(
          "{}: a release that this ledger does not have on record, so that later ones are not verified against it. If "
          "the "
          "ledger was restored or has lost entries, use a newer backup. If another ledger published it, give each "
          "ledger an --out of its own.",
          folder.string()));
    all.insert(all.end(), published.problems.begin(), published.problems.end());
    all.insert(all.end(), accounts.problems.begin(), accounts.problems.end());
    return all;
  }
};

Result<Findings> CheckAll(const LogArguments& arguments, Ledger& ledger) {
  Findings found;
  PENTIMENTO_ASSIGN(found.damage, ledger.CheckAll());
  // What a damaged ledger has on record proves nothing about published files.
  if (!found.damage.empty()) return found;
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> releases, ledger.Releases());
  found.on_record = releases.size();
  if (arguments.out.empty()) return found;
  PENTIMENTO_ASSIGN(const UnrecordedReleases unrecorded, FindUnrecorded(arguments.out, &ledger));
  for (const UnrecordedRelease& release : unrecorded.releases) found.unrecorded.push_back(release.folder);
  found.not_looked_at = unrecorded.notes;
  PENTIMENTO_ASSIGN(found.published, ledger.CheckPublished(arguments.out));
  PENTIMENTO_ASSIGN(found.accounts, CheckAccounts(ledger, arguments.out, found.published.intact));
  return found;
}

// What is said where nothing is damaged in the ledger.
std::string CheckText(const LogArguments& arguments, const Findings& found) {
  std::string text = found.ledger_is_whole()
                         ? fmt::format("the ledger is intact: {} on record\n", Count(found.on_record))
                         : fmt::format("the ledger is not complete: {} on record, and not {} in {}\n",
                                       Count(found.on_record), Count(found.unrecorded.size()), arguments.out);
  if (arguments.out.empty()) return text;
  text += fmt::format("{}: {} as published\n", arguments.out, Count(found.published.intact.size()));
  for (const std::string& name : found.published.missing)
    text += fmt::format("{}: not there, and not looked at; name the folder it was moved to with --out\n",
                        (std::filesystem::path(arguments.out) / name).string());
  for (const std::string& note : found.not_looked_at) text += fmt::format("{}\n", Printable(note));
  for (const std::string& name : found.accounts.covered)
    text += fmt::format("the account of the series '{}' covers what its published tables tell\n", name);
  for (const std::string& name : found.accounts.incomplete)
    text += fmt::format(
        "the account of the series '{}' was not compared: its releases are not all there, or cannot be read\n", name);
  return text;
}

Json CheckJson(const LogArguments& arguments, const Findings& found) {
  Json json = {{"intact", found.ledger_is_whole()}, {"problems", found.damage}};
  if (arguments.out.empty() || !found.damage.empty()) return json;
  Json unrecorded = Json::array();
  for (const std::filesystem::path& folder : found.unrecorded) unrecorded.push_back(folder.filename().string());
  json["published"] = {{"intact", found.published.intact},
                       {"missing", found.published.missing},
                       {"problems", found.published.problems},
                       {"unrecorded", unrecorded},
                       {"not_looked_at", found.not_looked_at}};
  json["accounts"] = {{"covered", found.accounts.covered},
                      {"incomplete", found.accounts.incomplete},
                      {"problems", found.accounts.problems}};
  return json;
}

int Check(const LogArguments& arguments, Ledger& ledger) {
  const Result<Findings> found = CheckAll(arguments, ledger);
  if (!found.ok()) return Fail(found.error(), arguments.json);
  const Status printed = Print(arguments.json          ? JsonText(CheckJson(arguments, *found))
                               : found->damage.empty() ? CheckText(arguments, *found)
                                                       : "");
  if (!printed.ok()) return Fail(printed.error());
  const std::vector<std::string> problems = found->problems();
  for (const std::string& problem : problems) fmt::print(stderr, "pentimento: {}\n", Printable(problem));
  return problems.empty() ? 0 : ExitCode(ErrorCode::kCorruptLedger);
}

int RunLog(const LogArguments& arguments) {
  Result<Ledger> ledger = Ledger::OpenForReading(arguments.ledger);
  if (!ledger.ok()) return Fail(ledger.error(), arguments.json);
  if (arguments.check) return Check(arguments, *ledger);
  const Result<std::vector<ReleaseRecord>> releases = ledger->Releases();
  if (!releases.ok()) return Fail(releases.error(), arguments.json);
  return PrintAndExit(arguments.json ? JsonText(LogJson(*releases)) : LogText(*releases));
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
          "with --check: also compare what was published, as it is in this folder, with its hashes on "
          "record, and the accounts of series under the global guarantee with their tables (exit 4 where something "
          "differs; a release that is not there is told)")
      ->needs(check);
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([=] { *exit_code = RunLog(*arguments); });
}

}  // namespace pentimento
