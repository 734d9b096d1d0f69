#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/import_release.h"
#include "engine/published/datapackage.h"
#include "fmt/core.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

struct ImportArguments {
  std::vector<std::string> files;
  std::string policy;
  std::string ledger;
  std::size_t threads = 0;
  bool json = false;
  bool quiet = false;
};

const char* RecodingOf(const ImportedColumn& column) { return column.is_cut ? "a cut" : "locally recoded"; }

std::string Text(const ImportOutcome& outcome) {
  std::string text =
      fmt::format("{}: on record as imported, {} {}; the ledger keeps a copy in {}\n\n", outcome.release,
                  WithCommas(outcome.rows), Plural(outcome.rows, "row", "rows"), outcome.folder.string());
  bool local = false;
  for (const ImportedColumn& column : outcome.columns) {
    if (column.role != Role::kQuasiIdentifier) continue;
    text += fmt::format("  {:<20} {:>8} {}, {}\n", column.name, WithCommas(column.labels),
                        Plural(column.labels, "label", "labels"), RecodingOf(column));
    local |= !column.is_cut;
  }
  text += '\n';
  if (!outcome.new_ledger.empty()) text += fmt::format("  note: {}\n", outcome.new_ledger);
  for (const std::string& note : outcome.recovered) text += fmt::format("  note: {}\n", note);
  if (local) {
    text +=
        "  note: where labels of a column overlap, people with the same value were published with different labels,\n"
        "        and somebody who counts may learn more than a join of the tables shows.\n";
  }
  text += outcome.promise.words.empty()
              ? std::string("  note: nothing is on record of what its maker promised\n")
              : fmt::format("  promised by its maker, and not checked: {}\n", outcome.promise.InOneLine());
  return text;
}

std::string OutcomeJson(const ImportOutcome& outcome) {
  Json columns = Json::array();
  for (const ImportedColumn& column : outcome.columns) {
    Json described = {{"name", column.name}, {"role", RoleName(column.role)}};
    if (column.role != Role::kKeep) described["labels"] = column.labels;
    if (column.role == Role::kQuasiIdentifier) described["cut"] = column.is_cut;
    columns.push_back(std::move(described));
  }
  const Json json = {{"release", outcome.release},
                     {"imported", true},
                     {"rows", outcome.rows},
                     {"columns", std::move(columns)},
                     {"promise", outcome.promise.InOneLine()},
                     {"recovered", outcome.recovered},
                     {"new_ledger", !outcome.new_ledger.empty()},
                     {"folder", outcome.folder.string()},
                     {"files", outcome.files}};
  return JsonText(json);
}

int RunImport(const ImportArguments& arguments) {
  const CommandRun run(arguments.threads);
  Result<Policy> policy = ReadPolicy(arguments.policy, PolicyUse::kImport);
  if (!policy.ok()) return Fail(policy.error(), arguments.json);
  const std::unique_ptr<Progress> progress = MakeProgress(arguments.quiet);
  const ImportOptions options{{arguments.files.begin(), arguments.files.end()}, arguments.ledger, progress.get()};
  const Result<ImportOutcome> outcome = ImportRelease(std::move(policy).value(), options);
  progress->End();
  if (!outcome.ok()) return Fail(outcome.error(), arguments.json);
  return arguments.json ? PrintAndExit(OutcomeJson(*outcome)) : PrintReport(Text(*outcome), arguments.quiet);
}

}  // namespace

void AddImportCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command = app.add_subcommand("import", "put an earlier release, made by any tool, on record");
  command->add_option("FILES", arguments->files, "its table, CSV or Parquet; several files are one table")->required();
  command
      ->add_option("--policy", arguments->policy,
                   "a policy that names the release, describes its columns and may say what was promised")
      ->required();
  command
      ->add_option("--ledger", arguments->ledger, "the private memory of what was published; made if it is not there")
      ->required();
  command->add_flag("--json", arguments->json, "print the outcome as JSON");
  command->add_flag("--quiet", arguments->quiet, kQuietHelp);
  command
      ->add_option("--threads", arguments->threads, "at most this many threads (default: all); the result is the same")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}));
  command->footer(
      "The ledger keeps a copy of the files, so that later releases can be verified against them. Of the policy's "
      "[input]\n"
      "only 'missing' counts; [[guarantee]] may be left out.\n"
      "Example:\n  pentimento import immigration.csv --policy immigration.toml --ledger ledger\n");
  command->callback([=] { *exit_code = RunImport(*arguments); });
}

}  // namespace pentimento
