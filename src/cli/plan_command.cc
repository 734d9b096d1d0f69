#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/plan_report.h"
#include "engine/global/plan.h"

namespace pentimento {
namespace {

struct PlanArguments {
  std::string policy;
  std::string ledger;
  bool json = false;
};

int RunPlan(const PlanArguments& arguments) {
  const CommandRun run;
  Result<Policy> policy = ReadPolicy(arguments.policy);
  if (!policy.ok()) return Fail(policy.error(), arguments.json);
  const std::unique_ptr<Progress> progress = MakeProgress();
  const Result<GlobalPlan> plan = PlanGlobal(std::move(policy).value(), {arguments.ledger, progress.get()});
  progress->End();
  if (!plan.ok()) return Fail(plan.error(), arguments.json);
  Note(plan->notes);
  return PrintAndExit(arguments.json ? PlanJson(*plan) : PlanText(*plan));
}

}  // namespace

void AddPlanCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<PlanArguments>();
  CLI::App* command =
      app.add_subcommand("plan", "the remaining releases of a series, and what would make it last longer");
  command->add_option("POLICY", arguments->policy, "the policy of the next release, with a global-guarantee")
      ->required();
  command
      ->add_option("--ledger", arguments->ledger,
                   "the private memory of what was published; it is only read, and need not be there yet")
      ->required();
  command->add_flag("--json", arguments->json, "print JSON, with what to plot in arrays");
  command->footer(
      "Nothing is published, and the ledger stays as it is. People are counted, not named.\n"
      "\n"
      "Example:\n"
      "  pentimento plan policy.toml --ledger ledger\n");
  command->callback([=] { *exit_code = RunPlan(*arguments); });
}

}  // namespace pentimento
