#include "engine/datapackage.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/decimal.h"
#include "engine/guarantee_words.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPackageProfile = "https://datapackage.org/profiles/2.0/datapackage.json";
constexpr const char* kResourceProfile = "https://datapackage.org/profiles/2.0/dataresource.json";
constexpr const char* kSchemaProfile = "https://datapackage.org/profiles/2.0/tableschema.json";

// Frictionless' name for the type of a column that is published as it came.
std::string FieldType(const CellType& type) {
  const std::string_view format = type.arrow_format;
  if (format == "b") return "boolean";
  if (format == "f" || format == "g" || format == "e" || format.starts_with("d:")) return "number";
  if (format == "tdD" || format == "tdm") return "date";
  if (format.starts_with("ts")) return "datetime";
  if (format.starts_with("tt")) return "time";
  if (format.size() == 1 && std::string_view("cCsSiIlL").find(format[0]) != std::string_view::npos) return "integer";
  return type.is_text() ? "string" : "any";
}

Json QuasiIdentifierField(const ColumnPlan& column) {
  Json field = {{"name", column.name}, {"type", "string"}};
  if (column.range) {
    field["description"] = "a number, or an interval: '[' and ']' include the end, ')' does not";
    field["pentimento:domain"] = {ToString(column.range->first), ToString(column.range->second)};
  } else {
    field["description"] = "a label of the taxonomy, '*' for any value, or a set of labels in braces";
    field["pentimento:taxonomy"] = TaxonomyFileName(column);
  }
  return field;
}

void AddSeriesFields(const SeriesPart& series, Json& fields) {
  fields.push_back(
      {{"name", kCaseColumn},
       {"type", "string"},
       {"description", "the same case in every release of the series; a random name that tells nothing else"},
       {"pentimento:role", "case-id"}});
  if (!series.changes_only) return;
  fields.push_back({{"name", kChangeColumn},
                    {"type", "string"},
                    {"description",
                     "new: a case that was not there before. refined: a case of the releases before with a "
                     "smaller box; its other cells are empty here and stay as they were"},
                    {"pentimento:role", "change"}});
}

Json TableFields(const BoundPolicy& bound, const EncodedInput& input, const SeriesPart* series) {
  Json fields = Json::array();
  if (series != nullptr) AddSeriesFields(*series, fields);
  std::size_t value = 0, keep = 0;
  for (const ColumnPlan& column : bound.plan.columns) {
    Json field;
    switch (column.role) {
      case Role::kId:
        continue;  // never published
      case Role::kQuasiIdentifier:
        field = QuasiIdentifierField(column);
        break;
      case Role::kSensitive:
      case Role::kClass:
        field = {{"name", column.name}, {"type", FieldType(input.values[value++].type)}};
        break;
      case Role::kKeep:
        field = {{"name", column.name}, {"type", FieldType(input.keep[keep++].second)}};
        break;
    }
    field["pentimento:role"] = RoleName(column.role);
    fields.push_back(std::move(field));
  }
  return fields;
}

Json Resource(const std::string& name, const PublishedFile& file) {
  const bool parquet = file.name.ends_with(".parquet");
  Json resource = {{"$schema", kResourceProfile},
                   {"name", name},
                   {"path", file.name},
                   {"format", parquet ? "parquet" : "csv"},
                   {"mediatype", parquet ? "application/vnd.apache.parquet" : "text/csv"},
                   {"bytes", file.bytes},
                   {"hash", "sha256:" + file.sha256}};
  if (!parquet) resource["encoding"] = "utf-8";
  return resource;
}

Json TaxonomyResource(std::size_t number, const PublishedFile& file) {
  Json resource = Resource(fmt::format("taxonomy-{}", number), file);
  resource["title"] = "one line per leaf, from the leaf to the root '*'";
  resource["dialect"] = {{"header", false}, {"delimiter", ";"}};
  return resource;
}

// Nothing is known of the types of columns that are only named, and no more is needed of the others.
Json ImportedFields(const BoundPolicy& bound) {
  Json fields = Json::array();
  for (const ColumnPlan& column : bound.plan.columns) {
    const bool quasi = column.role == Role::kQuasiIdentifier;
    Json field = quasi ? QuasiIdentifierField(column) : Json{{"name", column.name}, {"type", "any"}};
    field["pentimento:role"] = RoleName(column.role);
    fields.push_back(std::move(field));
  }
  return fields;
}

// A table in several files is one resource with several paths; size and hash are for one file only.
Json ImportedTable(std::span<const PublishedFile> files) {
  Json table = Resource("table", files[0]);
  if (files.size() == 1) return table;
  Json paths = Json::array();
  for (const PublishedFile& file : files) paths.push_back(file.name);
  table["path"] = std::move(paths);
  table.erase("bytes");
  table.erase("hash");
  return table;
}

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
    PENTIMENTO_ASSIGN(Taxonomy taxonomy, Taxonomy::ReadFile(folder / field["pentimento:taxonomy"].get<std::string>()));
    read.taxonomy = std::make_shared<const Taxonomy>(std::move(taxonomy));
  } else {
    const auto lo = ParseDecimal(field.at("pentimento:domain").at(0).get<std::string>());
    const auto hi = ParseDecimal(field.at("pentimento:domain").at(1).get<std::string>());
    if (!lo || !hi) return Unreadable(folder / kManifestName, "a numeric domain is not two numbers");
    read.range.emplace(*lo, *hi);
  }
  return read;
}

Result<PublishedPackage> ReadPackage(const std::filesystem::path& folder, const Json& json) {
  PublishedPackage package;
  const Json& ours = json.at("pentimento");
  package.release = ours.at("release").get<std::string>();
  for (const Json& guarantee : ours.at("guarantees")) {
    const bool counts_classes =
        guarantee.at("type") == "k-anonymity" || guarantee.at("type") == "incremental-k-anonymity";
    if (counts_classes) package.k = std::max(package.k, guarantee.at("k").get<std::uint64_t>());
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
  for (const Json& resource : json.at("resources")) {
    if (package.form != "two-tables" || !resource.at("name").get<std::string>().starts_with("ss")) continue;
    PublishedPackage::SensitiveTable sensitive{folder / resource.at("path").get<std::string>(), {}};
    for (const Json& field : resource.at("schema").at("fields")) {
      if (field.value("pentimento:role", "") == RoleName(Role::kSensitive))
        sensitive.columns.push_back(field.at("name").get<std::string>());
    }
    package.sensitive_tables.push_back(std::move(sensitive));
  }
  return package;
}

}  // namespace

const char* RoleName(Role role) {
  switch (role) {
    case Role::kId:
      return "id";
    case Role::kQuasiIdentifier:
      return "quasi-identifier";
    case Role::kSensitive:
      return "sensitive";
    case Role::kClass:
      return "class";
    case Role::kKeep:
      return "keep";
  }
  return "";
}

std::string TaxonomyFileName(const ColumnPlan& column) {
  // A column's name may hold anything; a file's name should not.
  std::string name;
  for (const char c : column.name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return "taxonomies/" + name + ".csv";
}

std::string DataPackageText(const BoundPolicy& bound, const EncodedInput& input, std::span<const PublishedFile> files,
                            const SeriesPart* series) {
  Json table = Resource(series != nullptr && series->changes_only ? "changes" : "table", files[0]);
  table["schema"] = {
      {"$schema", kSchemaProfile}, {"fields", TableFields(bound, input, series)}, {"missingValues", {""}}};
  Json resources = Json::array({std::move(table)});
  std::size_t taxonomies = 0;
  for (const PublishedFile& file : files.subspan(1)) {
    if (file.name.starts_with("taxonomies/")) {
      resources.push_back(TaxonomyResource(++taxonomies, file));
      continue;
    }
    Json resource = Resource("withdrawn", file);
    resource["title"] = "cases that left with this release: their cells are withdrawn, their boxes stay";
    resource["schema"] = {{"$schema", kSchemaProfile}, {"fields", {{{"name", kCaseColumn}, {"type", "string"}}}}};
    resources.push_back(std::move(resource));
  }
  Json ours = {{"engine", "pentimento " PENTIMENTO_VERSION},
               {"release", bound.policy.release},
               {"form", "generalized"},
               {"categories", bound.policy.categories == CategoryForm::kSets ? "sets" : "taxonomy"},
               {"guarantees", Json::parse(GuaranteesAsJson(bound))},
               {"missing", bound.policy.missing},
               {"remark",
                "Rows are in random order. Columns with the role 'class', 'sensitive' or 'keep' are as they were "
                "collected; the guarantee does not cover what they give away."}};
  if (series != nullptr) {
    ours["series"] = {{"name", series->series}, {"number", series->number}, {"changes_only", series->changes_only}};
    if (!series->follows.empty()) ours["series"]["follows"] = series->follows;
  }
  const Json package = {{"$schema", kPackageProfile},
                        {"name", bound.policy.release},
                        {"description", GuaranteeInWords(bound)},
                        {"resources", std::move(resources)},
                        {"pentimento", std::move(ours)}};
  return package.dump(2) + "\n";
}

std::string ImportInWords(const BoundPolicy& bound) {
  if (bound.policy.guarantees.empty())
    return "imported: another tool made it, and nothing is on record of its promise.";
  return "imported: another tool made it and is said to have promised " + GuaranteeInWords(bound);
}

std::string ImportedPackageText(const BoundPolicy& bound, std::span<const PublishedFile> files, std::size_t tables,
                                CategoryForm categories) {
  Json table = ImportedTable(files.first(tables));
  table["schema"] = {{"$schema", kSchemaProfile}, {"fields", ImportedFields(bound)}, {"missingValues", {""}}};
  Json resources = Json::array({std::move(table)});
  for (const PublishedFile& file : files.subspan(tables)) resources.push_back(TaxonomyResource(resources.size(), file));
  const bool promised = !bound.policy.guarantees.empty();
  Json ours = {{"engine", "imported"},
               {"release", bound.policy.release},
               {"form", "generalized"},
               {"categories", categories == CategoryForm::kSets ? "sets" : "taxonomy"},
               {"guarantees", promised ? Json::parse(GuaranteesAsJson(bound)) : Json::array()},
               {"missing", bound.policy.missing},
               {"remark", "A copy of a release that another tool made. What it promised was not checked."}};
  const Json package = {{"$schema", kPackageProfile},
                        {"name", bound.policy.release},
                        {"description", ImportInWords(bound)},
                        {"resources", std::move(resources)},
                        {"pentimento", std::move(ours)}};
  return package.dump(2) + "\n";
}

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
