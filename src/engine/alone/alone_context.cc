#include "engine/alone/alone_context.h"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "anonymize/history/within_atoms.h"
#include "anonymize/partition/partition.h"
#include "anonymize/specialize/specialize.h"
#include "base/result.h"
#include "engine/alpha_k/feasible.h"
#include "engine/alpha_k/make_classes.h"
#include "engine/bind/bind.h"
#include "engine/bind/guarantee_words.h"
#include "engine/steps/release_run.h"
#include "engine/steps/stage.h"
#include "guarantee/global/confusable_groups.h"
#include "guarantee/verify.h"
#include "io/encode.h"

namespace pentimento {
namespace {

// Every quasi-identifier is generalized until k people share each combination, and none can be specialized further.
Result<Specialized> SpecializeTable(const BoundPolicy& bound, const EncodedInput& input) {
  const Purpose purpose = PurposeOf(bound, input);
  const std::vector<bool> is_generalized(input.domains.size(), true);
  const XyReleases nothing;
  return AnonymizeBySpecialization(
      {input.table, input.domains, {}, is_generalized, nothing, bound.k, purpose.utility, purpose.classes});
}

// Limits on sensitive values: what they mean in this table, and whether any release of it can keep them.
Result<std::optional<BoundAlphaK>> BindFeasibleLimits(ReleaseRun& run, const EncodedInput& input) {
  std::optional<BoundAlphaK> limits = BindLimits(run.bound, input);
  if (!limits) return limits;
  if (input.table.rows > 0 && !limits->idle.empty()) {
    return Error{
        ErrorCode::kBadPolicy,
        fmt::format("{}{} No row has any value of this list, so it would protect nobody. Nothing was published.",
                    limits->idle.front(), limits->idle.front().ends_with('?') ? "" : ".")};
  }
  run.remarks->Add({.notes = {}, .warnings = limits->warnings});
  PENTIMENTO_RETURN_IF_ERROR(RequireFeasible(run.bound, input.table, limits->codes, *limits));
  return limits;
}

// Classes within the joint classes of what is on record. Those that are too small for a class of their own are told.
Result<Classes> RefineHistory(ReleaseRun& run, const EncodedInput& input, const AloneContext::Admitted& admitted) {
  PartitionOptions options{run.bound.k, run.bound.policy.categories, BoxKind::kMembers};
  if (admitted.limits) options.signatures = &admitted.limits->signatures;
  const RecalledHistory& history = *admitted.history;
  PENTIMENTO_ASSIGN(WithinAtoms made,
                    PartitionWithinAtoms(input.table, input.domains, options, history.atom_of_row, history.atoms));
  if (made.uncut_rows > 0 && history.atoms > 1)
    run.remarks->notes.push_back(
        fmt::format("{} of {} rows share one class: the releases on record leave nothing to refine for these people",
                    made.uncut_rows, input.table.rows));
  return std::move(made.classes);
}

Metrics MeasureLoss(const ReleaseRun& run, const EncodedInput& input, const VerifiedRelease& release) {
  const Classes& classes = release.classes();
  if (release.draft().is_two_tables())
    return MeasureClasses(classes.of_row, classes.count(), input.domains.size(), run.bound.k);
  return MeasureTable(run.bound, input, classes);
}

}  // namespace

Result<EncodedInput> AloneContext::Read(ReleaseRun& run, const Recalled&) {
  return ReadInput(run, run.seed, /*keep_identities=*/false);
}

Result<AloneContext::Admitted> AloneContext::Admit(ReleaseRun& run, const Recalled&, EncodedInput input) {
  PENTIMENTO_ASSIGN(const std::uint64_t people, AdmitPeople(run, input.people));
  PENTIMENTO_RETURN_IF_ERROR(
      RequireEnoughPeople(run.bound, run.bound.counts_persons ? input.people.size() : input.table.rows));
  Admitted admitted{std::move(input), people, std::nullopt};
  PENTIMENTO_ASSIGN(admitted.limits, BindFeasibleLimits(run, admitted.input));
  PENTIMENTO_ASSIGN(admitted.saved, BeginPeopleState(run, std::exchange(admitted.input.people, {})));
  PENTIMENTO_ASSIGN(admitted.history, RecallHistory(run, admitted.input, admitted.saved.people));
  return admitted;
}

Result<AloneContext::Made> AloneContext::Make(ReleaseRun& run, const Recalled&, Admitted& admitted) {
  const BoundPolicy& bound = run.bound;
  const EncodedInput& input = admitted.input;
  if (bound.policy.form == PublishForm::kTwoTables) {
    PENTIMENTO_ASSIGN(Draft tables, MakeTwoTables(bound, input, *admitted.limits, run.seed));
    return Made{std::move(tables), std::nullopt};
  }
  if (bound.policy.method == Method::kSpecialize) {
    run.progress->Begin("specializing");
    PENTIMENTO_ASSIGN(Specialized made, SpecializeTable(bound, input));
    return Made{{std::move(made.draft)}, made.steps, CutsOf(bound, made)};
  }
  if (admitted.history) {
    PENTIMENTO_ASSIGN(Classes classes, RefineHistory(run, input, admitted));
    return Made{{std::move(classes)}, std::nullopt};
  }
  // Draws what must be the same in every release of the same table.
  const IdentityHasher keyed = run.options.seed ? IdentityHasher(run.seed) : run.memory.identity_hasher();
  PENTIMENTO_ASSIGN(Classes classes, MakeDraft(bound, input, admitted.limits ? &*admitted.limits : nullptr, keyed));
  return Made{{std::move(classes)}, std::nullopt};
}

Result<AloneContext::Verified> AloneContext::Verify(ReleaseRun& run, const Recalled&, Admitted& admitted, Made made) {
  const EncodedInput& input = admitted.input;
  Evidence evidence{input.table, input.domains, run.bound.policy.categories, run.bound.policy.guarantees};
  std::vector<std::string> names;
  if (admitted.limits) {
    for (const ValueColumn* column : admitted.limits->columns) names.push_back(column->name);
    evidence.sensitive = admitted.limits->codes;
    evidence.sensitive_names = names;
    evidence.alpha_k = &admitted.limits->claim;
  }
  std::optional<HistoryEvidence> history;
  if (admitted.history) evidence.history = &history.emplace(admitted.history->evidence());
  std::variant<VerifiedRelease, Refusal> result = pentimento::Verify(std::move(made.draft), evidence);
  if (const Refusal* refusal = std::get_if<Refusal>(&result)) return Refused(*refusal);
  VerifiedRelease release = std::get<VerifiedRelease>(std::move(result));
  Metrics metrics = MeasureLoss(run, input, release);
  return Verified{std::move(release), std::move(metrics), made.specializations, std::move(made.cuts)};
}

std::set<std::string> AloneContext::OwnReleases(const Recalled&, const Admitted&) { return {}; }

// By partition and by specialization no two boxes overlap, and equal rows are in one class of two tables. The other
// methods decide row by row.
std::optional<OwnClasses> AloneContext::Own(ReleaseRun& run, Admitted& admitted, Verified& verified) {
  const EncodedInput& input = admitted.input;
  const Classes& classes = verified.release.classes();
  const Method method = ChooseMethod(run.bound.policy);
  std::vector<ClassNumber> confusable;
  if (verified.release.draft().is_two_tables()) {
    if (method != Method::kPartition) confusable = ClassesWithEqualRows(input.table, classes);
  } else if (method == Method::kRecode || admitted.history) {
    confusable = ConfusableGroups(input.table, input.domains, run.bound.policy.categories, classes);
  }
  return OwnClassesOf(run, input, classes, admitted.saved.people, std::move(confusable));
}

void AloneContext::Tell(const ReleaseRun& run, const Recalled&, const Admitted& admitted, const Verified& verified,
                        ReleaseOutcome& outcome) {
  outcome.specializations = verified.specializations;
  outcome.cuts = verified.cuts;
  outcome.single_valued = FindSingleValued(run.bound, admitted.input, verified.release.classes());
  if (verified.specializations || admitted.limits) outcome.method = MethodName(ChooseMethod(run.bound.policy));
  if (!admitted.limits) return;
  const Classes& classes = verified.release.classes();
  outcome.alpha_k = AlphaKOutcome{admitted.limits->guarantee.alpha,
                                  LargestShare(classes.of_row, classes.count(), admitted.limits->signatures),
                                  !admitted.limits->guarantee.limits.empty()};
}

Status AloneContext::Show(ReleaseRun& run, const Admitted& admitted, const Verified& verified, const ShowRows& show) {
  return ShowRelease(run.bound, admitted.input, verified.release, show);
}

Result<Staged> AloneContext::Stage(ReleaseRun& run, const PackageWords& words, const Recalled&, Admitted& admitted,
                                   const Verified& verified) {
  const EncodedInput& input = admitted.input;
  const std::filesystem::path& folder = run.memory.out().staging_path();
  return StageBeside(
      std::move(admitted.saved.state),
      [&] {
        return verified.release.draft().is_two_tables()
                   ? StageTwoTables(folder, run.bound, words, input, admitted.limits->columns, verified.release)
                   : StageRelease(folder, run.bound, words, input, verified.release);
      },
      input.table.rows);
}

}  // namespace pentimento
