#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/release_report.h"
#include "engine/generate/people_project.h"
#include "engine/measure.h"
#include "engine/publish.h"
#include "fmt/core.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

struct Arguments {
  std::string keep;
  std::uint64_t rows = 20000;
};

// The demo's folder; removed at the end unless the user wants to keep it.
class DemoFolder {
 public:
  static Result<DemoFolder> Make(const std::string& keep) {
    std::error_code error;
    if (!keep.empty()) {
      if (std::filesystem::exists(keep, error) && !std::filesystem::is_empty(keep, error)) {
        return Error{ErrorCode::kUsage, fmt::format("{}: is there already and not empty; choose another folder", keep)};
      }
      std::filesystem::create_directories(keep, error);
      if (error) return Error{ErrorCode::kStorage, fmt::format("{}: cannot be made ({})", keep, error.message())};
      return DemoFolder(keep, false);
    }
    std::string name = (TemporaryFolder() / "pentimento-demo-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      return Error{ErrorCode::kStorage,
                   fmt::format("{}: cannot make a folder for the demo there ({}); set TMPDIR to a folder that can be "
                               "written, or name one with --keep",
                               TemporaryFolder().string(), std::strerror(errno))};
    }
    return DemoFolder(name, true);
  }
  DemoFolder(DemoFolder&& other) noexcept
      : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, false)) {}
  ~DemoFolder() {
    std::error_code ignored;
    if (temporary_) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  DemoFolder(std::filesystem::path path, bool temporary) : path_(std::move(path)), temporary_(temporary) {}
  std::filesystem::path path_;
  bool temporary_;
};

// The header and the first rows, for the eye.
Result<std::string> FirstLines(const std::filesystem::path& file, int lines) {
  std::ifstream input(file);
  std::string text, line;
  for (int i = 0; i < lines && std::getline(input, line); ++i) text += "    " + line + "\n";
  if (text.empty()) return Error{ErrorCode::kStorage, fmt::format("{}: cannot be read", file.string())};
  return text;
}

Result<void> Tell(const Arguments& arguments) {
  PENTIMENTO_ASSIGN(const DemoFolder folder, DemoFolder::Make(arguments.keep));
  const std::filesystem::path register_folder = folder.path() / "register";
  const std::filesystem::path table = register_folder / "people.csv";
  PENTIMENTO_RETURN_IF_ERROR(Print(
      fmt::format("1. A clinic has a register of {} people (all of them invented).\n\n", WithCommas(arguments.rows))));
  PENTIMENTO_RETURN_IF_ERROR(
      WritePeopleProject(register_folder, {.rows = arguments.rows, .seed = 1}, FileFormat::kCsv));
  PENTIMENTO_ASSIGN(const std::string before, FirstLines(table, 4));
  PENTIMENTO_RETURN_IF_ERROR(Print(before));

  PENTIMENTO_ASSIGN(Policy policy, ReadPolicy(register_folder / "policy.toml"));
  ReleaseOptions options;
  options.ledger = folder.path() / "ledger";
  options.out = folder.path() / "published";
  PENTIMENTO_ASSIGN(const ReleaseOutcome outcome, PublishRelease(std::move(policy), options));
  PENTIMENTO_RETURN_IF_ERROR(Print("\n2. pentimento release register/policy.toml --ledger ledger --out published\n\n"));
  PENTIMENTO_RETURN_IF_ERROR(Print(ReleaseText(outcome)));
  PENTIMENTO_ASSIGN(const std::string after, FirstLines(outcome.folder / "table.csv", 4));
  PENTIMENTO_RETURN_IF_ERROR(Print("\n3. What everybody may see:\n\n" + after));

  PENTIMENTO_ASSIGN(const MeasuredRelease measured, MeasureRelease(table, outcome.folder));
  return Print(fmt::format(
      "\n4. What it means. In the register {} of {} people are the only ones with their combination of {} "
      "quasi-identifiers:\n"
      "   who knows these about a neighbour finds the neighbour's disease. In the release nobody is: each of the {} "
      "kinds of rows\n"
      "   is shared by at least {} people. The price is {:.0f} % of the detail in those columns; the other columns are "
      "as they were.\n"
      "   The ledger remembers this release, so that a later one can be held against it.\n{}",
      WithCommas(measured.original.unique_rows), WithCommas(measured.original.rows), measured.quasi_identifiers.size(),
      WithCommas(measured.metrics.classes), WithCommas(measured.metrics.smallest_class), measured.metrics.ncp_percent,
      arguments.keep.empty() ? "" : fmt::format("   Everything is in {}.\n", arguments.keep)));
}

int Run(const Arguments& arguments) {
  const Result<void> told = Tell(arguments);
  return told.ok() ? 0 : Fail(told.error());
}

}  // namespace

void AddDemoCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("demo", "one release of invented people, from start to finish");
  command->add_option("--rows", arguments->rows, "how many people")->capture_default_str();
  command->add_option("--keep", arguments->keep, "leave everything in this folder to look at");
  command->callback([=] { *exit_code = Run(*arguments); });
}

}  // namespace pentimento
