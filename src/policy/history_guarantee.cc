#include "policy/history_guarantee.h"

#include <algorithm>
#include <utility>

#include "fmt/core.h"
#include "policy/guarantees.h"

namespace pentimento::policy_file {
namespace {

constexpr std::string_view kHistoryAlphaExample = "for example alpha = \"1/2\"";
constexpr std::string_view kOverExample = "over = \"all\", or for example over = [\"taxation-2025\"]";
constexpr std::string_view kOtherPeopleExample = "for example other_people = [\"taxation-2025\"]";

// Names of releases that are out, at least one.
Result<std::vector<std::string>> ReadReleases(const Source& source, const Value& value, std::string_view name,
                                              std::string_view example, const ThisRelease& here) {
  PENTIMENTO_ASSIGN(const std::vector<Text> texts, ReadTexts(source, value, name, example));
  if (texts.empty()) return source.At(value.position, fmt::format("{} is an empty list; write {}", name, example));
  std::vector<std::string> releases;
  for (const Value& item : std::get<Array>(value.content)) {
    PENTIMENTO_ASSIGN(Text release, ReadName(source, item, "release", example));
    if (release.text == here.name) {
      return source.At(
          release.position,
          fmt::format("{} lists '{}', which is this release itself; name releases that are out", name, release.text));
    }
    releases.push_back(std::move(release.text));
  }
  return releases;
}

// Which releases of the ledger count; none: all of them.
Result<std::vector<std::string>> ReadOver(const Source& source, const TableReader& guarantee, const ThisRelease& here) {
  const Entry* entry = guarantee.Find("over");
  if (entry == nullptr) return std::vector<std::string>();
  if (std::holds_alternative<Array>(entry->value.content))
    return ReadReleases(source, entry->value, "over", kOverExample, here);
  PENTIMENTO_ASSIGN(const Text text, ReadText(source, entry->value, "over", kOverExample));
  if (text.text == "all") return std::vector<std::string>();
  return source.At(text.position, fmt::format("over is '{}'; write {}", text.text, kOverExample));
}

Status RequirePeople(const Source& source, const TableReader& guarantee, const ThisRelease& here, bool has_alpha) {
  const auto has = [&](Role role) {
    return std::ranges::any_of(here.columns, [role](const ColumnPolicy& column) { return column.role == role; });
  };
  if (!here.is_import && !has(Role::kId)) {
    return source.At(guarantee.position(),
                     "history looks for the same people in other releases, but no column has the role 'id'; give it to "
                     "the column that tells who a row is about");
  }
  if (has_alpha && !has(Role::kSensitive)) {
    return source.At(guarantee.position(),
                     "alpha limits how sure anybody is of a sensitive value, but no column has the role 'sensitive'; "
                     "give it to what nobody should learn about a person, or remove alpha");
  }
  return {};
}

}  // namespace

Result<GuaranteePolicy> ReadHistory(const Source& source, const TableReader& guarantee, const ThisRelease& here) {
  static const std::vector<std::string> kMemberships = {"unknown", "known"};
  static const std::vector<std::string> kUnknowns = {"refuse", "allow"};
  HistoryPolicy policy;
  policy.position = guarantee.position();
  PENTIMENTO_ASSIGN(policy.k, ReadK(source, guarantee));
  if (const Entry* entry = guarantee.Find("membership")) {
    PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, entry->value, "membership", kMemberships));
    policy.membership_is_known = chosen == 1;
  }
  if (const Entry* entry = guarantee.Find("alpha")) {
    PENTIMENTO_ASSIGN(policy.alpha, ReadFraction(source, entry->value, {"alpha", kHistoryAlphaExample}));
  }
  PENTIMENTO_ASSIGN(policy.over, ReadOver(source, guarantee, here));
  if (const Entry* entry = guarantee.Find("unknown")) {
    PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, entry->value, "unknown", kUnknowns));
    policy.allows_unknown = chosen == 1;
  }
  PENTIMENTO_RETURN_IF_ERROR(RequirePeople(source, guarantee, here, policy.alpha.has_value()));
  return GuaranteePolicy(std::move(policy));
}

Result<std::optional<OverlapRule>> ReadOverlapRule(const Source& source, const TableReader& policy) {
  static const std::vector<std::string> kRules = {"refuse", "measure"};
  const Entry* entry = policy.Find("overlap");
  if (entry == nullptr) return std::optional<OverlapRule>();
  PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, entry->value, "overlap", kRules));
  return std::optional(chosen == 0 ? OverlapRule::kRefuse : OverlapRule::kMeasure);
}

Result<std::vector<std::string>> ReadOtherPeople(const Source& source, const TableReader& policy,
                                                 const ThisRelease& here) {
  const Entry* entry = policy.Find("other_people");
  if (entry == nullptr) return std::vector<std::string>();
  return ReadReleases(source, entry->value, "other_people", kOtherPeopleExample, here);
}

}  // namespace pentimento::policy_file
