#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/user_name.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "fmt/core.h"
#include "ledger/ledger.h"
#include "ledger/ledger_folder.h"

namespace pentimento {
namespace {

struct RetractArguments {
  std::string release;
  std::string ledger;
  std::string reason;
  bool json = false;
};

int RunRetract(const RetractArguments& arguments) {
  const CommandRun run;
  // A new ledger has nothing to retract.
  const Status there = RequireLedgerFolder(LedgerFolder::At(arguments.ledger));
  if (!there.ok()) return Fail(there.error(), arguments.json);
  Result<Ledger> ledger = Ledger::OpenForWriting(arguments.ledger);
  if (!ledger.ok()) return Fail(ledger.error(), arguments.json);
  const Status retracted = ledger->Retract(arguments.release, {"", UserName(), arguments.reason});
  if (!retracted.ok()) return Fail(retracted.error(), arguments.json);
  Note(ledger->recovered());
  if (arguments.json) {
    return PrintAndExit(JsonText(nlohmann::ordered_json{{"release", arguments.release},
                                                        {"retracted", true},
                                                        {"reason", arguments.reason},
                                                        {"recovered", ledger->recovered()}}));
  }
  return PrintAndExit(fmt::format(
      "{}: on record as retracted\n"
      "  It was out, and whoever took a copy has it: later releases are verified and measured against it as "
      "before.\n"
      "  Its files are left as they are. Take the folder away yourself, and tell whoever uses it.\n",
      arguments.release));
}

}  // namespace

void AddRetractCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<RetractArguments>();
  CLI::App* command = app.add_subcommand("retract", "put on record that a release was withdrawn; it goes on counting");
  command->add_option("RELEASE", arguments->release, "the name of the release")->required();
  command->add_option("--ledger", arguments->ledger, "the ledger")->required();
  command->add_option("--reason", arguments->reason, "why, for whoever reads the log");
  command->add_flag("--json", arguments->json, "print the outcome as JSON");
  command->footer(
      "Example:\n  pentimento retract people-q1 --ledger ledger --reason \"an old export was published\"\n");
  command->callback([=] { *exit_code = RunRetract(*arguments); });
}

}  // namespace pentimento
