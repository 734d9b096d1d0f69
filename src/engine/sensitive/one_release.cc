#include "engine/sensitive/one_release.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "engine/serial/account.h"
#include "fmt/core.h"
#include "ledger/identities.h"

namespace pentimento {
namespace {

constexpr const char* kWhy =
    "two tables cover one release of a person, because whoever holds a second one can combine the classes that the "
    "person is in";

// What a release on record promised, as far as it matters here.
struct Promised {
  bool is_two_tables = false;
  std::string series;  // under the global guarantee; empty: none
};

Promised PromisedBy(const ReleaseRecord& release) {
  Promised promised;
  const auto guarantees = nlohmann::json::parse(release.parameters_json, nullptr, /*allow_exceptions=*/false);
  if (!guarantees.is_array()) return promised;
  for (const auto& guarantee : guarantees) {
    if (!guarantee.is_object()) continue;
    if (guarantee.value("form", "") == "two-tables") promised.is_two_tables = true;
    if (guarantee.value("type", "") == "global-guarantee") promised.series = guarantee.value("series", "");
  }
  return promised;
}

struct OnRecord {
  ReleaseRecord release;
  std::string series;
};

// The latest comes last. A release of `series` is none of them: its account covers both.
Result<std::vector<OnRecord>> TwoTablesOnRecord(Ledger* ledger, const std::string& series) {
  std::vector<OnRecord> found;
  if (ledger == nullptr) return found;
  PENTIMENTO_ASSIGN(std::vector<ReleaseRecord> releases, ledger->Releases());
  for (ReleaseRecord& release : releases) {
    Promised promised = PromisedBy(release);
    if (release.state != ReleaseState::kPublished || !promised.is_two_tables) continue;
    if (!promised.series.empty() && promised.series == series) continue;
    found.push_back({std::move(release), std::move(promised.series)});
  }
  return found;
}

// The people of a release: nothing where its policy names no id. Those of a series are all in its account.
Result<std::optional<std::vector<IdentityHash>>> PeopleOf(Ledger& ledger, const OnRecord& earlier) {
  using People = std::optional<std::vector<IdentityHash>>;
  if (!earlier.series.empty()) {
    PENTIMENTO_ASSIGN(const Account account, Account::Open(&ledger, earlier.series));
    return People({account.people().begin(), account.people().end()});
  }
  PENTIMENTO_ASSIGN(const std::vector<StateFileRecord> files, ledger.StateFiles(earlier.release.name));
  const auto file = std::ranges::find(files, StateKind::kIdentities, &StateFileRecord::kind);
  if (file == files.end()) return People();
  PENTIMENTO_ASSIGN(const MappedStateFile mapped, ledger.MapState(*file, StateCheck::kHeader));
  PENTIMENTO_ASSIGN(const std::span<const IdentityHash> identities, mapped.Elements<IdentityHash>());
  return People({identities.begin(), identities.end()});
}

}  // namespace

Status RequireTellable(const BoundPolicy& bound, Ledger* ledger, const std::string& series) {
  if (bound.policy.form != PublishForm::kTwoTables) return {};
  PENTIMENTO_ASSIGN(const std::vector<OnRecord> earlier, TwoTablesOnRecord(ledger, series));
  for (const OnRecord& one : earlier) {
    PENTIMENTO_ASSIGN(const auto people, PeopleOf(*ledger, one));
    if (people && bound.counts_persons) continue;
    return Error{
        ErrorCode::kRefused,
        fmt::format("the release '{}' is out in two tables, and {} names no id column, so nobody can tell whether the "
                    "same people stand in both; {}. {}, or use another ledger if you know that these are other people. "
                    "Nothing was published.",
                    one.release.name, people ? "this policy" : "its policy", kWhy,
                    people ? "Name the id column" : "Write form = \"generalized\"")};
  }
  return {};
}

Status RequireOtherPeople(const BoundPolicy& bound, std::span<const IdentityHash> these, Ledger* ledger,
                          const std::string& series) {
  if (bound.policy.form != PublishForm::kTwoTables) return {};
  PENTIMENTO_ASSIGN(const std::vector<OnRecord> earlier, TwoTablesOnRecord(ledger, series));
  for (const OnRecord& one : earlier) {
    PENTIMENTO_ASSIGN(const auto people, PeopleOf(*ledger, one));
    if (!people) continue;  // refused already
    const std::uint64_t common = CountCommon(these, *people);
    if (common == 0) continue;
    const std::string covered =
        one.series.empty() ? "global-guarantee covers several releases, if all of them are in its series"
                           : fmt::format("it is in the series '{}', whose account covers its own releases", one.series);
    return Error{ErrorCode::kRefused,
                 fmt::format("{} of these people stand{} in the two tables of the release '{}' already; {}. Leave them "
                             "out or write form = \"generalized\"; {}. Nothing was published.",
                             common, common == 1 ? "s" : "", one.release.name, kWhy, covered)};
  }
  return {};
}

}  // namespace pentimento
