#include "policy/publish.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "policy/alpha_k_guarantee.h"
#include "policy/publish_form.h"
#include "policy/xy_guarantees.h"

namespace pentimento::policy_file {
namespace {

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
  static const std::vector<std::string> kKeys = {"form",   "format",           "categories",
                                                 "method", "sensitive_tables", "utility"};
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
  return publish;
}

}  // namespace pentimento::policy_file
