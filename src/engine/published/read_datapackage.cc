#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/decimal.h"
#include "base/json_text.h"
#include "engine/published/datapackage.h"
#include "engine/published/published_folder.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

Error Unreadable(const std::filesystem::path& file, std::string_view why) {
  return {ErrorCode::kBadInput,
          fmt::format("{}: {}; name the folder of a release that pentimento published", file.string(), why)};
}

Role RoleOfField(const std::string& name) {
  for (const Role role : {Role::kQuasiIdentifier, Role::kSensitive, Role::kClass}) {
    if (name == RoleName(role)) return role;
  }
  return Role::kKeep;
}

// A range that has points, and whose width and ends are numbers at the scale of either end.
bool IsSoundRange(const Decimal& lo, const Decimal& hi) {
  const int scale = std::max(lo.scale, hi.scale);
  const auto from = UnitsAtScale(lo, scale), to = UnitsAtScale(hi, scale);
  std::int64_t width = 0;
  return from && to && *from < *to && !__builtin_sub_overflow(*to, *from, &width);
}

// Here a taxonomy is a part of the release, and no policy that anybody wrote.
Result<std::shared_ptr<const Taxonomy>> ReadPublishedTaxonomy(const std::filesystem::path& folder,
                                                              const std::string& name) {
  PENTIMENTO_ASSIGN(const std::filesystem::path file, FileOfRelease(folder, name));
  Result<Taxonomy> taxonomy = Taxonomy::ReadFile(file);
  if (!taxonomy.ok()) return Error{ErrorCode::kBadInput, taxonomy.error().message};
  return std::make_shared<const Taxonomy>(std::move(taxonomy).value());
}

Result<PublishedPackage::Field> ReadField(const std::filesystem::path& folder, const Json& field) {
  PublishedPackage::Field read;
  read.name = field.at("name").get<std::string>();
  read.role = RoleOfField(field.at("pentimento:role").get<std::string>());
  if (read.role != Role::kQuasiIdentifier) return read;
  if (field.contains("pentimento:taxonomy")) {
    PENTIMENTO_ASSIGN(read.taxonomy, ReadPublishedTaxonomy(folder, field.at("pentimento:taxonomy").get<std::string>()));
  } else {
    const auto lo = ParseDecimal(field.at("pentimento:domain").at(0).get<std::string>());
    const auto hi = ParseDecimal(field.at("pentimento:domain").at(1).get<std::string>());
    if (!lo || !hi || !IsSoundRange(*lo, *hi))
      return Unreadable(folder / kManifestName, "a numeric domain is not two numbers of at most 18 digits that ascend");
    read.range.emplace(*lo, *hi);
    if (const auto unit = field.find("pentimento:unit"); unit != field.end()) {
      const auto number = ParseDecimal(unit->get<std::string>());
      if (!number || number->units != 1)
        return Unreadable(folder / kManifestName, "the unit of a numeric column is no power of ten");
      read.scale = number->scale;
    }
  }
  return read;
}

Status ReadSensitiveTables(const std::filesystem::path& folder, const Json& json, PublishedPackage& package) {
  for (const Json& resource : json.at("resources")) {
    const auto name = resource.at("name").get<std::string>();
    if (name != "ss" && !name.starts_with("ss-")) continue;
    PublishedPackage::SensitiveTable& table = package.sensitive_tables.emplace_back();
    PENTIMENTO_ASSIGN(table.path, FileOfRelease(folder, resource.at("path").get<std::string>()));
    for (const Json& field : resource.at("schema").at("fields")) {
      if (field.at("pentimento:role") == RoleName(Role::kSensitive))
        table.columns.push_back(field.at("name").get<std::string>());
    }
  }
  if (!package.sensitive_tables.empty()) return {};
  return Unreadable(folder / kManifestName, "names no table of sensitive values");
}

std::vector<std::string> PathsOf(const Json& resource) {
  const Json& paths = resource.at("path");
  if (paths.is_array()) return paths.get<std::vector<std::string>>();
  return {paths.get<std::string>()};
}

// What we publish has each column once, and no leaf that also counts as missing.
Status RequireSound(const std::filesystem::path& folder, const PublishedPackage& package) {
  std::set<std::string_view> names;
  for (const PublishedPackage::Field& field : package.columns) {
    if (!names.insert(field.name).second) return Unreadable(folder / kManifestName, "names a column twice");
    const auto is_leaf = [&](const std::string& text) { return field.taxonomy && field.taxonomy->FindLeaf(text); };
    if (std::ranges::any_of(package.missing, is_leaf))
      return Unreadable(folder / kManifestName, "lists a leaf of a taxonomy as missing");
  }
  return {};
}

Result<PublishedPackage> ReadPackage(const std::filesystem::path& folder, const Json& json) {
  PublishedPackage package;
  const Json& ours = json.at("pentimento");
  package.release = ours.at("release").get<std::string>();
  for (const Json& guarantee : ours.at("guarantees")) {
    const auto type = guarantee.at("type").get<std::string>();
    const bool counts_classes =
        type == "k-anonymity" || type == "incremental-k-anonymity" || type == "alpha-k-anonymity";
    const bool has_k = counts_classes || (type == "global-guarantee" && guarantee.contains("k"));
    if (has_k) package.k = std::max(package.k, WholeNumber(guarantee.at("k")));
    if (type == "global-guarantee") package.global_series = guarantee.at("series").get<std::string>();
  }
  package.missing = ours.at("missing").get<std::vector<std::string>>();
  if (ours.value("categories", "taxonomy") == "sets") package.categories = CategoryForm::kSets;
  if (const auto series = ours.find("series"); series != ours.end()) {
    package.series = {series->at("name").get<std::string>(), WholeNumber(series->at("number")),
                      series->value("follows", ""), series->at("changes_only").get<bool>()};
  }
  const Json& table = json.at("resources").at(0);
  for (const std::string& name : PathsOf(table)) {
    PENTIMENTO_ASSIGN(std::filesystem::path file, FileOfRelease(folder, name));
    package.tables.push_back(std::move(file));
  }
  if (package.tables.empty()) return Unreadable(folder / kManifestName, "names no file of the table");
  package.form = ours.value("form", "generalized");
  for (const Json& field : table.at("schema").at("fields")) {
    PENTIMENTO_ASSIGN(PublishedPackage::Field read, ReadField(folder, field));
    if (read.role == Role::kQuasiIdentifier) package.quasi_identifiers.push_back(read);
    package.columns.push_back(std::move(read));
  }
  PENTIMENTO_RETURN_IF_ERROR(RequireSound(folder, package));
  if (package.form == "two-tables") PENTIMENTO_RETURN_IF_ERROR(ReadSensitiveTables(folder, json, package));
  return package;
}

}  // namespace

Result<PublishedPackage> ReadDataPackage(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kManifestName;
  const Result<std::string> text = ReadManifest(folder);
  if (!text.ok()) return Unreadable(file, text.error().message);
  if (IsNestedDeeply(*text)) return Unreadable(file, "does not describe a release of pentimento");
  const Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Unreadable(file, "is not JSON");
  try {
    return ReadPackage(folder, json);
  } catch (const Json::exception&) {
    return Unreadable(file, "does not describe a release of pentimento");
  }
}

}  // namespace pentimento
