#include "engine/published/datapackage.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/decimal.h"
#include "engine/bind/guarantee_words.h"
#include "fmt/core.h"
#include "policy/interval_columns.h"

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
  } else if (const auto& days = column.taxonomy->calendar()) {
    field["description"] =
        "a day (2024-03-05), month (2024-03), quarter (2024-Q1) or year (2024), a run of them (2024-01..2024-02) with "
        "both ends in it, or '*' for any value";
    field["pentimento:domain"] = {WriteDay(days->first), WriteDay(days->last)};
    if (column.reading.date_form != DateForm()) field["pentimento:date"] = column.reading.date_form.written();
  } else {
    field["description"] = "a label of the taxonomy, '*' for any value, or a set of labels in braces";
    field["pentimento:taxonomy"] = TaxonomyFileName(column);
  }
  return field;
}

// A box of numbers with more decimals than the ends of their domain may itself have round ends, [0.5,10): whoever does
// not know that hundredths are in it would take 9.9 for its last number.
Json NumericBoxField(const ColumnPlan& column, int scale) {
  Json field = QuasiIdentifierField(column);
  const int shown = std::max(column.range->first.scale, column.range->second.scale);
  if (scale > shown) field["pentimento:unit"] = ToString(Decimal{1, scale});
  return field;
}

// The same as numbers of their own (policy/interval_columns.h). The first of them says what the others are ends of.
Json EndFields(const ColumnPlan& column, int scale, bool may_be_missing) {
  const IntervalColumns names = IntervalColumnsOf(column.name);
  Json from = NumericBoxField(column, scale);
  from["name"] = names.from;
  from["type"] = scale == 0 ? "integer" : "number";
  from["description"] = "the smallest number of the interval; empty where the value is missing";
  Json to = {{"name", names.to},
             {"type", from["type"]},
             {"description", "one unit past the largest number of the interval: the value is below it"}};
  Json fields = Json::array({std::move(from), std::move(to)});
  if (may_be_missing) {
    fields.push_back({{"name", names.missing},
                      {"type", "boolean"},
                      {"description", "whether the value is missing (without an interval) or may be (with one)"}});
  }
  for (Json& field : fields) {
    field["pentimento:interval-of"] = column.name;
    field["pentimento:role"] = RoleName(Role::kQuasiIdentifier);
  }
  return fields;
}

Json BoxField(const ColumnPlan& column, const Domain& domain) {
  return domain.is_numeric() ? NumericBoxField(column, domain.range().scale) : QuasiIdentifierField(column);
}

void AddIncrementalFields(const IncrementalPart& series, Json& fields) {
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

// A quasi-identifier as it came.
Json PlainField(const ColumnPlan& column, const Domain& domain, FileFormat format) {
  Json field = QuasiIdentifierField(column);
  if (domain.is_calendar() && format == FileFormat::kCsv) field["type"] = "date";  // in Parquet it is a text
  if (domain.is_numeric()) field["type"] = domain.range().scale == 0 ? "integer" : "number";
  field["description"] = "as it was collected";
  return field;
}

Json ClassIdField() {
  return {{"name", kClassIdColumn},
          {"type", "integer"},
          {"description", "the class: a random number, the same in all tables of this release"},
          {"pentimento:role", "class-id"}};
}

// The columns of the policy: generalized, or in two tables as they are, but for the sensitive ones, which are in SS.
void AddPolicyFields(const BoundPolicy& bound, const EncodedInput& input, PublishForm form, Json& fields) {
  const bool is_plain = form == PublishForm::kTwoTables;
  std::size_t quasi = 0, value = 0, keep = 0;
  for (const ColumnPlan& column : bound.plan.columns) {
    Json field;
    switch (column.role) {
      case Role::kId:
        continue;  // never published
      case Role::kQuasiIdentifier:
        if (!is_plain && column.range && bound.policy.interval_columns) {
          const Domain& domain = input.domains[quasi++];
          for (Json& end : EndFields(column, domain.range().scale, domain.missing_code().has_value()))
            fields.push_back(std::move(end));
          continue;
        }
        field = is_plain ? PlainField(column, input.domains[quasi], bound.policy.format)
                         : BoxField(column, input.domains[quasi]);
        if (const auto renamed = bound.renamed.find(column.name); renamed != bound.renamed.end())
          field["pentimento:renamed"] = Json(renamed->second.labels);
        ++quasi;
        break;
      case Role::kSensitive:
      case Role::kClass:
        field = {{"name", column.name}, {"type", FieldType(input.values[value++].type)}};
        break;
      case Role::kKeep:
        field = {{"name", column.name}, {"type", FieldType(input.keep[keep++].second)}};
        break;
    }
    if (is_plain && column.role == Role::kSensitive) continue;
    field["pentimento:role"] = RoleName(column.role);
    fields.push_back(std::move(field));
  }
}

Json TableFields(const BoundPolicy& bound, const EncodedInput& input, const IncrementalPart* series) {
  Json fields = Json::array();
  if (series != nullptr) AddIncrementalFields(*series, fields);
  if (FindGlobal(bound) != nullptr) {
    fields.push_back({{"name", kGroupIdColumn},
                      {"type", "integer"},
                      {"description", "the group: a random number; groups of other releases have other numbers"},
                      {"pentimento:role", "group-id"}});
  }
  AddPolicyFields(bound, input, PublishForm::kGeneralized, fields);
  return fields;
}

Json PlainFields(const BoundPolicy& bound, const EncodedInput& input) {
  Json fields = Json::array();
  AddPolicyFields(bound, input, PublishForm::kTwoTables, fields);
  fields.push_back(ClassIdField());
  return fields;
}

Json SensitiveFields(const SensitiveTable& table) {
  Json fields = Json::array({ClassIdField()});
  for (const ValueColumn* column : table.columns) {
    fields.push_back(
        {{"name", column->name}, {"type", FieldType(column->type)}, {"pentimento:role", RoleName(Role::kSensitive)}});
  }
  fields.push_back({{"name", kCountColumn},
                    {"type", "integer"},
                    {"description", "how many rows of the class have this value"},
                    {"pentimento:role", "count"}});
  return fields;
}

Json SchemaOf(Json fields) {
  return {{"$schema", kSchemaProfile}, {"fields", std::move(fields)}, {"missingValues", {""}}};
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
Json ImportedFields(const BoundPolicy& bound, const std::map<std::string, int>& scales) {
  Json fields = Json::array();
  for (const ColumnPlan& column : bound.plan.columns) {
    Json field = {{"name", column.name}, {"type", "any"}};
    if (column.range && bound.policy.interval_columns) {
      for (Json& end : EndFields(column, scales.at(column.name), !bound.policy.missing.empty()))
        fields.push_back(std::move(end));
      continue;
    }
    if (column.role == Role::kQuasiIdentifier) {
      field = column.range ? NumericBoxField(column, scales.at(column.name)) : QuasiIdentifierField(column);
      field["description"] = "a label as its maker wrote it";
    }
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

// What the guarantee leaves open, for whoever reads the table alone.
std::string RemarkOnTable(const BoundPolicy& bound) {
  if (FindGlobal(bound) == nullptr && FindAlphaK(bound) != nullptr)
    return "Rows are in random order. Columns with the role 'class' or 'keep' are as they were collected; the "
           "guarantee "
           "does not cover what they give away.";
  if (FindGlobal(bound) == nullptr && AsksForJoin(bound))
    return "Rows are in random order. Columns with the role 'class', 'sensitive' or 'keep' are as they were collected; "
           "of what they give away, the guarantee covers only what its x and y name.";
  if (FindGlobal(bound) == nullptr)
    return "Rows are in random order. Columns with the role 'class', 'sensitive' or 'keep' are as they were collected; "
           "the guarantee does not cover what they give away.";
  return "Rows are in random order, and group_id is a random number. Rows of one group are one class, also where "
         "another "
         "group has the same values. Columns with the role 'class' or 'keep' are as they were collected; the guarantee "
         "does not cover what they give away, nor what is published about the same people outside of the series.";
}

std::string_view ScopeOfTwoTables(const BoundPolicy& bound) {
  if (FindGlobal(bound) == nullptr)
    return "The guarantee covers one release: another one about the same people is outside of it.";
  return "The guarantee covers all releases of its series together: another one about the same people is outside of "
         "it.";
}

// Absent where no other release was on record.
void AddComposition(const PackageWords& words, Json& ours) {
  Json composition = Json::parse(words.composition_json);
  if (!composition.is_null()) ours["composition"] = std::move(composition);
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

std::string PlainFileName(std::string_view column) {
  std::string name;
  for (const char c : column) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return name;
}

std::string TaxonomyFileName(const ColumnPlan& column) { return "taxonomies/" + PlainFileName(column.name) + ".csv"; }

std::string TableFileName(const std::string& name, FileFormat format) {
  return name + (format == FileFormat::kParquet ? ".parquet" : ".csv");
}

std::string DataPackageText(const BoundPolicy& bound, const PackageWords& words, const EncodedInput& input,
                            std::span<const PublishedFile> files, const IncrementalPart* series) {
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
    resource["title"] = series->changes_only
                            ? "cases that left with this release: their cells are withdrawn, their boxes stay"
                            : "cases that have left: their cells are withdrawn, their boxes stay";
    resource["schema"] = {{"$schema", kSchemaProfile}, {"fields", {{{"name", kCaseColumn}, {"type", "string"}}}}};
    resources.push_back(std::move(resource));
  }
  Json ours = {{"engine", "pentimento " PENTIMENTO_VERSION},
               {"release", bound.policy.release},
               {"form", "generalized"},
               {"categories", bound.policy.categories == CategoryForm::kSets ? "sets" : "taxonomy"},
               {"guarantees", Json::parse(words.promise.json)},
               {"missing", bound.policy.missing},
               {"remark", RemarkOnTable(bound)}};
  AddComposition(words, ours);
  if (series != nullptr) {
    ours["series"] = {{"name", series->series},
                      {"number", series->number},
                      {"changes_only", series->changes_only},
                      {"withdrawn", series->withdrawn.size()}};
    if (!series->follows.empty()) ours["series"]["follows"] = series->follows;
  }
  const Json package = {{"$schema", kPackageProfile},
                        {"name", bound.policy.release},
                        {"description", words.promise.InOneLine()},
                        {"resources", std::move(resources)},
                        {"pentimento", std::move(ours)}};
  return package.dump(2) + "\n";
}

std::string TwoTablesPackageText(const BoundPolicy& bound, const PackageWords& words, const EncodedInput& input,
                                 std::span<const SensitiveTable> tables, std::span<const PublishedFile> files) {
  Json plain = Resource("nss", files[0]);
  plain["title"] = "a row for each record: quasi-identifiers as they were collected, and the class";
  plain["schema"] = SchemaOf(PlainFields(bound, input));
  Json resources = Json::array({std::move(plain)});
  for (std::size_t t = 0; t < tables.size(); ++t) {
    Json resource = Resource(tables[t].name, files[t + 1]);
    resource["title"] = "how often each sensitive value occurs in each class";
    resource["schema"] = SchemaOf(SensitiveFields(tables[t]));
    resources.push_back(std::move(resource));
  }
  std::size_t taxonomies = 0;
  for (const PublishedFile& file : files.subspan(tables.size() + 1))
    resources.push_back(TaxonomyResource(++taxonomies, file));
  Json ours = {
      {"engine", "pentimento " PENTIMENTO_VERSION},
      {"release", bound.policy.release},
      {"form", "two-tables"},
      {"guarantees", Json::parse(words.promise.json)},
      {"missing", bound.policy.missing},
      {"remark",
       "The tables must not be joined row by row: a join on class_id pairs every record of a class with every value of "
       "the class, and nobody knows which of the pairs are true. Sum within classes instead. The rows of nss are in "
       "random order, and class_id is a random number. What the form gives away: whoever knows somebody's "
       "quasi-identifiers sees that they are in the release, and in which class. " +
           std::string(ScopeOfTwoTables(bound)) +
           " Columns with the role 'class' or 'keep' are as they were collected; the guarantee does not cover what "
           "they give away."}};
  AddComposition(words, ours);
  const Json package = {{"$schema", kPackageProfile},
                        {"name", bound.policy.release},
                        {"description", words.promise.InOneLine()},
                        {"resources", std::move(resources)},
                        {"pentimento", ours}};
  return package.dump(2) + "\n";
}

std::string ImportInWords(const Promise& promise) {
  if (promise.words.empty()) return "imported: another tool made it, and nothing is on record of its promise.";
  return "imported: another tool made it and is said to have promised " + promise.InOneLine();
}

std::string ImportedPackageText(const BoundPolicy& bound, const Promise& promise, std::span<const PublishedFile> files,
                                std::size_t tables, CategoryForm categories, const std::map<std::string, int>& scales) {
  Json table = ImportedTable(files.first(tables));
  table["schema"] = {{"$schema", kSchemaProfile}, {"fields", ImportedFields(bound, scales)}, {"missingValues", {""}}};
  Json resources = Json::array({std::move(table)});
  for (const PublishedFile& file : files.subspan(tables)) resources.push_back(TaxonomyResource(resources.size(), file));
  Json ours = {{"engine", kImportedEngine},
               {"release", bound.policy.release},
               {"form", "generalized"},
               {"categories", categories == CategoryForm::kSets ? "sets" : "taxonomy"},
               {"guarantees", Json::parse(promise.json)},
               {"missing", bound.policy.missing},
               {"remark", "A copy of a release that another tool made. What it promised was not checked."}};
  const Json package = {{"$schema", kPackageProfile},
                        {"name", bound.policy.release},
                        {"description", ImportInWords(promise)},
                        {"resources", std::move(resources)},
                        {"pentimento", std::move(ours)}};
  return package.dump(2) + "\n";
}

}  // namespace pentimento
