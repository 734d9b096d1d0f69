#include "engine/generate/people_project.h"

#include <array>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/check.h"
#include "engine/generate/vocabulary.h"
#include "files/table_file.h"
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

struct TextFile {
  std::string_view name;
  std::string text;
};

std::string QuotedList(std::span<const std::string_view> labels) {
  std::string list;
  for (const std::string_view label : labels) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", label);
  return list;
}

std::string PolicyText(std::uint32_t quarter, FileFormat format) {
  const std::string_view extension = format == FileFormat::kCsv ? "csv" : "parquet";
  return fmt::format(R"(# A register of made-up people: every value is invented, nobody in it is real.
version = 1
release = "people-q{quarter}"

[input]
path = "people.{extension}"

[columns]
# Who a row is about. Never published.
person = {{ role = "id" }}

# What somebody who knows a person may know: published only as far as ten people share it.
age = {{ role = "quasi-identifier", domain = [0, {oldest}] }}
sex = {{ role = "quasi-identifier", values = [{sexes}] }}
zip = {{ role = "quasi-identifier", taxonomy = "zip.csv" }}
job = {{ role = "quasi-identifier", taxonomy = "job.csv" }}
education = {{ role = "quasi-identifier", taxonomy = "education.csv" }}
marital = {{ role = "quasi-identifier", values = [{marital}] }}
origin = {{ role = "quasi-identifier", taxonomy = "origin.csv" }}
hours = {{ role = "quasi-identifier", domain = [0, {most_hours}] }}

# What nobody should learn about a person.
disease = {{ role = "sensitive" }}

# What analysts want to predict, and what they need besides. Published as it is.
income = {{ role = "class" }}
weight = {{ role = "keep" }}
visit = {{ role = "keep" }}
ward = {{ role = "keep" }}
note = {{ role = "keep" }}

[[guarantee]]
type = "k-anonymity"
k = 10

[publish]
format = "{extension}"
)",
                     fmt::arg("quarter", quarter + 1), fmt::arg("extension", extension),
                     fmt::arg("oldest", people::kOldestAge), fmt::arg("sexes", QuotedList(people::Sexes())),
                     fmt::arg("marital", QuotedList(people::MaritalStatuses())),
                     fmt::arg("most_hours", people::kMostHours));
}

Result<void> RefuseToOverwrite(const std::filesystem::path& folder, std::string_view name) {
  std::error_code trouble;
  if (!std::filesystem::exists(folder / name, trouble)) return {};
  return Error{ErrorCode::kUsage,
               fmt::format("{} is already there: name another folder, or remove it first", (folder / name).string())};
}

Result<void> WriteText(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return Error{ErrorCode::kStorage,
               fmt::format("cannot write {}: check the free space and the permissions", path.string())};
}

Result<void> WriteEverything(const std::filesystem::path& folder, std::span<const TextFile> texts,
                             const PeopleGenerator& generator, FileFormat format, std::string_view table) {
  for (const TextFile& file : texts) PENTIMENTO_RETURN_IF_ERROR(WriteText(folder / file.name, file.text));
  ArrowArrayStream stream = generator.OpenStream();
  PENTIMENTO_RETURN_IF_ERROR(WriteFile(&stream, format, folder / table));
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

Result<void> WritePeopleProject(const std::filesystem::path& folder, const PeopleOptions& options, FileFormat format) {
  PENTIMENTO_ASSIGN(const PeopleGenerator generator, PeopleGenerator::Create(options));
  const std::string_view table = format == FileFormat::kCsv ? "people.csv" : "people.parquet";
  const std::array<TextFile, 5> texts = {{{"policy.toml", PolicyText(options.quarter, format)},
                                          {"zip.csv", people::ZipTaxonomy()},
                                          {"job.csv", people::JobTaxonomy()},
                                          {"education.csv", people::EducationTaxonomy()},
                                          {"origin.csv", people::CountryTaxonomy()}}};
  PENTIMENTO_RETURN_IF_ERROR(RefuseToOverwrite(folder, table));
  for (const TextFile& file : texts) PENTIMENTO_RETURN_IF_ERROR(RefuseToOverwrite(folder, file.name));

  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  if (trouble) {
    return Error{ErrorCode::kStorage, fmt::format("cannot make the folder {}: {}", folder.string(), trouble.message())};
  }
  const Result<void> written = WriteEverything(folder, texts, generator, format, table);
  if (!written.ok()) {
    // Half a project helps nobody, and would be in the way of the next try.
    std::filesystem::remove(folder / table, trouble);
    for (const TextFile& file : texts) std::filesystem::remove(folder / file.name, trouble);
  }
  return written;
}

}  // namespace pentimento
