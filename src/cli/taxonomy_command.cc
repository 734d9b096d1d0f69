#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/decimal.h"
#include "base/plural.h"
#include "base/text_looks.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "engine/column_values.h"
#include "fmt/core.h"
#include "report/metrics_report.h"
#include "taxonomy/arx_text.h"
#include "taxonomy/build.h"
#include "taxonomy/build_tree.h"
#include "taxonomy/draw.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {
namespace {

struct DrawArguments {
  std::string file;
  DrawOptions options;
};

struct BuildArguments {
  std::string file;
  std::string column;
  bool prefix = false;
  bool all = false;
  bool flat = false;
  std::vector<std::int64_t> widths;
  std::vector<std::string> tree;
  std::string like;
  std::vector<std::string> dates;
  std::vector<std::string> domain;
  std::vector<std::string> missing;
  std::string output;
};

// A taxonomy, and what its maker should know before it is public.
struct BuiltText {
  std::string text;
  std::vector<std::string> notes;
};

int Check(const std::string& file) {
  const Result<Taxonomy> taxonomy = Taxonomy::ReadFile(file);
  if (!taxonomy.ok()) return Fail(taxonomy.error());
  const std::size_t inner = taxonomy->nodes().size() - taxonomy->leaf_count();
  return PrintAndExit(fmt::format(
      "{}: a good taxonomy: {} {} below {} inner {}, at most {} {} from a leaf to the root\n", file,
      WithCommas(taxonomy->leaf_count()), Plural(taxonomy->leaf_count(), "leaf", "leaves"), WithCommas(inner),
      Plural(inner, "node", "nodes"), taxonomy->height(), Plural(taxonomy->height(), "step", "steps")));
}

int Draw(const DrawArguments& arguments) {
  const Result<Taxonomy> taxonomy = Taxonomy::ReadFile(arguments.file);
  if (!taxonomy.ok()) return Fail(taxonomy.error());
  DrawOptions options = arguments.options;
  options.in_ascii = !LocaleIsUtf8();
  return PrintAndExit(DrawTaxonomy(*taxonomy, options));
}

constexpr std::size_t kMostCodes = 1'000'000;
constexpr const char* kIsPublic = "the file becomes public with every release that uses it";

Error BadDomain() {
  return {ErrorCode::kUsage,
          "taxonomy build: --domain takes the smallest and the largest whole number, LO,HI, or two days for --dates"};
}

// Texts that say that nothing is known are no values.
std::vector<std::string> MissingTexts(const BuildArguments& arguments) {
  if (!arguments.missing.empty()) return arguments.missing;
  return {UsualMissingTexts().begin(), UsualMissingTexts().end()};
}

std::string MissingNote(const std::vector<std::string>& missing) {
  std::string list;
  for (const std::string& text : missing) list += fmt::format("{}'{}'", list.empty() ? "" : ", ", text);
  return fmt::format(
      "left out, because it says that nothing is known: {}. [input] missing has to list it; where it is a "
      "value, say with --missing what is none",
      list);
}

Result<CountedValues> ReadValues(const BuildArguments& arguments, std::vector<std::string>& notes) {
  PENTIMENTO_ASSIGN(CountedValues counted, CountValues(arguments.file, arguments.column, MissingTexts(arguments)));
  if (!counted.missing.empty()) notes.push_back(MissingNote(counted.missing));
  return counted;
}

std::string OnceNote(const CountedValues& counted) {
  return fmt::format("{}, with the {} {} in it. {} of them {} once: may everybody know that {} there?", kIsPublic,
                     WithCommas(counted.values.size()), Plural(counted.values.size(), "value", "values"),
                     WithCommas(counted.once), Plural(counted.once, "occurs", "occur"),
                     Plural(counted.once, "it is", "they are"));
}

Result<BuiltText> BuildIntervals(const BuildArguments& arguments) {
  BuiltText built;
  std::pair<std::int64_t, std::int64_t> range;
  if (arguments.domain.size() == 2) {
    const std::optional<Decimal> lo = ParseDecimal(arguments.domain[0]), hi = ParseDecimal(arguments.domain[1]);
    if (!lo || !hi || lo->scale != 0 || hi->scale != 0) return BadDomain();
    range = {lo->units, hi->units};
  } else {
    PENTIMENTO_ASSIGN(const CountedValues counted, ReadValues(arguments, built.notes));
    PENTIMENTO_ASSIGN(range, WholeNumberRange(arguments.file, counted.values));
    built.notes.push_back(
        fmt::format("{}, and its ends are the smallest and the largest number of the table; --domain "
                    "LO,HI gives it others",
                    kIsPublic));
  }
  PENTIMENTO_ASSIGN(built.text, BuildIntervalTaxonomy(range.first, range.second, arguments.widths));
  return built;
}

Result<BuiltText> BuildDates(const BuildArguments& arguments) {
  BuiltText built;
  std::pair<std::string, std::string> range;
  if (arguments.domain.size() == 2) {
    range = {arguments.domain[0], arguments.domain[1]};
  } else {
    PENTIMENTO_ASSIGN(const CountedValues counted, ReadValues(arguments, built.notes));
    PENTIMENTO_ASSIGN(range, YearRange(arguments.file, counted.values));
    built.notes.push_back(
        fmt::format("{}, and tells the first and the last year of the table; --domain gives it others", kIsPublic));
  }
  PENTIMENTO_ASSIGN(built.text, BuildDateTaxonomy(range.first, range.second, arguments.dates));
  return built;
}

Result<BuiltText> BuildTree(const BuildArguments& arguments) {
  if (arguments.tree.size() < 2)
    return Error{ErrorCode::kUsage,
                 "taxonomy build: --tree takes two columns or more, leaf first: --tree city,region,country"};
  BuiltText built;
  PENTIMENTO_ASSIGN(const std::vector<TreeRow> rows,
                    ReadTreeRows(arguments.file, arguments.tree, MissingTexts(arguments)));
  PENTIMENTO_ASSIGN(const CountedValues counted,
                    CountValues(arguments.file, arguments.tree[0], MissingTexts(arguments)));
  if (!counted.missing.empty()) built.notes.push_back(MissingNote(counted.missing));
  built.notes.push_back(OnceNote(counted));
  PENTIMENTO_ASSIGN(built.text, BuildTreeTaxonomy(rows, arguments.tree));
  return built;
}

Result<BuiltText> BuildLike(const BuildArguments& arguments) {
  BuiltText built;
  PENTIMENTO_ASSIGN(const Taxonomy like, Taxonomy::ReadFile(arguments.like));
  PENTIMENTO_ASSIGN(const CountedValues counted, ReadValues(arguments, built.notes));
  std::vector<std::string> more;
  for (const std::string& value : counted.values)
    if (!like.FindLeaf(value)) more.push_back(value);
  const Result<Taxonomy> grown = WithLeaves(like, more);
  if (!grown.ok())
    return Error{
        ErrorCode::kBadInput,
        fmt::format("{}: column '{}' holds a value that is no leaf of {} and cannot become one: an inner label of "
                    "it, or no label at all",
                    arguments.file, arguments.column, arguments.like)};
  built.notes.push_back(
      fmt::format("{}. {} of the {} {} not in {}, and {} right below the root: give {} a better place", kIsPublic,
                  WithCommas(more.size()), WithCommas(counted.values.size()),
                  counted.values.size() == 1 ? "value is" : "values are", arguments.like,
                  Plural(more.size(), "stands", "stand"), Plural(more.size(), "it", "them")));
  built.text = PaddedText(*grown);
  return built;
}

Result<BuiltText> BuildText(const BuildArguments& arguments) {
  if (!arguments.widths.empty()) return BuildIntervals(arguments);
  if (!arguments.dates.empty()) return BuildDates(arguments);
  if (!arguments.tree.empty()) return BuildTree(arguments);
  if (!arguments.like.empty()) return BuildLike(arguments);
  BuiltText built;
  PENTIMENTO_ASSIGN(const CountedValues counted, ReadValues(arguments, built.notes));
  if (arguments.all) {
    PENTIMENTO_ASSIGN(const std::vector<std::string> codes, AllCodesLike(counted.values, kMostCodes));
    built.notes.push_back(fmt::format("{}. It has all {} codes of this form, so it does not tell which occur",
                                      kIsPublic, WithCommas(codes.size())));
    PENTIMENTO_ASSIGN(built.text, BuildPrefixTaxonomy(codes));
    return built;
  }
  built.notes.push_back(OnceNote(counted) +
                        (arguments.prefix ? " With --all it has every code of this form, and tells none" : ""));
  PENTIMENTO_ASSIGN(built.text,
                    arguments.prefix ? BuildPrefixTaxonomy(counted.values) : BuildFlatTaxonomy(counted.values));
  return built;
}

Status CheckArguments(const BuildArguments& arguments) {
  const int ways = static_cast<int>(arguments.prefix) + static_cast<int>(arguments.flat) +
                   static_cast<int>(!arguments.widths.empty()) + static_cast<int>(!arguments.tree.empty()) +
                   static_cast<int>(!arguments.like.empty()) + static_cast<int>(!arguments.dates.empty());
  const auto wrong = [](std::string_view what) {
    return Error{ErrorCode::kUsage, fmt::format("taxonomy build: {}", what)};
  };
  if (ways != 1) return wrong("say one of --prefix, --intervals, --flat, --tree, --like and --dates");
  const bool takes_domain = !arguments.widths.empty() || !arguments.dates.empty();
  if (!arguments.domain.empty() && !takes_domain) return wrong("--domain goes with --intervals or --dates");
  if (arguments.all && !arguments.prefix) return wrong("--all goes with --prefix");
  if (!arguments.tree.empty() && !arguments.column.empty())
    return wrong("--tree names its columns itself; leave --column out");
  if (arguments.file.empty() && arguments.domain.empty())
    return wrong("name a file with the values, or give --domain LO,HI for --intervals or --dates");
  if (arguments.output.empty() || !std::filesystem::exists(arguments.output)) return {};
  return Error{ErrorCode::kUsage, fmt::format("{}: is there already; choose another --output", arguments.output)};
}

int Build(const BuildArguments& arguments) {
  const Status checked = CheckArguments(arguments);
  if (!checked.ok()) return Fail(checked.error());
  const Result<BuiltText> built = BuildText(arguments);
  if (!built.ok()) return Fail(built.error());
  Note(built->notes);
  if (arguments.output.empty()) return PrintAndExit(built->text);
  std::ofstream file(arguments.output, std::ios::binary);
  file << built->text;
  file.close();
  if (!file) return Fail({ErrorCode::kStorage, fmt::format("{}: cannot be written", arguments.output)});
  return PrintAndExit(fmt::format("{}: written\n", arguments.output));
}

void AddBuild(CLI::App& command, int* exit_code) {
  auto arguments = std::make_shared<BuildArguments>();
  CLI::App* build = command.add_subcommand("build", "make a taxonomy from the values of a column");
  build->add_option("FILE", arguments->file,
                    "a table (with --column or --tree), or a list with one value on each line");
  build->add_option("--column", arguments->column, "the column of the table");
  build->add_flag("--prefix", arguments->prefix,
                  "hide characters from the right, for zip codes: 13053, 1305*, 130**, ...");
  build->add_flag("--all", arguments->all,
                  "with --prefix: all codes of this form instead of those that occur, which tells nothing");
  build->add_option("--intervals", arguments->widths, "intervals of these widths, for ages: 5,10,20")->delimiter(',');
  build->add_option("--dates", arguments->dates, "days below month,quarter,year,decade, or some of these")
      ->delimiter(',');
  build
      ->add_option("--domain", arguments->domain,
                   "with --intervals: the smallest and the largest number, LO,HI; with --dates: two days")
      ->delimiter(',')
      ->expected(2);
  build->add_flag("--flat", arguments->flat, "every value directly below the root");
  build->add_option("--tree", arguments->tree, "a level for each of these columns, leaf first: city,region,country")
      ->delimiter(',');
  build->add_option(
      "--like", arguments->like,
      "another taxonomy, such as one made for ARX: its tree, and below its root the values that it lacks");
  build->add_option("--missing", arguments->missing, "texts that are no values (default: ?, NA, NULL and their like)")
      ->delimiter(',');
  build->add_option("--output", arguments->output, "write to this file instead of standard output");
  build->footer(
      "Examples:\n  pentimento taxonomy build people.csv --column zip --prefix --all --output zip.csv\n"
      "  pentimento taxonomy build people.csv --tree city,region,country --output city.csv\n"
      "  pentimento taxonomy build people.csv --column job --like adult_hierarchy_occupation.csv\n"
      "  pentimento taxonomy build --intervals 5,10,20 --domain 0,99 --output age.csv\n"
      "  pentimento taxonomy build --dates month,quarter,year --domain 1990-01-01,2026-12-31 --output visit.csv\n");
  build->callback([=] { *exit_code = Build(*arguments); });
}

}  // namespace

void AddTaxonomyCommand(CLI::App& app, int* exit_code) {
  CLI::App* command = app.add_subcommand("taxonomy", "read, check, draw and build hierarchies of values");
  command->require_subcommand(1);

  auto checked = std::make_shared<std::string>();
  CLI::App* check = command->add_subcommand("check", "say whether a taxonomy file is in order");
  check->add_option("FILE", *checked, "a taxonomy: one line per leaf, leaf first, root last, ';' between")->required();
  check->callback([=] { *exit_code = Check(*checked); });

  auto drawn = std::make_shared<DrawArguments>();
  CLI::App* draw = command->add_subcommand("draw", "show a taxonomy as a tree");
  draw->add_option("FILE", drawn->file, "the taxonomy")->required();
  draw->add_option("--depth", drawn->options.max_depth, "show at most this many levels");
  draw->add_option("--children", drawn->options.max_children, "show at most this many children of a node");
  draw->callback([=] { *exit_code = Draw(*drawn); });

  AddBuild(*command, exit_code);
}

}  // namespace pentimento
