#include "policy/publish.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "policy/xy_guarantees.h"

namespace pentimento::policy_file {
namespace {

constexpr std::string_view kPublishExample = "[publish] and below it, for example, format = \"csv\"";

Status CheckForm(const Source& source, const Value& value) {
  static const std::vector<std::string> kForms = {"generalized"};
  if (const auto* form = std::get_if<std::string>(&value.content); form != nullptr && *form == "two-tables") {
    return source.At(value.position,
                     "this version cannot publish the form 'two-tables' yet, so nothing is published; "
                     "write form = \"generalized\" or use a version that can");
  }
  PENTIMENTO_ASSIGN([[maybe_unused]] const std::size_t form, ReadChoice(source, value, "[publish] form", kForms));
  return {};
}

Error RefuseSets(const Source& source, const Value& value) {
  return source.At(value.position,
                   "categories = \"sets\" cannot go with xy-anonymity or xy-linkability: releases are joined where one "
                   "label of a taxonomy contains the other, and a set is no label; write categories = \"taxonomy\"");
}

Result<Utility> ReadUtility(const Source& source, const Entry& entry, std::span<const ColumnPolicy> columns,
                            bool joined) {
  static const std::vector<std::string> kUtilities = {"class", "distortion", "discernibility"};
  if (!joined) {
    return source.At(entry.key_position,
                     "[publish] utility would have no effect: it serves xy-anonymity and xy-linkability, and no "
                     "guarantee is one of them; remove it or ask for one of them");
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
                            std::span<const GuaranteePolicy> guarantees) {
  static const std::vector<std::string> kKeys = {"form", "format", "categories", "utility"};
  static const std::vector<std::string> kFormats = {"csv", "parquet"};
  static const std::vector<std::string> kCategories = {"taxonomy", "sets"};
  const bool joined = !JoinsOf(guarantees).empty();
  Publish publish;
  const Entry* entry = policy.Find("publish");
  if (entry == nullptr) return publish;
  PENTIMENTO_ASSIGN(const TableReader table, TableReader::Open(source, entry->value, "[publish]", kPublishExample));
  PENTIMENTO_RETURN_IF_ERROR(table.AllowOnly(kKeys));
  if (const Entry* form = table.Find("form")) PENTIMENTO_RETURN_IF_ERROR(CheckForm(source, form->value));
  if (const Entry* format = table.Find("format")) {
    PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, format->value, "[publish] format", kFormats));
    publish.format = chosen == 0 ? FileFormat::kCsv : FileFormat::kParquet;
  }
  if (const Entry* categories = table.Find("categories")) {
    PENTIMENTO_ASSIGN(const std::size_t chosen,
                      ReadChoice(source, categories->value, "[publish] categories", kCategories));
    publish.categories = chosen == 0 ? CategoryForm::kTaxonomy : CategoryForm::kSets;
    if (joined && publish.categories == CategoryForm::kSets) return RefuseSets(source, categories->value);
  }
  if (const Entry* utility = table.Find("utility")) {
    PENTIMENTO_ASSIGN(publish.utility, ReadUtility(source, *utility, columns, joined));
  }
  return publish;
}

}  // namespace pentimento::policy_file
