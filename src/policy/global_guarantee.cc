#include "policy/global_guarantee.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "fmt/core.h"
#include "policy/columns.h"
#include "policy/guarantees.h"
#include "policy/reader.h"

namespace pentimento::policy_file {
namespace {

constexpr std::string_view kExample = "for example transient = [\"flu\", \"fever\"]";

// By itself or within a set; empty where every value is.
std::vector<std::string> ProtectedValues(const ColumnPolicy& column, const GlobalGuaranteePolicy& guarantee) {
  std::vector<std::string> values = column.values;
  if (values.empty()) return values;
  for (const SensitiveSetPolicy& set : guarantee.sets) {
    if (set.column == column.name) values.insert(values.end(), set.values.begin(), set.values.end());
  }
  return values;
}

// A value that is misspelt here would count as one that stays, and the release would be refused for another reason.
Status RequireProtected(const Source& source, const Value& value, const ColumnPolicy& column,
                        const GlobalGuaranteePolicy& guarantee) {
  const std::vector<std::string> known = ProtectedValues(column, guarantee);
  if (known.empty() || !std::holds_alternative<Array>(value.content)) return {};
  const std::string name = fmt::format("'transient' of column '{}'", column.name);
  PENTIMENTO_ASSIGN(const std::vector<Text> listed, ReadTexts(source, value, name, kExample));
  for (const Text& one : listed) {
    if (std::ranges::find(known, one.text) != known.end()) continue;
    return source.At(one.position, fmt::format("{} lists '{}', which neither 'values' nor limits protect; remove it, "
                                               "or protect it.{}",
                                               name, one.text, DidYouMean(one.text, known)));
  }
  return {};
}

constexpr std::string_view kLExample = "for example l = 2";
constexpr std::string_view kGlobalSeriesExample = "for example series = \"clinic\"";
constexpr std::string_view kReleasesExample = "for example releases = 12, or releases = \"open\"";
constexpr std::string_view kSpendExample = "for example spend = \"1/4\"";
constexpr std::string_view kRoomExample = "for example room = \"5/4\"";
constexpr std::string_view kMostLossExample = "for example most_loss = 0.6";
constexpr std::string_view kBlindExample = "for example blind = true";
constexpr std::string_view kMostPersistenceExample = "for example most_persistence = 5";
constexpr std::string_view kGlobalLimitsExample =
    "for example limits = [{ column = \"disease\", values = [\"Chlamydia\", \"Syphilis\"], l = 4 }]";
constexpr std::string_view kGlobalValuesExample = "for example values = [\"Chlamydia\", \"Syphilis\"]";
constexpr std::int64_t kLargestL = 1'000'000;
constexpr std::int64_t kMostReleases = 10'000;

Result<std::uint64_t> ReadL(const Source& source, const TableReader& table) {
  PENTIMENTO_ASSIGN(const Entry* entry, table.Require("l", kLExample));
  PENTIMENTO_ASSIGN(const std::int64_t l, ReadWhole(source, entry->value, "l", kLExample));
  if (l < 2) {
    return source.At(entry->value.position,
                     fmt::format("l is {}, but a chance of at most 1/l protects nobody unless l is at least 2; write a "
                                 "larger one",
                                 l));
  }
  if (l > kLargestL)
    return source.At(entry->value.position, fmt::format("l is {}; write an l of at most {}", l, kLargestL));
  return static_cast<std::uint64_t>(l);
}

Result<std::optional<std::uint64_t>> ReadReleases(const Source& source, const TableReader& guarantee) {
  PENTIMENTO_ASSIGN(const Entry* entry, guarantee.Require("releases", kReleasesExample));
  const SourcePosition position = entry->value.position;
  if (const auto* text = std::get_if<std::string>(&entry->value.content)) {
    if (*text == "open") return std::optional<std::uint64_t>();
    return source.At(position, fmt::format("releases is the text '{}'; write how many releases the series will have, "
                                           "or \"open\" where nobody knows, {}",
                                           *text, kReleasesExample));
  }
  PENTIMENTO_ASSIGN(const std::int64_t releases, ReadWhole(source, entry->value, "releases", kReleasesExample));
  if (releases < 1 || releases > kMostReleases) {
    return source.At(position,
                     fmt::format("releases is {}; write a number from 1 to {}, or \"open\"", releases, kMostReleases));
  }
  return std::optional(static_cast<std::uint64_t>(releases));
}

// Who is in a group and in a release at all.
Status ReadGroups(const Source& source, const TableReader& guarantee, GlobalGuaranteePolicy& policy) {
  static const std::vector<std::string> kAlone = {"allowed"};
  if (guarantee.Find("k") != nullptr) {
    PENTIMENTO_ASSIGN(policy.k, ReadK(source, guarantee));
  }
  if (const Entry* alone = guarantee.Find("alone")) {
    PENTIMENTO_RETURN_IF_ERROR(ReadChoice(source, alone->value, "alone", kAlone));
    policy.allows_alone = true;
  }
  if (const Entry* room = guarantee.Find("room")) {
    PENTIMENTO_ASSIGN(policy.room, ReadFactor(source, room->value, {"room", kRoomExample}));
    if (policy.releases && !policy.spend) {
      return source.At(room->key_position,
                       "room has no effect with a known number of releases: what is left is spread over those that "
                       "remain, so nobody is withheld beforehand; remove it, or write releases = \"open\"");
    }
  }
  if (const Entry* loss = guarantee.Find("most_loss")) {
    PENTIMENTO_ASSIGN(policy.most_loss,
                      ReadFraction(source, loss->value,
                                   {"most_loss", kMostLossExample, "so only a release that loses nothing could be made",
                                    "nothing loses more than everything"}));
  }
  return {};
}

// A chance of at most 1/l for each of n values is one of at most n/l for all of them together.
Status RequireEffect(const Source& source, SourcePosition position, const ColumnPolicy& column,
                     const SensitiveSetPolicy& set, std::uint64_t l) {
  const bool has_each = column.values.empty() || std::ranges::all_of(set.values, [&](const std::string& value) {
                          return std::ranges::find(column.values, value) != column.values.end();
                        });
  if (!has_each || set.l > l / set.values.size()) return {};
  return source.At(position,
                   fmt::format("the limit on '{}' would have no effect: l = {} for each of these values allows no more "
                               "of them together; write a larger l or remove the limit",
                               column.name, l));
}

Result<SensitiveSetPolicy> ReadSet(const Source& source, const Value& value, const ThisRelease& here, std::uint64_t l) {
  static const std::vector<std::string> kKeys = {"column", "values", "l"};
  PENTIMENTO_ASSIGN(const TableReader table,
                    TableReader::Open(source, value, "an entry of limits", kGlobalLimitsExample));
  PENTIMENTO_RETURN_IF_ERROR(table.AllowOnly(kKeys));
  SensitiveSetPolicy set;
  set.position = value.position;
  PENTIMENTO_ASSIGN(const ColumnPolicy* column, ReadSensitiveColumn(source, table, here));
  set.column = column->name;
  PENTIMENTO_ASSIGN(const Entry* values, table.Require("values", kGlobalValuesExample));
  PENTIMENTO_ASSIGN(set.values, ReadValues(source, values->value, "'values' of an entry of limits", here.missing));
  PENTIMENTO_ASSIGN(set.l, ReadL(source, table));
  PENTIMENTO_RETURN_IF_ERROR(RequireEffect(source, table.Find("l")->value.position, *column, set, l));
  return set;
}

Result<std::vector<SensitiveSetPolicy>> ReadSets(const Source& source, const TableReader& guarantee,
                                                 const ThisRelease& here, std::uint64_t l) {
  return ReadLimitList<SensitiveSetPolicy>(source, guarantee, kGlobalLimitsExample, "larger l",
                                           [&](const Value& value) { return ReadSet(source, value, here, l); });
}

// A budget belongs to a person, and a chance to a value.
Status RequireColumns(const Source& source, const TableReader& guarantee, const ThisRelease& here) {
  if (here.is_import) {
    return source.At(
        guarantee.position(),
        "an imported table cannot be in a series under global-guarantee: ids are never published, so nobody "
        "knows what it told of whom; leave this guarantee out");
  }
  const auto has = [&](Role role) {
    return std::ranges::any_of(here.columns, [role](const ColumnPolicy& column) { return column.role == role; });
  };
  if (!has(Role::kSensitive)) {
    return source.At(guarantee.position(),
                     "global-guarantee limits how surely anybody is linked to a sensitive value, but no column has the "
                     "role 'sensitive'; give it to what nobody should learn about a person");
  }
  if (!has(Role::kId)) {
    return source.At(guarantee.position(),
                     "global-guarantee keeps account of every person over all releases, but no column has the role "
                     "'id'; give it to the one that says who a row is about, for example person = { role = \"id\" }");
  }
  const auto ours = std::ranges::find_if(
      here.columns, [](const ColumnPolicy& column) { return column.name == "group_id" && column.role != Role::kId; });
  if (ours == here.columns.end()) return {};
  return source.At(
      ours->position,
      "a release under global-guarantee has a column 'group_id' of its own; rename the column in the table, "
      "or leave it out of [columns]");
}

}  // namespace

Status CheckTransient(const Source& source, const TableReader& policy, std::span<const ColumnPolicy> columns,
                      std::span<const GuaranteePolicy> guarantees) {
  const GlobalGuaranteePolicy* guarantee = FindGuarantee<GlobalGuaranteePolicy>(guarantees);
  PENTIMENTO_ASSIGN(const Entry* entry, policy.Require("columns", ""));
  PENTIMENTO_ASSIGN(const TableReader table, TableReader::Open(source, entry->value, "[columns]", ""));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    PENTIMENTO_ASSIGN(const TableReader column, TableReader::Open(source, table.entries()[i].value, "a column", ""));
    const Entry* transient = column.Find("transient");
    if (transient == nullptr) continue;
    if (guarantee == nullptr) {
      return source.At(transient->key_position,
                       fmt::format("'transient' of column '{}' would have no effect: only global-guarantee asks which "
                                   "values come and go; remove it",
                                   columns[i].name));
    }
    PENTIMENTO_RETURN_IF_ERROR(RequireProtected(source, transient->value, columns[i], *guarantee));
  }
  return {};
}

Result<GuaranteePolicy> ReadGlobalGuarantee(const Source& source, const TableReader& guarantee,
                                            const ThisRelease& here) {
  GlobalGuaranteePolicy policy;
  policy.position = guarantee.position();
  PENTIMENTO_ASSIGN(policy.l, ReadL(source, guarantee));
  PENTIMENTO_ASSIGN(const Entry* series, guarantee.Require("series", kGlobalSeriesExample));
  PENTIMENTO_ASSIGN(Text name, ReadName(source, series->value, "series", kGlobalSeriesExample));
  policy.series = std::move(name.text);
  PENTIMENTO_ASSIGN(policy.releases, ReadReleases(source, guarantee));
  if (const Entry* spend = guarantee.Find("spend")) {
    PENTIMENTO_ASSIGN(policy.spend, ReadFraction(source, spend->value,
                                                 {"spend", kSpendExample, "so nobody could be in any release",
                                                  "nobody has more to spend than all that is left"}));
  }
  PENTIMENTO_RETURN_IF_ERROR(ReadGroups(source, guarantee, policy));
  if (const Entry* blind = guarantee.Find("blind")) {
    const auto* flag = std::get_if<bool>(&blind->value.content);
    if (flag == nullptr) {
      return source.At(blind->value.position,
                       fmt::format("blind is {}; write true or false, {}", KindOf(blind->value), kBlindExample));
    }
    policy.blind = *flag;
  }
  if (const Entry* most = guarantee.Find("most_persistence")) {
    PENTIMENTO_ASSIGN(policy.most_persistence,
                      ReadFactor(source, most->value, {"most_persistence", kMostPersistenceExample}));
  }
  PENTIMENTO_RETURN_IF_ERROR(RequireColumns(source, guarantee, here));
  PENTIMENTO_ASSIGN(policy.sets, ReadSets(source, guarantee, here, policy.l));
  return GuaranteePolicy(std::move(policy));
}

}  // namespace pentimento::policy_file
