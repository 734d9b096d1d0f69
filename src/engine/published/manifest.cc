#include "engine/published/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "base/hash.h"
#include "base/json_text.h"
#include "base/regular_file.h"
#include "engine/published/datapackage.h"
#include "engine/published/manifest_remarks.h"
#include "fmt/core.h"
#include "policy/interval_columns.h"

namespace pentimento {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Thousands of columns need a few megabytes.
constexpr std::uint64_t kLargestManifest = std::uint64_t{16} << 20;

Error Unreadable(const fs::path& folder, std::string_view why) {
  return {ErrorCode::kBadInput, fmt::format("{}: {}; name the folder of a release that pentimento published",
                                            (folder / kManifestName).string(), why)};
}

bool LeadsOut(const fs::path& name) {
  return name.empty() || name.is_absolute() || name.native().find('\0') != std::string::npos ||
         std::find(name.begin(), name.end(), "..") != name.end();
}

// Whether the file is inside of the folder after all links were followed; true also for what is not there.
bool IsInside(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::path inner = fs::canonical(file, error);
  if (error) return true;
  const fs::path outer = fs::canonical(folder, error);
  return !error && std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

Error NotOfTheRelease(const fs::path& folder, std::string_view why) {
  return {ErrorCode::kBadInput,
          fmt::format("{}: names a file that {}; a release holds all of its files itself, so this one is not as it was "
                      "published",
                      (folder / kManifestName).string(), why)};
}

// Where the file that datapackage.json calls `name` is. kBadInput where the name leads out of the folder, be it by
// itself or through a link, or to something that is no regular file. A file that is not there is found missing by
// whoever opens it.
Result<fs::path> FileOfRelease(const fs::path& folder, const std::string& name) {
  if (LeadsOut(name) || !IsInside(folder, folder / name))
    return NotOfTheRelease(folder, "is not in the folder of the release");
  std::error_code error;
  const fs::file_status status = fs::status(folder / name, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    return NotOfTheRelease(folder, "is a folder, a pipe or a device");
  return folder / name;
}

// The message of an error is the reason alone. What is no JSON is a discarded value.
Result<Json> ReadJson(const fs::path& folder) {
  if (!IsInside(folder, folder / kManifestName))
    return Error{ErrorCode::kBadInput, "is a link to something outside of its folder"};
  PENTIMENTO_ASSIGN(const std::string text, ReadRegularFile(folder / kManifestName, kLargestManifest));
  if (IsNestedDeeply(text)) return Error{ErrorCode::kBadInput, "does not describe a release of pentimento"};
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

Role RoleOfField(const std::string& name) {
  for (const Role role : {Role::kQuasiIdentifier, Role::kSensitive, Role::kClass}) {
    if (name == RoleName(role)) return role;
  }
  return Role::kKeep;
}

// Ours, as case_id and count, have roles that no policy has, and tell of nobody.
bool IsOfPeople(const std::string& role) { return RoleOfField(role) != Role::kKeep || role == RoleName(Role::kKeep); }

// Nothing where that cannot be read.
std::optional<std::vector<std::pair<std::string, Role>>> ColumnsIn(const Json& json) {
  std::vector<std::pair<std::string, Role>> columns;
  try {
    for (const Json& resource : json.at("resources")) {
      if (!resource.contains("schema")) continue;
      for (const Json& field : resource.at("schema").at("fields")) {
        const auto role = field.value("pentimento:role", "");
        auto name = field.value("pentimento:interval-of", field.at("name").get<std::string>());
        const bool is_known = !columns.empty() && columns.back().first == name;
        if (IsOfPeople(role) && !is_known) columns.emplace_back(std::move(name), RoleOfField(role));
      }
    }
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  if (columns.empty()) return std::nullopt;
  return columns;
}

// Throws Json::exception where the package is not one of ours, like all that read JSON below.
ManifestHead ParseHead(const Json& json) {
  const Json& ours = json.at("pentimento");
  ManifestHead head{ours.at("release").get<std::string>(), {}};
  for (const Json& guarantee : ours.at("guarantees")) head.series.push_back(guarantee.value("series", ""));
  head.has_two_tables = ours.value("form", "") == "two-tables";
  head.columns = ColumnsIn(json);
  return head;
}

// A range that has points, and whose width and ends are numbers at the scale of either end.
bool IsSoundRange(const Decimal& lo, const Decimal& hi) {
  const int scale = std::max(lo.scale, hi.scale);
  const auto from = UnitsAtScale(lo, scale), to = UnitsAtScale(hi, scale);
  std::int64_t width = 0;
  return from && to && *from < *to && !__builtin_sub_overflow(*to, *from, &width);
}

// Nothing where the domain is of numbers.
Result<std::shared_ptr<const Taxonomy>> ParseCalendar(const fs::path& folder, const Json& field) {
  const auto first = ParseDay(field.at("pentimento:domain").at(0).get<std::string>());
  const auto last = ParseDay(field.at("pentimento:domain").at(1).get<std::string>());
  if (!first && !last) return std::shared_ptr<const Taxonomy>();
  if (!first || !last || *last <= *first || *last - *first >= kMostDays)
    return Unreadable(folder, "a domain of dates is not two dates that ascend and are at most 400 years apart");
  return std::make_shared<const Taxonomy>(MakeCalendarTaxonomy({*first, *last}));
}

// What its cells mean.
Status ParseMeaning(const fs::path& folder, const Json& field, PublishedColumn& column) {
  if (field.contains("pentimento:taxonomy")) {
    PENTIMENTO_ASSIGN(Taxonomy taxonomy,
                      ReadPublishedTaxonomy(folder, field.at("pentimento:taxonomy").get<std::string>()));
    column.taxonomy = std::make_shared<const Taxonomy>(std::move(taxonomy));
    return {};
  }
  PENTIMENTO_ASSIGN(column.taxonomy, ParseCalendar(folder, field));
  if (column.taxonomy) {
    Result<DateForm> form = DateForm::Parse(field.value("pentimento:date", DateForm().written()));
    if (!form.ok()) return Unreadable(folder, "the form of a column of dates is unknown");
    column.date_form = *std::move(form);
    return {};
  }
  const auto lo = ParseDecimal(field.at("pentimento:domain").at(0).get<std::string>());
  const auto hi = ParseDecimal(field.at("pentimento:domain").at(1).get<std::string>());
  if (!lo || !hi || !IsSoundRange(*lo, *hi))
    return Unreadable(folder, "a numeric domain is not two numbers of at most 18 digits that ascend");
  column.range.emplace(*lo, *hi);
  if (const auto unit = field.find("pentimento:unit"); unit != field.end()) {
    const auto number = ParseDecimal(unit->get<std::string>());
    if (!number || number->units != 1) return Unreadable(folder, "the unit of a numeric column is no power of ten");
    column.scale = number->scale;
  }
  return {};
}

Status ParseColumns(const fs::path& folder, const Json& table, Manifest& manifest) {
  for (const Json& field : table.at("schema").at("fields")) {
    PublishedColumn column;
    column.name = field.at("name").get<std::string>();
    if (field.contains("pentimento:interval-of")) {
      const std::string name = field.at("pentimento:interval-of").get<std::string>();
      if (column.name != IntervalColumnsOf(name).from) continue;
      column.name = name;
      column.has_ends = true;
    }
    column.role = RoleOfField(field.at("pentimento:role").get<std::string>());
    if (column.has_ends && (column.role != Role::kQuasiIdentifier || !field.contains("pentimento:domain")))
      return Unreadable(folder, "names the ends of something that is no numeric quasi-identifier");
    if (column.role == Role::kQuasiIdentifier) {
      PENTIMENTO_RETURN_IF_ERROR(ParseMeaning(folder, field, column));
      manifest.quasi_identifiers.push_back(column);
    }
    manifest.columns.push_back(std::move(column));
  }
  return {};
}

// What we publish has each column once, and no leaf that also counts as missing.
Status RequireSound(const fs::path& folder, const Manifest& manifest) {
  std::set<std::string_view> names;
  for (const PublishedColumn& column : manifest.columns) {
    if (!names.insert(column.name).second) return Unreadable(folder, "names a column twice");
    const auto is_leaf = [&](const std::string& text) {
      return column.taxonomy && !column.taxonomy->calendar() && column.taxonomy->FindLeaf(text);
    };
    if (std::ranges::any_of(manifest.missing, is_leaf))
      return Unreadable(folder, "lists a leaf of a taxonomy as missing");
  }
  return {};
}

Status ParseSensitiveTables(const fs::path& folder, const Json& json, Manifest& manifest) {
  for (const Json& resource : json.at("resources")) {
    const auto name = resource.at("name").get<std::string>();
    if (name != "ss" && !name.starts_with("ss-")) continue;
    Manifest::SensitiveTable& table = manifest.sensitive_tables.emplace_back();
    PENTIMENTO_ASSIGN(table.path, FileOfRelease(folder, resource.at("path").get<std::string>()));
    for (const Json& field : resource.at("schema").at("fields")) {
      if (field.at("pentimento:role") == RoleName(Role::kSensitive))
        table.columns.push_back(field.at("name").get<std::string>());
    }
  }
  if (!manifest.sensitive_tables.empty()) return {};
  return Unreadable(folder, "names no table of sensitive values");
}

void ParseGuarantees(const Json& guarantees, Manifest& manifest) {
  for (const Json& guarantee : guarantees) {
    const auto type = guarantee.at("type").get<std::string>();
    const bool counts_classes =
        type == "k-anonymity" || type == "incremental-k-anonymity" || type == "alpha-k-anonymity" || type == "history";
    const bool has_k = counts_classes || (type == "global-guarantee" && guarantee.contains("k"));
    if (has_k) manifest.k = std::max(manifest.k, WholeNumber(guarantee.at("k")));
    if (type == "global-guarantee") manifest.global_series = guarantee.at("series").get<std::string>();
  }
}

Status ParseWithdrawn(const fs::path& folder, const Json& json, Manifest& manifest) {
  for (const Json& resource : json.at("resources")) {
    if (resource.value("name", "") != "withdrawn") continue;
    PENTIMENTO_ASSIGN(manifest.withdrawn, FileOfRelease(folder, resource.at("path").get<std::string>()));
  }
  return {};
}

std::vector<std::string> PathsOf(const Json& resource) {
  const Json& paths = resource.at("path");
  if (paths.is_array()) return paths.get<std::vector<std::string>>();
  return {paths.get<std::string>()};
}

Result<Manifest> ParseManifest(const fs::path& folder, const Json& json) {
  Manifest manifest;
  manifest.release = ParseHead(json).release;
  const Json& ours = json.at("pentimento");
  ParseGuarantees(ours.at("guarantees"), manifest);
  manifest.imported = ours.value("engine", "") == kImportedEngine;
  manifest.promise_json = ours.at("guarantees").dump(-1, ' ', false, Json::error_handler_t::replace);
  manifest.missing = ours.at("missing").get<std::vector<std::string>>();
  if (ours.value("categories", "taxonomy") == "sets") manifest.categories = CategoryForm::kSets;
  if (const auto series = ours.find("series"); series != ours.end()) {
    manifest.series = {series->at("name").get<std::string>(), WholeNumber(series->at("number")),
                       series->value("follows", ""), series->at("changes_only").get<bool>(),
                       series->contains("withdrawn")};
  }
  const Json& table = json.at("resources").at(0);
  for (const std::string& name : PathsOf(table)) {
    PENTIMENTO_ASSIGN(fs::path file, FileOfRelease(folder, name));
    manifest.tables.push_back(std::move(file));
  }
  if (manifest.tables.empty()) return Unreadable(folder, "names no file of the table");
  manifest.form = ours.value("form", "generalized");
  PENTIMENTO_RETURN_IF_ERROR(ParseColumns(folder, table, manifest));
  PENTIMENTO_RETURN_IF_ERROR(RequireSound(folder, manifest));
  if (manifest.series) PENTIMENTO_RETURN_IF_ERROR(ParseWithdrawn(folder, json, manifest));
  if (manifest.has_two_tables()) PENTIMENTO_RETURN_IF_ERROR(ParseSensitiveTables(folder, json, manifest));
  return manifest;
}

}  // namespace

Result<Manifest> ReadManifest(const fs::path& folder) {
  const Result<Json> json = ReadJson(folder);
  if (!json.ok()) return Unreadable(folder, json.error().message);
  if (json->is_discarded()) return Unreadable(folder, "is not JSON");
  try {
    return ParseManifest(folder, *json);
  } catch (const Json::exception&) {
    return Unreadable(folder, "does not describe a release of pentimento");
  }
}

Result<ManifestRemarks> ReadManifestRemarks(const fs::path& folder) {
  PENTIMENTO_ASSIGN(const Json json, ReadJson(folder));
  try {
    const Json& ours = json.at("pentimento");
    ManifestRemarks remarks{ours.value("engine", ""), ours.value("remark", ""), ""};
    if (const auto composition = ours.find("composition"); composition != ours.end())
      remarks.composition_json = composition->dump(-1, ' ', false, Json::error_handler_t::replace);
    return remarks;
  } catch (const Json::exception&) {
    return Unreadable(folder, "does not describe a release of pentimento");
  }
}

Result<Manifest> ReadManifestOnRecord(const ReleaseRecord& release) {
  Manifest on_record;
  on_record.release = release.name;
  on_record.sha256.emplace();
  for (const PublishedFile& file : release.files) (*on_record.sha256)[release.final_path / file.name] = file.sha256;
  PENTIMENTO_RETURN_IF_ERROR(RequireAsPublished(on_record, release.final_path / kManifestName));
  for (const PublishedFile& file : release.files) {
    if (!file.name.starts_with("taxonomies/")) continue;
    PENTIMENTO_RETURN_IF_ERROR(RequireAsPublished(on_record, release.final_path / file.name));
  }
  PENTIMENTO_ASSIGN(Manifest manifest, ReadManifest(release.final_path));
  manifest.sha256 = std::move(on_record.sha256);
  return manifest;
}

Status RequireAsPublished(const Manifest& manifest, const fs::path& file) {
  if (!manifest.sha256) return {};
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("{}: not there, though the release '{}' was published with it; put the folder of the "
                             "release back where it was, or restore it from a copy of what went out",
                             file.string(), manifest.release)};
  }
  PENTIMENTO_ASSIGN(const Sha256 hash, HashFile(file));
  const auto on_record = manifest.sha256->find(file.string());
  if (on_record != manifest.sha256->end() && ToHex(hash) == on_record->second) return {};
  return Error{ErrorCode::kBadInput,
               fmt::format("{}: changed since the release '{}' was published; restore it from a copy of what went out",
                           file.string(), manifest.release)};
}

Result<std::optional<ManifestHead>> ReadManifestHead(const fs::path& folder) {
  PENTIMENTO_ASSIGN(const Json json, ReadJson(folder));
  try {
    return std::optional(ParseHead(json));
  } catch (const Json::exception&) {
    return std::optional<ManifestHead>();  // somebody else's folder
  }
}

// Here a taxonomy is a part of the release, and no policy that anybody wrote.
Result<Taxonomy> ReadPublishedTaxonomy(const fs::path& folder, const std::string& name) {
  PENTIMENTO_ASSIGN(const fs::path file, FileOfRelease(folder, name));
  Result<Taxonomy> taxonomy = Taxonomy::ReadFile(file);
  if (!taxonomy.ok()) return Error{ErrorCode::kBadInput, taxonomy.error().message};
  return taxonomy;
}

}  // namespace pentimento
