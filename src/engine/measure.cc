#include "engine/measure.h"

#include <algorithm>

#include "engine/published/manifest.h"
#include "engine/published/published_cells.h"
#include "engine/published/published_table.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

std::vector<std::uint8_t> WhoIsWithdrawn(const CaseRows& cases) {
  std::vector<IdentityHash> gone = cases.withdrawn;
  std::sort(gone.begin(), gone.end());
  std::vector<std::uint8_t> is_withdrawn;
  for (const IdentityHash& id : cases.table.id_of_row)
    is_withdrawn.push_back(std::binary_search(gone.begin(), gone.end(), id) ? 1 : 0);
  return is_withdrawn;
}

Distinctness DistinctnessOf(const std::vector<std::uint32_t>& combination_of_row, std::uint64_t combinations) {
  std::vector<std::uint32_t> size(combinations, 0);
  for (const std::uint32_t combination : combination_of_row) ++size[combination];
  return {combination_of_row.size(), combinations,
          static_cast<std::uint64_t>(std::count(size.begin(), size.end(), 1U))};
}

// What is measured, and what of the release the original is laid beside.
struct Measuring {
  MeasuredRelease measured;
  std::vector<Domain> domains;
  std::vector<std::vector<LabelledRows>> labels;  // by quasi-identifier
};

// How many rows have each code.
std::vector<LabelledRows> CountCodes(const CodeColumn& codes, std::size_t count) {
  std::vector<LabelledRows> labels(count);
  codes.Visit([&](auto values) {
    for (const auto value : values) ++labels[value].rows;
  });
  return labels;
}

Status CountLabels(const PublishedTable& table, Measuring& measuring) {
  for (std::size_t c = 0; c < measuring.domains.size(); ++c) {
    PENTIMENTO_ASSIGN(const std::vector<Interval> meanings, ReadLabels(table, c, measuring.domains[c]));
    std::vector<LabelledRows> labels = CountCodes(table.columns[c].codes, table.columns[c].values.size());
    for (std::size_t code = 0; code < labels.size(); ++code) labels[code].codes = meanings[code];
    measuring.labels.push_back(std::move(labels));
  }
  return {};
}

void CountSizes(const std::vector<ClassNumber>& class_of_row, std::size_t classes, MeasuredRelease& measured) {
  std::vector<std::uint32_t> sizes(classes, 0);
  for (const ClassNumber number : class_of_row) ++sizes[number];
  measured.class_sizes = CountClassSizes(sizes, measured.k);
  for (const std::uint32_t size : sizes) measured.rows_below_k += size < measured.k ? size : 0;
}

void ViewColumns(const Measuring& measuring, const EncodedInput* original, std::vector<ColumnView>& columns) {
  columns.clear();
  for (std::size_t c = 0; c < measuring.domains.size(); ++c) {
    const std::string& name = measuring.measured.quasi_identifiers[c];
    if (original == nullptr) {
      columns.push_back(ViewColumn(name, measuring.domains[c], measuring.labels[c]));
      continue;
    }
    const Domain& domain = original->domains[c];
    std::vector<LabelledRows> before = CountCodes(original->table.quasi_identifiers[c], domain.size());
    for (Code code = 0; code < before.size(); ++code) before[code].codes = {code, code};
    columns.push_back(ViewColumn(name, measuring.domains[c], measuring.labels[c], &domain, before));
  }
}

Status MeasureOriginal(const std::vector<std::filesystem::path>& originals, const Manifest& manifest,
                       Measuring& measuring) {
  MeasuredRelease& measured = measuring.measured;
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
  ViewColumns(measuring, &input, measured.columns);
  return {};
}

// Of two tables: the classes are told by NSS, and its quasi-identifiers are as they were. SS must fit them.
Status MeasureTwoTables(const Manifest& manifest, Measuring& measuring) {
  MeasuredRelease& measured = measuring.measured;
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
  CountSizes(read.classes.class_of_row, read.classes.count, measured);
  PENTIMENTO_ASSIGN(measuring.domains, DomainsOfLabels(manifest, !manifest.missing.empty(), {&read.table}));
  return CountLabels(read.table, measuring);
}

Status MeasureOneTable(const PublishedTable& table, const Manifest& manifest, const CaseRows* cases,
                       Measuring& measuring) {
  MeasuredRelease& measured = measuring.measured;
  PENTIMENTO_ASSIGN(measuring.domains, DomainsOfLabels(manifest, !manifest.missing.empty(), {&table}));
  PENTIMENTO_ASSIGN(const Classes draft, ReadBoxes(table, measuring.domains));
  measured.metrics = Measure(draft, measuring.domains, manifest.k);
  measured.released = DistinctnessOf(draft.of_row, draft.count());
  CountSizes(draft.of_row, draft.count(), measured);
  if (cases != nullptr) measured.living = CountLiving(draft, WhoIsWithdrawn(*cases), manifest.k);
  return CountLabels(table, measuring);
}

// A whole table of a growing series that lists who has left.
bool TellsLiving(const Manifest& manifest) {
  return manifest.series && !manifest.series->changes_only && manifest.series->tells_withdrawn;
}

Status MeasurePublished(const Manifest& manifest, Measuring& measuring) {
  MeasuredRelease& measured = measuring.measured;
  if (measured.two_tables) return MeasureTwoTables(manifest, measuring);
  if (TellsLiving(manifest)) {
    PENTIMENTO_ASSIGN(const CaseRows cases, ReadCaseRows(manifest));
    return MeasureOneTable(cases.table, manifest, &cases, measuring);
  }
  PENTIMENTO_ASSIGN(const PublishedTable table, ReadPublishedTable(manifest, {measured.quasi_identifiers, {}, {}}));
  return MeasureOneTable(table, manifest, nullptr, measuring);
}

}  // namespace

Result<MeasuredRelease> MeasureRelease(const std::vector<std::filesystem::path>& originals, const Manifest& manifest) {
  Measuring measuring;
  MeasuredRelease& measured = measuring.measured;
  measured.release = manifest.release;
  measured.k = manifest.k;
  measured.global_series = manifest.global_series;
  for (const PublishedColumn& field : manifest.quasi_identifiers) measured.quasi_identifiers.push_back(field.name);
  measured.two_tables = manifest.has_two_tables();
  PENTIMENTO_RETURN_IF_ERROR(MeasurePublished(manifest, measuring));
  if (originals.empty()) {
    ViewColumns(measuring, nullptr, measured.columns);
  } else {
    PENTIMENTO_RETURN_IF_ERROR(MeasureOriginal(originals, manifest, measuring));
  }
  return std::move(measured);
}

Result<MeasuredRelease> MeasureRelease(const std::vector<std::filesystem::path>& originals,
                                       const std::filesystem::path& release_folder) {
  PENTIMENTO_ASSIGN(const Manifest manifest, ReadManifest(release_folder));
  return MeasureRelease(originals, manifest);
}

}  // namespace pentimento
