#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/init/init.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

struct InitArguments {
  std::vector<std::string> tables;
  std::string out;
  std::string hierarchies;
  std::vector<std::string> names;
  std::size_t skip_lines = 0;
  std::string separator;
  std::string encoding;
  std::size_t threads = 0;
  bool json = false;
  bool quiet = false;
};

const std::vector<std::string>& SeparatorWords() {
  static const std::vector<std::string> kWords = {"comma", "semicolon", "tab", "bar"};
  return kWords;
}

TextSetting SettingOf(const InitArguments& arguments) {
  TextSetting setting;
  const auto separator = std::ranges::find(SeparatorWords(), arguments.separator);
  if (separator != SeparatorWords().end())
    setting.separator = kSeparators[static_cast<std::size_t>(separator - SeparatorWords().begin())];
  const auto encoding = std::ranges::find(kEncodingNames, arguments.encoding);
  if (encoding != kEncodingNames.end()) setting.encoding = static_cast<TextEncoding>(encoding - kEncodingNames.begin());
  setting.names = arguments.names;
  setting.skip_lines = arguments.skip_lines;
  return setting;
}

std::uint64_t MissingIn(const ColumnSurvey& column) {
  std::uint64_t missing = 0;
  for (const auto& [text, rows] : column.shape.missing_texts()) missing += rows;
  return missing;
}

std::string NextCommand(const InitOutcome& outcome) {
  return fmt::format("pentimento release {} --ledger ledger --out published --dry-run", outcome.policy.string());
}

nlohmann::ordered_json AsJson(const InitOutcome& outcome) {
  nlohmann::ordered_json json;
  json["policy"] = outcome.policy.string();
  json["taxonomies"] = nlohmann::ordered_json::array();
  for (const auto& taxonomy : outcome.taxonomies) json["taxonomies"].push_back(taxonomy.string());
  json["table"] = outcome.table ? nlohmann::ordered_json(outcome.table->string()) : nlohmann::ordered_json();
  json["rows"] = outcome.survey.rows;
  json["read_as"] = outcome.draft.form;
  json["missing"] = outcome.draft.input.missing;
  json["columns"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < outcome.draft.columns.size(); ++i) {
    const ColumnSurvey& column = outcome.survey.columns[i];
    const Suggestion& suggested = outcome.draft.columns[i].suggestion;
    nlohmann::ordered_json one;
    one["name"] = column.name;
    one["looks_like"] = suggested.looks_like;
    one["different"] = column.distinct;
    one["exact"] = column.is_listed;
    one["once"] = column.is_listed ? nlohmann::ordered_json(column.once) : nlohmann::ordered_json();
    one["missing"] = MissingIn(column);
    one["suggested"] = suggested.role == SuggestedRole::kNone ? nlohmann::ordered_json()
                                                              : nlohmann::ordered_json(NameOf(suggested.role));
    one["leaves_once"] = suggested.leaves_once;
    json["columns"].push_back(std::move(one));
  }
  json["next"] = NextCommand(outcome);
  return json;
}

// "column           looks like     different      once   missing  suggested"
std::string ColumnLines(const InitOutcome& outcome) {
  std::size_t width = 6;
  for (const ColumnSurvey& column : outcome.survey.columns)
    width = std::clamp(column.name.size(), width, std::size_t{30});
  std::string lines = fmt::format("  {:<{}}  {:<13} {:>11} {:>8} {:>9}  {}\n", "column", width, "looks like",
                                  "different", "once", "missing", "suggested");
  for (std::size_t i = 0; i < outcome.survey.columns.size(); ++i) {
    const ColumnSurvey& column = outcome.survey.columns[i];
    const Suggestion& suggested = outcome.draft.columns[i].suggestion;
    const std::string different = (column.is_listed ? "" : "~") + WithCommas(column.distinct);
    lines += fmt::format("  {:<{}}  {:<13} {:>11} {:>8} {:>9}  {}\n", column.name, width, suggested.looks_like,
                         different, column.is_listed ? WithCommas(column.once) : "-", WithCommas(MissingIn(column)),
                         suggested.role == SuggestedRole::kNone ? "left out" : NameOf(suggested.role));
  }
  return lines;
}

std::string Report(const InitOutcome& outcome) {
  const std::size_t columns = outcome.survey.columns.size();
  std::string text =
      fmt::format("{}: {} {}, {} {}{}\n", outcome.draft.input.about, WithCommas(outcome.survey.rows),
                  Plural(outcome.survey.rows, "row", "rows"), columns, Plural(columns, "column", "columns"),
                  outcome.draft.form.empty() ? "" : ", read as " + outcome.draft.form);
  text += ColumnLines(outcome);
  text += fmt::format("Written:\n  {}: the draft. It publishes nothing before every role is confirmed\n",
                      outcome.policy.string());
  if (outcome.table)
    text += fmt::format("  {}: the table of the project, as it is. It is private\n", outcome.table->string());
  std::uint64_t once = 0;
  for (const DraftColumn& column : outcome.draft.columns) once += column.suggestion.leaves_once;
  if (!outcome.taxonomies.empty())
    text += fmt::format("  {}: {} {}. Every value in them becomes public; {} {} once in the table\n",
                        outcome.taxonomies.front().parent_path().string(), outcome.taxonomies.size(),
                        Plural(outcome.taxonomies.size(), "taxonomy", "taxonomies"), WithCommas(once),
                        Plural(once, "occurs", "occur"));
  text +=
      fmt::format("Next: read {}, take the '?' away from each role that is right, and change the others. Then:\n  {}\n",
                  outcome.policy.string(), NextCommand(outcome));
  return text;
}

int RunInit(const InitArguments& arguments) {
  const CommandRun run(arguments.threads);
  const auto progress = MakeProgress(arguments.quiet || arguments.json);
  InitOptions options;
  options.tables.assign(arguments.tables.begin(), arguments.tables.end());
  if (!arguments.out.empty()) options.folder = arguments.out;
  if (!arguments.hierarchies.empty()) options.hierarchies = arguments.hierarchies;
  options.text = SettingOf(arguments);
  options.progress = progress.get();
  const Result<InitOutcome> outcome = InitPolicy(options);
  if (!outcome.ok()) return Fail(outcome.error(), arguments.json);
  if (arguments.json) return PrintAndExit(JsonText(AsJson(*outcome)));
  return PrintReport(Report(*outcome), arguments.quiet);
}

}  // namespace

void AddInitCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<InitArguments>();
  CLI::App* command = app.add_subcommand(
      "init", "draft a policy for a table: what is in its columns, and a role for each to be confirmed");
  command
      ->add_option("TABLE", arguments->tables,
                   "a CSV or Parquet file, several, a pattern, a folder, or - ; or a project of ARX (.deid)")
      ->required();
  command->add_option("--out", arguments->out, "the folder to write into (default: one that is called like the table)");
  command->add_option(
      "--hierarchies", arguments->hierarchies,
      "a folder with taxonomies, called COLUMN.csv or ..._hierarchy_COLUMN.csv. Those beside the table that "
      "are called TABLE_hierarchy_COLUMN.csv, as ARX does, are found without it");
  command
      ->add_option("--names", arguments->names, "the table has no header line: the names of all columns, age,sex,...")
      ->delimiter(',');
  command->add_option("--skip-lines", arguments->skip_lines, "leave out so many lines at the beginning of each file")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1000}));
  command->add_option("--separator", arguments->separator, "what separates cells, where it is not found out")
      ->check(CLI::IsMember(SeparatorWords()));
  command->add_option("--encoding", arguments->encoding, "how the text is written, where it is not UTF-8")
      ->check(CLI::IsMember(std::vector<std::string>(kEncodingNames.begin(), kEncodingNames.end())));
  command->add_flag("--json", arguments->json, "what was found and written as JSON on standard output");
  command->add_flag("--quiet", arguments->quiet, kQuietHelp);
  AddThreadsOption(*command, arguments->threads);
  command->footer(
      "No file is ever replaced. Messages and the policy hold no cell of the table; the taxonomies do.\n"
      "Examples:\n  pentimento init people.csv\n"
      "  pentimento init adult.data --names age,workclass,weight --out adult\n"
      "  pentimento init example.deid --out example\n");
  command->callback([=] { *exit_code = RunInit(*arguments); });
}

}  // namespace pentimento
