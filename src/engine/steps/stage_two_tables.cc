#include "engine/steps/stage_two_tables.h"

#include <memory>
#include <string>

#include "base/check.h"
#include "base/failpoint.h"
#include "engine/published/datapackage.h"
#include "engine/steps/staged_files.h"
#include "files/table_file.h"
#include "io/release_stream.h"
#include "io/sensitive_stream.h"

namespace pentimento {
namespace {

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

}  // namespace

Result<std::vector<PublishedFile>> StageTwoTables(const std::filesystem::path& folder, const BoundPolicy& bound,
                                                  const EncodedInput& input,
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
                      return TwoTablesPackageText(bound, input, tables, staged);
                    }));
  Failpoint("two-tables-stage-complete");
  return files;
}

}  // namespace pentimento
