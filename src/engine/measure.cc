#include "engine/measure.h"

#include <algorithm>

#include "base/temporary_folder.h"
#include "engine/bind/bind.h"
#include "engine/published/datapackage.h"
#include "engine/published/manifest.h"
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
  PENTIMENTO_ASSIGN(const EncodedInput input, ReadOriginals(originals, manifest, manifest.missing, nullptr));
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

// Of two tables: the classes are told by NSS, and its quasi-identifiers are as they were.
Status MeasureTwoTables(const Manifest& manifest, MeasuredRelease& measured) {
  EncodePlan plan;
  for (const PublishedColumn& field : manifest.quasi_identifiers)
    plan.columns.push_back({field.name, Role::kClass, nullptr, std::nullopt});
  plan.columns.push_back({kClassIdColumn, Role::kClass, nullptr, std::nullopt});
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  PENTIMENTO_ASSIGN(const EncodedInput table, EncodeTable(OpenInputs(manifest.tables, plan), plan, options));
  std::vector<const CodeColumn*> columns;
  for (const ValueColumn& values : table.values) columns.push_back(&values.codes);
  const Combinations classes = NumberCombinations(table.table.rows, {&columns.back(), 1});
  columns.pop_back();
  const Combinations rows = NumberCombinations(table.table.rows, columns);
  measured.metrics = MeasureClasses(classes.of_row, classes.count, columns.size(), manifest.k);
  measured.released = DistinctnessOf(rows.of_row, rows.count);
  return {};
}

Status MeasureOneTable(const Manifest& manifest, MeasuredRelease& measured) {
  PENTIMENTO_ASSIGN(const EncodedInput table, ReadPublishedLabels(manifest, CaseNames::kLeftOut));
  PENTIMENTO_ASSIGN(const std::vector<Domain> domains,
                    DomainsOfLabels(manifest, !manifest.missing.empty(), {&table, 1}));
  PENTIMENTO_ASSIGN(const Classes draft, ReadBoxes(manifest, table, domains));
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
  for (const PublishedColumn& field : manifest.quasi_identifiers) measured.quasi_identifiers.push_back(field.name);
  measured.two_tables = manifest.has_two_tables();
  PENTIMENTO_RETURN_IF_ERROR(measured.two_tables ? MeasureTwoTables(manifest, measured)
                                                 : MeasureOneTable(manifest, measured));
  PENTIMENTO_RETURN_IF_ERROR(MeasureOriginal(originals, manifest, measured));
  return measured;
}

}  // namespace pentimento
