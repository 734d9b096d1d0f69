#include "engine/stage.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <tsl/robin_map.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/failpoint.h"
#include "base/mix64.h"
#include "engine/datapackage.h"
#include "fmt/core.h"
#include "io/file_writer.h"
#include "io/release_stream.h"

namespace pentimento {
namespace {

// Like the table, small files are not synced: what is published is as durable as any copied file.
Result<PublishedFile> WriteText(const std::filesystem::path& folder, const std::string& name, std::string_view text) {
  const std::filesystem::path path = folder / name;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  bool ok = file >= 0;
  for (std::string_view left = text; ok && !left.empty();) {
    const ssize_t written = write(file, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    ok = written > 0;
    if (ok) left.remove_prefix(static_cast<std::size_t>(written));
  }
  const int error = errno;
  if (file >= 0) ok = close(file) == 0 && ok;
  if (!ok)
    return Error{ErrorCode::kStorage, fmt::format("{}: cannot be written ({})", path.string(), std::strerror(error))};
  return PublishedFile{name, ToHex(HashContent(text)), text.size()};
}

// The distinct intervals that groups publish in one column, as labels in the order of their codes.
LabelColumn MakeLabels(const std::string& name, const Draft& draft, std::size_t column, const Domain& domain) {
  const auto key_of = [&](GroupId group) {
    const Interval interval = draft.box(group)[column];
    return std::uint64_t{interval.lo} << 32 | interval.hi;
  };
  tsl::robin_map<std::uint64_t, std::uint32_t, Mix64> number;
  for (GroupId group = 0; group < draft.group_count(); ++group) number.try_emplace(key_of(group), 0);
  std::vector<std::uint64_t> keys;
  for (const auto& [key, unused] : number) keys.push_back(key);
  std::sort(keys.begin(), keys.end());

  LabelColumn labels{name, {}, std::vector<std::uint32_t>(draft.group_count()), std::nullopt};
  for (const std::uint64_t key : keys) {
    const Interval interval{static_cast<Code>(key >> 32), static_cast<Code>(key)};
    const auto index = static_cast<std::uint32_t>(labels.labels.size());
    if (interval.lo == interval.hi && domain.IsMissing(interval.lo)) labels.missing_label = index;
    labels.labels.push_back(domain.Label(interval));
    number[key] = index;
  }
  for (GroupId group = 0; group < draft.group_count(); ++group)
    labels.label_of_group[group] = number.find(key_of(group))->second;
  return labels;
}

std::vector<StreamColumn> StreamColumns(const BoundPolicy& bound, const EncodedInput& input, const Draft& draft,
                                        const SeriesPart* series) {
  std::vector<StreamColumn> columns;
  if (series != nullptr) {
    columns.emplace_back(CaseColumn{kCaseColumn, series->namer, series->case_of_row});
    if (series->changes_only) columns.emplace_back(WordColumn{kChangeColumn, {"new", "refined"}, series->is_refined});
  }
  std::size_t quasi = 0, value = 0, keep = 0;
  for (const ColumnPlan& column : bound.plan.columns) {
    switch (column.role) {
      case Role::kId:
        break;  // never published
      case Role::kQuasiIdentifier:
        columns.emplace_back(MakeLabels(column.name, draft, quasi, input.domains[quasi]));
        ++quasi;
        break;
      case Role::kSensitive:
      case Role::kClass:
        columns.emplace_back(ValueColumnRef{value++});
        break;
      case Role::kKeep:
        columns.emplace_back(KeepColumnRef{keep++});
        break;
    }
  }
  return columns;
}

Result<PublishedFile> WriteTable(const std::filesystem::path& folder, const BoundPolicy& bound,
                                 const EncodedInput& input, const VerifiedRelease& release, const SeriesPart* series) {
  const bool parquet = bound.policy.format == FileFormat::kParquet;
  const std::string name =
      std::string(series != nullptr && series->changes_only ? "changes" : "table") + (parquet ? ".parquet" : ".csv");
  auto failure = std::make_shared<std::optional<Error>>();
  ArrowArrayStream stream =
      MakeReleaseStream(release, input, StreamColumns(bound, input, release.draft(), series), failure);
  Result<WrittenFile> written = WriteFile(&stream, bound.policy.format, folder / name);
  if (failure->has_value()) return **failure;
  if (!written.ok()) return std::move(written).error();
  const auto skipped = std::count(input.form_of_row.begin(), input.form_of_row.end(), RowForm::kSkipped);
  Check(written->rows + static_cast<std::uint64_t>(skipped) == input.table.rows, "every row is published");
  return PublishedFile{name, ToHex(written->sha256), written->bytes};
}

// In the order of the names, which is random.
std::string WithdrawnText(const SeriesPart& series) {
  std::vector<std::uint64_t> names;
  for (const CaseNumber member : series.withdrawn) names.push_back(series.namer(member));
  std::sort(names.begin(), names.end());
  std::string text = std::string(kCaseColumn) + "\n";
  for (const std::uint64_t name : names) text += fmt::format("{:016x}\n", name);
  return text;
}

Status MakeFolder(const std::filesystem::path& folder) {
  if (mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return Error{ErrorCode::kStorage, fmt::format("{}: cannot be made ({})", folder.string(), std::strerror(errno))};
}

}  // namespace

Result<std::vector<PublishedFile>> StageRelease(const std::filesystem::path& folder, const BoundPolicy& bound,
                                                const EncodedInput& input, const VerifiedRelease& release,
                                                const SeriesPart* series) {
  Failpoint("stage-begun");
  std::vector<PublishedFile> files;
  PENTIMENTO_ASSIGN(PublishedFile table, WriteTable(folder, bound, input, release, series));
  files.push_back(std::move(table));
  if (series != nullptr && series->changes_only && !series->withdrawn.empty()) {
    PENTIMENTO_ASSIGN(PublishedFile withdrawn, WriteText(folder, "withdrawn.csv", WithdrawnText(*series)));
    files.push_back(std::move(withdrawn));
  }
  Failpoint("stage-table-written");
  for (const ColumnPlan& column : bound.plan.columns) {
    if (!column.taxonomy) continue;
    PENTIMENTO_RETURN_IF_ERROR(MakeFolder(folder / "taxonomies"));
    PENTIMENTO_ASSIGN(PublishedFile file, WriteText(folder, TaxonomyFileName(column), column.taxonomy->ToText()));
    files.push_back(std::move(file));
  }
  PENTIMENTO_ASSIGN(PublishedFile manifest,
                    WriteText(folder, std::string(kManifestName), DataPackageText(bound, input, files, series)));
  files.push_back(std::move(manifest));
  Failpoint("stage-complete");
  return files;
}

}  // namespace pentimento
