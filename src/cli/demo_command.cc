#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"
#include "cli/commands.h"
#include "cli/demo.h"
#include "cli/output.h"
#include "cli/page_file.h"
#include "engine/report/collect_report.h"
#include "fmt/core.h"
#include "report/report_page.h"

namespace pentimento {
namespace {

std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char letter : line) {
    if (letter == ',') {
      cells.emplace_back();
    } else {
      cells.back() += letter;
    }
  }
  return cells;
}

struct DemoArguments {
  std::string keep;
  std::uint64_t rows = 9300;
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

Status WriteReport(const std::filesystem::path& ledger, const std::filesystem::path& page) {
  PENTIMENTO_ASSIGN(const ReportNumbers numbers, CollectReport({.ledger = ledger}));
  return WritePage(page, ReportPage(numbers), /*is_private=*/true);
}

Status Tell(const DemoArguments& arguments) {
  PENTIMENTO_ASSIGN(const DemoFolder folder, DemoFolder::Make(arguments.keep));
  const std::unique_ptr<Progress> progress = MakeProgress();
  DemoStory story(folder.path(), arguments.rows, progress.get());
  PENTIMENTO_RETURN_IF_ERROR(story.MakeUpRegister());
  PENTIMENTO_RETURN_IF_ERROR(story.TellOneRelease());
  PENTIMENTO_RETURN_IF_ERROR(story.TellReleasesSideBySide());
  PENTIMENTO_RETURN_IF_ERROR(story.TellSeries());
  PENTIMENTO_RETURN_IF_ERROR(TellTwoOffices(folder.path() / "offices", progress.get()));
  PENTIMENTO_RETURN_IF_ERROR(
      TellHospital(folder.path() / "hospital", folder.path() / "register" / "spring.csv", progress.get()));
  PENTIMENTO_RETURN_IF_ERROR(TellClinic(folder.path() / "clinic", progress.get()));
  PENTIMENTO_RETURN_IF_ERROR(
      TellThreeTables(folder.path() / "three-tables", folder.path() / "register" / "spring.csv", progress.get()));
  if (arguments.keep.empty()) return Print("\nTo look at all of it: pentimento demo --keep FOLDER\n");
  const std::filesystem::path page = folder.path() / "report.html";
  PENTIMENTO_RETURN_IF_ERROR(WriteReport(folder.path() / "three-tables" / "ledger-each-alone", page));
  return Print(
      fmt::format("\nAll of it is in {}: register/, alone/, series/, offices/, hospital/, clinic/ and three-tables/.\n"
                  "What the three tables tell together is on a page for your browser: {}\n",
                  arguments.keep, page.string()));
}

int RunDemo(const DemoArguments& arguments) {
  const CommandRun run;
  const Status told = Tell(arguments);
  return told.ok() ? 0 : Fail(told.error());
}

}  // namespace

Status WriteDemoFile(const std::filesystem::path& file, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error)
    return Error{ErrorCode::kStorage,
                 fmt::format("{}: cannot be made ({})", file.parent_path().string(), error.message())};
  std::ofstream output(file, std::ios::binary);
  output << text;
  output.close();
  if (output) return {};
  return Error{ErrorCode::kStorage, fmt::format("{}: cannot be written", file.string())};
}

Result<std::vector<std::vector<std::string>>> ReadDemoTable(const std::filesystem::path& file, std::size_t rows,
                                                            std::size_t columns) {
  std::ifstream input(file);
  std::vector<std::vector<std::string>> table;
  std::string line;
  std::getline(input, line);
  while (std::getline(input, line)) table.push_back(CellsOf(line));
  const bool is_whole =
      table.size() == rows && std::ranges::all_of(table, [&](const auto& cells) { return cells.size() == columns; });
  if (is_whole) return table;
  return Error{ErrorCode::kInternal, fmt::format("{}: is not the table of the demo", file.string())};
}

void AddDemoCommand(CLI::App& app, int* exit_code) {
  auto arguments = std::make_shared<DemoArguments>();
  CLI::App* command = app.add_subcommand("demo",
                                         "invented people, published once, again and again, by two offices, in two "
                                         "tables, by a clinic, and in three tables");
  command->add_option("--rows", arguments->rows, "how many people")
      ->check(CLI::Range(std::uint64_t{500}, std::uint64_t{1'000'000}))
      ->capture_default_str();
  command->add_option("--keep", arguments->keep, "leave everything in this folder to look at");
  command->callback([=] { *exit_code = RunDemo(*arguments); });
}

}  // namespace pentimento
