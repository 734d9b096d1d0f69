#include "engine/steps/stage.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "base/check.h"
#include "base/failpoint.h"
#include "base/mix64.h"
#include "engine/bind/guarantee_words.h"
#include "engine/published/datapackage.h"
#include "engine/steps/staged_files.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "io/release_stream.h"

namespace pentimento {
namespace {

// The distinct intervals that groups publish in one column, as labels in the order of their codes.
LabelColumn MakeLabels(const std::string& name, const Classes& draft, std::size_t column, const Domain& domain) {
  const auto key_of = [&](ClassNumber group) {
    const Interval interval = draft.box(group)[column];
    return std::uint64_t{interval.lo} << 32 | interval.hi;
  };
  tsl::robin_map<std::uint64_t, std::uint32_t, Mix64> number;
  for (ClassNumber group = 0; group < draft.count(); ++group) number.try_emplace(key_of(group), 0);
  std::vector<std::uint64_t> keys;
  for (const auto& [key, unused] : number) keys.push_back(key);
  std::sort(keys.begin(), keys.end());

  LabelColumn labels{name, {}, std::vector<std::uint32_t>(draft.count()), std::nullopt};
  for (const std::uint64_t key : keys) {
    const Interval interval{static_cast<Code>(key >> 32), static_cast<Code>(key)};
    const auto index = static_cast<std::uint32_t>(labels.labels.size());
    if (interval.lo == interval.hi && domain.IsMissing(interval.lo)) labels.missing_label = index;
    labels.labels.push_back(domain.Label(interval));
    number[key] = index;
  }
  for (ClassNumber group = 0; group < draft.count(); ++group)
    labels.label_of_group[group] = number.find(key_of(group))->second;
  return labels;
}

std::vector<StreamColumn> StreamColumns(const BoundPolicy& bound, const EncodedInput& input, const Classes& draft,
                                        const IncrementalPart* series) {
  std::vector<StreamColumn> columns;
  if (series != nullptr) {
    columns.emplace_back(CaseColumn{kCaseColumn, series->namer, series->case_of_row});
    if (series->changes_only) columns.emplace_back(WordColumn{kChangeColumn, {"new", "refined"}, series->is_refined});
  }
  if (FindGlobal(bound) != nullptr) columns.emplace_back(ClassColumn{kGroupIdColumn});
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
                                 const EncodedInput& input, const VerifiedRelease& release,
                                 const IncrementalPart* series) {
  const std::string name =
      TableFileName(series != nullptr && series->changes_only ? "changes" : "table", bound.policy.format);
  auto failure = std::make_shared<std::optional<Error>>();
  ArrowArrayStream stream =
      MakeReleaseStream(release, input, StreamColumns(bound, input, release.classes(), series), failure);
  // A later release tells of everybody again, or the input is there to be published anew; not so of changes, and not
  // where budgets are spent.
  const bool only_once = FindGlobal(bound) != nullptr || (series != nullptr && series->changes_only);
  Result<WrittenFile> written =
      WriteFile(&stream, bound.policy.format, folder / name, {.dense_numbers = {kGroupIdColumn}, .to_disk = only_once});
  if (failure->has_value()) return **failure;
  if (!written.ok()) return std::move(written).error();
  const auto skipped = std::count(input.form_of_row.begin(), input.form_of_row.end(), RowForm::kSkipped);
  Check(written->rows + static_cast<std::uint64_t>(skipped) == input.table.rows, "every row is published");
  return PublishedFile{name, ToHex(written->sha256), written->bytes};
}

// In the order of the names, which is random.
std::string WithdrawnText(const IncrementalPart& series) {
  std::vector<std::uint64_t> names;
  for (const CaseNumber member : series.withdrawn) names.push_back(series.namer(member));
  std::sort(names.begin(), names.end());
  std::string text = std::string(kCaseColumn) + "\n";
  for (const std::uint64_t name : names) text += fmt::format("{:016x}\n", name);
  return text;
}

}  // namespace

Result<std::vector<PublishedFile>> StageRelease(const std::filesystem::path& folder, const BoundPolicy& bound,
                                                const EncodedInput& input, const VerifiedRelease& release,
                                                const IncrementalPart* series) {
  Check(!release.draft().is_two_tables(), "one table was verified");
  Failpoint("stage-begun");
  std::vector<PublishedFile> files;
  PENTIMENTO_ASSIGN(PublishedFile table, WriteTable(folder, bound, input, release, series));
  files.push_back(std::move(table));
  if (series != nullptr && series->changes_only && !series->withdrawn.empty()) {
    PENTIMENTO_ASSIGN(PublishedFile withdrawn, StageText(folder, "withdrawn.csv", WithdrawnText(*series)));
    files.push_back(std::move(withdrawn));
  }
  Failpoint("stage-table-written");
  PENTIMENTO_ASSIGN(files, FinishStaging(folder, bound, std::move(files), [&](std::span<const PublishedFile> staged) {
                      return DataPackageText(bound, input, staged, series);
                    }));
  Failpoint("stage-complete");
  return files;
}

}  // namespace pentimento
