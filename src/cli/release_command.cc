#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/global_report.h"
#include "cli/output.h"
#include "cli/release_json.h"
#include "cli/terminal.h"
#include "cli/try_release.h"
#include "engine/composition/composition_json.h"
#include "engine/composition/composition_words.h"
#include "engine/publish.h"
#include "fmt/core.h"
#include "fmt/ranges.h"
#include "ledger/printable.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

std::string Counted(std::uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", WithCommas(count), Plural(count, one, several));
}

std::string Notes(const ReleaseOutcome& outcome) {
  std::string text;
  if (!outcome.dropped.empty()) {
    // These names come from the data: they may hold line breaks, or escape sequences for a terminal.
    text += fmt::format("  note: not published, because the policy does not name them: {}\n",
                        Printable(fmt::format("{}", fmt::join(outcome.dropped, ", "))));
  }
  if (!outcome.new_ledger.empty()) text += fmt::format("  note: {}\n", outcome.new_ledger);
  for (const std::string& note : outcome.remarks.notes) text += fmt::format("  note: {}\n", note);
  if (outcome.incremental && outcome.incremental->newcomers_among_few.value_or(0) > 0) {
    const std::uint64_t few = *outcome.incremental->newcomers_among_few;
    text += fmt::format(
        "  note: {} in a class with fewer than {} people who are still there. The others in it have left, and\n"
        "        whoever sees their empty rows can set them aside. Hold newcomers back until more of them come "
        "together,\n        or begin a series with another name.\n",
        Counted(few, "newcomer is", "newcomers are"), outcome.k);
  }
  if (outcome.composition) {
    for (const std::string& words : CompositionInWords(*outcome.composition))
      text += fmt::format("  note: {}\n", words);
  }
  return text;
}

// Of a release that holds only changes nothing but its rows is known.
Json MetricsOf(const ReleaseOutcome& outcome) {
  if (outcome.incremental && outcome.incremental->changes_only) return {{"rows", outcome.metrics.rows}};
  return Json::parse(MetricsJson(outcome.metrics, outcome.quasi_identifiers));
}

void AddIncrementalJson(const IncrementalOutcome& series, Json& json) {
  json["series"] = {{"name", series.series},
                    {"number", series.number},
                    {"members", series.members},
                    {"newcomers", series.newcomers},
                    {"withdrawn", series.withdrawn},
                    {"left_out", series.left_out},
                    {"groups_joined", series.groups_joined},
                    {"groups_refined", series.groups_refined},
                    {"arrivals", series.hides_arrivals ? "hidden" : "shown"},
                    {"newcomers_among_few", nullptr},
                    {"changes_only", series.changes_only}};
  json["series"]["living"] = Json::parse(LivingJson(series.living));
  if (series.full_export) {
    json["series"]["full_export"] = {{"unchanged", series.full_export->unchanged},
                                     {"corrected", series.full_export->corrected},
                                     {"left", series.full_export->left},
                                     {"returned", series.full_export->returned}};
  }
  if (series.newcomers_among_few) json["series"]["newcomers_among_few"] = *series.newcomers_among_few;
}

const char* FormName(PublishForm form) { return form == PublishForm::kTwoTables ? "two-tables" : "generalized"; }

// What is promised, and how it was checked.
std::string PromiseText(const ReleaseOutcome& outcome) {
  std::string text;
  for (const std::string& promise : outcome.promise.words) text += fmt::format("  {}\n", promise);
  text += fmt::format("  checked from what {} published", outcome.dry_run ? "would be" : "is");
  if (outcome.global) text += " and from the account of the series";
  if (outcome.alpha_k) text += fmt::format("; classes are made by {}", outcome.method);
  if (outcome.specializations)
    text += ", after " + Counted(*outcome.specializations, "specialization", "specializations");
  text += "\n";
  if (outcome.form == PublishForm::kTwoTables)
    text += "  the two tables must not be joined row by row: see the remark in datapackage.json\n";
  return text + "\n";
}

// Of two tables nothing but the sizes of the classes is a loss, and of changes nothing but the rows is known.
std::string LossText(const ReleaseOutcome& outcome) {
  if (outcome.incremental && outcome.incremental->changes_only)
    return fmt::format("  rows                {:>10}\n", WithCommas(outcome.metrics.rows));
  std::string text = outcome.form == PublishForm::kTwoTables ? ClassesText(outcome.metrics)
                                                             : MetricsText(outcome.metrics, outcome.quasi_identifiers);
  for (const auto& [column, found] : outcome.single_valued.value_or(std::vector<SingleValuedColumn>())) {
    if (found.classes == 0) continue;
    text += MetricLine(
        "single value", WithCommas(found.classes),
        fmt::format("{} ({}) with one value of '{}' alone: whoever finds somebody there knows it; "
                    "alpha-k-anonymity limits that",
                    Plural(found.classes, "class", "classes"), Counted(found.rows, "row", "rows"), Printable(column)));
  }
  for (const ColumnCut& cut : outcome.cuts) {
    text += MetricLine(
        "cut", WithCommas(cut.values),
        fmt::format("{} of '{}'{}", Plural(cut.values, "value", "values"), Printable(cut.column),
                    cut.refused == 0 ? ": none can be divided further"
                                     : fmt::format("; {} could be divided, and a guarantee would not hold then",
                                                   WithCommas(cut.refused))));
  }
  for (const XyOutcome::Reached& one : outcome.xy ? outcome.xy->reached : std::vector<XyOutcome::Reached>())
    text += MetricLine("reached", one.reached, fmt::format("by {}, which asked for {}", one.guarantee, one.asked));
  if (outcome.alpha_k) {
    // The largest share may be that of a set, whose own limit may be above alpha.
    const AlphaKOutcome& alpha_k = *outcome.alpha_k;
    text += MetricLine(
        "largest share", ToString(alpha_k.largest_share),
        fmt::format("of a class has {}; alpha is {}{}",
                    alpha_k.limits_sets ? "the same limited value, or one of a limited set" : "the same limited value",
                    ToString(alpha_k.alpha), alpha_k.limits_sets ? ", and sets have limits of their own" : ""));
  }
  return text;
}

std::string IncrementalText(const IncrementalOutcome& series, std::uint64_t k) {
  std::string text = fmt::format("  release {} of the series '{}': {}", series.number, series.series,
                                 Counted(series.members, "case", "cases"));
  text += fmt::format(", {} of them new", WithCommas(series.newcomers));
  if (series.withdrawn > 0) text += fmt::format(", {} withdrawn now", WithCommas(series.withdrawn));
  text += "\n";
  if (series.living && series.living->withdrawn > 0) {
    const LivingCounts& living = *series.living;
    text += fmt::format("  living: {}, withdrawn: {}", WithCommas(living.living), WithCommas(living.withdrawn));
    if (living.living > 0) {
      text += fmt::format("; {} of the living in classes with fewer than {} living, the fewest {}",
                          WithCommas(living.among_few), k, WithCommas(living.fewest));
    }
    text += "\n";
  }
  // At first everybody is new, and everything is refined that can be.
  if (series.number > 1) {
    text +=
        fmt::format("  {} got new cases, {} of them {} refined\n", Counted(series.groups_joined, "class", "classes"),
                    WithCommas(series.groups_refined), series.groups_refined == 1 ? "was" : "were");
  }
  if (series.full_export) {
    const FullExportOutcome& found = *series.full_export;
    text += fmt::format("  compared with the series: {} as before, {} with another row, {} left, {} came back\n",
                        WithCommas(found.unchanged), WithCommas(found.corrected), WithCommas(found.left),
                        WithCommas(found.returned));
  }
  if (series.hides_arrivals) {
    text +=
        "  arrivals are hidden: a class is refined only where every part has, of the people of each release, nobody or "
        "k\n";
  }
  if (series.left_out > 0)
    text += fmt::format("  {} left out, because these people have a newer one\n",
                        Counted(series.left_out, "older row was", "older rows were"));
  if (series.kept_k > 0)
    text += fmt::format("  note: an earlier release promised k = {} over the whole series, so that still holds\n",
                        series.kept_k);
  if (series.changes_only) text += "  only new and refined rows are published\n";
  return text + "\n";
}

std::string ReleaseText(const ReleaseOutcome& outcome) {
  const StepSeconds& seconds = outcome.seconds;
  std::string text =
      outcome.dry_run ? fmt::format("{}: could be published as it is (dry run: nothing was written)\n", outcome.release)
                      : fmt::format("{}: published in {}\n", outcome.release, outcome.folder.string());
  text += PromiseText(outcome);
  if (outcome.incremental) text += IncrementalText(*outcome.incremental, outcome.k);
  if (outcome.global) text += GlobalText(*outcome.global);
  text += LossText(outcome);
  const std::string notes = Notes(outcome);
  if (!notes.empty()) text += "\n" + notes;
  text +=
      fmt::format("\n  {:.2f} s: reading {:.2f}, making {:.2f}, verifying {:.2f}, writing {:.2f}, recording {:.2f}\n",
                  seconds.load + seconds.read + seconds.partition + seconds.verify + seconds.compose + seconds.save +
                      seconds.write + seconds.record,
                  seconds.load + seconds.read, seconds.partition, seconds.verify + seconds.compose,
                  seconds.save + seconds.write, seconds.record);
  return text;
}

}  // namespace

std::string ReleaseJson(const ReleaseOutcome& outcome) {
  const StepSeconds& seconds = outcome.seconds;
  Json json = {{"release", outcome.release},
               {"published", !outcome.dry_run},
               {"dry_run", outcome.dry_run},
               {"guarantees", Json::parse(outcome.promise.json)},
               {"form", FormName(outcome.form)},
               {"quasi_identifiers", outcome.quasi_identifiers},
               {"metrics", MetricsOf(outcome)},
               {"dropped_columns", outcome.dropped},
               {"composition", Json::parse(CompositionJson(outcome.composition))},
               {"new_ledger", !outcome.new_ledger.empty()},
               {"recovered", outcome.recovered},
               {"notes", outcome.remarks.notes},
               {"warnings", outcome.remarks.warnings},
               {"seconds",
                {{"load", seconds.load},
                 {"read", seconds.read},
                 {"partition", seconds.partition},
                 {"verify", seconds.verify},
                 {"compose", seconds.compose},
                 {"save", seconds.save},
                 {"save_beside", seconds.save_beside},
                 {"write", seconds.write},
                 {"record", seconds.record}}}};
  json["single_valued"] = nullptr;
  if (outcome.single_valued) {
    json["single_valued"] = Json::array();
    for (const auto& [column, found] : *outcome.single_valued)
      json["single_valued"].push_back({{"column", column}, {"classes", found.classes}, {"rows", found.rows}});
  }
  if (outcome.counts_persons) json["persons"] = outcome.persons;
  if (outcome.incremental) AddIncrementalJson(*outcome.incremental, json);
  if (!outcome.method.empty()) json["method"] = outcome.method;
  if (outcome.specializations) {
    json["specializations"] = *outcome.specializations;
    json["cuts"] = Json::array();
    for (const ColumnCut& cut : outcome.cuts)
      json["cuts"].push_back({{"column", cut.column}, {"values", cut.values}, {"refused", cut.refused}});
  }
  if (outcome.xy) {
    json["reached"] = Json::array();
    for (const XyOutcome::Reached& one : outcome.xy->reached)
      json["reached"].push_back({{"guarantee", one.guarantee}, {"asked", one.asked}, {"reached", one.reached}});
  }
  if (outcome.xy && !outcome.xy->one_to_one_json.empty()) json["one_to_one"] = Json::parse(outcome.xy->one_to_one_json);
  if (outcome.alpha_k) json["largest_share"] = ToString(outcome.alpha_k->largest_share);
  if (outcome.global) json["series"] = Json::parse(GlobalJson(*outcome.global));
  if (!outcome.dry_run) {
    json["folder"] = outcome.folder.string();
    json["files"] = outcome.files;
  }
  return JsonText(json);
}

namespace {

struct ReleaseArguments {
  std::string policy;
  ReleaseOptions options;
  std::string tries;  // "k=5,10,20"; empty: the k of the policy
  std::size_t threads = 0;
  bool json = false;
  bool quiet = false;
};

// Values belong to nobody but the steward who sits there: a file or a log would keep them.
Status RequireTerminalForValues(const ReleaseArguments& arguments) {
  if (!arguments.options.show_values || (LookAtTerminal().is_there && !arguments.json)) return {};
  return Error{ErrorCode::kUsage,
               "--show-values shows cells of the table on a terminal, and nowhere else: standard error is not one, or "
               "--json would hold them as well"};
}

int RunRelease(const ReleaseArguments& arguments) {
  const CommandRun run(arguments.threads);
  if (const Status allowed = RequireTerminalForValues(arguments); !allowed.ok())
    return Fail(allowed.error(), arguments.json);
  Result<Policy> policy = ReadPolicy(arguments.policy);
  if (!policy.ok()) return Fail(policy.error(), arguments.json);
  const std::unique_ptr<Progress> progress = MakeProgress(arguments.quiet);
  ReleaseOptions options = arguments.options;
  options.progress = progress.get();
  if (!arguments.tries.empty()) {
    const Result<std::vector<std::uint64_t>> tries = ParseTries(arguments.tries);
    if (!tries.ok()) return Fail(tries.error(), arguments.json);
    return TryRelease(*policy, options, *tries, arguments.json);
  }
  Remarks remarks;
  options.remarks = &remarks;
  const Result<ReleaseOutcome> outcome = PublishRelease(std::move(policy).value(), options);
  progress->End();
  if (!outcome.ok()) return Fail(outcome.error(), arguments.json, remarks);
  const int exit_code =
      arguments.json ? PrintAndExit(ReleaseJson(*outcome)) : PrintReport(ReleaseText(*outcome), arguments.quiet);
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
  CLI::Option* const dry_run =
      command->add_flag("--dry-run", arguments->options.dry_run, "do everything except publishing and recording");
  command
      ->add_option("--try", arguments->tries,
                   "of dry runs: k=5,10,20 tells for each k what would be lost, in place of the policy's k")
      ->needs(dry_run);
  command->add_flag("--changes-only", arguments->options.changes_only,
                    "of a series: publish only who is new or whose box changed, not everybody again");
  command->add_flag("--new-ledger", arguments->options.new_ledger,
                    "begin a new ledger though --out holds releases, which it will know nothing of");
  command->add_flag("--yes", arguments->options.yes,
                    "go on where the table looks like a mistake: an export in which many people have another row, or "
                    "few are recognized");
  command->add_flag("--show-values", arguments->options.show_values,
                    "beside each cause for which cells do not fit, show some of these cells; only on a terminal");
  command->add_flag("--json", arguments->json, "print the outcome as JSON");
  command->add_flag("--quiet", arguments->quiet, kQuietHelp);
  command->add_option("--seed", arguments->options.seed,
                      "fix every random choice, for tests; whoever knows the seed can undo the shuffle");
  AddThreadsOption(*command, arguments->threads);
  command->footer("Example:\n  pentimento release policy.toml --ledger ledger --out published\n");
  command->callback([=] { *exit_code = RunRelease(*arguments); });
}

}  // namespace pentimento
