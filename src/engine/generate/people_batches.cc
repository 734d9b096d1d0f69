#include "engine/generate/people_batches.h"

#include <fstream>
#include <sstream>

#include "base/check.h"
#include "engine/generate/people_project.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

Error CannotWrite(const std::filesystem::path& file) {
  return {ErrorCode::kStorage, fmt::format("cannot write {}: check the free space and the permissions", file.string())};
}

// The rows of made-up people have no line breaks inside.
Status SplitRows(const std::filesystem::path& folder, std::span<const PeopleBatch> batches) {
  std::ifstream table(folder / "people.csv", std::ios::binary);
  std::string header, line;
  std::getline(table, header);
  for (const PeopleBatch& batch : batches) {
    const std::filesystem::path file = folder / (batch.name + ".csv");
    std::ofstream part(file, std::ios::binary);
    part << header << '\n';
    for (std::uint64_t row = 0; row < batch.rows && std::getline(table, line); ++row) part << line << '\n';
    part.close();
    if (!part || !table) return CannotWrite(file);
  }
  return {};
}

std::string Replace(std::string text, std::string_view old_text, std::string_view new_text) {
  const std::size_t at = text.find(old_text);
  Check(at != std::string::npos, "the policy of a people project has the line that a batch changes");
  return text.replace(at, old_text.size(), new_text);
}

Status WritePolicy(const std::filesystem::path& file, std::string_view text) {
  std::ofstream policy(file, std::ios::binary);
  policy << text;
  policy.close();
  if (!policy) return CannotWrite(file);
  return {};
}

}  // namespace

Result<void> WritePeopleBatches(const std::filesystem::path& folder, std::span<const PeopleBatch> batches,
                                const std::string& series, std::uint64_t seed) {
  std::uint64_t rows = 0;
  for (const PeopleBatch& batch : batches) rows += batch.rows;
  PENTIMENTO_RETURN_IF_ERROR(WritePeopleProject(folder, {.rows = rows, .seed = seed}, FileFormat::kCsv));
  PENTIMENTO_RETURN_IF_ERROR(SplitRows(folder, batches));
  std::ifstream project(folder / "policy.toml", std::ios::binary);
  std::ostringstream text;
  text << project.rdbuf();
  std::string so_far;
  for (const PeopleBatch& batch : batches) {
    so_far += fmt::format("{}\"{}.csv\"", so_far.empty() ? "" : ", ", batch.name);
    const std::string named =
        Replace(text.str(), "release = \"people-q1\"", fmt::format("release = \"{}\"", batch.name));
    const std::string alone = Replace(named, "path = \"people.csv\"", fmt::format("path = [{}]", so_far));
    std::string next = Replace(named, "path = \"people.csv\"", fmt::format("path = \"{}.csv\"", batch.name));
    next = Replace(std::move(next), "type = \"k-anonymity\"",
                   fmt::format("type = \"incremental-k-anonymity\"\nseries = \"{}\"", series));
    PENTIMENTO_RETURN_IF_ERROR(WritePolicy(folder / (batch.name + "-alone.toml"), alone));
    PENTIMENTO_RETURN_IF_ERROR(WritePolicy(folder / (batch.name + ".toml"), next));
  }
  return {};
}

}  // namespace pentimento
