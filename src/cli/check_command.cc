#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/audit/check_table.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

struct CheckArguments {
  std::string file;
  std::string policy;
  std::size_t threads = 0;
  bool json = false;
  bool quiet = false;
};

std::string CheckText(const CheckedTable& checked) {
  std::string text =
      fmt::format("{} {} in {} {}, the smallest of {}\n\n", checked.rows, Plural(checked.rows, "row", "rows"),
                  checked.classes, Plural(checked.classes, "class", "classes"), checked.smallest_class);
  for (const CheckedGuarantee& one : checked.guarantees) {
    const char* const result = !one.holds ? "cannot be told from one table" : *one.holds ? "holds" : "is broken";
    text += fmt::format("  {:<24} {}{}\n", one.type, result, one.words.empty() ? "" : ": " + one.words);
  }
  return text;
}

std::string CheckJson(const CheckedTable& checked) {
  nlohmann::ordered_json guarantees = nlohmann::ordered_json::array();
  for (const CheckedGuarantee& one : checked.guarantees) {
    guarantees.push_back({{"type", one.type},
                          {"holds", one.holds ? nlohmann::ordered_json(*one.holds) : nlohmann::ordered_json()},
                          {"words", one.words}});
  }
  const nlohmann::ordered_json json = {{"policy", checked.policy},
                                       {"rows", checked.rows},
                                       {"classes", checked.classes},
                                       {"smallest_class", checked.smallest_class},
                                       {"counts", checked.counts_persons ? "persons" : "rows"},
                                       {"passes", checked.passes()},
                                       {"guarantees", std::move(guarantees)},
                                       {"notes", checked.notes}};
  return JsonText(json);
}

int RunCheck(const CheckArguments& arguments) {
  const std::unique_ptr<Progress> progress = MakeProgress(arguments.quiet);
  const CommandRun run(arguments.threads);
  Result<Policy> policy = ReadPolicy(arguments.policy, PolicyUse::kStream);
  if (!policy.ok()) return Fail(policy.error(), arguments.json);
  const Result<CheckedTable> checked = CheckTable(arguments.file, std::move(policy).value(), progress.get());
  progress->End();
  if (!checked.ok()) return Fail(checked.error(), arguments.json);
  if (!arguments.quiet) Note(checked->notes);
  const int printed =
      arguments.json ? PrintAndExit(CheckJson(*checked)) : PrintReport(CheckText(*checked), arguments.quiet);
  return printed != 0 ? printed : checked->passes() ? 0 : ExitCode(ErrorCode::kRefused);
}

}  // namespace

void AddCheckCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand("check", "hold one table, as it is, to the guarantees of a policy");
  command->add_option("FILE", arguments->file, "the table, CSV or Parquet, generalized already")->required();
  command->add_option("--policy", arguments->policy, "whose roles and guarantees count")->required();
  command->add_flag("--json", arguments->json, "print JSON");
  command->add_flag("--quiet", arguments->quiet, kQuietHelp);
  command
      ->add_option("--threads", arguments->threads, "at most this many threads (default: all); the result is the same")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}));
  command->footer(
      "Classes are rows with equal cells. Nothing is generalized, published or recorded. A guarantee over several\n"
      "releases cannot be told from one table: see pentimento audit.\n"
      "Example:\n  pentimento check table.csv --policy policy.toml\n");
  command->callback([=] { *exit_code = RunCheck(*arguments); });
}

}  // namespace pentimento
