#include "engine/steps/stage.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <tsl/robin_map.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "base/check.h"
#include "base/hash.h"
#include "base/mix64.h"
#include "base/progress.h"
#include "base/run.h"
#include "engine/bind/guarantee_words.h"
#include "engine/published/datapackage.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "io/release_stream.h"
#include "io/sensitive_stream.h"
#include "ledger/file_descriptor.h"
#include "policy/interval_columns.h"
#include "taxonomy/arx_text.h"

namespace pentimento {
namespace {

// Writes a new file and brings it to the disk.
Result<PublishedFile> StageText(const std::filesystem::path& folder, const std::string& name, std::string_view text) {
  const std::filesystem::path path = folder / name;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  bool ok = file >= 0;
  for (std::string_view left = text; ok && !left.empty();) {
    const ssize_t written = write(file, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    ok = written > 0;
    if (ok) left.remove_prefix(static_cast<std::size_t>(written));
  }
  ok = ok && fsync(file) == 0;
  const int error = errno;
  if (file >= 0) ok = close(file) == 0 && ok;
  if (!ok)
    return Error{ErrorCode::kStorage, fmt::format("{}: cannot be written ({})", path.string(), std::strerror(error))};
  return PublishedFile{name, ToHex(HashContent(text)), text.size()};
}

// Doubles tell decimals of so many units apart, and hold a power of ten of so many digits exactly.
constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;
constexpr int kLargestExactPower = 22;

bool FitDoubles(const NumericRange& range) {
  return range.lo > -kLargestExact && range.hi < kLargestExact && range.scale <= kLargestExactPower;
}

// As it came: a text, or a number where the format of the file has numbers.
StreamColumn PlainColumn(const std::string& name, std::size_t quasi_identifier, const Domain& domain,
                         FileFormat format) {
  if (format == FileFormat::kParquet && domain.is_numeric()) {
    const bool is_whole = domain.range().scale == 0;
    if (is_whole || FitDoubles(domain.range())) return PlainNumberColumn{name, quasi_identifier, is_whole};
  }
  PlainTextColumn column{name, quasi_identifier, {}, domain.missing_code()};
  column.texts.reserve(domain.size());
  for (Code code = 0; code < domain.size(); ++code) column.texts.push_back(domain.Label({code, code}));
  return column;
}

std::vector<StreamColumn> PlainColumns(const BoundPolicy& bound, const EncodedInput& input) {
  std::vector<StreamColumn> columns;
  std::size_t quasi = 0, value = 0, keep = 0;
  for (const ColumnPlan& column : bound.plan.columns) {
    switch (column.role) {
      case Role::kId:
        break;  // never published
      case Role::kQuasiIdentifier:
        columns.push_back(PlainColumn(column.name, quasi, input.domains[quasi], bound.policy.format));
        ++quasi;
        break;
      case Role::kSensitive:
        ++value;  // in SS
        break;
      case Role::kClass:
        columns.emplace_back(ValueColumnRef{value++});
        break;
      case Role::kKeep:
        columns.emplace_back(KeepColumnRef{keep++});
        break;
    }
  }
  columns.emplace_back(ClassColumn{kClassIdColumn});
  return columns;
}

Result<PublishedFile> WriteTable(ArrowArrayStream stream, const std::filesystem::path& folder, const std::string& name,
                                 FileFormat format, std::uint64_t rows, const std::optional<Error>& failure) {
  // Nobody is in two tables twice, so they cannot be made again.
  Result<WrittenFile> written =
      WriteFile(&stream, format, folder / name, {.dense_numbers = {kClassIdColumn}, .to_disk = true});
  if (failure) return *failure;
  if (!written.ok()) return std::move(written).error();
  Check(written->rows == rows, "every row is published");
  return PublishedFile{name, ToHex(written->sha256), written->bytes};
}

constexpr std::size_t kCopyBlock = std::size_t{4} << 20;

Status MakeFolder(const std::filesystem::path& folder) {
  if (mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return Error{ErrorCode::kStorage, fmt::format("{}: cannot be made ({})", folder.string(), std::strerror(errno))};
}

Error CannotBeRead(const std::filesystem::path& file, int error) {
  return {ErrorCode::kBadInput, fmt::format("{}: cannot be read ({})", file.string(), std::strerror(error))};
}

// The taxonomies of the columns that have one.
Result<std::vector<PublishedFile>> StageTaxonomies(const std::filesystem::path& folder, const BoundPolicy& bound) {
  std::vector<PublishedFile> files;
  for (const ColumnPlan& column : bound.plan.columns) {
    if (!column.taxonomy || column.taxonomy->calendar()) continue;
    PENTIMENTO_RETURN_IF_ERROR(MakeFolder(folder / "taxonomies"));
    PENTIMENTO_ASSIGN(PublishedFile file, StageText(folder, TaxonomyFileName(column), PaddedText(*column.taxonomy)));
    files.push_back(std::move(file));
  }
  return files;
}

// The folder, and the folders in it.
Status SyncFoldersOf(const std::filesystem::path& folder, std::span<const PublishedFile> files) {
  std::set<std::filesystem::path> folders = {folder};
  for (const PublishedFile& file : files) folders.insert((folder / file.name).parent_path());
  for (const std::filesystem::path& inner : folders) PENTIMENTO_RETURN_IF_ERROR(SyncFolder(inner));
  return {};
}

// The distinct intervals that classes publish in one column, in the order of their codes.
struct DistinctIntervals {
  std::vector<Interval> intervals;
  std::vector<std::uint32_t> of_group;
};

DistinctIntervals FindDistinct(const Classes& draft, std::size_t column) {
  const auto key_of = [&](ClassNumber one) {
    const Interval interval = draft.box(one)[column];
    return std::uint64_t{interval.lo} << 32 | interval.hi;
  };
  tsl::robin_map<std::uint64_t, std::uint32_t, Mix64> number;
  for (ClassNumber one = 0; one < draft.count(); ++one) number.try_emplace(key_of(one), 0);
  std::vector<std::uint64_t> keys;
  for (const auto& [key, unused] : number) keys.push_back(key);
  std::sort(keys.begin(), keys.end());

  DistinctIntervals distinct{{}, std::vector<std::uint32_t>(draft.count())};
  for (const std::uint64_t key : keys) {
    number[key] = static_cast<std::uint32_t>(distinct.intervals.size());
    distinct.intervals.push_back({static_cast<Code>(key >> 32), static_cast<Code>(key)});
  }
  for (ClassNumber one = 0; one < draft.count(); ++one) distinct.of_group[one] = number.find(key_of(one))->second;
  return distinct;
}

LabelColumn MakeLabels(const std::string& name, const Classes& draft, std::size_t column, const Domain& domain) {
  DistinctIntervals distinct = FindDistinct(draft, column);
  LabelColumn labels{name, {}, std::move(distinct.of_group), std::nullopt};
  for (const Interval interval : distinct.intervals) {
    if (interval.lo == interval.hi && domain.IsMissing(interval.lo))
      labels.missing_label = static_cast<std::uint32_t>(labels.labels.size());
    labels.labels.push_back(domain.Label(interval));
  }
  return labels;
}

// How the ends of intervals are written: as texts, or as numbers where the format of the file has them.
CellType TypeOfEnds(const NumericRange& range, FileFormat format) {
  if (format == FileFormat::kCsv) return {};
  if (range.scale == 0) return {"l", 8};
  return FitDoubles(range) ? CellType{"g", 8} : CellType();
}

std::string CellOfEnd(std::int64_t units, int scale, const CellType& type) {
  const auto bytes = [](const auto& number) { return std::string(reinterpret_cast<const char*>(&number), 8); };
  if (type.is_text()) return ToString(Decimal{units, scale});
  if (type.arrow_format == "l") return bytes(units);
  double power = 1;  // exact, as both sides of the division are: see FitDoubles
  for (int i = 0; i < scale; ++i) power *= 10;
  return bytes(static_cast<double>(units) / power);
}

// The same as two numbers, and where values may be missing, whether this one is or may be.
std::vector<LabelColumn> MakeEnds(const std::string& name, const Classes& draft, std::size_t column,
                                  const Domain& domain, FileFormat format) {
  const NumericRange& range = domain.range();
  const DistinctIntervals distinct = FindDistinct(draft, column);
  const IntervalColumns names = IntervalColumnsOf(name);
  const CellType type = TypeOfEnds(range, format);
  LabelColumn from{names.from, {}, distinct.of_group, std::nullopt, type};
  LabelColumn to{names.to, {}, distinct.of_group, std::nullopt, type};
  LabelColumn missing{
      names.missing, {}, distinct.of_group, std::nullopt, format == FileFormat::kCsv ? CellType() : CellType{"b", 1}};
  for (const Interval interval : distinct.intervals) {
    const bool may_be_missing = domain.IsMissing(interval.hi);
    if (domain.IsMissing(interval.lo))
      from.missing_label = to.missing_label = static_cast<std::uint32_t>(from.labels.size());
    const Code last = may_be_missing ? domain.value_count() - 1 : interval.hi;
    from.labels.push_back(CellOfEnd(range.point(std::min(interval.lo, last)), range.scale, type));
    to.labels.push_back(CellOfEnd(range.point(last) + 1, range.scale, type));
    missing.labels.emplace_back(missing.type.is_text() ? (may_be_missing ? "true" : "false")
                                                       : std::string(1, may_be_missing ? '\1' : '\0'));
  }
  std::vector<LabelColumn> columns = {std::move(from), std::move(to)};
  if (domain.missing_code()) columns.push_back(std::move(missing));
  return columns;
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
        if (bound.policy.interval_columns && column.range) {
          for (LabelColumn& one : MakeEnds(column.name, draft, quasi, input.domains[quasi], bound.policy.format))
            columns.emplace_back(std::move(one));
        } else {
          columns.emplace_back(MakeLabels(column.name, draft, quasi, input.domains[quasi]));
        }
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

Result<std::vector<PublishedFile>> StageTwoTables(const std::filesystem::path& folder, const BoundPolicy& bound,
                                                  const PackageWords& words, const EncodedInput& input,
                                                  std::span<const ValueColumn* const> sensitive,
                                                  const VerifiedRelease& release) {
  Check(release.draft().is_two_tables(), "two tables were verified");
  Failpoint("two-tables-stage-begun");
  const FileFormat format = bound.policy.format;
  const auto failure = std::make_shared<std::optional<Error>>();
  std::vector<PublishedFile> files;
  PENTIMENTO_ASSIGN(PublishedFile plain,
                    WriteTable(MakeReleaseStream(release, input, PlainColumns(bound, input), failure), folder,
                               TableFileName("nss", format), format, release.draft().classes.of_row.size(), *failure));
  files.push_back(std::move(plain));
  std::vector<SensitiveTable> tables;
  for (std::size_t t = 0; t < release.draft().sensitive.size(); ++t) {
    Failpoint(t == 0 ? "two-tables-nss-written" : "two-tables-between-ss");
    const SensitiveCounts& counts = release.draft().sensitive[t];
    SensitiveTable& table = tables.emplace_back();
    for (const std::uint32_t column : counts.columns) table.columns.push_back(sensitive[column]);
    const bool only = release.draft().sensitive.size() == 1;
    table.name = only ? "ss" : "ss-" + PlainFileName(table.columns[0]->name);
    PENTIMENTO_ASSIGN(PublishedFile file,
                      WriteTable(MakeSensitiveStream(release, t, sensitive, {kClassIdColumn, kCountColumn}, failure),
                                 folder, TableFileName(table.name, format), format, counts.entries(), *failure));
    files.push_back(std::move(file));
  }
  Failpoint("two-tables-ss-written");
  PENTIMENTO_ASSIGN(files, FinishStaging(folder, bound, std::move(files), [&](std::span<const PublishedFile> staged) {
                      return TwoTablesPackageText(bound, words, input, tables, staged);
                    }));
  Failpoint("two-tables-stage-complete");
  return files;
}

Result<PublishedFile> StageCopy(const std::filesystem::path& folder, const std::string& name,
                                const std::filesystem::path& from) {
  const FileDescriptor source(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source.valid()) return CannotBeRead(from, errno);
  PENTIMENTO_ASSIGN(const FileDescriptor copy, CreatePrivateFile(folder / name));
  ContentHasher hasher;
  PublishedFile file{name, "", 0};
  for (std::string block(kCopyBlock, '\0');;) {
    const ssize_t length = read(source.get(), block.data(), block.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return CannotBeRead(from, errno);
    if (length == 0) break;
    const std::string_view bytes(block.data(), static_cast<std::size_t>(length));
    hasher.Update(bytes);
    file.bytes += bytes.size();
    PENTIMENTO_RETURN_IF_ERROR(WriteAll(copy, std::as_bytes(std::span(bytes)), folder / name));
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  }
  PENTIMENTO_RETURN_IF_ERROR(SyncFile(copy, folder / name));
  file.sha256 = ToHex(hasher.Finish());
  return file;
}

Result<std::vector<PublishedFile>> StageRelease(const std::filesystem::path& folder, const BoundPolicy& bound,
                                                const PackageWords& words, const EncodedInput& input,
                                                const VerifiedRelease& release, const IncrementalPart* series) {
  Check(!release.draft().is_two_tables(), "one table was verified");
  Failpoint("stage-begun");
  std::vector<PublishedFile> files;
  PENTIMENTO_ASSIGN(PublishedFile table, WriteTable(folder, bound, input, release, series));
  files.push_back(std::move(table));
  if (series != nullptr && !series->withdrawn.empty()) {
    PENTIMENTO_ASSIGN(PublishedFile withdrawn, StageText(folder, "withdrawn.csv", WithdrawnText(*series)));
    files.push_back(std::move(withdrawn));
  }
  Failpoint("stage-table-written");
  PENTIMENTO_ASSIGN(files, FinishStaging(folder, bound, std::move(files), [&](std::span<const PublishedFile> staged) {
                      return DataPackageText(bound, words, input, staged, series);
                    }));
  Failpoint("stage-complete");
  return files;
}

Status ShowRelease(const BoundPolicy& bound, const EncodedInput& input, const VerifiedRelease& release,
                   const ShowRows& show) {
  const auto failure = std::make_shared<std::optional<Error>>();
  std::vector<StreamColumn> columns = release.draft().is_two_tables()
                                          ? PlainColumns(bound, input)
                                          : StreamColumns(bound, input, release.classes(), /*series=*/nullptr);
  const Status shown = show(MakeReleaseStream(release, input, std::move(columns), failure));
  if (failure->has_value()) return **failure;
  return shown;
}

Result<std::vector<PublishedFile>> FinishStaging(
    const std::filesystem::path& folder, const BoundPolicy& bound, std::vector<PublishedFile> tables,
    const std::function<std::string(std::span<const PublishedFile>)>& manifest_of) {
  std::vector<PublishedFile> files = std::move(tables);
  PENTIMENTO_ASSIGN(const std::vector<PublishedFile> taxonomies, StageTaxonomies(folder, bound));
  files.insert(files.end(), taxonomies.begin(), taxonomies.end());
  PENTIMENTO_ASSIGN(PublishedFile manifest, StageText(folder, std::string(kManifestName), manifest_of(files)));
  files.push_back(std::move(manifest));
  PENTIMENTO_RETURN_IF_ERROR(SyncFoldersOf(folder, files));
  return files;
}

}  // namespace pentimento
