#include "engine/init/init.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/fold_case.h"
#include "base/regular_file.h"
#include "base/text_looks.h"
#include "engine/init/arx_project.h"
#include "engine/init/find_hierarchies.h"
#include "engine/init/suggest.h"
#include "files/input_files.h"
#include "fmt/core.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTaxonomyFolder = "taxonomies";

struct NewFile {
  fs::path path;
  std::string text;
};

Error CannotWrite(const fs::path& path, int error) {
  if (error == EEXIST)
    return {ErrorCode::kUsage, fmt::format("{}: is there already, and is never replaced; remove it, or name another "
                                           "folder with --out",
                                           path.string())};
  return {ErrorCode::kStorage, fmt::format("{}: cannot be written ({})", path.string(), std::strerror(error))};
}

int WriteNewFile(const NewFile& file) {
  const int number = open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (number < 0) return errno;
  std::string_view left = file.text;
  int error = 0;
  while (!left.empty() && error == 0) {
    const ssize_t written = write(number, left.data(), left.size());
    if (written < 0 && errno != EINTR) error = errno;
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
  }
  if (close(number) != 0 && error == 0) error = errno;
  if (error != 0) unlink(file.path.c_str());
  return error;
}

// What was made goes again, unless the caller keeps it: half a draft is in the way of the next try.
class Made {
 public:
  Made() = default;
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    std::error_code ignored;
    for (auto at = paths_.rbegin(); at != paths_.rend(); ++at) fs::remove(*at, ignored);  // folders only if empty
  }
  void Add(fs::path path) { paths_.push_back(std::move(path)); }
  void Keep() { paths_.clear(); }

  Status MakeFolder(const fs::path& folder) {
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error)) return {};
    if (folder.has_parent_path()) PENTIMENTO_RETURN_IF_ERROR(MakeFolder(folder.parent_path()));
    fs::create_directory(folder, error);
    if (error) return CannotWrite(folder, error.value());
    Add(folder);
    return {};
  }

  Status Write(const NewFile& file) {
    PENTIMENTO_RETURN_IF_ERROR(MakeFolder(file.path.parent_path()));
    if (const int error = WriteNewFile(file); error != 0) return CannotWrite(file.path, error);
    Add(file.path);
    return {};
  }

 private:
  std::vector<fs::path> paths_;
};

Status RefuseWhatIsThere(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored)) ? Status(CannotWrite(path, EEXIST)) : Status();
}

// ---- the table ----

bool IsStandardInput(const InitOptions& options) {
  return options.tables.size() == 1 && options.tables[0] == kStandardInput;
}

// "people" of "data/people.csv.gz"; what is no name for a folder is left away.
std::string StemOf(const fs::path& table) {
  std::string stem = table.filename().string();
  stem = stem.substr(0, stem.find('.'));
  std::erase_if(stem, [](char c) { return c == '*' || c == '?' || c == '[' || c == ']'; });
  return SafeName(stem, "table");
}

// As a policy in the folder names it.
Result<std::string> PathFrom(const fs::path& folder, const fs::path& table) {
  if (table == kStandardInput) return std::string(kStandardInput);
  std::error_code error;
  const fs::path from = fs::weakly_canonical(fs::absolute(folder, error), error);
  const fs::path to = fs::weakly_canonical(fs::absolute(table, error), error);
  const fs::path path = table.is_absolute() ? table : to.lexically_relative(from);
  if (FindBadUtf8(path.string()))
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: its name is not UTF-8, and a policy is; rename it", table.string())};
  return path.string();
}

// What the reader says of a key of the policy is said with an option here.
Error WithOptions(Error error) {
  if (error.message.find("[input]") == std::string::npos) return error;
  error.message +=
      ". There is no policy yet: tell 'pentimento init' with --separator, --encoding, --names and --skip-lines";
  return error;
}

Error NoHeader(const std::string& name) {
  return {
      ErrorCode::kBadInput,
      fmt::format("{}: its first line looks like a row and not like the names of columns: numbers, or texts that are "
                  "also in the rows below. Where the table has no header line, name its columns: --names "
                  "age,sex,... in their order. A first line that is none of the two is left out with --skip-lines 1",
                  name)};
}

Status CheckSurvey(const TableSurvey& survey, const std::string& name) {
  if (survey.first_line_looks_like_row) return NoHeader(name);
  if (survey.rows > 0) return {};
  return Error{ErrorCode::kBadInput, fmt::format("{}: has no rows, so there is nothing to look at; name a table with "
                                                 "rows. One row is the header line, unless --names says otherwise",
                                                 name)};
}

// Usual texts for "missing" that are no leaves of taxonomies somebody has made.
std::vector<std::string> MissingTexts(const ColumnHints& hints) {
  std::vector<std::string> missing;
  for (const std::string_view text : UsualMissingTexts()) {
    const bool is_leaf = std::ranges::any_of(
        hints, [&](const auto& hint) { return hint.second.taxonomy && hint.second.taxonomy->FindNode(text); });
    if (!is_leaf) missing.emplace_back(text);
  }
  return missing;
}

// ---- the draft ----

// A name for the file that no other column has, not even in other letters.
std::string FileNameOf(const std::string& column, std::set<std::string>& taken) {
  const std::string name = SafeName(column, "column");
  std::string unique = name;
  for (int i = 2; !taken.insert(FoldCase(unique)).second; ++i) unique = fmt::format("{}-{}", name, i);
  return fmt::format("{}/{}.csv", kTaxonomyFolder, unique);
}

std::vector<std::string> FoundMissing(const TableSurvey& survey) {
  std::set<std::string> found;
  for (const ColumnSurvey& column : survey.columns)
    for (const auto& [text, rows] : column.shape.missing_texts())
      if (!text.empty()) found.insert(text);
  return {found.begin(), found.end()};
}

PolicyDraft MakeDraft(const TableSurvey& survey, const ColumnHints& hints, std::string release) {
  PolicyDraft draft;
  draft.release = std::move(release);
  draft.rows = survey.rows;
  draft.form = survey.forms.front();
  draft.input.missing = FoundMissing(survey);
  draft.input.decimal_point = DecimalPointOf(survey);
  draft.input.trims =
      std::ranges::any_of(survey.columns, [](const ColumnSurvey& column) { return column.shape.has_blanks_around(); });
  std::vector<Suggestion> suggestions = SuggestRoles(survey, hints);
  std::set<std::string> taken;
  for (std::size_t i = 0; i < suggestions.size(); ++i) {
    const std::string& name = survey.columns[i].name;
    const std::string file = suggestions[i].taxonomy.empty() ? "" : FileNameOf(name, taken);
    draft.columns.push_back({name, std::move(suggestions[i]), file});
  }
  return draft;
}

Status WriteDraft(const fs::path& folder, InitOutcome& outcome, Made& made) {
  for (const DraftColumn& column : outcome.draft.columns) {
    if (column.taxonomy.empty()) continue;
    PENTIMENTO_RETURN_IF_ERROR(made.Write({folder / column.taxonomy, column.suggestion.taxonomy}));
    outcome.taxonomies.push_back(folder / column.taxonomy);
  }
  outcome.policy = folder / "policy.toml";
  return made.Write({outcome.policy, PolicyText(outcome.draft)});
}

Result<InitOutcome> DraftFor(const InitOptions& options, const std::vector<TableFile>& files,
                             const ColumnHints& hints) {
  const std::vector<std::string> missing = MissingTexts(hints);
  Progress silent;
  Progress& progress = options.progress == nullptr ? silent : *options.progress;
  progress.Begin("reading");
  Result<TableSurvey> survey = SurveyTable(files, missing, progress);
  progress.End();
  if (!survey.ok()) return std::move(survey).error();
  PENTIMENTO_RETURN_IF_ERROR(CheckSurvey(*survey, files.front().name));
  InitOutcome outcome;
  const std::string stem = IsStandardInput(options) ? "table" : StemOf(options.tables[0]);
  outcome.draft = MakeDraft(*survey, hints, stem);
  outcome.draft.input.text = options.text;
  outcome.draft.input.about = IsStandardInput(options) ? files.front().name : options.tables[0].filename().string();
  outcome.survey = std::move(survey).value();
  return outcome;
}

// An ARX project: its table becomes a private file beside the policy.
Result<InitOutcome> InitProject(const InitOptions& options, const fs::path& folder, Made& made) {
  if (options.tables.size() > 1)
    return Error{ErrorCode::kUsage, fmt::format("{}: is an ARX project, which holds its table; name it alone",
                                                options.tables[0].string())};
  PENTIMENTO_ASSIGN(ArxProject project, ReadArxProject(options.tables[0]));
  const fs::path table = folder / "input.csv";
  PENTIMENTO_RETURN_IF_ERROR(RefuseWhatIsThere(table));
  PENTIMENTO_RETURN_IF_ERROR(made.MakeFolder(folder));
  made.Add(table);
  PENTIMENTO_RETURN_IF_ERROR(WriteArxTable(options.tables[0], table));
  InitOptions of_table = options;
  of_table.text.separator = project.separator;
  PENTIMENTO_ASSIGN(InitOutcome outcome, DraftFor(of_table, {TableFile(table, of_table.text)}, project.hints));
  outcome.table = table;
  outcome.draft.input.paths = {"input.csv"};
  if (project.k) outcome.draft.k = *project.k;
  outcome.draft.remarks = std::move(project.remarks);
  return outcome;
}

Result<InitOutcome> InitTables(const InitOptions& options, const fs::path& folder) {
  PENTIMENTO_ASSIGN(const std::vector<TableFile> files, FindInputFiles(options.tables, {}, options.text));
  PENTIMENTO_ASSIGN(const std::vector<std::string> columns, ReadColumnNames(files.front()));
  PENTIMENTO_ASSIGN(const ColumnHints hints, FindHierarchies(files.front().path, columns, options.hierarchies));
  PENTIMENTO_ASSIGN(InitOutcome outcome, DraftFor(options, files, hints));
  for (const fs::path& table : options.tables) {
    PENTIMENTO_ASSIGN(std::string path, PathFrom(folder, table));
    outcome.draft.input.paths.push_back(std::move(path));
  }
  return outcome;
}

}  // namespace

Result<InitOutcome> InitPolicy(const InitOptions& options) {
  const fs::path folder =
      options.folder.value_or(IsStandardInput(options) ? fs::path("table") : fs::path(StemOf(options.tables[0])));
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    return Error{ErrorCode::kUsage, fmt::format("{}: is a file; name a folder with --out", folder.string())};
  PENTIMENTO_RETURN_IF_ERROR(RefuseWhatIsThere(folder / "policy.toml"));
  PENTIMENTO_RETURN_IF_ERROR(RefuseWhatIsThere(folder / kTaxonomyFolder));
  Made made;
  Result<InitOutcome> outcome =
      LooksLikeArxProject(options.tables[0]) ? InitProject(options, folder, made) : InitTables(options, folder);
  if (!outcome.ok()) return WithOptions(std::move(outcome).error());
  PENTIMENTO_RETURN_IF_ERROR(WriteDraft(folder, *outcome, made));
  made.Keep();
  return outcome;
}

}  // namespace pentimento
