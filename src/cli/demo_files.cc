#include "cli/demo_files.h"

#include <algorithm>
#include <fstream>

#include "fmt/core.h"

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

}  // namespace pentimento
