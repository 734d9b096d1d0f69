#include "policy/input.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "policy/global_guarantee.h"

namespace pentimento::policy_file {
namespace {

constexpr std::string_view kInputExample = "[input] and below it, for example, path = \"taxation.csv\"";
constexpr std::string_view kPathExample = "for example path = \"taxation.csv\"";
constexpr std::string_view kMissingExample = "for example missing = [\"\", \"NA\"]";
constexpr std::string_view kSeparatorExample = "one of \",\", \";\", \"\\t\", \"|\"";
constexpr std::string_view kNamesExample = "for example names = [\"age\", \"sex\"]";
constexpr std::string_view kSkipExample = "for example skip_lines = 1";
constexpr std::int64_t kMostSkipped = 1000;
constexpr std::string_view kRemovedExample = "for example removed = \"gone.csv\"";

bool NamesFile(std::span<const std::filesystem::path> paths, const std::filesystem::path& file) {
  return std::any_of(paths.begin(), paths.end(), [&file](const std::filesystem::path& path) {
    return path.lexically_normal() == file.lexically_normal();
  });
}

Result<std::vector<Text>> ReadOneOrSeveral(const Source& source, const Value& value, std::string_view name,
                                           std::string_view example) {
  if (std::holds_alternative<Array>(value.content)) return ReadTexts(source, value, name, example);
  PENTIMENTO_ASSIGN(Text text, ReadText(source, value, name, example));
  return std::vector<Text>{std::move(text)};
}

// One path or several; the same file twice would count every person in it twice. A file among `others`, the paths of
// the table, would let everybody in it come and go at once.
Result<std::vector<std::filesystem::path>> ReadPaths(const Source& source, const Value& value, std::string_view name,
                                                     std::string_view example,
                                                     std::span<const std::filesystem::path> others) {
  PENTIMENTO_ASSIGN(const std::vector<Text> texts, ReadOneOrSeveral(source, value, name, example));
  if (texts.empty()) return source.At(value.position, fmt::format("{} is an empty list; write {}", name, example));
  std::vector<std::filesystem::path> paths;
  for (const Text& text : texts) {
    PENTIMENTO_ASSIGN(std::filesystem::path path, ResolvePath(source, text, name));
    if (text.text == kStandardInput) path = kStandardInput;  // and no file of that name in the policy's folder
    if (NamesFile(paths, path)) {
      return source.At(text.position,
                       fmt::format("{} names the file '{}' twice; remove one of the two", name, text.text));
    }
    if (NamesFile(others, path)) {
      return source.At(text.position, fmt::format("{} names the file '{}', which [input] path names too; "
                                                  "keep it in one of the two",
                                                  name, text.text));
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

Result<std::vector<std::string>> ReadMissing(const Source& source, const Value& value) {
  PENTIMENTO_ASSIGN(std::vector<Text> texts, ReadTexts(source, value, "[input] missing", kMissingExample));
  std::vector<std::string> missing;
  for (Text& text : texts) missing.push_back(std::move(text.text));
  return missing;
}

Result<RepeatedRule> ReadRepeated(const Source& source, const Value& value) {
  static const std::vector<std::string> kRules = {"refuse", "latest"};
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, value, "[input] repeated", kRules));
  return chosen == 0 ? RepeatedRule::kRefuse : RepeatedRule::kLatest;
}

// The columns of a table without a header line.
Result<std::vector<std::string>> ReadNames(const Source& source, const Value& value) {
  PENTIMENTO_ASSIGN(const std::vector<Text> texts, ReadTexts(source, value, "[input] names", kNamesExample));
  if (texts.empty())
    return source.At(value.position,
                     fmt::format("[input] names is an empty list; name every column of the table in order, {}, or "
                                 "remove it where the table has a header line",
                                 kNamesExample));
  std::vector<std::string> names;
  for (const Text& text : texts) {
    if (text.text.empty()) return source.At(text.position, "[input] names has an empty name; write one");
    names.push_back(text.text);
  }
  return names;
}

Result<std::size_t> ReadSkipLines(const Source& source, const Value& value) {
  PENTIMENTO_ASSIGN(const std::int64_t lines, ReadWhole(source, value, "[input] skip_lines", kSkipExample));
  if (lines >= 0 && lines <= kMostSkipped) return static_cast<std::size_t>(lines);
  return source.At(value.position, fmt::format("[input] skip_lines must be from 0 to {}", kMostSkipped));
}

// How texts are written, for every use of a policy.
Status ReadTextSetting(const Source& source, const TableReader& table, TextSetting& setting) {
  static const std::vector<std::string> kEncodings(kEncodingNames.begin(), kEncodingNames.end());
  if (const Entry* separator = table.Find("separator")) {
    PENTIMENTO_ASSIGN(const Text text, ReadText(source, separator->value, "[input] separator", kSeparatorExample));
    if (text.text.size() != 1 || std::ranges::find(kSeparators, text.text[0]) == kSeparators.end())
      return source.At(text.position, fmt::format("[input] separator is no character that can separate cells; write {}",
                                                  kSeparatorExample));
    setting.separator = text.text[0];
  }
  if (const Entry* encoding = table.Find("encoding")) {
    PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, encoding->value, "[input] encoding", kEncodings));
    setting.encoding = static_cast<TextEncoding>(chosen);
  }
  if (const Entry* names = table.Find("names")) {
    PENTIMENTO_ASSIGN(setting.names, ReadNames(source, names->value));
  }
  if (const Entry* skipped = table.Find("skip_lines")) {
    PENTIMENTO_ASSIGN(setting.skip_lines, ReadSkipLines(source, skipped->value));
  }
  return {};
}

Status ReadCellKeys(const Source& source, const TableReader& table, Input& input) {
  static const std::vector<std::string> kPoints = {".", ","};
  if (const Entry* decimal = table.Find("decimal")) {
    PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, decimal->value, "[input] decimal", kPoints));
    input.decimal_point = kPoints[chosen][0];
  }
  if (const Entry* trim = table.Find("trim")) {
    const auto* value = std::get_if<bool>(&trim->value.content);
    if (value == nullptr)
      return source.At(trim->value.position,
                       fmt::format("[input] trim is {}; write trim = true or trim = false", KindOf(trim->value)));
    input.trim = *value ? TrimRule::kAll : TrimRule::kNone;
  }
  return {};
}

Result<TableHolds> ReadHolds(const Source& source, const Value& value) {
  static const std::vector<std::string> kHolds = {"newcomers", "everybody"};
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, value, "[input] holds", kHolds));
  return chosen == 0 ? TableHolds::kNewcomers : TableHolds::kEverybody;
}

Error LacksSeries(const Source& source, SourcePosition key, std::string_view name) {
  return source.At(key, fmt::format("[input] {} speaks of a series, but no guarantee has one; remove it, or ask for "
                                    "type = \"incremental-k-anonymity\"{}",
                                    name, name == "repeated" ? " or \"global-guarantee\"" : ""));
}

// A release under the global guarantee is about the people of its table and nobody else.
Error NeedsNoLeaving(const Source& source, SourcePosition key) {
  return source.At(key,
                   "[input] removed would have no effect: under global-guarantee every table lists whoever is in the "
                   "release; leave the rows of those who are gone out of the table and remove it");
}

Error NeedsNoHolds(const Source& source, SourcePosition key) {
  return source.At(key,
                   "[input] holds would have no effect: under global-guarantee every table holds everybody who is in "
                   "the release; remove it");
}

// Whoever is not in a table of everybody has left.
Error NeedsNoRemoved(const Source& source, SourcePosition key) {
  return source.At(key,
                   "[input] removed would have no effect: with holds = \"everybody\" whoever is not in the table has "
                   "left; remove it, and leave the rows of those who are gone out of the table");
}

Error LacksId(const Source& source, SourcePosition key, std::string_view what) {
  return source.At(key, fmt::format("[input] {} needs to know who is who, but no column has the role 'id'; give it to "
                                    "one, for example person = {{ role = \"id\" }}",
                                    what));
}

}  // namespace

Result<Input> ReadInput(const Source& source, const TableReader& policy, bool needs_path) {
  static const std::vector<std::string> kKeys = {"path",     "missing", "removed", "repeated", "holds",     "separator",
                                                 "encoding", "decimal", "trim",    "names",    "skip_lines"};
  Input input;
  if (!needs_path && policy.Find("input") == nullptr) return input;
  PENTIMENTO_ASSIGN(const Entry* entry, policy.Require("input", kInputExample));
  PENTIMENTO_ASSIGN(const TableReader table, TableReader::Open(source, entry->value, "[input]", kInputExample));
  PENTIMENTO_RETURN_IF_ERROR(table.AllowOnly(kKeys));
  if (needs_path || table.Find("path") != nullptr) {
    PENTIMENTO_ASSIGN(const Entry* path, table.Require("path", kPathExample));
    input.position = path->value.position;
    PENTIMENTO_ASSIGN(input.paths, ReadPaths(source, path->value, "[input] path", kPathExample, {}));
  }
  if (const Entry* missing = table.Find("missing")) {
    PENTIMENTO_ASSIGN(input.missing, ReadMissing(source, missing->value));
  }
  PENTIMENTO_RETURN_IF_ERROR(ReadTextSetting(source, table, input.text_setting));
  PENTIMENTO_RETURN_IF_ERROR(ReadCellKeys(source, table, input));
  if (const Entry* removed = table.Find("removed")) {
    input.removed_key = removed->key_position;
    PENTIMENTO_ASSIGN(input.removed,
                      ReadPaths(source, removed->value, "[input] removed", kRemovedExample, input.paths));
  }
  if (const Entry* repeated = table.Find("repeated")) {
    input.repeated_key = repeated->key_position;
    PENTIMENTO_ASSIGN(input.repeated, ReadRepeated(source, repeated->value));
  }
  if (const Entry* holds = table.Find("holds")) {
    input.holds_key = holds->key_position;
    PENTIMENTO_ASSIGN(input.holds, ReadHolds(source, holds->value));
  }
  return input;
}

Result<Input> ReadImportInput(const Source& source, const TableReader& policy) {
  static const std::vector<std::string> kKeys = {"path", "missing", "separator", "encoding", "names", "skip_lines"};
  Input input;
  const Entry* entry = policy.Find("input");
  if (entry == nullptr) return input;
  PENTIMENTO_ASSIGN(const TableReader table, TableReader::Open(source, entry->value, "[input]", kMissingExample));
  PENTIMENTO_RETURN_IF_ERROR(table.AllowOnly(kKeys));
  if (const Entry* missing = table.Find("missing")) {
    PENTIMENTO_ASSIGN(input.missing, ReadMissing(source, missing->value));
  }
  PENTIMENTO_RETURN_IF_ERROR(ReadTextSetting(source, table, input.text_setting));
  return input;
}

Status CheckSeriesKeys(const Source& source, const Input& input, std::span<const ColumnPolicy> columns,
                       std::span<const GuaranteePolicy> guarantees) {
  const bool has_series = FindGuarantee<IncrementalKAnonymityPolicy>(guarantees) != nullptr;
  const bool is_global = FindGuarantee<GlobalGuaranteePolicy>(guarantees) != nullptr;
  if (is_global && input.removed_key) return NeedsNoLeaving(source, *input.removed_key);
  if (is_global && input.holds_key) return NeedsNoHolds(source, *input.holds_key);
  if (!has_series && input.holds_key) return LacksSeries(source, *input.holds_key, "holds");
  if (input.holds == TableHolds::kEverybody && input.removed_key) return NeedsNoRemoved(source, *input.removed_key);
  if (!has_series && input.removed_key) return LacksSeries(source, *input.removed_key, "removed");
  if (!has_series && !is_global && input.repeated_key) return LacksSeries(source, *input.repeated_key, "repeated");
  const bool has_id =
      std::any_of(columns.begin(), columns.end(), [](const ColumnPolicy& column) { return column.role == Role::kId; });
  if (has_id) return {};
  if (input.removed_key) return LacksId(source, *input.removed_key, "removed");
  if (input.holds == TableHolds::kEverybody) return LacksId(source, *input.holds_key, "holds = \"everybody\"");
  if (input.repeated == RepeatedRule::kLatest) {
    return LacksId(source, *input.repeated_key, "repeated = \"latest\"");
  }
  return {};
}

}  // namespace pentimento::policy_file
