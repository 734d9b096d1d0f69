#include "policy/publish.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "policy/alpha_k_guarantee.h"
#include "policy/document.h"
#include "policy/global_guarantee.h"
#include "policy/history_guarantee.h"
#include "policy/interval_columns.h"
#include "policy/policy.h"
#include "policy/reader.h"
#include "policy/xy_guarantees.h"

namespace pentimento::policy_file {
namespace {

bool LimitsClasses(const GuaranteePolicy& guarantee) {
  return std::holds_alternative<AlphaKAnonymityPolicy>(guarantee) ||
         std::holds_alternative<GlobalGuaranteePolicy>(guarantee);
}

// The columns by which the two tables speak of classes. Readers would take the input's for ours.
Status RequireFreeNames(const Source& source, std::span<const ColumnPolicy> columns) {
  for (const ColumnPolicy& column : columns) {
    const bool is_ours = column.name == "class_id" || column.name == "count";
    if (!is_ours || column.role == Role::kId) continue;
    return source.At(column.position,
                     fmt::format("with form = \"two-tables\" the release has a column '{}' of its own; rename the "
                                 "column in the table, or leave it out of [columns]",
                                 column.name));
  }
  return {};
}

Status CheckTwoTables(const Source& source, const Value& value, std::span<const ColumnPolicy> columns,
                      std::span<const GuaranteePolicy> guarantees, PolicyUse use) {
  if (use == PolicyUse::kImport) {
    return source.At(value.position,
                     "only a release in one table can be imported: nobody can join a release with two tables row by "
                     "row; remove form = \"two-tables\"");
  }
  if (!std::ranges::any_of(guarantees, LimitsClasses)) {
    return source.At(
        value.position,
        "form = \"two-tables\" publishes the quasi-identifiers as they are and is safe only where "
        "alpha-k-anonymity or global-guarantee limits what classes give away; ask for one of them, or write "
        "form = \"generalized\"");
  }
  if (!std::ranges::all_of(guarantees, LimitsClasses)) {
    return source.At(
        value.position,
        "form = \"two-tables\" keeps alpha-k-anonymity and global-guarantee and no other guarantee, because "
        "the quasi-identifiers are published as they are; remove the others, or write form = "
        "\"generalized\"");
  }
  return RequireFreeNames(source, columns);
}

// Two tables keep alpha-k-anonymity and global-guarantee and no other guarantee, and have columns of their own.
Result<PublishForm> ReadForm(const Source& source, const Value& value, std::span<const ColumnPolicy> columns,
                             std::span<const GuaranteePolicy> guarantees, PolicyUse use) {
  static const std::vector<std::string> kForms = {"generalized", "two-tables"};
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, value, "[publish] form", kForms));
  if (chosen == 0) return PublishForm::kGeneralized;
  PENTIMENTO_RETURN_IF_ERROR(CheckTwoTables(source, value, columns, guarantees, use));
  return PublishForm::kTwoTables;
}

// An error where there is nothing to choose.
Result<Method> ReadMethod(const Source& source, const Entry& entry, PublishForm form,
                          std::span<const GuaranteePolicy> guarantees) {
  static const std::vector<std::string> kMethods = {"partition", "recode", "anatomy", "specialize"};
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, entry.value, "[publish] method", kMethods));
  const bool of_series = FindGuarantee<IncrementalKAnonymityPolicy>(guarantees) != nullptr;
  if (of_series || FindGuarantee<GlobalGuaranteePolicy>(guarantees) != nullptr || !JoinsOf(guarantees).empty()) {
    return source.At(entry.key_position,
                     "[publish] method would have no effect: a series, xy-anonymity and xy-linkability have one method "
                     "each; remove it");
  }
  if (chosen == 0) return Method::kPartition;
  if (FindGuarantee<HistoryPolicy>(guarantees) != nullptr) {
    return source.At(entry.value.position,
                     "only method = \"partition\" forms classes within those of the releases on record, as history "
                     "asks; write that method, or remove it");
  }
  if (chosen == 3 && FindGuarantee<AlphaKAnonymityPolicy>(guarantees) != nullptr) {
    return source.At(entry.value.position,
                     "method = \"specialize\" makes k-anonymous tables and does not look at the sensitive values that "
                     "alpha-k-anonymity limits; write another method, or ask for xy-linkability with against = [] "
                     "instead");
  }
  if (chosen == 3) return Method::kSpecialize;
  if (chosen == 1 && form == PublishForm::kTwoTables) {
    return source.At(
        entry.value.position,
        "method = \"recode\" moves single rows to coarser classes, and the exact quasi-identifiers of form = "
        "\"two-tables\" would show which rows were moved; write method = \"partition\" or \"anatomy\", or "
        "form = \"generalized\"");
  }
  if (chosen == 1) return Method::kRecode;
  if (form == PublishForm::kTwoTables) return Method::kAnatomy;
  return source.At(entry.value.position,
                   "method = \"anatomy\" puts people together whatever their quasi-identifiers are, so it serves "
                   "form = \"two-tables\" only; write that form, or method = \"partition\" or \"recode\"");
}

Result<SensitiveTables> ReadSensitiveTables(const Source& source, const Entry& entry, PublishForm form,
                                            std::span<const ColumnPolicy> columns) {
  static const std::vector<std::string> kTables = {"separate", "combined"};
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, entry.value, "[publish] sensitive_tables", kTables));
  if (form != PublishForm::kTwoTables) {
    return source.At(entry.key_position,
                     "[publish] sensitive_tables would have no effect: it serves form = \"two-tables\"; remove it or "
                     "write that form");
  }
  const auto sensitive =
      std::ranges::count_if(columns, [](const ColumnPolicy& column) { return column.role == Role::kSensitive; });
  if (sensitive < 2) {
    return source.At(entry.key_position,
                     "[publish] sensitive_tables would have no effect: it says how several sensitive columns are "
                     "published, and there is one; remove it");
  }
  return chosen == 0 ? SensitiveTables::kSeparate : SensitiveTables::kCombined;
}

Result<LeaversRule> ReadLeavers(const Source& source, const Entry& entry, std::span<const GuaranteePolicy> guarantees) {
  static const std::vector<std::string> kRules = {"emptied", "kept"};
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, entry.value, "[publish] leavers", kRules));
  if (FindGuarantee<IncrementalKAnonymityPolicy>(guarantees) == nullptr) {
    return source.At(entry.key_position,
                     "[publish] leavers would have no effect: people leave only a series that grows; remove it, or ask "
                     "for type = \"incremental-k-anonymity\"");
  }
  return chosen == 0 ? LeaversRule::kEmptied : LeaversRule::kKept;
}

// The names of the ends are ours: a column of the table that has one would be there twice.
Status RequireFreeEnds(const Source& source, std::span<const ColumnPolicy> columns) {
  for (const ColumnPolicy& numeric : columns) {
    if (!numeric.domain) continue;
    const IntervalColumns ends = IntervalColumnsOf(numeric.name);
    for (const ColumnPolicy& column : columns) {
      if (column.role == Role::kId ||
          (column.name != ends.from && column.name != ends.to && column.name != ends.missing))
        continue;
      return source.At(column.position,
                       fmt::format("with intervals = \"columns\" the release has a column '{}' of its own, for '{}'; "
                                   "rename the column in the table, or leave it out of [columns]",
                                   column.name, numeric.name));
    }
    // One unit past the end of the domain is published.
    if (numeric.domain->second.units == std::numeric_limits<std::int64_t>::max())
      return source.At(numeric.position,
                       "with intervals = \"columns\" the end of a domain is below 9223372036854775807 units");
  }
  return {};
}

Result<bool> ReadIntervals(const Source& source, const Entry& entry, PublishForm form,
                           std::span<const ColumnPolicy> columns) {
  static const std::vector<std::string> kForms = {"text", "columns"};
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, entry.value, "[publish] intervals", kForms));
  const bool has_intervals = form != PublishForm::kTwoTables &&
                             std::ranges::any_of(columns, [](const ColumnPolicy& c) { return c.domain.has_value(); });
  if (!has_intervals) {
    return source.At(entry.key_position,
                     "[publish] intervals would have no effect: it says how numbers are published that are "
                     "generalized, and there are none; remove it");
  }
  if (chosen == 1) PENTIMENTO_RETURN_IF_ERROR(RequireFreeEnds(source, columns));
  return chosen == 1;
}

constexpr std::string_view kPublishExample = "[publish] and below it, for example, format = \"csv\"";

Result<CategoryForm> ReadCategories(const Source& source, const Entry& entry, bool joined, const Publish& publish) {
  static const std::vector<std::string> kCategories = {"taxonomy", "sets"};
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, entry.value, "[publish] categories", kCategories));
  if (publish.form == PublishForm::kTwoTables) {
    return source.At(entry.key_position,
                     "[publish] categories would have no effect: with form = \"two-tables\" no value is generalized; "
                     "remove it");
  }
  if (chosen == 0) return CategoryForm::kTaxonomy;
  if (joined) {
    return source.At(
        entry.value.position,
        "categories = \"sets\" cannot go with xy-anonymity or xy-linkability: releases are joined where one "
        "label of a taxonomy contains the other, and a set is no label; write categories = \"taxonomy\"");
  }
  if (publish.method == Method::kRecode || publish.method == Method::kSpecialize) {
    return source.At(
        entry.value.position,
        fmt::format("categories = \"sets\" would have no effect: method = \"{}\" goes from label to label of a "
                    "taxonomy and makes no sets; write categories = \"taxonomy\" or method = \"partition\"",
                    publish.method == Method::kRecode ? "recode" : "specialize"));
  }
  return CategoryForm::kSets;
}

Result<Utility> ReadUtility(const Source& source, const Entry& entry, std::span<const ColumnPolicy> columns,
                            bool specializes) {
  static const std::vector<std::string> kUtilities = {"class", "distortion", "discernibility"};
  if (!specializes) {
    return source.At(entry.key_position,
                     "[publish] utility would have no effect: it serves xy-anonymity, xy-linkability and method = "
                     "\"specialize\", and the policy has none of them; remove it or ask for one of them");
  }
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, entry.value, "[publish] utility", kUtilities));
  if (chosen == 1) return Utility::kDistortion;
  if (chosen == 2) return Utility::kDiscernibility;
  const auto classes = std::count_if(columns.begin(), columns.end(),
                                     [](const ColumnPolicy& column) { return column.role == Role::kClass; });
  if (classes == 1) return Utility::kClass;
  return source.At(
      entry.value.position,
      fmt::format("utility = \"class\" needs one column with the role 'class', but {} columns have it; give "
                  "it to the one that analysts want to predict",
                  classes));
}

}  // namespace

Result<Publish> ReadPublish(const Source& source, const TableReader& policy, std::span<const ColumnPolicy> columns,
                            std::span<const GuaranteePolicy> guarantees, PolicyUse use) {
  static const std::vector<std::string> kKeys = {"form",    "format",  "categories", "method", "sensitive_tables",
                                                 "utility", "leavers", "intervals"};
  static const std::vector<std::string> kFormats = {"csv", "parquet"};
  const bool joined = !JoinsOf(guarantees).empty();
  Publish publish;
  const Entry* entry = policy.Find("publish");
  if (entry == nullptr) return publish;
  PENTIMENTO_ASSIGN(const TableReader table, TableReader::Open(source, entry->value, "[publish]", kPublishExample));
  PENTIMENTO_RETURN_IF_ERROR(table.AllowOnly(kKeys));
  if (const Entry* form = table.Find("form")) {
    PENTIMENTO_ASSIGN(publish.form, ReadForm(source, form->value, columns, guarantees, use));
  }
  if (const Entry* format = table.Find("format")) {
    PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, format->value, "[publish] format", kFormats));
    publish.format = chosen == 0 ? FileFormat::kCsv : FileFormat::kParquet;
  }
  if (const Entry* method = table.Find("method")) {
    PENTIMENTO_ASSIGN(publish.method, ReadMethod(source, *method, publish.form, guarantees));
  }
  if (const Entry* categories = table.Find("categories")) {
    PENTIMENTO_ASSIGN(publish.categories, ReadCategories(source, *categories, joined, publish));
  }
  if (const Entry* tables = table.Find("sensitive_tables")) {
    PENTIMENTO_ASSIGN(publish.sensitive_tables, ReadSensitiveTables(source, *tables, publish.form, columns));
  }
  if (const Entry* utility = table.Find("utility")) {
    PENTIMENTO_ASSIGN(publish.utility,
                      ReadUtility(source, *utility, columns, joined || publish.method == Method::kSpecialize));
  }
  if (const Entry* intervals = table.Find("intervals")) {
    PENTIMENTO_ASSIGN(publish.interval_columns, ReadIntervals(source, *intervals, publish.form, columns));
  }
  if (const Entry* leavers = table.Find("leavers")) {
    PENTIMENTO_ASSIGN(publish.leavers, ReadLeavers(source, *leavers, guarantees));
  }
  return publish;
}

}  // namespace pentimento::policy_file
