#include "engine/bind/bind.h"

#include <algorithm>
#include <map>

#include "base/fold_case.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

// A label of one that is also a mark of a missing value could not be told from it.
Result<std::shared_ptr<const Taxonomy>> CalendarOf(const Policy& policy, const ColumnPolicy& column) {
  Taxonomy calendar = MakeCalendarTaxonomy(column.dates->domain);
  for (const std::string& token : policy.missing) {
    if (!ParseDateLabel(calendar, token)) continue;
    return PolicyError(policy, column.position,
                       fmt::format("column '{}': '{}' lies in its domain of dates and is also listed in [input] "
                                   "missing; let the domain begin later or end earlier, or take it out of the list",
                                   column.name, token));
  }
  return std::make_shared<const Taxonomy>(std::move(calendar));
}

Result<std::shared_ptr<const Taxonomy>> TaxonomyOf(const Policy& policy, const ColumnPolicy& column) {
  if (column.dates) return CalendarOf(policy, column);
  Result<Taxonomy> taxonomy = column.taxonomy ? Taxonomy::ReadFile(*column.taxonomy) : Taxonomy::Flat(column.values);
  if (!taxonomy.ok())
    return PolicyError(policy, column.position, fmt::format("column '{}': {}", column.name, taxonomy.error().message));
  for (const std::string& token : policy.missing) {
    if (taxonomy->FindLeaf(token)) {
      return PolicyError(
          policy, column.position,
          fmt::format("column '{}': '{}' is a leaf of its taxonomy and also listed in [input] missing; take it out of "
                      "one of them",
                      column.name, token));
    }
  }
  return std::make_shared<const Taxonomy>(std::move(taxonomy).value());
}

// Two values that case alone tells apart would become one.
Status RequireFoldable(const Policy& policy, const ColumnPolicy& column, const Taxonomy& taxonomy) {
  std::map<std::string, std::string> seen;
  const auto add = [&](const std::string& value) -> Status {
    const auto [known, is_new] = seen.emplace(FoldCase(value), value);
    if (is_new || known->second == value) return {};
    return PolicyError(policy, column.position,
                       fmt::format("column '{}': fold_case makes '{}' and '{}' one value; keep one of them, or remove "
                                   "fold_case",
                                   column.name, known->second, value));
  };
  for (Code leaf = 0; leaf < taxonomy.leaf_count(); ++leaf)
    PENTIMENTO_RETURN_IF_ERROR(add(std::string(taxonomy.leaf_label(leaf))));
  for (const std::string& token : policy.missing) {
    const auto known = seen.find(FoldCase(token));
    if (known != seen.end()) PENTIMENTO_RETURN_IF_ERROR(add(token));
  }
  return {};
}

CellReading ReadingOf(const Policy& policy, const ColumnPolicy& column) {
  const bool recognizes = column.role == Role::kQuasiIdentifier || column.role == Role::kId;
  return {.trims = policy.trim == TrimRule::kAll || (policy.trim == TrimRule::kRecognizing && recognizes),
          .folds_case = column.folds_case,
          .decimal_point = policy.decimal_point,
          .decimals = column.decimals,
          .date_form = column.dates ? column.dates->form : DateForm()};
}

Decimal AtScale(Decimal value, int scale) { return {UnitsAtScale(value, scale).value(), scale}; }

Result<ColumnPlan> PlanColumn(const Policy& policy, const ColumnPolicy& column) {
  ColumnPlan plan{column.name, column.role, nullptr, column.domain, ReadingOf(policy, column)};
  if (column.decimals)  // all its numbers have a place between the ends
    plan.range = {AtScale(column.domain->first, *column.decimals), AtScale(column.domain->second, *column.decimals)};
  if (column.role == Role::kQuasiIdentifier && !column.domain) {
    PENTIMENTO_ASSIGN(plan.taxonomy, TaxonomyOf(policy, column));
    if (column.folds_case) PENTIMENTO_RETURN_IF_ERROR(RequireFoldable(policy, column, *plan.taxonomy));
  }
  return plan;
}

// Which of several is meant is not known.
const CodeColumn* FindOneClass(const BoundPolicy& bound, const EncodedInput& input) {
  const CodeColumn* found = nullptr;
  std::size_t value = 0;
  for (const ColumnPlan& column : bound.plan.columns) {
    if (column.role == Role::kClass) {
      if (found != nullptr) return nullptr;
      found = &input.values[value].codes;
    }
    if (column.role == Role::kClass || column.role == Role::kSensitive) ++value;
  }
  return found;
}

}  // namespace

Result<BoundPolicy> Bind(Policy policy, std::shared_ptr<InputTable> input) {
  BoundPolicy bound;
  if (input != nullptr) policy.inputs = {input->name()};
  bound.plan.missing = policy.missing;
  for (const ColumnPolicy& column : policy.columns) {
    PENTIMENTO_ASSIGN(ColumnPlan plan, PlanColumn(policy, column));
    if (plan.role == Role::kQuasiIdentifier) bound.quasi_identifiers.push_back(plan.name);
    bound.counts_persons |= plan.role == Role::kId;
    bound.plan.columns.push_back(std::move(plan));
  }
  if (policy.inputs.empty())
    return PolicyError(policy, {}, "[input] path names no table, and none was handed over; do one of the two");
  PENTIMENTO_ASSIGN(bound.tables, input != nullptr ? BindStream(policy, *input) : BindFiles(policy));
  if (input == nullptr) {
    policy.inputs.clear();
    for (const TableFile& file : bound.tables.files) policy.inputs.emplace_back(file.name);
  }
  for (const GuaranteePolicy& guarantee : policy.guarantees) {
    bound.k = std::max(bound.k, KOf(guarantee));
    bound.plan.codes_middles_of_gaps |=
        std::holds_alternative<XyAnonymityPolicy>(guarantee) || std::holds_alternative<XyLinkabilityPolicy>(guarantee);
    bound.plan.unites_sensitive_values |= std::holds_alternative<AlphaKAnonymityPolicy>(guarantee) ||
                                          std::holds_alternative<GlobalGuaranteePolicy>(guarantee);
  }
  bound.plan.codes_middles_of_gaps |= policy.method == Method::kSpecialize;
  bound.policy = std::move(policy);
  bound.input = std::move(input);
  return bound;
}

TableParts OpenInput(const BoundPolicy& bound) {
  if (bound.input == nullptr) return OpenInputs(bound.tables.files, bound.plan);
  TableParts parts;
  parts.count = 1;
  parts.open = [input = bound.input](std::size_t) { return input->Open(); };
  return parts;
}

TableParts OpenInputs(const std::vector<TableFile>& files, const EncodePlan& plan) {
  std::vector<std::string> names, as_dictionary;
  for (const ColumnPlan& column : plan.columns) {
    names.push_back(column.name);
    const bool many_distinct = column.role == Role::kKeep || column.role == Role::kId;
    if (!many_distinct) as_dictionary.push_back(column.name);
  }
  TableParts parts;
  parts.count = files.size();
  for (const TableFile& file : files) {
    std::error_code ignored;
    const std::uintmax_t size = std::filesystem::file_size(file.path, ignored);
    if (!ignored) parts.bytes += size;
  }
  parts.open = [files, names, as_dictionary](std::size_t i) { return OpenTableFile(files[i], names, as_dictionary); };
  return parts;
}

Purpose PurposeOf(const BoundPolicy& bound, const EncodedInput& input) {
  const CodeColumn* const classes = FindOneClass(bound, input);
  return {bound.policy.utility.value_or(classes != nullptr ? Utility::kClass : Utility::kDistortion), classes};
}

std::vector<const ValueColumn*> SensitiveColumnsOf(const BoundPolicy& bound, const EncodedInput& input) {
  std::vector<const ValueColumn*> columns;
  std::size_t value = 0;
  for (const ColumnPlan& column : bound.plan.columns) {
    if (column.role != Role::kSensitive && column.role != Role::kClass) continue;
    const ValueColumn& values = input.values[value++];
    if (column.role == Role::kSensitive) columns.push_back(&values);
  }
  return columns;
}

}  // namespace pentimento
