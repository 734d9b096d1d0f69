#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/decimal.h"
#include "engine/datapackage.h"
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

Result<PublishedPackage::Field> ReadField(const std::filesystem::path& folder, const Json& field) {
  PublishedPackage::Field read;
  read.name = field.at("name").get<std::string>();
  read.role = RoleOfField(field.at("pentimento:role").get<std::string>());
  if (read.role != Role::kQuasiIdentifier) return read;
  if (field.contains("pentimento:taxonomy")) {
    Result<Taxonomy> taxonomy = Taxonomy::ReadFile(folder / field["pentimento:taxonomy"].get<std::string>());
    // Here it is a part of the release, and no policy that anybody wrote.
    if (!taxonomy.ok()) return Error{ErrorCode::kBadInput, taxonomy.error().message};
    read.taxonomy = std::make_shared<const Taxonomy>(std::move(taxonomy).value());
  } else {
    const auto lo = ParseDecimal(field.at("pentimento:domain").at(0).get<std::string>());
    const auto hi = ParseDecimal(field.at("pentimento:domain").at(1).get<std::string>());
    if (!lo || !hi) return Unreadable(folder / kManifestName, "a numeric domain is not two numbers");
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
    table.path = folder / resource.at("path").get<std::string>();
    for (const Json& field : resource.at("schema").at("fields")) {
      if (field.at("pentimento:role") == RoleName(Role::kSensitive))
        table.columns.push_back(field.at("name").get<std::string>());
    }
  }
  if (!package.sensitive_tables.empty()) return {};
  return Unreadable(folder / kManifestName, "names no table of sensitive values");
}

Result<PublishedPackage> ReadPackage(const std::filesystem::path& folder, const Json& json) {
  PublishedPackage package;
  const Json& ours = json.at("pentimento");
  package.release = ours.at("release").get<std::string>();
  for (const Json& guarantee : ours.at("guarantees")) {
    const auto type = guarantee.at("type").get<std::string>();
    const bool counts_classes =
        type == "k-anonymity" || type == "incremental-k-anonymity" || type == "alpha-k-anonymity";
    if (counts_classes) package.k = std::max(package.k, guarantee.at("k").get<std::uint64_t>());
    if (type == "global-guarantee") package.global_series = guarantee.at("series").get<std::string>();
  }
  package.missing = ours.at("missing").get<std::vector<std::string>>();
  if (ours.value("categories", "taxonomy") == "sets") package.categories = CategoryForm::kSets;
  if (const auto series = ours.find("series"); series != ours.end()) {
    package.series = {series->at("name").get<std::string>(), series->at("number").get<std::size_t>(),
                      series->value("follows", ""), series->at("changes_only").get<bool>()};
  }
  const Json& table = json.at("resources").at(0);
  const Json& paths = table.at("path");
  for (const Json& path : paths.is_array() ? paths : Json::array({paths}))
    package.tables.push_back(folder / path.get<std::string>());
  if (package.tables.empty()) return Unreadable(folder / kManifestName, "names no file of the table");
  package.form = ours.value("form", "generalized");
  for (const Json& field : table.at("schema").at("fields")) {
    PENTIMENTO_ASSIGN(PublishedPackage::Field read, ReadField(folder, field));
    if (read.role == Role::kQuasiIdentifier) package.quasi_identifiers.push_back(read);
    package.columns.push_back(std::move(read));
  }
  if (package.form == "two-tables") PENTIMENTO_RETURN_IF_ERROR(ReadSensitiveTables(folder, json, package));
  return package;
}

}  // namespace

Result<PublishedPackage> ReadDataPackage(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kManifestName;
  std::ifstream input(file, std::ios::binary);
  if (!input) return Unreadable(file, "there is no such file");
  std::ostringstream text;
  text << input.rdbuf();
  const Json json = Json::parse(text.str(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Unreadable(file, "is not JSON");
  try {
    return ReadPackage(folder, json);
  } catch (const Json::exception&) {
    return Unreadable(file, "does not describe a release of pentimento");
  }
}

}  // namespace pentimento
