#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "fmt/core.h"
#include "policy/columns.h"
#include "policy/document.h"
#include "policy/global_guarantee.h"
#include "policy/guarantees.h"
#include "policy/history_guarantee.h"
#include "policy/impossible.h"
#include "policy/input.h"
#include "policy/policy.h"
#include "policy/publish.h"
#include "policy/reader.h"

namespace pentimento {
namespace policy_file {
namespace {

constexpr std::int64_t kVersion = 1;
// Far more than a policy needs. It stops early where someone hands over the data instead.
constexpr std::uintmax_t kLargestPolicyBytes = std::uintmax_t{16} << 20;

constexpr std::string_view kReleaseExample = "for example release = \"taxation-2026\"";

// Comes before every other check: a newer version may well have keys that are unknown here.
Status CheckVersion(const Source& source, const TableReader& policy) {
  PENTIMENTO_ASSIGN(const Entry* entry, policy.Require("version", "version = 1 as the first line"));
  PENTIMENTO_ASSIGN(const std::int64_t version, ReadWhole(source, entry->value, "version", "version = 1"));
  if (version == kVersion) return {};
  if (version > kVersion) {
    return source.At(entry->value.position,
                     fmt::format("the policy is of version {}, this pentimento reads version {}; "
                                 "a newer pentimento is needed, install one",
                                 version, kVersion));
  }
  return source.At(entry->value.position,
                   fmt::format("there is no policy version {}; write version = {}", version, kVersion));
}

Status CheckTopKeys(const TableReader& policy) {
  static const std::vector<std::string> kKeys = {"version",    "release", "input",   "columns",     "guarantee",
                                                 "impossible", "publish", "overlap", "other_people"};
  return policy.AllowOnly(kKeys);
}

Result<Text> ReadReleaseName(const Source& source, const TableReader& policy) {
  PENTIMENTO_ASSIGN(const Entry* entry, policy.Require("release", kReleaseExample));
  return ReadName(source, entry->value, "release", kReleaseExample);
}

// Who is in an import with an id is not known, but that it must not be out is.
Status RefuseIds(const Source& source, std::span<const ColumnPolicy> columns) {
  for (const ColumnPolicy& column : columns) {
    if (column.role != Role::kId) continue;
    return source.At(column.position,
                     fmt::format("column '{}' has the role 'id', but ids are never published, so no release has them; "
                                 "take it out of the file and out of [columns]",
                                 column.name));
  }
  return {};
}

Result<std::string> ReadWholeFile(const Source& source) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(source.file(), error);
  if (!std::filesystem::exists(status)) return source.At({}, "there is no such file; check the path of the policy");
  if (std::filesystem::is_directory(status)) return source.At({}, "this is a folder; name the policy file in it");
  std::ifstream file(source.file(), std::ios::binary);
  if (!file) return source.At({}, "the file cannot be opened; check that you may read it");
  std::string text;
  char buffer[1 << 16];
  while (file.read(buffer, sizeof buffer), file.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLargestPolicyBytes) {
      return source.At({}, "the file is larger than 16 MiB; name the policy, not the data");
    }
  }
  if (file.bad()) return source.At({}, "the file cannot be read to its end; check the disk");
  return text;
}

}  // namespace
}  // namespace policy_file

Result<Policy> ParsePolicy(std::string_view text, const std::filesystem::path& file, PolicyUse use) {
  using namespace policy_file;  // NOLINT: the functions above are this function's steps
  const Source source(file);
  PENTIMENTO_ASSIGN(const Value document, ParseDocument(text, source));
  PENTIMENTO_ASSIGN(const TableReader reader, TableReader::Open(source, document, "the policy", ""));
  if (reader.entries().empty()) {
    return source.At(reader.position(), "the policy is empty; begin with version = 1 and a release name");
  }
  PENTIMENTO_RETURN_IF_ERROR(CheckVersion(source, reader));
  PENTIMENTO_RETURN_IF_ERROR(CheckTopKeys(reader));

  PENTIMENTO_ASSIGN(Text release, ReadReleaseName(source, reader));
  PENTIMENTO_ASSIGN(Input input, use == PolicyUse::kImport
                                     ? ReadImportInput(source, reader)
                                     : ReadInput(source, reader, /*needs_path=*/use == PolicyUse::kRelease));
  Policy policy;
  PENTIMENTO_ASSIGN(policy.columns, ReadColumns(source, reader, input.missing, use));
  if (use == PolicyUse::kImport) PENTIMENTO_RETURN_IF_ERROR(RefuseIds(source, policy.columns));
  const ThisRelease here = {release.text, policy.columns, input.missing, use == PolicyUse::kImport,
                            use == PolicyUse::kRecord};
  if (use != PolicyUse::kImport || reader.Find("guarantee") != nullptr) {
    PENTIMENTO_ASSIGN(policy.guarantees, ReadGuarantees(source, reader, here));
  }
  if (use != PolicyUse::kImport) {
    PENTIMENTO_RETURN_IF_ERROR(CheckTransient(source, reader, policy.columns, policy.guarantees));
  }
  PENTIMENTO_RETURN_IF_ERROR(CheckSeriesKeys(source, input, policy.columns, policy.guarantees));
  PENTIMENTO_ASSIGN(policy.impossible, ReadImpossible(source, reader, here, policy.guarantees));
  PENTIMENTO_ASSIGN(policy.overlap, ReadOverlapRule(source, reader));
  PENTIMENTO_ASSIGN(policy.other_people, ReadOtherPeople(source, reader, here));
  PENTIMENTO_ASSIGN(const Publish publish, ReadPublish(source, reader, policy.columns, policy.guarantees, use));
  policy.source = file;
  policy.release = std::move(release.text);
  policy.release_position = release.position;
  policy.inputs = std::move(input.paths);
  policy.removed = std::move(input.removed);
  policy.repeated = input.repeated;
  policy.holds = input.holds;
  policy.missing = std::move(input.missing);
  policy.text_setting = input.text_setting;
  policy.trim = input.trim;
  policy.decimal_point = input.decimal_point;
  policy.input_position = input.position;
  policy.format = publish.format;
  policy.categories = publish.categories;
  policy.leavers = publish.leavers;
  policy.interval_columns = publish.interval_columns;
  policy.form = publish.form;
  policy.sensitive_tables = publish.sensitive_tables;
  policy.method = publish.method;
  policy.utility = publish.utility;
  policy.text = text;
  return policy;
}

Result<Policy> ReadPolicy(const std::filesystem::path& path, PolicyUse use) {
  PENTIMENTO_ASSIGN(const std::string text, policy_file::ReadWholeFile(policy_file::Source(path)));
  return ParsePolicy(text, path, use);
}

Error PolicyError(const Policy& policy, SourcePosition position, std::string_view message) {
  return policy_file::Source(policy.source).At(position, message);
}

}  // namespace pentimento
