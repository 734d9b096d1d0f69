#include "engine/sensitive/one_release.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "ledger/identities.h"

namespace pentimento {
namespace {

constexpr const char* kWhy =
    "two tables cover one release of a person, because whoever holds a second one can combine the classes that the "
    "person is in";

// Whether a guarantee of the release has this text there.
bool HasGuaranteeWith(const ReleaseRecord& release, const char* key, std::string_view text) {
  const auto guarantees = nlohmann::json::parse(release.parameters_json, nullptr, /*allow_exceptions=*/false);
  if (!guarantees.is_array()) return false;
  for (const auto& guarantee : guarantees) {
    if (guarantee.is_object() && guarantee.value(key, "") == text) return true;
  }
  return false;
}

bool IsTwoTables(const ReleaseRecord& release) { return HasGuaranteeWith(release, "form", "two-tables"); }

Result<std::vector<ReleaseRecord>> TwoTablesOnRecord(Ledger* ledger) {
  std::vector<ReleaseRecord> found;
  if (ledger == nullptr) return found;
  PENTIMENTO_ASSIGN(std::vector<ReleaseRecord> releases, ledger->Releases());
  for (ReleaseRecord& release : releases) {
    if (release.state == ReleaseState::kPublished && IsTwoTables(release)) found.push_back(std::move(release));
  }
  return found;
}

Result<std::optional<StateFileRecord>> IdentitiesOf(Ledger& ledger, const ReleaseRecord& release) {
  PENTIMENTO_ASSIGN(const std::vector<StateFileRecord> files, ledger.StateFiles(release.name));
  for (const StateFileRecord& file : files) {
    if (file.kind == StateKind::kIdentities) return std::optional(file);
  }
  return std::optional<StateFileRecord>();
}

}  // namespace

Status RequireTellable(const BoundPolicy& bound, Ledger* ledger) {
  if (bound.policy.form != PublishForm::kTwoTables) return {};
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> earlier, TwoTablesOnRecord(ledger));
  for (const ReleaseRecord& release : earlier) {
    // The account of a series has its people, but not which of them stood in two tables.
    if (HasGuaranteeWith(release, "type", "global-guarantee")) {
      return Error{
          ErrorCode::kRefused,
          fmt::format("the release '{}' is out in two tables as part of a series under global-guarantee, and "
                      "this one would be outside of the series' account; {}. Ask for global-guarantee with that "
                      "series, write form = \"generalized\", or use another ledger if you know that these are "
                      "other people. Nothing was published.",
                      release.name, kWhy)};
    }
    PENTIMENTO_ASSIGN(const std::optional<StateFileRecord> people, IdentitiesOf(*ledger, release));
    if (people && bound.counts_persons) continue;
    return Error{
        ErrorCode::kRefused,
        fmt::format("the release '{}' is out in two tables, and {} names no id column, so nobody can tell whether the "
                    "same people stand in both; {}. {}, or use another ledger if you know that these are other people. "
                    "Nothing was published.",
                    release.name, people ? "this policy" : "its policy", kWhy,
                    people ? "Name the id column" : "Write form = \"generalized\"")};
  }
  return {};
}

Status RequireOtherPeople(const BoundPolicy& bound, const EncodedInput& input, Ledger* ledger) {
  if (bound.policy.form != PublishForm::kTwoTables) return {};
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> earlier, TwoTablesOnRecord(ledger));
  for (const ReleaseRecord& release : earlier) {
    PENTIMENTO_ASSIGN(const std::optional<StateFileRecord> people, IdentitiesOf(*ledger, release));
    if (!people) continue;  // refused already
    PENTIMENTO_ASSIGN(const MappedStateFile mapped, ledger->MapState(*people, StateCheck::kHeader));
    PENTIMENTO_ASSIGN(const std::span<const IdentityHash> identities, mapped.Elements<IdentityHash>());
    const std::uint64_t common = CountCommon(input.people, identities);
    if (common == 0) continue;
    return Error{ErrorCode::kRefused,
                 fmt::format("{} of these people stand{} in the two tables of the release '{}' already; {}. Leave them "
                             "out or write form = \"generalized\"; for several releases about the same people there is "
                             "global-guarantee, from the first one on. Nothing was published.",
                             common, common == 1 ? "s" : "", release.name, kWhy)};
  }
  return {};
}

}  // namespace pentimento
