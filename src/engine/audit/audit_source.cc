#include "engine/audit/audit_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/suggest.h"
#include "engine/bind/bind.h"
#include "engine/bind/guarantee_words.h"
#include "engine/published/datapackage.h"
#include "files/table_file.h"
#include "policy/policy.h"

namespace pentimento {
namespace {

namespace fs = std::filesystem;

const ReleaseRecord* FindPublished(const std::vector<ReleaseRecord>& records, const std::string& name) {
  for (const ReleaseRecord& record : records) {
    if (record.state == ReleaseState::kPublished && record.name == name) return &record;
  }
  return nullptr;
}

Error UnknownSource(const std::string& text, const std::vector<ReleaseRecord>& records) {
  std::vector<std::string> names;
  for (const ReleaseRecord& record : records) names.push_back(record.name);
  return {
      ErrorCode::kUsage,
      fmt::format("'{}' is no release: name one that is on record in --ledger, the folder of a release with its {}, "
                  "or a table with the policy that describes it, TABLE=POLICY.toml.{}",
                  text, kManifestName, DidYouMean(text, names))};
}

// The class column and the columns of SS are in other files than NSS, so each file is held to what it must have.
Result<Policy> PolicyForTable(const AuditSource& source, bool wants_quasi_identifiers) {
  PENTIMENTO_ASSIGN(Policy policy, ReadPolicy(source.policy, PolicyUse::kImport));
  if (source.tables.size() == 1) {
    policy.inputs = source.tables;
    return policy;
  }
  std::erase_if(policy.columns, [&](const ColumnPolicy& column) {
    return wants_quasi_identifiers ? column.role != Role::kQuasiIdentifier : column.role != Role::kSensitive;
  });
  policy.inputs = {source.tables[wants_quasi_identifiers ? 0 : 1]};
  return policy;
}

Status RequireClassColumn(const TableFile& file, const std::string& class_column) {
  PENTIMENTO_ASSIGN(const std::vector<std::string> header, ReadColumnNames(file));
  if (std::ranges::count(header, class_column) == 1) return {};
  return Error{ErrorCode::kBadInput,
               fmt::format("{}: there is no column '{}', which links the two tables; name the one that does with "
                           "--class-column.{}",
                           file.name, class_column, DidYouMean(class_column, header))};
}

Status DescribeTwoTables(const AuditSource& source, const std::string& class_column, Manifest& manifest) {
  PENTIMENTO_ASSIGN(Policy of_sensitive, PolicyForTable(source, /*wants_quasi_identifiers=*/false));
  PENTIMENTO_ASSIGN(const BoundPolicy bound, Bind(std::move(of_sensitive)));
  for (const fs::path& file : source.tables)
    PENTIMENTO_RETURN_IF_ERROR(RequireClassColumn(TableFile(file, manifest.text), class_column));
  manifest.form = "two-tables";
  manifest.class_column = class_column;
  Manifest::SensitiveTable& table = manifest.sensitive_tables.emplace_back();
  table.path = source.tables[1];
  for (const ColumnPlan& column : bound.plan.columns) table.columns.push_back(column.name);
  if (table.columns.empty())
    return PolicyError(bound.policy, {}, "two tables need a column with the role 'sensitive', and there is none");
  PENTIMENTO_ASSIGN(const std::vector<std::string> header, ReadColumnNames(TableFile(source.tables[1], manifest.text)));
  if (std::ranges::find(header, manifest.count_column) == header.end()) manifest.count_column.clear();
  return {};
}

Result<Manifest> DescribeForeign(const AuditSource& source, const std::string& class_column) {
  PENTIMENTO_ASSIGN(Policy policy, PolicyForTable(source, /*wants_quasi_identifiers=*/true));
  PENTIMENTO_ASSIGN(const BoundPolicy bound, Bind(std::move(policy)));
  Manifest manifest;
  manifest.release = bound.policy.release;
  manifest.tables = {source.tables.front()};
  manifest.text = bound.policy.text_setting;
  manifest.form = "generalized";
  manifest.k = bound.k;
  manifest.promise_json = PromiseOf(bound).json;
  manifest.missing = bound.policy.missing;
  manifest.categories = CategoryForm::kSets;
  for (const ColumnPlan& plan : bound.plan.columns) {
    manifest.columns.push_back({plan.name, plan.role, plan.taxonomy, plan.range});
    manifest.columns.back().has_ends = plan.range && bound.policy.interval_columns;
    if (plan.role == Role::kQuasiIdentifier) manifest.quasi_identifiers.push_back(manifest.columns.back());
  }
  if (source.tables.size() == 2) PENTIMENTO_RETURN_IF_ERROR(DescribeTwoTables(source, class_column, manifest));
  return manifest;
}

}  // namespace

Result<AuditSource> ParseAuditSource(const std::string& text, const std::vector<ReleaseRecord>& records,
                                     bool is_draft) {
  AuditSource source{.text = text, .is_draft = is_draft};
  if (const ReleaseRecord* record = FindPublished(records, text)) {
    source.record = *record;
    source.folder = record->final_path;
    return source;
  }
  std::error_code ignored;
  if (fs::is_directory(text, ignored)) {
    source.folder = text;
    return source;
  }
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) return UnknownSource(text, records);
  source.policy = text.substr(equals + 1);
  const std::string tables = text.substr(0, equals);
  const std::size_t plus = fs::exists(tables, ignored) ? std::string::npos : tables.find('+');
  source.tables.emplace_back(tables.substr(0, plus));
  if (plus != std::string::npos) source.tables.emplace_back(tables.substr(plus + 1));
  return source;
}

Result<Manifest> ManifestOfSource(const AuditSource& source, const std::string& class_column) {
  if (!source.tables.empty()) return DescribeForeign(source, class_column);
  return source.record ? ReadManifestOnRecord(*source.record) : ReadManifest(source.folder);
}

}  // namespace pentimento
