#include "engine/measure.h"

#include <algorithm>

#include "engine/published/manifest.h"
#include "engine/published/published_cells.h"
#include "engine/published/published_table.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

Distinctness DistinctnessOf(const std::vector<std::uint32_t>& combination_of_row, std::uint64_t combinations) {
  std::vector<std::uint32_t> size(combinations, 0);
  for (const std::uint32_t combination : combination_of_row) ++size[combination];
  return {combination_of_row.size(), combinations,
          static_cast<std::uint64_t>(std::count(size.begin(), size.end(), 1U))};
}

Status MeasureOriginal(const std::vector<std::filesystem::path>& originals, const Manifest& manifest,
                       MeasuredRelease& measured) {
  PENTIMENTO_ASSIGN(const EncodedInput input,
                    ReadOriginals(TableFiles(originals, {}), manifest, manifest.missing, nullptr));
  // Of a release that left people out, or that holds those of other batches, nobody knows which values are its own.
  if (!measured.two_tables && input.table.rows == measured.metrics.rows) {
    TellDistortion(measured.metrics, DepthsOfValues(input.table.quasi_identifiers, input.domains, input.table.rows));
  }
  std::vector<const CodeColumn*> columns;
  for (const CodeColumn& column : input.table.quasi_identifiers) columns.push_back(&column);
  const Combinations combinations = NumberCombinations(input.table.rows, columns);
  measured.original = DistinctnessOf(combinations.of_row, combinations.count);
  return {};
}

// Of two tables: the classes are told by NSS, and its quasi-identifiers are as they were. SS must fit them.
Status MeasureTwoTables(const Manifest& manifest, MeasuredRelease& measured) {
  PENTIMENTO_ASSIGN(const ClassRows read, ReadClassRows(manifest, measured.quasi_identifiers));
  for (std::size_t table = 0; table < manifest.sensitive_tables.size(); ++table) {
    PENTIMENTO_ASSIGN(const SensitiveEntries entries, ReadSensitiveEntries(manifest, table, {}));
    PENTIMENTO_RETURN_IF_ERROR(MatchClasses(read, entries));
  }
  std::vector<const CodeColumn*> columns;
  for (const ValueColumn& values : read.table.columns) columns.push_back(&values.codes);
  const Combinations rows = NumberCombinations(read.table.rows, columns);
  measured.metrics = MeasureClasses(read.classes.class_of_row, read.classes.count, columns.size(), manifest.k);
  measured.released = DistinctnessOf(rows.of_row, rows.count);
  return {};
}

Status MeasureOneTable(const Manifest& manifest, MeasuredRelease& measured) {
  PENTIMENTO_ASSIGN(const PublishedTable table, ReadPublishedTable(manifest, {measured.quasi_identifiers, {}, {}}));
  PENTIMENTO_ASSIGN(const std::vector<Domain> domains, DomainsOfLabels(manifest, !manifest.missing.empty(), {&table}));
  PENTIMENTO_ASSIGN(const Classes draft, ReadBoxes(table, domains));
  measured.metrics = Measure(draft, domains, manifest.k);
  measured.released = DistinctnessOf(draft.of_row, draft.count());
  return {};
}

}  // namespace

Result<MeasuredRelease> MeasureRelease(const std::vector<std::filesystem::path>& originals,
                                       const std::filesystem::path& release_folder) {
  PENTIMENTO_ASSIGN(const Manifest manifest, ReadManifest(release_folder));
  MeasuredRelease measured;
  measured.release = manifest.release;
  measured.k = manifest.k;
  measured.global_series = manifest.global_series;
  for (const PublishedColumn& field : manifest.quasi_identifiers) measured.quasi_identifiers.push_back(field.name);
  measured.two_tables = manifest.has_two_tables();
  PENTIMENTO_RETURN_IF_ERROR(measured.two_tables ? MeasureTwoTables(manifest, measured)
                                                 : MeasureOneTable(manifest, measured));
  PENTIMENTO_RETURN_IF_ERROR(MeasureOriginal(originals, manifest, measured));
  return measured;
}

}  // namespace pentimento
