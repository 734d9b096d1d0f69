#include "policy/publish_form.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "policy/alpha_k_guarantee.h"
#include "policy/global_guarantee.h"
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

}  // namespace

Result<PublishForm> ReadForm(const Source& source, const Value& value, std::span<const ColumnPolicy> columns,
                             std::span<const GuaranteePolicy> guarantees, PolicyUse use) {
  static const std::vector<std::string> kForms = {"generalized", "two-tables"};
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, value, "[publish] form", kForms));
  if (chosen == 0) return PublishForm::kGeneralized;
  PENTIMENTO_RETURN_IF_ERROR(CheckTwoTables(source, value, columns, guarantees, use));
  return PublishForm::kTwoTables;
}

Result<Method> ReadMethod(const Source& source, const Entry& entry, PublishForm form,
                          std::span<const GuaranteePolicy> guarantees) {
  static const std::vector<std::string> kMethods = {"partition", "recode", "anatomy", "specialize"};
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, entry.value, "[publish] method", kMethods));
  const bool of_series = std::ranges::any_of(guarantees, [](const GuaranteePolicy& guarantee) {
    return std::holds_alternative<IncrementalKAnonymityPolicy>(guarantee);
  });
  if (of_series || FindGlobal(guarantees) != nullptr || !JoinsOf(guarantees).empty()) {
    return source.At(entry.key_position,
                     "[publish] method would have no effect: a series, xy-anonymity and xy-linkability have one method "
                     "each; remove it");
  }
  if (chosen == 0) return Method::kPartition;
  if (chosen == 3 && FindAlphaK(guarantees) != nullptr) {
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

}  // namespace pentimento::policy_file
