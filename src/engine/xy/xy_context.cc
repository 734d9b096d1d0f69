#include "engine/xy/xy_context.h"

#include <fmt/core.h>

#include <utility>
#include <variant>

#include "audit/one_to_one.h"
#include "engine/steps/release_run.h"
#include "engine/steps/stage.h"
#include "engine/xy/join_notes.h"
#include "engine/xy/specialize_join.h"
#include "guarantee/verify.h"
#include "guarantee/xy/xy_anonymity.h"
#include "guarantee/xy/xy_linkability.h"

namespace pentimento {
namespace {

// What one-to-one matching leaves of the guarantees is told, and refuses nothing.
Result<std::string> LookBeyondJoin(ReleaseRun& run, const EncodedInput& input, const BoundJoin& join,
                                   const VerifiedRelease& release) {
  const NewReleaseView view{release.classes(), join.exact, input.table.persons ? &*input.table.persons : nullptr};
  PENTIMENTO_ASSIGN(const OneToOneFindings findings, LookOneToOne(view, join.releases));
  OneToOneNotes told = TellOneToOne(run.bound.policy, join.releases, findings);
  run.remarks->Add(std::move(told.remarks));
  return std::move(told.json);
}

std::string InDigits(WideCount count) {
  if (count == kUncountable) return "more than can be counted";
  return fmt::format("{}", count);
}

// What is there beyond what was asked for: the verifier's own numbers, over the join with all releases of a guarantee.
std::vector<XyOutcome::Reached> FindReached(const EncodedInput& input, const BoundJoin& join,
                                            const VerifiedRelease& release) {
  const NewReleaseView view{release.classes(), join.exact, input.table.persons ? &*input.table.persons : nullptr};
  std::vector<XyOutcome::Reached> reached;
  for (const XyAnonymityClaim& claim : join.releases.anonymity) {
    const auto least = FindLeastAnonymity(view, join.releases, claim);
    if (least.ok() && *least)
      reached.push_back({"xy-anonymity", fmt::format("{}", claim.k), InDigits((*least)->values)});
  }
  for (const XyLinkabilityClaim& claim : join.releases.linkability) {
    for (std::size_t target = 0; target < claim.targets.size(); ++target) {
      const auto greatest = FindGreatestLinkability(view, join.releases, claim, target);
      if (!greatest.ok() || !*greatest) continue;
      reached.push_back({"xy-linkability", ToString(claim.targets[target].at_most),
                         fmt::format("{}/{}", InDigits((*greatest)->with_both), InDigits((*greatest)->with_x))});
    }
  }
  return reached;
}

}  // namespace

Result<XyContext::Recalled> XyContext::Recall(ReleaseRun& run) {
  PENTIMENTO_RETURN_IF_ERROR(RequireEarlier(run.bound, run.memory.ledger()));
  return Recalled();
}

Result<EncodedInput> XyContext::Read(ReleaseRun& run, const Recalled&) {
  return ReadInput(run, run.seed, /*keep_identities=*/false);
}

Result<XyContext::Admitted> XyContext::Admit(ReleaseRun& run, const Recalled&, EncodedInput input) {
  PENTIMENTO_ASSIGN(const std::uint64_t people, AdmitPeople(run, input.people));
  run.progress->Begin("recalling");
  Admitted admitted{std::move(input), people, {}};
  PENTIMENTO_ASSIGN(admitted.join, RecallEarlier(run.bound, admitted.input, run.memory.ledger()));
  run.remarks->Add(std::move(admitted.join.remarks));
  const EncodedInput& read = admitted.input;
  PENTIMENTO_RETURN_IF_ERROR(
      RequireEnoughPeople(run.bound, run.bound.counts_persons ? read.people.size() : read.table.rows));
  PENTIMENTO_ASSIGN(admitted.saved, BeginPeopleState(run, std::exchange(admitted.input.people, {})));
  PENTIMENTO_ASSIGN(admitted.history, RecallHistory(run, read, admitted.saved.people));
  return admitted;
}

Result<XyContext::Made> XyContext::Make(ReleaseRun& run, const Recalled&, Admitted& admitted) {
  std::optional<HistoryParts> history;
  if (admitted.history) history.emplace(PartsOfHistory(*admitted.history, run.bound.k), admitted.history->evidence());
  PENTIMENTO_ASSIGN(Specialized made,
                    SpecializeJoined(run.bound, admitted.input, admitted.join, history ? &*history : nullptr));
  std::vector<ColumnCut> cuts = CutsOf(run.bound, made);
  return Made{{std::move(made.draft)}, made.steps, std::move(cuts)};
}

Result<XyContext::Verified> XyContext::Verify(ReleaseRun& run, const Recalled&, Admitted& admitted, Made made) {
  const EncodedInput& input = admitted.input;
  const XyEvidence join{admitted.join.exact, admitted.join.releases};
  Evidence evidence{input.table, input.domains, run.bound.policy.categories, run.bound.policy.guarantees};
  evidence.xy = &join;
  std::optional<HistoryEvidence> history;
  if (admitted.history) evidence.history = &history.emplace(admitted.history->evidence());
  std::variant<VerifiedRelease, Refusal> result = pentimento::Verify(std::move(made.draft), evidence);
  if (const Refusal* refusal = std::get_if<Refusal>(&result)) return Refused(*refusal);
  VerifiedRelease release = std::get<VerifiedRelease>(std::move(result));
  XyOutcome told;
  PENTIMENTO_ASSIGN(told.one_to_one_json, LookBeyondJoin(run, input, admitted.join, release));
  told.reached = FindReached(input, admitted.join, release);
  Metrics metrics = MeasureTable(run.bound, input, release.classes());
  return Verified{std::move(release), std::move(metrics), made.specializations, std::move(told), std::move(made.cuts)};
}

std::set<std::string> XyContext::OwnReleases(const Recalled&, const Admitted&) { return {}; }

std::optional<OwnClasses> XyContext::Own(ReleaseRun& run, Admitted& admitted, Verified& verified) {
  return OwnClassesOf(run, admitted.input, verified.release.classes(), admitted.saved.people);
}

void XyContext::Tell(const ReleaseRun& run, const Recalled&, const Admitted& admitted, const Verified& verified,
                     ReleaseOutcome& outcome) {
  outcome.single_valued = FindSingleValued(run.bound, admitted.input, verified.release.classes());
  outcome.specializations = verified.specializations;
  outcome.cuts = verified.cuts;
  outcome.xy = verified.told;
}

Status XyContext::Show(ReleaseRun& run, const Admitted& admitted, const Verified& verified, const ShowRows& show) {
  return ShowRelease(run.bound, admitted.input, verified.release, show);
}

Result<Staged> XyContext::Stage(ReleaseRun& run, const PackageWords& words, const Recalled&, Admitted& admitted,
                                const Verified& verified) {
  const EncodedInput& input = admitted.input;
  return StageBeside(
      std::move(admitted.saved.state),
      [&] { return StageRelease(run.memory.out().staging_path(), run.bound, words, input, verified.release); },
      input.table.rows);
}

}  // namespace pentimento
