#include "engine/incremental/incremental_people.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "engine/steps/one_row_each.h"

namespace pentimento {
namespace {

constexpr const char* kWhatToDo =
    "take the row out, or let the newest row count with [input] repeated = \"latest\" in the policy";

}  // namespace

Result<IncrementalPeople> SortOutPeople(const IncrementalMemory& memory, std::vector<IdentityHash> identity_of_row,
                                        RepeatedRule rule, std::span<const Removal> removals, const RowPlaces& places) {
  IncrementalPeople people;
  if (!removals.empty() || !identity_of_row.empty()) PENTIMENTO_RETURN_IF_ERROR(memory.RequireIntactIdentities());
  for (const Removal& removal : removals) {
    const std::optional<CaseNumber> member = memory.FindMember(removal.identity);
    if (!member) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: this person is not in the series, or has left it before; take the "
                               "row out, nothing was changed",
                               removal.where)};
    }
    people.withdrawn.push_back(*member);
  }
  std::ranges::sort(people.withdrawn);
  const auto repeated = std::ranges::unique(people.withdrawn);
  people.withdrawn.erase(repeated.begin(), repeated.end());

  PENTIMENTO_ASSIGN(PeopleOfRows rows, RequireOneRowEach(std::move(identity_of_row), rule, places));
  people.identities = std::move(rows.identities);
  people.rows = std::move(rows.rows);
  people.dropped = std::move(rows.dropped);
  std::optional<std::uint32_t> first_known;
  std::vector<CaseNumber> replaced;
  for (std::size_t i = 0; i < people.rows.size(); ++i) {
    const std::optional<CaseNumber> member = memory.FindMember(people.identities[i]);
    if (!member || std::ranges::binary_search(people.withdrawn, *member)) continue;
    first_known = std::min(first_known.value_or(people.rows[i]), people.rows[i]);
    replaced.push_back(*member);
  }
  if (first_known && rule == RepeatedRule::kRefuse) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("{}: this person is in the series already; {}", places.Of(*first_known), kWhatToDo)};
  }
  people.withdrawn.insert(people.withdrawn.end(), replaced.begin(), replaced.end());
  std::ranges::sort(people.withdrawn);
  return people;
}

}  // namespace pentimento
