#include "engine/alone/alone_context.h"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "anonymize/specialize/specialize.h"
#include "base/result.h"
#include "engine/alpha_k/feasible.h"
#include "engine/alpha_k/make_classes.h"
#include "engine/bind/bind.h"
#include "engine/bind/guarantee_words.h"
#include "engine/steps/release_run.h"
#include "engine/steps/stage.h"
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
  PENTIMENTO_ASSIGN(AdmittedPeople people, AdmitPeople(run, input.people));
  PENTIMENTO_RETURN_IF_ERROR(
      RequireEnoughPeople(run.bound, run.bound.counts_persons ? input.people.size() : input.table.rows));
  Admitted admitted{std::move(input), std::move(people), std::nullopt};
  PENTIMENTO_ASSIGN(admitted.limits, BindFeasibleLimits(run, admitted.input));
  admitted.state = BeginPeopleState(run, std::exchange(admitted.input.people, {}));
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
    return Made{{std::move(made.draft)}, made.steps};
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
  std::variant<VerifiedRelease, Refusal> result = pentimento::Verify(std::move(made.draft), evidence);
  if (const Refusal* refusal = std::get_if<Refusal>(&result)) return Refused(*refusal);
  VerifiedRelease release = std::get<VerifiedRelease>(std::move(result));
  Metrics metrics = MeasureLoss(run, input, release);
  return Verified{std::move(release), std::move(metrics), made.specializations};
}

void AloneContext::Tell(const ReleaseRun& run, const Recalled&, const Admitted& admitted, const Verified& verified,
                        ReleaseOutcome& outcome) {
  outcome.specializations = verified.specializations;
  if (verified.specializations || admitted.limits) outcome.method = MethodName(ChooseMethod(run.bound.policy));
  if (!admitted.limits) return;
  const Classes& classes = verified.release.classes();
  outcome.alpha_k = AlphaKOutcome{admitted.limits->guarantee.alpha,
                                  LargestShare(classes.of_row, classes.count(), admitted.limits->signatures),
                                  !admitted.limits->guarantee.limits.empty()};
}

Result<Staged> AloneContext::Stage(ReleaseRun& run, const Promise& promise, const Recalled&, Admitted& admitted,
                                   const Verified& verified) {
  const EncodedInput& input = admitted.input;
  const std::filesystem::path& folder = run.memory.out().staging_path();
  return StageBeside(
      std::move(admitted.state),
      [&] {
        return verified.release.draft().is_two_tables()
                   ? StageTwoTables(folder, run.bound, promise, input, admitted.limits->columns, verified.release)
                   : StageRelease(folder, run.bound, promise, input, verified.release);
      },
      input.table.rows);
}

}  // namespace pentimento
