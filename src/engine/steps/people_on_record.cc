#include "engine/steps/people_on_record.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "ledger/budgets.h"
#include "ledger/identities.h"

namespace pentimento {

std::string GlobalSeriesOf(const ReleaseRecord& release) {
  if (release.state != ReleaseState::kPublished || release.imported) return "";
  const auto guarantees = nlohmann::json::parse(release.parameters_json, nullptr, /*allow_exceptions=*/false);
  if (!guarantees.is_array()) return "";
  for (const auto& guarantee : guarantees) {
    if (guarantee.is_object() && guarantee.value("type", "") == "global-guarantee")
      return guarantee.value("series", "");
  }
  return "";
}

Result<std::optional<std::uint64_t>> CountSharedPeople(Ledger& ledger, const std::string& release,
                                                       std::span<const IdentityHash> people) {
  std::optional<std::uint64_t> shared;
  PENTIMENTO_ASSIGN(const std::vector<StateFileRecord> files, ledger.StateFiles(release));
  for (const StateFileRecord& file : files) {
    if (file.kind != StateKind::kIdentities && file.kind != StateKind::kBudgets) continue;
    // All of it: a damaged identity would let somebody in who is to be found.
    PENTIMENTO_ASSIGN(MappedStateFile mapped, ledger.MapState(file, StateCheck::kPayload));
    if (file.kind == StateKind::kIdentities) {
      PENTIMENTO_ASSIGN(const std::span<const IdentityHash> earlier, mapped.Elements<IdentityHash>());
      shared = shared.value_or(0) + CountCommon(people, earlier);
    } else {
      PENTIMENTO_ASSIGN(const Budgets budgets, Budgets::Open(std::move(mapped), file.name));
      shared = shared.value_or(0) + CountCommon(people, budgets.view().people);
    }
  }
  return shared;
}

}  // namespace pentimento
