#include <CLI/CLI.hpp>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/generate/people_project.h"
#include "fmt/core.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

struct GenerateArguments {
  std::string folder;
  PeopleOptions people;
  std::string format = "csv";
};

int RunGenerate(const GenerateArguments& arguments) {
  const Status written = WritePeopleProject(arguments.folder, arguments.people,
                                            arguments.format == "csv" ? FileFormat::kCsv : FileFormat::kParquet);
  if (!written.ok()) return Fail(written.error());
  return PrintAndExit(fmt::format("{}: {} made-up people, their taxonomies and a policy\n", arguments.folder,
                                  WithCommas(arguments.people.rows)));
}

}  // namespace

void AddGenerateCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<GenerateArguments>();
  CLI::App* command = app.add_subcommand("generate", "make up a register of people, with a policy, to try things on");
  command->add_option("FOLDER", arguments->folder, "where the table, its taxonomies and its policy are written")
      ->required();
  command->add_option("--rows", arguments->people.rows, "how many people")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{4'000'000'000}))
      ->capture_default_str();
  command->add_option("--seed", arguments->people.seed, "the same seed makes the same people")->capture_default_str();
  command->add_option("--quarter", arguments->people.quarter, "the same people so many quarters later")
      ->capture_default_str();
  command
      ->add_option("--stay", arguments->people.stay,
                   "in percent, how likely a disease that comes and goes is still there a quarter later; diabetes, "
                   "cancer, HIV and tuberculosis always stay")
      ->check(CLI::Range(std::uint32_t{0}, std::uint32_t{100}))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "csv or parquet")
      ->check(CLI::IsMember({"csv", "parquet"}))
      ->capture_default_str();
  command->footer(
      "Example:\n  pentimento generate register --rows 10000\n"
      "  pentimento release register/policy.toml --ledger ledger --out published\n");
  command->callback([=] { *exit_code = RunGenerate(*arguments); });
}

}  // namespace pentimento
