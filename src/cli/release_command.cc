#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/release_report.h"
#include "engine/publish.h"

namespace pentimento {
namespace {

struct ReleaseArguments {
  std::string policy;
  ReleaseOptions options;
  std::size_t threads = 0;
  bool json = false;
};

int RunRelease(const ReleaseArguments& arguments) {
  const CommandRun run(arguments.threads);
  Result<Policy> policy = ReadPolicy(arguments.policy);
  if (!policy.ok()) return Fail(policy.error(), arguments.json);
  const std::unique_ptr<Progress> progress = MakeProgress();
  ReleaseOptions options = arguments.options;
  options.progress = progress.get();
  Remarks remarks;
  options.remarks = &remarks;
  const Result<ReleaseOutcome> outcome = PublishRelease(std::move(policy).value(), options);
  progress->End();
  if (!outcome.ok()) return Fail(outcome.error(), arguments.json, remarks);
  const int exit_code = PrintAndExit(arguments.json ? ReleaseJson(*outcome) : ReleaseText(*outcome));
  // Beside the report, and where it does not get lost when that goes to a file.
  Warn(remarks.warnings);
  return exit_code;
}

}  // namespace

void AddReleaseCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<ReleaseArguments>();
  CLI::App* command = app.add_subcommand("release", "anonymize a table, verify it, publish it and put it on record");
  command
      ->add_option("POLICY", arguments->policy, "the policy, a TOML file: which table, which columns, which guarantee")
      ->required();
  command
      ->add_option("--ledger", arguments->options.ledger,
                   "the private memory of what was published; made if it is not there")
      ->required();
  command->add_option("--out", arguments->options.out, "where releases are published, each in a folder of its name")
      ->required();
  command->add_flag("--dry-run", arguments->options.dry_run, "do everything except publishing and recording");
  command->add_flag("--changes-only", arguments->options.changes_only,
                    "of a series: publish only who is new or whose box changed, not everybody again");
  command->add_flag("--json", arguments->json, "print the outcome as JSON");
  command->add_option("--seed", arguments->options.seed,
                      "fix every random choice, for tests; whoever knows the seed can undo the shuffle");
  command
      ->add_option("--threads", arguments->threads, "at most this many threads (default: all); the result is the same")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}));
  command->footer("Example:\n  pentimento release policy.toml --ledger ledger --out published\n");
  command->callback([=] { *exit_code = RunRelease(*arguments); });
}

}  // namespace pentimento
