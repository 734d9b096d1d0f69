#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/page_file.h"
#include "engine/report/collect_report.h"
#include "fmt/core.h"
#include "report/report_page.h"

namespace pentimento {
namespace {

struct ReportArguments {
  std::string ledger;
  std::vector<std::string> releases, series, originals, policies;
  std::vector<std::uint64_t> ks;
  std::uint64_t queries = 0;
  std::string edition = "internal";
  std::string out;
  std::string html;
  std::size_t threads = 0;
  bool opens = false;
  bool json = false;
  bool quiet = false;
};

ReportOptions OptionsOf(const ReportArguments& arguments, Progress* progress) {
  return {.ledger = arguments.ledger,
          .edition = arguments.edition == "public" ? ReportEdition::kPublic : ReportEdition::kInternal,
          .releases = arguments.releases,
          .series = arguments.series,
          .out = arguments.out,
          .originals = {arguments.originals.begin(), arguments.originals.end()},
          .trials = {{arguments.policies.begin(), arguments.policies.end()}, arguments.ks},
          .queries = arguments.queries,
          .progress = progress};
}

std::string Written(const ReportArguments& arguments, const ReportNumbers& numbers) {
  return fmt::format("{}: {} {}, {}\n", arguments.html, WithCommas(numbers.releases.size()),
                     Plural(numbers.releases.size(), "release", "releases"),
                     numbers.edition == ReportEdition::kInternal
                         ? "internal edition (private: it tells what is in the ledger)"
                         : "public edition");
}

int RunReport(const ReportArguments& arguments) {
  const CommandRun run(arguments.threads);
  if (arguments.html.empty() && !arguments.json)
    return Fail(
        {ErrorCode::kUsage, "say where the page is to be written: --html FILE; or ask for the numbers: --json"});
  const std::unique_ptr<Progress> progress = MakeProgress(arguments.quiet);
  const Result<ReportNumbers> numbers = CollectReport(OptionsOf(arguments, progress.get()));
  if (!numbers.ok()) return Fail(numbers.error(), arguments.json);
  if (!arguments.html.empty()) {
    const Status written =
        WritePage(arguments.html, ReportPage(*numbers), numbers->edition == ReportEdition::kInternal);
    if (!written.ok()) return Fail(written.error(), arguments.json);
  }
  const int printed = arguments.json ? PrintAndExit(JsonText(nlohmann::ordered_json::parse(ReportJson(*numbers))))
                                     : PrintReport(Written(arguments, *numbers), arguments.quiet);
  if (printed != 0 || !arguments.opens) return printed;
  const Status opened = OpenPage(arguments.html);
  return opened.ok() ? 0 : Fail(opened.error());
}

}  // namespace

void AddReportCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand("report", "a page to look at and to sign: what all releases tell together");
  command->add_option("--ledger", arguments->ledger, "the ledger")->required();
  command->add_option("--release", arguments->releases, "only of this release (may be repeated)");
  command->add_option("--series", arguments->series, "only of the releases of this series (may be repeated)");
  command
      ->add_option("--edition", arguments->edition,
                   "internal: private, with what the ledger knows; public: only what is in the published folders")
      ->check(CLI::IsMember({"internal", "public"}))
      ->capture_default_str();
  command->add_option("--out", arguments->out,
                      "where the published folders are now, if they are not where they were published");
  command->add_option("--original", arguments->originals,
                      "of one --release: the table that it was made from, for before and after");
  command->add_option("--queries", arguments->queries,
                      "with --original: ask so many random counts of both, and tell how far off the release is");
  command->add_option(
      "--compare", arguments->policies,
      "what would become of a table under these policies, side by side: dry runs, nothing is published");
  command->add_option("--k", arguments->ks, "with --compare: each policy with each of these k, as in 2,5,10")
      ->delimiter(',')
      ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{1} << 32));
  CLI::Option* html = command->add_option("--html", arguments->html, "write the page to this file");
  command->add_flag("--open", arguments->opens, "open the page in a browser")->needs(html);
  command->add_flag("--json", arguments->json, "print the numbers of the page as JSON");
  command->add_flag("--quiet", arguments->quiet, kQuietHelp);
  AddThreadsOption(*command, arguments->threads);
  command->footer(
      "Examples:\n  pentimento report --ledger ledger --html report.html\n"
      "  pentimento report --ledger ledger --edition public --html public.html\n"
      "  pentimento report --ledger ledger --release people-q1 --original people.csv --html q1.html\n"
      "  pentimento report --ledger ledger --compare next.toml --k 5,10,20 --html next.html\n");
  command->callback([=] { *exit_code = RunReport(*arguments); });
}

}  // namespace pentimento
