#include "engine/xy/specialize_join.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/plural.h"
#include "engine/published/published_cells.h"
#include "engine/steps/release_run.h"
#include "engine/xy/release_columns.h"
#include "guarantee/verify.h"
#include "guarantee/xy/every_join.h"
#include "guarantee/xy/population.h"
#include "guarantee/xy/xy_linkability.h"

namespace pentimento {
namespace {

struct NamedRelease {
  std::string name;
  SourcePosition position;  // of the guarantee that names it
};

// In the order in which the policy first names them.
std::vector<NamedRelease> EarlierNames(const Policy& policy) {
  std::vector<NamedRelease> names;
  const auto add = [&](const auto& guarantee) {
    for (const std::string& name : guarantee.against) {
      if (std::ranges::find(names, name, &NamedRelease::name) == names.end())
        names.push_back({name, guarantee.position});
    }
  };
  for (const GuaranteePolicy& guarantee : policy.guarantees) {
    if (const auto* anonymity = std::get_if<XyAnonymityPolicy>(&guarantee)) add(*anonymity);
    if (const auto* linkability = std::get_if<XyLinkabilityPolicy>(&guarantee)) add(*linkability);
  }
  return names;
}

// What a value on Y is must not depend on the cut: it is what is counted.
Status RequireFixedY(const BoundPolicy& bound, const BoundJoin& join) {
  const auto check = [&](ReleaseColumn y) -> Status {
    const bool moves = y.release == 0 && y.column < join.is_generalized.size() && join.is_generalized[y.column];
    if (!moves) return {};
    return PolicyError(bound.policy, {},
                       fmt::format("column '{}' is in y of one guarantee and is generalized for another; take it "
                                   "out of x of the other",
                                   bound.quasi_identifiers[y.column]));
  };
  for (const XyAnonymityClaim& claim : join.releases.anonymity) {
    for (const ReleaseColumn y : claim.y) PENTIMENTO_RETURN_IF_ERROR(check(y));
  }
  for (const XyLinkabilityClaim& claim : join.releases.linkability) {
    for (const LinkabilityTarget& target : claim.targets) {
      for (const ReleaseColumn y : target.y) PENTIMENTO_RETURN_IF_ERROR(check(y));
    }
  }
  return {};
}

// A claim against several releases is one for every selection of them.
Status RequireFewSelections(const BoundPolicy& bound, const BoundJoin& join) {
  const auto check = [&](std::span<const std::uint32_t> against, std::span<const ReleaseColumn> x) -> Status {
    if (CountReleasesToChoose(against, x, {}) <= kMostReleasesToChoose) return {};
    return PolicyError(
        bound.policy, {},
        fmt::format("a guarantee is against more than {} releases of which x names no column, and every "
                    "selection of them would have to be verified; name fewer of them in 'against' of one "
                    "guarantee",
                    kMostReleasesToChoose));
  };
  for (const XyAnonymityClaim& claim : join.releases.anonymity)
    PENTIMENTO_RETURN_IF_ERROR(check(claim.against, claim.x));
  for (const XyLinkabilityClaim& claim : join.releases.linkability)
    PENTIMENTO_RETURN_IF_ERROR(check(claim.against, claim.x));
  return {};
}

// A column that is out as it came links records directly, and nobody can verify it.
Status RefuseKeptColumns(const BoundPolicy& bound, const PublishedRelease& described) {
  for (const EarlierColumn& column : described.columns) {
    if (column.role != Role::kKeep) continue;
    const auto here = std::ranges::find(bound.policy.columns, column.name, &ColumnPolicy::name);
    if (here == bound.policy.columns.end() || here->role == Role::kId) continue;
    return PolicyError(
        bound.policy, here->position,
        fmt::format("column '{}' was published as it came in the release '{}', so the two can be linked "
                    "by it record by record, and nobody can verify that; leave it out here, or rename it "
                    "if it is something else",
                    column.name, described.name));
  }
  return {};
}

// A column of an earlier release whose labels stand above one another was recoded row by row: then who is who can
// sometimes be told by counting, which no join shows.
void WarnOfLocalRecoding(std::span<const PublishedRelease> earlier, std::vector<std::string>& warnings) {
  for (const PublishedRelease& release : earlier) {
    for (const EarlierColumn& column : release.columns) {
      if (!column.was_read || IsCut(column, column.labels)) continue;
      warnings.push_back(
          fmt::format("column '{}' of '{}' was recoded row by row: some of its labels are ancestors of others. Who "
                      "assigns every record of one release to one of the other can then know more than the join "
                      "says, and these guarantees do not cover that. What such matching finds here is told beside "
                      "this, after 'one-to-one matching'",
                      column.name, release.name));
    }
  }
}

// Whoever holds two earlier releases can link them by such a column, whatever this release does.
void WarnOfKeptInSeveral(std::span<const PublishedRelease> earlier, std::vector<std::string>& warnings) {
  for (std::size_t one = 0; one < earlier.size(); ++one) {
    for (const EarlierColumn& column : earlier[one].columns) {
      if (column.role != Role::kKeep) continue;
      for (const PublishedRelease& other : earlier.subspan(one + 1)) {
        if (std::ranges::find(other.columns, column.name, &EarlierColumn::name) == other.columns.end()) continue;
        warnings.push_back(
            fmt::format("column '{}' is in '{}' and in '{}', in one of them as it came: the two "
                        "can be linked by it, and these guarantees do not cover that",
                        column.name, earlier[one].name, other.name));
      }
    }
  }
}

// The new table as it came, in the columns that are matched and in those of `more`. The others are of no matter here,
// and would tell apart rows that are alike.
Classes AsItCame(const EncodedInput& input, const XyReleases& releases, std::span<const ReleaseColumn> more) {
  std::vector<std::vector<Interval>> as_it_came;
  for (const Domain& domain : input.domains) as_it_came.push_back({domain.root()});
  const auto keep = [&](ReleaseColumn column) {
    if (column.release == 0 && column.column < as_it_came.size()) as_it_came[column.column].clear();
  };
  for (const CommonAttribute& attribute : releases.common) std::ranges::for_each(attribute.columns, keep);
  for (const ImpossiblePair& pair : releases.impossible) keep(pair.left), keep(pair.right);
  std::ranges::for_each(more, keep);
  return DraftOfCuts(input.table, input.domains, as_it_came);
}

// Whether records that match as they came have this value together. Unknown is yes: nobody is refused for our limits.
Result<bool> SomebodyHas(const NewReleaseView& view, const XyReleases& releases, const LinkabilityTarget& target,
                         const std::vector<Interval>& value) {
  std::set<std::uint32_t> against;
  for (const ReleaseColumn& at : target.y) {
    if (at.release != 0) against.insert(at.release);
  }
  const XyLinkabilityClaim one{{against.begin(), against.end()}, {}, {{target.y, {value}, {1, 1}}}};
  const auto greatest = FindGreatestLinkability(view, releases, one, 0);
  if (greatest.ok()) return greatest.value() && greatest.value()->with_both > 0;
  if (greatest.error().code == ErrorCode::kRefused) return true;
  return greatest.error();
}

// A limit on a combination of columns of several releases that no match has protects nobody.
Status RequireSomebodyInJoin(const BoundPolicy& bound, const EncodedInput& input, const BoundJoin& join) {
  std::size_t number = 0;
  for (const GuaranteePolicy& guarantee : bound.policy.guarantees) {
    const auto* const asked = std::get_if<XyLinkabilityPolicy>(&guarantee);
    if (asked == nullptr) continue;
    const XyLinkabilityClaim& claim = join.releases.linkability[number++];
    for (std::size_t t = 0; t < claim.targets.size(); ++t) {
      const LinkabilityTarget& target = claim.targets[t];
      const auto is_elsewhere = [&](const ReleaseColumn& at) { return at.release != target.y.front().release; };
      if (target.values.empty() || std::ranges::none_of(target.y, is_elsewhere)) continue;
      const Classes draft = AsItCame(input, join.releases, target.y);
      const NewReleaseView view{draft, join.exact, input.table.persons ? &*input.table.persons : nullptr};
      for (std::size_t v = 0; v < target.values.size(); ++v) {
        PENTIMENTO_ASSIGN(const bool is_there, SomebodyHas(view, join.releases, target, target.values[v]));
        if (!is_there) return LimitOnNobody(bound.policy, asked->y[t], asked->y[t].values[v]);
      }
    }
  }
  return {};
}

// The paper assumes releases about the same people. Records that match nothing, before anything is generalized, are
// not, or a value is written differently.
Status NoteDangling(const EncodedInput& input, const BoundJoin& join, std::span<const PublishedRelease> earlier,
                    std::vector<std::string>& notes) {
  const Classes draft = AsItCame(input, join.releases, {});
  const NewReleaseView view{draft, join.exact, input.table.persons ? &*input.table.persons : nullptr};
  for (std::uint32_t number = 1; number <= earlier.size(); ++number) {
    PENTIMENTO_ASSIGN(const std::vector<std::uint64_t> dangling, CountDangling(view, join.releases, {&number, 1}));
    const std::string& name = earlier[number - 1].name;
    if (dangling[0] > 0)
      notes.push_back(
          fmt::format("{} {} no record of '{}': the two are not about the same people, or write a value differently",
                      dangling[0], Plural(dangling[0], "row of this table matches", "rows of this table match"), name));
    if (dangling[1] > 0)
      notes.push_back(fmt::format("{} {} of '{}' {} no row of this table", dangling[1],
                                  Plural(dangling[1], "record", "records"), name,
                                  Plural(dangling[1], "matches", "match")));
  }
  return {};
}

// What the user can do about it: privacy is never mended by asking for less without knowing what that means.
std::string WhatCouldHelp(const Policy& policy, const Refusal& refusal) {
  const XyFault fault = refusal.xy_fault.value_or(XyFault::kInJoin);
  if (fault == XyFault::kEmptyJoin)
    return "write the values of common columns as the earlier releases write them; where the releases are not about "
           "the "
           "same people, or several of them have nobody in common, take them out of 'against' or name each in a "
           "guarantee of its own";
  if (EarlierNames(policy).empty()) return "leave a column out of x, lower k or raise the limit";
  const std::string less =
      "leave a column out of x, lower k or raise the limit, or do not publish a column that an "
      "earlier release has, too";
  if (fault != XyFault::kOutsideJoin) return less;
  return "write the values of common columns as the earlier releases write them, leave out the rows that match "
         "nothing, "
         "or " +
         less +
         "; with dangling = \"allow\" in the guarantee such rows are published unprotected by it, and the release says "
         "so";
}

Error CannotBeKept(const Policy& policy, const Refusal& refusal) {
  // Without a fault in the join it is another guarantee.
  if (!refusal.xy_fault || refusal.xy_fault == XyFault::kTooLarge) return Refused(refusal);
  return Error{ErrorCode::kRefused,
               fmt::format("{} cannot be kept: even the most general table fails, because {}, and no more special one "
                           "was found that does not. Nothing was published. What could help: {}",
                           refusal.guarantee, refusal.witness, WhatCouldHelp(policy, refusal))};
}

}  // namespace

Status RequireEarlier(const BoundPolicy& bound, Ledger* ledger) {
  for (const auto& [name, position] : EarlierNames(bound.policy)) {
    if (ledger == nullptr) {
      return PolicyError(bound.policy, position,
                         fmt::format("the ledger is empty, so there is no release '{}' to join with; publish or import "
                                     "it first",
                                     name));
    }
    const Result<PublishedRelease> described = DescribePublishedRelease(*ledger, name);
    if (described.ok()) continue;
    if (described.error().code != ErrorCode::kBadPolicy) return described.error();
    return PolicyError(bound.policy, position, described.error().message);
  }
  return {};
}

Result<BoundJoin> RecallEarlier(const BoundPolicy& bound, const EncodedInput& input, Ledger* ledger) {
  std::vector<PublishedRelease> earlier;
  for (const auto& [name, position] : EarlierNames(bound.policy)) {
    Check(ledger != nullptr, "releases are on record before they are read");
    PENTIMENTO_ASSIGN(const PublishedRelease described, DescribePublishedRelease(*ledger, name));
    PENTIMENTO_RETURN_IF_ERROR(RefuseKeptColumns(bound, described));
    PENTIMENTO_ASSIGN(PublishedRelease release, ReadPublishedRelease(*ledger, name, ColumnsToRead(bound, described)));
    earlier.push_back(std::move(release));
  }
  PENTIMENTO_ASSIGN(BoundJoin join, BindJoin(bound, input, earlier));
  PENTIMENTO_RETURN_IF_ERROR(RequireFixedY(bound, join));
  PENTIMENTO_RETURN_IF_ERROR(RequireFewSelections(bound, join));
  PENTIMENTO_RETURN_IF_ERROR(RequireSomebodyInJoin(bound, input, join));
  WarnOfLocalRecoding(earlier, join.remarks.warnings);
  WarnOfKeptInSeveral(earlier, join.remarks.warnings);
  PENTIMENTO_RETURN_IF_ERROR(NoteDangling(input, join, earlier, join.remarks.notes));
  return join;
}

Result<Specialized> SpecializeJoined(const BoundPolicy& bound, const EncodedInput& input, const BoundJoin& join,
                                     const HistoryParts* history) {
  const Purpose purpose = PurposeOf(bound, input);
  const SpecializeInput wanted{input.table,         input.domains,   join.exact,
                               join.is_generalized, join.releases,   bound.k,
                               purpose.utility,     purpose.classes, history != nullptr ? &history->of_row : nullptr};
  Classes most_general;
  Result<Specialized> made = AnonymizeBySpecialization(wanted, &most_general);
  if (made.ok() || made.error().code != ErrorCode::kRefused) return made;
  const XyEvidence join_evidence{join.exact, join.releases};
  Evidence evidence{input.table, input.domains, bound.policy.categories, bound.policy.guarantees};
  evidence.xy = &join_evidence;
  if (history != nullptr) evidence.history = &history->evidence;
  const auto result = Verify({std::move(most_general)}, evidence);
  const Refusal* const refusal = std::get_if<Refusal>(&result);
  if (refusal == nullptr) return made;
  return CannotBeKept(bound.policy, *refusal);
}

}  // namespace pentimento
