#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "engine/query/answer.h"
#include "engine/query/query.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

struct QueryArguments {
  std::string release;
  std::string query;
  std::string file;  // "-": standard input
  std::vector<std::string> originals;
  bool naive = false;
  bool json = false;
};

// Six decimals at most, and no zeros at their end.
std::string NumberText(double number) {
  std::string text = fmt::format("{:.6f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // editors put it before the first line

// One query a line; empty lines and those that begin with '#' are passed over.
Result<std::vector<Query>> ReadQueries(std::istream& lines, const std::string& source) {
  std::vector<Query> queries;
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line[first] == '#') continue;
    PENTIMENTO_ASSIGN(Query query, ParseQuery(line, fmt::format("{}:{}", source, number)));
    queries.push_back(std::move(query));
  }
  if (queries.empty()) return Error{ErrorCode::kUsage, fmt::format("{}: there is no query in it", source)};
  return queries;
}

// Whether the query stands behind --against, which takes every word up to the next option.
bool IsAmongOriginals(const QueryArguments& arguments) {
  return std::ranges::any_of(arguments.originals, [](const std::string& word) { return word.starts_with("count"); });
}

Result<std::vector<Query>> QueriesOf(const QueryArguments& arguments) {
  if (arguments.query.empty() && arguments.file.empty() && IsAmongOriginals(arguments))
    return Error{ErrorCode::kUsage,
                 "--against takes every word up to the next option, also the query; write the query before it"};
  if (arguments.query.empty() == arguments.file.empty())
    return Error{ErrorCode::kUsage, "name one query, or a file of them with --file. See: pentimento query --help"};
  if (arguments.file == "-") return ReadQueries(std::cin, "standard input");
  if (!arguments.file.empty()) {
    std::ifstream lines(arguments.file);
    if (!lines || std::filesystem::is_directory(arguments.file))
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: there is no such file, or it cannot be read", arguments.file)};
    return ReadQueries(lines, arguments.file);
  }
  PENTIMENTO_ASSIGN(Query query, ParseQuery(arguments.query, ""));
  return std::vector<Query>{std::move(query)};
}

// What is shown of a count. The naive estimate has no error that anybody knows.
struct Shown {
  double estimate = 0;
  std::optional<double> standard_error;
  std::optional<CountInterval> interval;
  std::optional<CountInterval> certain;
  std::optional<double> relative_error;
};

Shown ShownOf(const Answer& answer, bool naive) {
  if (naive)
    return {answer.count.naive, std::nullopt, std::nullopt, std::nullopt,
            RelativeError(answer.count.naive, answer.true_count)};
  return {answer.count.estimate, answer.count.standard_error(), ChanceInterval(answer.count),
          CountInterval{answer.count.least, answer.count.most},
          RelativeError(answer.count.estimate, answer.true_count)};
}

std::string RangeText(const CountInterval& range) { return NumberText(range.low) + " to " + NumberText(range.high); }

std::string Text(const Answer& answer, bool naive) {
  const Shown shown = ShownOf(answer, naive);
  std::string text = fmt::format("estimate        {}{}\n", NumberText(shown.estimate),
                                 !naive && answer.count.is_exact() ? " (exact)" : "");
  if (shown.standard_error) text += fmt::format("standard error  {}\n", NumberText(*shown.standard_error));
  if (shown.interval) text += fmt::format("chance interval {}\n", RangeText(*shown.interval));
  if (shown.certain) text += fmt::format("certainly       {}\n", RangeText(*shown.certain));
  if (!answer.true_count) return text;
  text += fmt::format("true count      {}\n", *answer.true_count);
  return text + (shown.relative_error ? fmt::format("relative error  {:.2f} %\n", *shown.relative_error * 100)
                                      : "relative error  not defined: the true count is 0\n");
}

// Tabs between cells; "-" where there is no number.
std::string AnswersTable(const Answers& answers, const std::vector<Query>& queries, bool naive, bool has_truth) {
  const auto cell = [](std::optional<double> number) { return number ? NumberText(*number) : std::string("-"); };
  const auto range = [](const std::optional<CountInterval>& ends) {
    return ends ? NumberText(ends->low) + "\t" + NumberText(ends->high) + "\t" : std::string("-\t-\t");
  };
  std::string text = "estimate\tstandard_error\tlow\thigh\tat_least\tat_most\t";
  text += has_truth ? "true\trelative_error\tquery\n" : "query\n";
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Answer& answer = answers.answers[i];
    const Shown shown = ShownOf(answer, naive);
    text += NumberText(shown.estimate) + "\t" + cell(shown.standard_error) + "\t";
    text += range(shown.interval) + range(shown.certain);
    if (has_truth) text += fmt::format("{}\t{}\t", *answer.true_count, cell(shown.relative_error));
    std::string query = queries[i].text;
    std::ranges::replace(query, '\t', ' ');
    text += query + "\n";
  }
  return text;
}

Json AnswerJson(const Query& query, const Answer& answer, bool naive) {
  const Shown shown = ShownOf(answer, naive);
  Json json = {{"query", query.text}, {"estimate", shown.estimate}};
  if (shown.standard_error) json["standard_error"] = *shown.standard_error;
  if (shown.interval) {
    json["low"] = shown.interval->low;
    json["high"] = shown.interval->high;
    json["at_least"] = shown.certain->low;
    json["at_most"] = shown.certain->high;
    json["exact"] = answer.count.is_exact();
  }
  if (!answer.true_count) return json;
  json["true"] = *answer.true_count;
  json["relative_error"] = shown.relative_error ? Json(*shown.relative_error) : Json(nullptr);
  return json;
}

std::string AllJson(const Answers& answers, const std::vector<Query>& queries, bool naive) {
  Json list = Json::array();
  for (std::size_t i = 0; i < queries.size(); ++i) list.push_back(AnswerJson(queries[i], answers.answers[i], naive));
  const Json json = {{"release", answers.release},
                     {"form", answers.form},
                     {"estimator", naive ? "naive" : "unbiased"},
                     {"answers", std::move(list)},
                     {"notes", answers.notes}};
  return JsonText(json);
}

// To stderr, so that what goes into a file stays a table.
void TellAverage(const Answers& answers, bool naive) {
  double sum = 0;
  std::size_t counted = 0;
  for (const Answer& answer : answers.answers) {
    const std::optional<double> error = ShownOf(answer, naive).relative_error;
    sum += error.value_or(0);
    counted += error ? 1 : 0;
  }
  const std::size_t left_out = answers.answers.size() - counted;
  if (counted > 0) {
    fmt::print(stderr, "average relative error {:.2f} % over {} {}", sum / static_cast<double>(counted) * 100, counted,
               counted == 1 ? "query" : "queries");
  } else {
    fmt::print(stderr, "no average relative error");
  }
  if (left_out > 0) fmt::print(stderr, "; {} left out, whose true count is 0", left_out);
  fmt::print(stderr, "\n");
}

int RunQuery(const QueryArguments& arguments) {
  const Result<std::vector<Query>> queries = QueriesOf(arguments);
  if (!queries.ok()) return Fail(queries.error(), arguments.json);
  const std::unique_ptr<Progress> progress = MakeProgress();
  const CommandRun run;
  const Result<Answers> answers = AnswerQueries(
      arguments.release, *queries, {arguments.originals.begin(), arguments.originals.end()}, progress.get());
  progress->End();
  if (!answers.ok()) return Fail(answers.error(), arguments.json);
  Note(answers->notes);
  if (arguments.json) return PrintAndExit(AllJson(*answers, *queries, arguments.naive));
  if (arguments.file.empty()) return PrintAndExit(Text(answers->answers.front(), arguments.naive));
  const int exit_code = PrintAndExit(AnswersTable(*answers, *queries, arguments.naive, !arguments.originals.empty()));
  if (exit_code == 0 && !arguments.originals.empty()) TellAverage(*answers, arguments.naive);
  return exit_code;
}

}  // namespace

void AddQueryCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<QueryArguments>();
  CLI::App* command =
      app.add_subcommand("query", "how many rows a release says there are, with the error of the count");
  command->add_option("RELEASE", arguments->release, "the folder of the release")->required();
  command->add_option("QUERY", arguments->query, "count, or count where ... and ...");
  command->add_option("--file", arguments->file, "a file with a query on each line, or - for standard input");
  command->add_option("--against", arguments->originals,
                      "the table it was made from, CSV or Parquet, for the true count; several files are one table");
  command->add_flag("--naive", arguments->naive,
                    "the estimator of Wong et al. 2007: all that meets the sensitive predicate in every class touched");
  command->add_flag("--json", arguments->json, "print JSON");
  command->footer(
      "A predicate is one of:\n"
      "  column = value      column != value      column in (value, ...)\n"
      "  column in [a,b)     [a,b]  (a,b]         column < number    <=  >  >=\n"
      "Of dates, a value is a day, a month, a quarter, a year or two of them, 2024-01..2024-02, and an end is a day.\n"
      "A label of a taxonomy stands for all values below it, * for all that are not missing. A missing value is \"\", "
      "and "
      "meets\n"
      "nothing else, also no !=. Names and values with blanks or signs are written in quotes.\n"
      "\n"
      "The standard error and the chance interval cover chance within a class alone: which of its people have which "
      "of its\n"
      "values, or where in its box each lies. If nothing else were at work, the true count would be inside 95 % of the "
      "time.\n"
      "In real data values go with the rest of the row: of counts over UCI Adult about half are inside. The true count "
      "is\n"
      "never outside of what is \"certainly\" so.\n"
      "\n"
      "Examples:\n"
      "  pentimento query published/clinic \"count where age in [30,40) and disease in (flu, fever)\"\n"
      "  pentimento query published/clinic --file queries.txt --against people.csv > answers.tsv\n");
  command->callback([=] { *exit_code = RunQuery(*arguments); });
}

}  // namespace pentimento
