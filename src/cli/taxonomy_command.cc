#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "engine/column_values.h"
#include "fmt/core.h"
#include "report/metrics_report.h"
#include "taxonomy/build.h"
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
  bool flat = false;
  std::vector<std::int64_t> widths;
  std::vector<std::int64_t> domain;
  std::string output;
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

Result<std::string> BuildText(const BuildArguments& arguments) {
  if (!arguments.widths.empty()) {
    std::int64_t lo = 0, hi = 0;
    if (arguments.domain.size() == 2) {
      lo = arguments.domain[0];
      hi = arguments.domain[1];
    } else {
      PENTIMENTO_ASSIGN(const auto range, WholeNumberRange(arguments.file, arguments.column));
      lo = range.first;
      hi = range.second;
    }
    return BuildIntervalTaxonomy(lo, hi, arguments.widths);
  }
  PENTIMENTO_ASSIGN(const std::vector<std::string> values, DistinctValues(arguments.file, arguments.column));
  return arguments.prefix ? BuildPrefixTaxonomy(values) : BuildFlatTaxonomy(values);
}

int Build(const BuildArguments& arguments) {
  if (static_cast<int>(arguments.prefix) + static_cast<int>(arguments.flat) +
          static_cast<int>(!arguments.widths.empty()) !=
      1) {
    return Fail({ErrorCode::kUsage, "taxonomy build: say one of --prefix, --intervals and --flat"});
  }
  if (arguments.file.empty() && arguments.domain.empty()) {
    return Fail(
        {ErrorCode::kUsage, "taxonomy build: name a file with the values, or give --domain LO,HI for --intervals"});
  }
  if (!arguments.output.empty() && std::filesystem::exists(arguments.output)) {
    return Fail({ErrorCode::kUsage, fmt::format("{}: is there already; choose another --output", arguments.output)});
  }
  const Result<std::string> text = BuildText(arguments);
  if (!text.ok()) return Fail(text.error());
  if (arguments.output.empty()) return PrintAndExit(*text);
  std::ofstream file(arguments.output, std::ios::binary);
  file << *text;
  file.close();
  if (!file) return Fail({ErrorCode::kStorage, fmt::format("{}: cannot be written", arguments.output)});
  return PrintAndExit(fmt::format("{}: written\n", arguments.output));
}

void AddBuild(CLI::App& command, int* exit_code) {
  auto arguments = std::make_shared<BuildArguments>();
  CLI::App* build = command.add_subcommand("build", "make a taxonomy from the values of a column");
  build->add_option("FILE", arguments->file, "a table (with --column), or a list with one value on each line");
  build->add_option("--column", arguments->column, "the column of the table");
  build->add_flag("--prefix", arguments->prefix,
                  "hide characters from the right, for zip codes: 13053, 1305*, 130**, ...");
  build->add_option("--intervals", arguments->widths, "intervals of these widths, for ages: 5,10,20")->delimiter(',');
  build->add_option("--domain", arguments->domain, "with --intervals: the smallest and the largest number, LO,HI")
      ->delimiter(',')
      ->expected(2);
  build->add_flag("--flat", arguments->flat, "every value directly below the root");
  build->add_option("--output", arguments->output, "write to this file instead of standard output");
  build->footer(
      "Examples:\n  pentimento taxonomy build people.csv --column zip --prefix --output zip.csv\n"
      "  pentimento taxonomy build --intervals 5,10,20 --domain 0,99 --output age.csv\n");
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
