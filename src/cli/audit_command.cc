#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "audit/finding.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/audit/audit.h"
#include "fmt/core.h"
#include "fmt/ranges.h"

namespace pentimento {
namespace {

struct AuditArguments {
  std::vector<std::string> releases;
  std::vector<std::string> drafts;
  std::string ledger, people, policy, truth, key;
  std::string class_column = "class_id";
  std::vector<std::string> stay, change, fail_on, show;
  std::uint64_t k = 0;
  std::string alpha;
  std::size_t threads = 0;
  bool json = false;
  bool quiet = false;
};

std::string NamesOfFindings(const char* separator = ", ") {
  std::vector<std::string> names = {"promise", "any", "none"};
  for (const FindingKind kind : kEveryFindingKind) names.emplace_back(NameOf(kind));
  return fmt::format("{}", fmt::join(names, separator));
}

Result<FailRule> FailRuleOf(const std::vector<std::string>& names) {
  FailRule rule;
  if (names.empty()) return rule;
  rule.on_broken_promise = false;
  for (const std::string& name : names) {
    if (name == "none") continue;
    if (name == "promise") {
      rule.on_broken_promise = true;
    } else if (name == "any") {
      rule.on_any = true;
    } else if (const auto kind = ParseFindingKind(name)) {
      rule.kinds.push_back(*kind);
    } else {
      return Error{ErrorCode::kUsage,
                   fmt::format("--fail-on {}: no such finding; it is one of {}", name, NamesOfFindings())};
    }
  }
  return rule;
}

Result<AuditOptions> OptionsOf(const AuditArguments& arguments, Progress* progress) {
  AuditOptions options{.releases = arguments.releases, .drafts = arguments.drafts, .progress = progress};
  const auto path = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::filesystem::path>(text);
  };
  options.ledger = path(arguments.ledger);
  options.people = path(arguments.people);
  options.people_policy = path(arguments.policy);
  options.truth = path(arguments.truth);
  options.key_column = arguments.key;
  options.class_column = arguments.class_column;
  options.question.stay = arguments.stay;
  options.question.change = arguments.change;
  options.question.shows_inference = std::ranges::find(arguments.show, "inference") != arguments.show.end();
  if (arguments.k > 0) options.question.k = arguments.k;
  if (arguments.alpha.empty()) return options;
  options.question.alpha = ParseRatio(arguments.alpha);
  if (options.question.alpha && *options.question.alpha > Ratio{0, 1} && *options.question.alpha <= Ratio{1, 1})
    return options;
  return Error{ErrorCode::kUsage,
               fmt::format("--alpha {}: it is a fraction above 0 and at most 1, like 1/2 or 0.5", arguments.alpha)};
}

int RunAudit(const AuditArguments& arguments) {
  const Result<FailRule> rule = FailRuleOf(arguments.fail_on);
  if (!rule.ok()) return Fail(rule.error(), arguments.json);
  const std::unique_ptr<Progress> progress = MakeProgress(arguments.quiet);
  const CommandRun run(arguments.threads);
  const Result<AuditOptions> options = OptionsOf(arguments, progress.get());
  if (!options.ok()) return Fail(options.error(), arguments.json);
  const Result<AuditOutcome> outcome = AuditReleases(*options);
  progress->End();
  if (!outcome.ok()) return Fail(outcome.error(), arguments.json);
  if (!arguments.quiet) Note(outcome->notes);
  const bool fails = Fails(*rule, outcome->findings);
  const int printed = arguments.json ? PrintAndExit(EscapedJson(AuditAsJson(*outcome, fails)) + "\n")
                                     : PrintReport(AuditInWords(*outcome), arguments.quiet);
  return printed != 0 ? printed : fails ? ExitCode(ErrorCode::kRefused) : 0;
}

}  // namespace

void AddAuditCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<AuditArguments>();
  CLI::App* command = app.add_subcommand("audit", "what releases of anybody tell together about the people in them");
  command->add_option("RELEASES", arguments->releases,
                      "each a name on record, a folder, TABLE=POLICY.toml or NSS+SS=POLICY.toml; none: all on record");
  command->add_option("--ledger", arguments->ledger, "where releases are on record");
  command->add_option("--with", arguments->drafts, "a release that is not out yet, in the same forms");
  command->add_option("--people", arguments->people, "everybody's quasi-identifiers, with an id: CSV or Parquet");
  command->add_option("--as", arguments->policy, "the policy that says which column of --people is the id");
  command->add_option("--truth", arguments->truth,
                      "true values by id: scores what is called certain, and nothing else");
  command->add_option("--key", arguments->key, "a published column that names the same person in every release");
  command->add_option("--class-column", arguments->class_column,
                      "what links the two tables of another tool (class_id)");
  command->add_option("--stay", arguments->stay, "a sensitive column whose values stay from release to release");
  command->add_option("--change", arguments->change, "a sensitive column whose values change");
  command->add_option("--k", arguments->k, "crowds below this count (what the releases promise)")
      ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{1} << 40));
  command->add_option("--alpha", arguments->alpha, "shares above this count (what the releases promise)");
  command->add_option("--fail-on", arguments->fail_on, "what ends with exit code 1 (promise)")
      ->type_name("{" + NamesOfFindings(",") + "}");
  command->add_option("--show", arguments->show, "inference: the inference table of linked releases")
      ->check(CLI::IsMember({"inference"}));
  command->add_flag("--json", arguments->json, "print JSON");
  command->add_flag("--quiet", arguments->quiet, kQuietHelp);
  command
      ->add_option("--threads", arguments->threads, "at most this many threads (default: all); the result is the same")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}));
  command->footer(
      "Nothing is published or recorded. A finding names rows of published files, never a value.\n"
      "Examples:\n  pentimento audit published/by-town published/by-job --people people.csv --as people.toml\n"
      "  pentimento audit --ledger ledger --with draft.csv=draft.toml --fail-on any\n");
  command->callback([=] { *exit_code = RunAudit(*arguments); });
}

}  // namespace pentimento
