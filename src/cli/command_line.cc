#include "cli/command_line.h"

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "base/suggest.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "files/arrow_plugin.h"
#include "fmt/core.h"
#include "ledger/database.h"

namespace pentimento {
namespace {

constexpr const char* kAbout =
    "Pentimento publishes tables about people again and again so that the combination of all releases stays private.\n";

constexpr const char* kFooter =
    "First steps:\n"
    "  pentimento demo                                                      see it work on invented people\n"
    "  pentimento generate register --rows 10000                            a table, taxonomies and a policy to play "
    "with\n"
    "  pentimento release register/policy.toml --ledger ledger --out published\n"
    "  pentimento log --ledger ledger                                       what went out\n"
    "  pentimento init people.csv                                           a policy for a table of yours\n"
    "\n"
    "Exit codes: 0 done, 1 privacy says no, 2 bad usage or policy, 3 bad input data, 4 storage trouble, 70 our bug.\n"
    "The ledger is private; what is in --out may be public.\n";

// The command that was being read when the parser gave up.
const CLI::App& Innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : Innermost(*chosen.front());
}

// The parser complains of what is missing before it complains of what it does not know; people want it the other way
// round.
int ExplainUsage(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = Innermost(app);
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  const bool wants_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
  if (wants_help) return app.exit(error);
  std::string path;
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent())
    path = at->get_name() + (path.empty() ? "" : " ") + path;
  if (unknown.empty()) {
    return Fail({ErrorCode::kUsage, fmt::format("{}. See: {} --help", error.what(), path)});
  }
  const std::vector<std::string> known = WordsOf(command);
  return Fail({ErrorCode::kUsage, fmt::format("'{}' is not something that '{}' understands.{} See: {} --help",
                                              unknown.front(), path, DidYouMean(unknown.front(), known), path)});
}

// Whoever reports trouble copies this.
std::string VersionText() {
  const std::string arrow = ArrowVersion();
  return fmt::format("pentimento {}\ncompiled by {} {}\nlibarrow {}\nSQLite {}", PENTIMENTO_VERSION,
#ifdef __clang__
                     "clang", __clang_version__,
#else
                     "g++", __VERSION__,
#endif
                     arrow.empty() ? "is not there" : arrow, SqliteVersion());
}

// An empty argument is a variable of a script that was not set; no option of any command means something by it.
void RefuseEmptyArguments(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_type_size() == 0) continue;
    option->check([](const std::string& value) { return value.empty() ? "is empty; write a value" : std::string(); });
  }
  for (CLI::App* command : app.get_subcommands(nullptr)) RefuseEmptyArguments(*command);
}

}  // namespace

void AddThreadsOption(CLI::App& command, std::size_t& threads) {
  command.add_option("--threads", threads, "at most this many threads (default: all); the result is the same")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}));
}

int RunCommandLine(int argc, char** argv) {
  CLI::App app(kAbout, "pentimento");
  app.require_subcommand(1);
  app.set_version_flag("--version", VersionText);
  app.footer(kFooter);
  app.get_formatter()->column_width(34);
  int exit_code = 0;
  AddInitCommand(app, &exit_code);
  AddReleaseCommand(app, &exit_code);
  AddImportCommand(app, &exit_code);
  AddPlanCommand(app, &exit_code);
  AddLogCommand(app, &exit_code);
  AddRetractCommand(app, &exit_code);
  AddForgetCommand(app, &exit_code);
  AddReportCommand(app, &exit_code);
  AddQueryCommand(app, &exit_code);
  AddAuditCommand(app, &exit_code);
  AddCheckCommand(app, &exit_code);
  AddMetricsCommand(app, &exit_code);
  AddTaxonomyCommand(app, &exit_code);
  AddGenerateCommand(app, &exit_code);
  AddDemoCommand(app, &exit_code);
  AddCompletionCommand(app, &exit_code);
  RefuseEmptyArguments(app);
  if (argc == 1) return PrintAndExit(app.help());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExplainUsage(app, error);
  }
  return exit_code;
}

}  // namespace pentimento
