#include "engine/report/reported_release.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "base/plural.h"
#include "engine/composition/composition_json.h"
#include "engine/composition/composition_words.h"
#include "engine/incremental/incremental_memory.h"
#include "engine/measure.h"
#include "engine/published/manifest.h"
#include "engine/published/manifest_remarks.h"
#include "engine/steps/people_on_record.h"

namespace pentimento {
namespace {

using Json = nlohmann::json;

std::vector<std::string> WordsOfPromises(const std::string& promise_json) {
  std::vector<std::string> words;
  const Json guarantees = Json::parse(promise_json, nullptr, /*allow_exceptions=*/false);
  if (!guarantees.is_array()) return words;
  for (const Json& guarantee : guarantees) {
    if (guarantee.is_object() && guarantee.contains("words") && guarantee["words"].is_string())
      words.push_back(guarantee["words"].get<std::string>());
  }
  return words;
}

ReportedComposition::Count AsReported(const CompositionOutcome::Count& count) {
  return {count.below_k, count.alone, count.smallest};
}

ReportedComposition FromRecord(const CompositionOutcome& on_record) {
  ReportedComposition told;
  for (const CompositionOutcome::Release& release : on_record.releases) told.with.push_back(release.name);
  for (const CompositionOutcome::Unknown& unknown : on_record.unknown)
    told.unknown.push_back({unknown.name, unknown.why});
  told.cannot_be_told = on_record.unknown.size();
  told.other_people = on_record.other_people;
  told.words = CompositionOnRecordInWords(on_record);
  if (!told.is_measured()) return told;
  told.k = on_record.k;
  told.people = on_record.people;
  told.crowds = AsReported(on_record.crowds);
  told.crowds_are_exact = on_record.crowds_are_exact;
  told.already_below_k = on_record.already_below_k;
  told.joint = AsReported(on_record.joint);
  for (const CompositionOutcome::Certain& certain : on_record.certain)
    told.certain.push_back({certain.column, certain.people, certain.is_exact});
  for (const CompositionOutcome::Broken& broken : on_record.broken)
    told.broken.push_back({broken.release, broken.what, broken.is_proved});
  return told;
}

// As datapackage.json says it. Throws Json::exception where it is another text.
ReportedComposition FromPackage(const Json& json) {
  ReportedComposition told;
  told.with = json.at("with").get<std::vector<std::string>>();
  const std::uint64_t imported = WholeNumber(json.at("with_imported"));
  if (imported > 0)
    told.with.push_back(fmt::format("{} {} of other tools", imported, Plural(imported, "release", "releases")));
  told.cannot_be_told = WholeNumber(json.at("cannot_be_told"));
  if (json.at("k").is_null()) {
    told.with.clear();
    return told;
  }
  told.k = WholeNumber(json.at("k"));
  const Json& crowds = json.at("crowds");
  told.crowds = {WholeNumber(crowds.at("below_k")), WholeNumber(crowds.at("alone")),
                 WholeNumber(crowds.at("smallest"))};
  told.crowds_are_exact = crowds.at("exact").get<bool>();
  for (const Json& certain : json.at("certain"))
    told.certain.push_back(
        {certain.at("column").get<std::string>(), WholeNumber(certain.at("people")), certain.at("exact").get<bool>()});
  for (const Json& broken : json.at("broken"))
    told.broken.push_back({broken.at("release").is_null() ? "" : broken.at("release").get<std::string>(),
                           broken.at("promise").get<std::string>(), broken.at("proved").get<bool>()});
  return told;
}

std::optional<ReportedComposition> CompositionOfPackage(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  try {
    return FromPackage(json);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

ReportedTable AsReported(MeasuredRelease measured, const Manifest& manifest, bool has_original) {
  ReportedTable table{.two_tables = measured.two_tables,
                      .changes_only = manifest.is_changes_only(),
                      .k = measured.k,
                      .quasi_identifiers = std::move(measured.quasi_identifiers),
                      .metrics = std::move(measured.metrics),
                      .class_sizes = std::move(measured.class_sizes),
                      .rows_below_k = measured.rows_below_k,
                      .unique_after = measured.released.unique_rows,
                      .columns = std::move(measured.columns)};
  if (has_original) {
    table.unique_before = measured.original.unique_rows;
    table.rows_before = measured.original.rows;
  }
  return table;
}

// What the folder says. Where it, or its table, cannot be read, `why_no_table` says why.
Status ReadFolder(const ReleaseRecord& record, const std::vector<std::filesystem::path>& originals, ReadRelease& read) {
  const Result<Manifest> manifest = ReadManifestOnRecord(record);
  if (!manifest.ok()) {
    read.release.why_no_table = manifest.error().message;
    return {};
  }
  read.release.promises = WordsOfPromises(manifest->promise_json);
  read.growing_series = manifest->series ? manifest->series->name : "";
  read.global_series = manifest->global_series;
  if (const Result<ManifestRemarks> remarks = ReadManifestRemarks(record.final_path); remarks.ok()) {
    read.release.engine = remarks->engine;
    read.release.not_promised = remarks->not_promised;
    read.release.composition = CompositionOfPackage(remarks->composition_json);
  }
  Result<MeasuredRelease> measured = MeasureRelease({}, *manifest);
  if (!measured.ok()) {
    read.release.why_no_table = measured.error().message;
    return {};
  }
  if (!originals.empty()) {
    PENTIMENTO_ASSIGN(measured, MeasureRelease(originals, *manifest));
  }
  read.living = measured->living;
  read.release.rows = measured->metrics.rows;
  read.release.table = AsReported(*std::move(measured), *manifest, !originals.empty());
  return {};
}

void AddFiles(const ReleaseRecord& record, ReportedRelease& release) {
  for (const PublishedFile& file : record.files) release.files.push_back({file.name, file.bytes, file.sha256});
}

std::string RetractionInWords(const Retraction& retraction) {
  return fmt::format("Withdrawn {} by {}{}{}", retraction.time, retraction.user, retraction.reason.empty() ? "" : ": ",
                     retraction.reason);
}

ReportedRecord RecordOf(const ReleaseRecord& record) {
  ReportedRecord told{.opened_at = record.opened_at,
                      .user = record.user,
                      .policy_file = record.policy_file,
                      .folder = record.final_path.string(),
                      .notes = record.notes};
  if (record.input) {
    told.input_files = record.input->files;
    told.input_rows = record.input->rows;
  }
  if (record.retracted) told.retracted = RetractionInWords(*record.retracted);
  for (const Forgetting& forgetting : record.forgotten)
    told.forgotten.push_back(fmt::format("{}: {} {} erased by {}", forgetting.time, WithCommas(forgetting.cases),
                                         Plural(forgetting.cases, "case was", "cases were"), forgetting.user));
  return told;
}

std::string StateOf(const ReleaseRecord& record) {
  if (record.retracted) return "retracted";
  if (record.state != ReleaseState::kPublished) return std::string(ToString(record.state));
  return record.imported ? "imported" : "published";
}

}  // namespace

Result<ReadRelease> ReadForInternal(const ReleaseRecord& record, const std::vector<std::filesystem::path>& originals) {
  ReadRelease read;
  ReportedRelease& release = read.release;
  release.name = record.name;
  release.state = StateOf(record);
  PENTIMENTO_RETURN_IF_ERROR(ReadFolder(record, originals, read));
  if (!release.table) {
    if (release.promises.empty()) release.promises = WordsOfPromises(record.parameters_json);
    read.growing_series = GrowingSeriesOf(record);
    read.global_series = GlobalSeriesOf(record);
  }
  release.rows = record.rows;
  release.series = read.growing_series.empty() ? read.global_series : read.growing_series;
  if (const auto on_record = ParseComposition(record.composition_json)) release.composition = FromRecord(*on_record);
  release.is_unmeasured = record.composition_json.empty() && !record.imported;
  AddFiles(record, release);
  release.record = RecordOf(record);
  return read;
}

std::optional<ReadRelease> ReadForPublic(const ReleaseRecord& record) {
  if (record.imported || record.retracted || record.state != ReleaseState::kPublished) return std::nullopt;
  ReadRelease read;
  read.release.name = record.name;
  read.release.state = "published";
  if (!ReadFolder(record, {}, read).ok() || !read.release.table) return std::nullopt;
  read.release.series = read.growing_series.empty() ? read.global_series : read.growing_series;
  AddFiles(record, read.release);
  return read;
}

std::optional<ReportedComposition> ReadComposition(const ReleaseRecord& record, ReportEdition edition) {
  if (record.state != ReleaseState::kPublished || record.imported) return std::nullopt;
  if (edition == ReportEdition::kInternal) {
    const auto on_record = ParseComposition(record.composition_json);
    if (!on_record) return std::nullopt;
    return FromRecord(*on_record);
  }
  if (record.retracted || !ReadManifestOnRecord(record).ok()) return std::nullopt;
  const Result<ManifestRemarks> remarks = ReadManifestRemarks(record.final_path);
  if (!remarks.ok()) return std::nullopt;
  return CompositionOfPackage(remarks->composition_json);
}

}  // namespace pentimento
