#include "policy/columns.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/suggest.h"
#include "fmt/core.h"
#include "policy/dates.h"

namespace pentimento::policy_file {
namespace {

Error Unknown(const Source& source, const Text& text, const NamePlace& place, const ThisRelease& here,
              std::span<const std::string> against) {
  std::vector<std::string> candidates = ColumnNames(here);
  const std::size_t colon = text.text.find(':');
  if (colon == std::string::npos) {
    return source.At(text.position,
                     fmt::format("{} names '{}', which [columns] does not have; write a column of [columns], or "
                                 "RELEASE:COLUMN for one of an earlier release.{}",
                                 place.name, text.text, DidYouMean(text.text, candidates)));
  }
  for (const std::string& release : against) candidates.push_back(release + text.text.substr(colon));
  return source.At(text.position,
                   fmt::format("{} names '{}', but '{}' is no release in 'against', and [columns] has no column of the "
                               "whole name; write a column of [columns], or RELEASE:COLUMN with a release in "
                               "'against'.{}",
                               place.name, text.text, text.text.substr(0, colon), DidYouMean(text.text, candidates)));
}

Status CheckRole(const Source& source, const Text& text, const NamePlace& place, Role role) {
  if (role == Role::kId && !place.takes_id) {
    return source.At(text.position, fmt::format("{} names '{}', but an id is never published, so nobody can look at it "
                                                "in a release; remove it",
                                                place.name, text.text));
  }
  if (role == Role::kKeep) {
    return source.At(
        text.position,
        fmt::format("{} names '{}', but a column with the role 'keep' is passed on as text that nothing is "
                    "promised about; remove it, or give the column another role",
                    place.name, text.text));
  }
  return {};
}

constexpr std::string_view kLimitedColumnExample = "for example column = \"disease\"";

// How each role is written, and the keys it takes besides 'role'; in the order of Role.
struct RoleForm {
  Role role;
  std::string name;
  std::vector<std::string> keys;
};

const std::vector<RoleForm>& RoleForms() {
  static const std::vector<RoleForm> kForms = {
      {Role::kId, "id", {"fold_case"}},
      {Role::kQuasiIdentifier,
       "quasi-identifier",
       {"domain", "taxonomy", "values", "date", "decimals", "fold_case", "may_be_missing"}},
      {Role::kSensitive, "sensitive", {"values", "transient"}},
      {Role::kClass, "class", {}},
      {Role::kKeep, "keep", {}},
  };
  return kForms;
}

constexpr std::string_view kColumnsExample =
    "[columns] and below it, for example, age = { role = \"quasi-identifier\", domain = [0, 120] }";
constexpr std::string_view kColumnExample = "for example { role = \"keep\" }";
constexpr std::string_view kDomainExample =
    "two numbers, for example domain = [0, 120], or two dates: [1900-01-01, 2026-12-31]";
constexpr std::string_view kValuesExample = "for example values = [\"Female\", \"Male\"]";
constexpr std::string_view kTransientExample = "for example transient = [\"flu\", \"fever\"], or transient = false";
constexpr std::string_view kDecimalsExample = "for example decimals = 2";
constexpr std::int64_t kMostDecimals = 18;
constexpr std::string_view kTaxonomyExample = "for example taxonomy = \"job.csv\"";

// A draft of a policy writes a role with a '?' behind it: somebody has to look at the column first.
Status RefuseUnconfirmed(const Source& source, const Table& columns) {
  constexpr std::size_t kMostNamed = 30;
  std::vector<std::string> names;
  std::optional<SourcePosition> first;
  for (const Entry& column : columns) {
    const auto* keys = std::get_if<Table>(&column.value.content);
    if (keys == nullptr) continue;
    const auto role = std::ranges::find(*keys, "role", &Entry::key);
    if (role == keys->end()) continue;
    const auto* text = std::get_if<std::string>(&role->value.content);
    if (text == nullptr || !text->ends_with('?')) continue;
    if (!first) first = role->value.position;
    names.push_back(fmt::format("'{}'", column.key));
  }
  if (!first) return {};
  const std::size_t count = names.size();
  if (count > kMostNamed) names.resize(kMostNamed);
  return source.At(
      *first,
      fmt::format("{} {} to be confirmed: {}{}. Nobody has said yet what {}; choose the role of each, and take "
                  "the '?' behind it away. Delete the line of a column that is not to be published",
                  count, count == 1 ? "role is still" : "roles are still", Listed(names),
                  count > kMostNamed ? ", and others" : "", count == 1 ? "this column is" : "these columns are"));
}

Result<const RoleForm*> ReadRole(const Source& source, const TableReader& column) {
  std::vector<std::string> names;
  for (const RoleForm& form : RoleForms()) names.push_back(form.name);
  PENTIMENTO_ASSIGN(const Entry* entry,
                    column.Require("role", fmt::format("role = one of {}, in quotes", Listed(names))));
  if (std::holds_alternative<Array>(entry->value.content)) {
    return source.At(entry->value.position,
                     fmt::format("{} is given a list of roles, but a column has one: what people are recognized by "
                                 "cannot be what nobody should learn about them; write one of {}",
                                 column.name(), Listed(names)));
  }
  PENTIMENTO_ASSIGN(const std::size_t chosen,
                    ReadChoice(source, entry->value, fmt::format("the role of {}", column.name()), names));
  return &RoleForms()[chosen];
}

// The keys are known, but the role may not take them: saying nothing would drop what the user asked for.
Status RefuseKeysOfOtherRoles(const Source& source, const TableReader& column, const RoleForm& form) {
  for (const Entry& entry : column.entries()) {
    if (entry.key == "role" || std::find(form.keys.begin(), form.keys.end(), entry.key) != form.keys.end()) continue;
    const std::string takes = form.keys.empty() ? "takes nothing else" : "takes only " + Listed(form.keys);
    return source.At(entry.key_position, fmt::format("{} has '{}', but role '{}' {}; remove '{}' or change the role",
                                                     column.name(), entry.key, form.name, takes, entry.key));
  }
  return {};
}

// A quasi-identifier says in exactly one way what its values are.
Status RequireOneDescription(const Source& source, const TableReader& column) {
  static const std::vector<std::string> kDescriptions = {"domain", "taxonomy", "values"};
  const Entry* first = nullptr;
  for (const Entry& entry : column.entries()) {
    if (std::ranges::find(kDescriptions, entry.key) == kDescriptions.end()) continue;
    if (first != nullptr) {
      return source.At(entry.key_position,
                       fmt::format("{} has '{}' and '{}'; keep one of the two", column.name(), first->key, entry.key));
    }
    first = &entry;
  }
  if (first != nullptr) return {};
  return source.At(column.position(),
                   fmt::format("{} is a quasi-identifier but does not say what its values are; add one of {}, {}",
                               column.name(), Listed(kDescriptions), kValuesExample));
}

Result<Decimal> ReadBound(const Source& source, const Value& value, std::string_view name) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.content)) return Decimal{*whole, 0};
  const auto* number = std::get_if<Fractional>(&value.content);
  if (number == nullptr) {
    return source.At(value.position,
                     fmt::format("{} has {} as a bound; write {}", name, KindOf(value), kDomainExample));
  }
  if (!number->exact) {
    return source.At(value.position, fmt::format("{} has a bound that is not a number of at most 18 digits; write {}",
                                                 name, kDomainExample));
  }
  return *number->exact;
}

// Codes are counted in units of the finer bound, so both bounds and their distance must fit there.
Status CheckBounds(const Source& source, SourcePosition position, std::string_view name, Decimal lo, Decimal hi) {
  const int scale = std::max(lo.scale, hi.scale);
  const auto lo_units = UnitsAtScale(lo, scale);
  const auto hi_units = UnitsAtScale(hi, scale);
  std::int64_t width = 0;
  const bool fits = lo_units && hi_units && !__builtin_sub_overflow(*hi_units, *lo_units, &width);
  if (!fits) {
    return source.At(position, fmt::format("{} is wider than 64 bits can count at {} digits after the point; "
                                           "narrow it or write fewer digits",
                                           name, scale));
  }
  if (width > 0) return {};
  return source.At(position, fmt::format("{} goes from {} to {}; write the smaller bound first, and two different ones",
                                         name, ToString(lo), ToString(hi)));
}

Result<std::pair<Decimal, Decimal>> ReadDomain(const Source& source, const Value& value, const std::string& name) {
  const auto* bounds = std::get_if<Array>(&value.content);
  if (bounds == nullptr) {
    return source.At(value.position, fmt::format("{} is {}; write {}", name, KindOf(value), kDomainExample));
  }
  if (bounds->size() != 2) {
    return source.At(value.position,
                     fmt::format("{} is a list of length {}; write {}", name, bounds->size(), kDomainExample));
  }
  PENTIMENTO_ASSIGN(const Decimal lo, ReadBound(source, bounds->front(), name));
  PENTIMENTO_ASSIGN(const Decimal hi, ReadBound(source, bounds->back(), name));
  PENTIMENTO_RETURN_IF_ERROR(CheckBounds(source, value.position, name, lo, hi));
  return std::pair(lo, hi);
}

// Which values come and go: true, false, or a list of them. Whether they are protected at all is checked in
// transient.cc.
Result<std::optional<std::vector<std::string>>> ReadTransient(const Source& source, const Value& value,
                                                              const std::string& name,
                                                              std::span<const std::string> missing) {
  using Values = std::optional<std::vector<std::string>>;
  if (const auto* all = std::get_if<bool>(&value.content)) return *all ? Values() : Values(std::in_place);
  const auto* list = std::get_if<Array>(&value.content);
  if (list == nullptr) {
    return source.At(value.position, fmt::format("{} is {}; write true, false or a list of values, {}", name,
                                                 KindOf(value), kTransientExample));
  }
  if (list->empty()) {
    return source.At(value.position,
                     fmt::format("{} is an empty list; write transient = false where no value comes and goes", name));
  }
  PENTIMENTO_ASSIGN(std::vector<std::string> listed, ReadValues(source, value, name, missing));
  return Values(std::move(listed));
}

Result<bool> ReadTruth(const Source& source, const Value& value, std::string_view name) {
  if (const auto* truth = std::get_if<bool>(&value.content)) return *truth;
  return source.At(value.position, fmt::format("{} is {}; write true or false", name, KindOf(value)));
}

// Both ends of the domain have their places among numbers with so many decimals.
Result<int> ReadDecimals(const Source& source, const Value& value, const std::string& name,
                         const std::optional<std::pair<Decimal, Decimal>>& domain) {
  PENTIMENTO_ASSIGN(const std::int64_t count, ReadWhole(source, value, name, kDecimalsExample));
  if (!domain) {
    return source.At(value.position, fmt::format("{} is for numbers; remove it, or give the column a domain", name));
  }
  const int needed = std::max(domain->first.scale, domain->second.scale);
  if (count < needed || count > kMostDecimals) {
    return source.At(value.position, fmt::format("{} must be from {}, which the ends of the domain have, to {}", name,
                                                 needed, kMostDecimals));
  }
  const int decimals = static_cast<int>(count);
  const std::optional<std::int64_t> lo = UnitsAtScale(domain->first, decimals);
  const std::optional<std::int64_t> hi = UnitsAtScale(domain->second, decimals);
  std::int64_t width = 0;
  if (lo && hi && !__builtin_sub_overflow(*hi, *lo, &width)) return decimals;
  return source.At(value.position,
                   fmt::format("{} makes the domain wider than 64 bits can count; write fewer decimals", name));
}

// How cells are read, besides what they mean.
Status ReadReading(const Source& source, const TableReader& reader, std::span<const std::string> missing,
                   ColumnPolicy& column) {
  PENTIMENTO_RETURN_IF_ERROR(ReadDateForm(source, reader, column.dates));
  if (const Entry* decimals = reader.Find("decimals")) {
    PENTIMENTO_ASSIGN(column.decimals,
                      ReadDecimals(source, decimals->value, "'decimals' of " + reader.name(), column.domain));
  }
  if (const Entry* fold = reader.Find("fold_case")) {
    PENTIMENTO_ASSIGN(column.folds_case, ReadTruth(source, fold->value, "'fold_case' of " + reader.name()));
    if (column.folds_case && (column.domain || column.dates))
      return source.At(fold->key_position, fmt::format("'fold_case' of {} has no effect: {} have no case; remove it",
                                                       reader.name(), column.dates ? "dates" : "numbers"));
  }
  if (const Entry* may = reader.Find("may_be_missing")) {
    PENTIMENTO_ASSIGN(column.may_be_missing, ReadTruth(source, may->value, "'may_be_missing' of " + reader.name()));
    if (column.may_be_missing && missing.empty())
      return source.At(may->key_position,
                       fmt::format("'may_be_missing' of {} has no effect: [input] missing lists nothing that counts as "
                                   "missing; remove one of the two",
                                   reader.name()));
  }
  return {};
}

Result<ColumnPolicy> ReadDescription(const Source& source, const TableReader& reader,
                                     std::span<const std::string> missing) {
  ColumnPolicy column;
  if (const Entry* domain = reader.Find("domain")) {
    const std::string name = "'domain' of " + reader.name();
    if (HasDates(domain->value)) {
      PENTIMENTO_ASSIGN(const DayRange days, ReadDates(source, domain->value, name));
      column.dates = DatesPolicy{days, DateForm()};
    } else {
      PENTIMENTO_ASSIGN(column.domain, ReadDomain(source, domain->value, name));
    }
  }
  if (const Entry* taxonomy = reader.Find("taxonomy")) {
    const std::string name = "'taxonomy' of " + reader.name();
    PENTIMENTO_ASSIGN(const Text text, ReadText(source, taxonomy->value, name, kTaxonomyExample));
    PENTIMENTO_ASSIGN(column.taxonomy, ResolvePath(source, text, name));
  }
  if (const Entry* values = reader.Find("values")) {
    PENTIMENTO_ASSIGN(column.values, ReadValues(source, values->value, "'values' of " + reader.name(), missing));
  }
  if (const Entry* transient = reader.Find("transient")) {
    PENTIMENTO_ASSIGN(column.transient,
                      ReadTransient(source, transient->value, "'transient' of " + reader.name(), missing));
  }
  return column;
}

Result<ColumnPolicy> ReadColumn(const Source& source, const Entry& entry, std::span<const std::string> missing) {
  static const std::vector<std::string> kKeys = {"role", "domain",   "taxonomy",  "values",        "transient",
                                                 "date", "decimals", "fold_case", "may_be_missing"};
  PENTIMENTO_ASSIGN(const TableReader reader,
                    TableReader::Open(source, entry.value, fmt::format("column '{}'", entry.key), kColumnExample));
  PENTIMENTO_RETURN_IF_ERROR(reader.AllowOnly(kKeys));
  PENTIMENTO_ASSIGN(const RoleForm* form, ReadRole(source, reader));
  PENTIMENTO_RETURN_IF_ERROR(RefuseKeysOfOtherRoles(source, reader, *form));
  if (form->role == Role::kQuasiIdentifier) {
    PENTIMENTO_RETURN_IF_ERROR(RequireOneDescription(source, reader));
  }
  PENTIMENTO_ASSIGN(ColumnPolicy column, ReadDescription(source, reader, missing));
  PENTIMENTO_RETURN_IF_ERROR(ReadReading(source, reader, missing, column));
  column.name = entry.key;
  column.role = form->role;
  column.position = entry.key_position;
  return column;
}

// What only the columns together can get wrong.
Status CheckRoles(const Source& source, SourcePosition position, std::span<const ColumnPolicy> columns,
                  bool needs_quasi_identifier) {
  const ColumnPolicy* id = nullptr;
  bool any_quasi_identifier = false;
  for (const ColumnPolicy& column : columns) {
    any_quasi_identifier = any_quasi_identifier || column.role == Role::kQuasiIdentifier;
    if (column.role != Role::kId) continue;
    if (id != nullptr) {
      return source.At(column.position,
                       fmt::format("columns '{}' and '{}' both have the role 'id'; keep it for the one that "
                                   "says who a row is about",
                                   id->name, column.name));
    }
    id = &column;
  }
  if (any_quasi_identifier || !needs_quasi_identifier) return {};
  return source.At(position,
                   "no column is a quasi-identifier, so there is nothing to generalize; "
                   "give that role to every column by which people could be recognized");
}

}  // namespace

const ColumnPolicy* FindColumn(const ThisRelease& here, std::string_view name) {
  for (const ColumnPolicy& column : here.columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

std::vector<std::string> ColumnNames(const ThisRelease& here) {
  std::vector<std::string> names;
  for (const ColumnPolicy& column : here.columns) names.push_back(column.name);
  return names;
}

Result<ColumnName> ReadColumnName(const Source& source, const Text& text, const NamePlace& place,
                                  const ThisRelease& here, std::span<const std::string> against) {
  const ColumnPolicy* own = FindColumn(here, text.text);
  const std::size_t colon = text.text.find(':');
  const std::string release = text.text.substr(0, colon);
  if (colon != std::string::npos && std::find(against.begin(), against.end(), release) != against.end()) {
    // Guessing could leave the very column unprotected that the user meant.
    if (own != nullptr) {
      return source.At(text.position,
                       fmt::format("{} names '{}', which is a column of this release and also reads as a column of the "
                                   "release '{}'; rename the column in the table",
                                   place.name, text.text, release));
    }
    std::string column = text.text.substr(colon + 1);
    if (column.empty()) {
      return source.At(text.position, fmt::format("{} names no column of the release '{}'; write {}:COLUMN", place.name,
                                                  release, release));
    }
    return ColumnName{release, std::move(column), text.position};
  }
  if (own == nullptr) return Unknown(source, text, place, here, against);
  PENTIMENTO_RETURN_IF_ERROR(CheckRole(source, text, place, own->role));
  return ColumnName{"", text.text, text.position};
}

Result<const ColumnPolicy*> ReadSensitiveColumn(const Source& source, const TableReader& limit,
                                                const ThisRelease& here) {
  PENTIMENTO_ASSIGN(const Entry* entry, limit.Require("column", kLimitedColumnExample));
  PENTIMENTO_ASSIGN(const Text name,
                    ReadText(source, entry->value, "'column' of an entry of limits", kLimitedColumnExample));
  const ColumnPolicy* column = FindColumn(here, name.text);
  if (column == nullptr) {
    return source.At(name.position,
                     fmt::format("limits names '{}', which [columns] does not have; write a sensitive column of "
                                 "[columns].{}",
                                 name.text, DidYouMean(name.text, ColumnNames(here))));
  }
  if (IsSensitive(*column)) return column;
  return source.At(name.position,
                   fmt::format("limits names '{}', but only the values of sensitive columns are limited, and a column "
                               "has one role; name a sensitive column, or give this one the role 'sensitive'",
                               name.text));
}

Result<std::vector<std::string>> ReadValues(const Source& source, const Value& value, const std::string& name,
                                            std::span<const std::string> missing) {
  PENTIMENTO_ASSIGN(const std::vector<Text> texts, ReadTexts(source, value, name, kValuesExample));
  if (texts.empty())
    return source.At(value.position, fmt::format("{} is an empty list; write {}", name, kValuesExample));
  std::vector<std::string> values;
  for (const Value& item : std::get<Array>(value.content)) {
    PENTIMENTO_ASSIGN(std::string text, ReadValue(source, item, name, missing));
    values.push_back(std::move(text));
  }
  return values;
}

Result<std::string> ReadValue(const Source& source, const Value& value, const std::string& name,
                              std::span<const std::string> missing) {
  PENTIMENTO_ASSIGN(Text text, ReadText(source, value, fmt::format("an entry of {}", name), kValuesExample));
  if (text.text.empty()) {
    return source.At(
        text.position,
        fmt::format("{} lists the empty text, which is how a missing value is published; remove it", name));
  }
  if (text.text == "*") {
    return source.At(text.position,
                     fmt::format("{} lists '*', which is how \"any value\" is published; remove it", name));
  }
  if (std::find(missing.begin(), missing.end(), text.text) != missing.end()) {
    return source.At(
        text.position,
        fmt::format("{} lists '{}', which [input] missing lists too; keep it in one of the two", name, text.text));
  }
  return std::move(text.text);
}

Result<std::vector<ColumnPolicy>> ReadColumns(const Source& source, const TableReader& policy,
                                              std::span<const std::string> missing, PolicyUse use) {
  PENTIMENTO_ASSIGN(const Entry* entry, policy.Require("columns", kColumnsExample));
  PENTIMENTO_ASSIGN(const TableReader table, TableReader::Open(source, entry->value, "[columns]", kColumnsExample));
  if (table.entries().empty()) {
    return source.At(table.position(), fmt::format("[columns] names no column; write {}", kColumnsExample));
  }
  PENTIMENTO_RETURN_IF_ERROR(RefuseUnconfirmed(source, table.entries()));
  std::vector<ColumnPolicy> columns;
  for (const Entry& column : table.entries()) {
    PENTIMENTO_ASSIGN(ColumnPolicy read, ReadColumn(source, column, missing));
    columns.push_back(std::move(read));
  }
  const bool is_told_of = use != PolicyUse::kImport || policy.Find("guarantee") != nullptr;
  PENTIMENTO_RETURN_IF_ERROR(CheckRoles(source, table.position(), columns, is_told_of));
  return columns;
}

}  // namespace pentimento::policy_file
