#include "engine/publish.h"

#include <variant>

#include "base/freed_memory.h"
#include "base/parallel.h"
#include "engine/alpha_k/bind_limits.h"
#include "engine/alpha_k/feasible.h"
#include "engine/alpha_k/largest_share.h"
#include "engine/alpha_k/make_groups.h"
#include "engine/bind/bind.h"
#include "engine/bind/guarantee_words.h"
#include "engine/global/publish_global.h"
#include "engine/incremental/publish_incremental.h"
#include "engine/k_anonymity/specialize_table.h"
#include "engine/published/datapackage.h"
#include "engine/steps/one_release.h"
#include "engine/steps/release_steps.h"
#include "engine/steps/stage.h"
#include "engine/steps/stage_two_tables.h"
#include "engine/xy/one_to_one_notes.h"
#include "engine/xy/specialize_join.h"
#include "fmt/core.h"
#include "guarantee/verify.h"
#include "guarantee/xy/one_to_one.h"
#include "io/encode.h"

namespace pentimento {
namespace {

// A release in one table or in two: as it would be published, and after the judge has seen it.
using Made = std::variant<Draft, TwoTables>;
using Verified = std::variant<VerifiedRelease, VerifiedTwoTables>;

// One run of the flow. The steps are members so that PublishRelease below reads as the flow itself.
class Publication : public ReleaseSteps {
 public:
  Publication(BoundPolicy bound, const ReleaseOptions& options, ReleaseMemory memory)
      : ReleaseSteps(std::move(bound), options, std::move(memory)),
        keyed_(options.seed ? IdentityHasher(seed_) : memory_.identity_hasher()) {}

  Result<EncodedInput> Read() {
    if (AsksForJoin(bound_)) PENTIMENTO_RETURN_IF_ERROR(RequireEarlier(bound_, memory_.ledger()));
    PENTIMENTO_ASSIGN(EncodedInput input, ReadInput(seed_, /*keep_identities=*/false));
    outcome_.persons = input.people.size();
    outcome_.seconds.read = watch_.Lap();
    return input;
  }

  // What is out already, where a guarantee is about the join with it or covers nobody twice.
  Status Recall(const EncodedInput& input) {
    PENTIMENTO_RETURN_IF_ERROR(RequireOtherPeople(bound_, input.people, memory_.ledger()));
    if (!AsksForJoin(bound_)) return {};
    progress_->Begin("recalling");
    PENTIMENTO_ASSIGN(join_, RecallEarlier(bound_, input, memory_.ledger()));
    outcome_.join.emplace(XyOutcome{GuaranteesInWords(bound_), GuaranteesAsJson(bound_)});
    remarks_->Add(std::move(join_->remarks));
    outcome_.seconds.load = watch_.Lap();
    return CheckCancelled();
  }

  Result<Made> Anonymize(const EncodedInput& input) {
    progress_->Begin(join_ || bound_.policy.method == Method::kSpecialize ? "specializing" : "partitioning");
    PENTIMENTO_RETURN_IF_ERROR(RequireEnoughPeople(bound_.counts_persons ? input.people.size() : input.table.rows));
    PENTIMENTO_RETURN_IF_ERROR(BindAlphaK(input));
    PENTIMENTO_ASSIGN(Made made, Make(input));
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    outcome_.seconds.partition = watch_.Lap();
    return made;
  }

  Result<Verified> Judge(const EncodedInput& input, Made made) {
    progress_->Begin("verifying");
    Claim claim{input.table, input.domains, bound_.policy.categories, bound_.policy.guarantees};
    std::vector<std::string> names;
    if (sensitive_) {
      for (const ValueColumn* column : sensitive_->columns) names.push_back(column->name);
      claim.sensitive = sensitive_->codes;
      claim.sensitive_names = names;
      claim.alpha_k = &sensitive_->claim;
    }
    PENTIMENTO_ASSIGN(Verified release, std::holds_alternative<TwoTables>(made)
                                            ? JudgeTwoTables(claim, std::get<TwoTables>(std::move(made)))
                                            : JudgeDraft(claim, input, std::get<Draft>(std::move(made))));
    outcome_.seconds.verify = watch_.Lap();
    std::visit([&](const auto& verified) { MeasureLoss(input, verified); }, release);
    PENTIMENTO_ASSIGN(outcome_.overlaps, memory_.OverlapsWith(input.people));
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    return release;
  }

  Result<OpenEntry> Stage(const EncodedInput& input, const Verified& release) {
    return StageBeside([&] { return memory_.WriteState(bound_.policy.release, input.people); },
                       [&] { return StageTables(input, release); }, input.table.rows);
  }

 private:
  // Limits on sensitive values: what they mean in this table, and whether any release of it can keep them.
  Status BindAlphaK(const EncodedInput& input) {
    sensitive_ = BindLimits(bound_, input);
    if (!sensitive_) return {};
    if (input.table.rows > 0 && !sensitive_->idle.empty()) {
      return Error{
          ErrorCode::kBadPolicy,
          fmt::format("{}{} No row has any value of this list, so it would protect nobody. Nothing was published.",
                      sensitive_->idle.front(), sensitive_->idle.front().ends_with('?') ? "" : ".")};
    }
    remarks_->Add({.notes = {}, .warnings = sensitive_->warnings});
    PENTIMENTO_RETURN_IF_ERROR(RequireFeasible(bound_, input.table, sensitive_->codes, *sensitive_));
    bound_.policy.method = ChooseMethod(bound_.policy);
    outcome_.sensitive.emplace(AlphaKOutcome{GuaranteesInWords(bound_),
                                             GuaranteesAsJson(bound_),
                                             bound_.policy.form,
                                             MethodName(*bound_.policy.method),
                                             sensitive_->guarantee.alpha,
                                             {},
                                             !sensitive_->guarantee.limits.empty()});
    return {};
  }

  Result<Made> Make(const EncodedInput& input) {
    if (join_) {
      PENTIMENTO_ASSIGN(Specialized made, SpecializeJoined(bound_, input, *join_));
      outcome_.join->specializations = made.steps;
      return Made(std::move(made.draft));
    }
    if (bound_.policy.form == PublishForm::kTwoTables) {
      PENTIMENTO_ASSIGN(TwoTables tables, MakeTwoTables(bound_, input, *sensitive_, seed_));
      return Made(std::move(tables));
    }
    if (bound_.policy.method == Method::kSpecialize) {
      PENTIMENTO_ASSIGN(Specialized made, SpecializeTable(bound_, input));
      outcome_.specializations = made.steps;
      return Made(std::move(made.draft));
    }
    PENTIMENTO_ASSIGN(Draft draft, MakeDraft(bound_, input, sensitive_ ? &*sensitive_ : nullptr, keyed_));
    return Made(std::move(draft));
  }

  static Error Refused(const Refusal& refusal) {
    if (refusal.join_fault == JoinFault::kTooLarge) return TooLargeToJudge(refusal);
    return {ErrorCode::kRefused,
            fmt::format("{} does not hold: {}. Nothing was published.", refusal.guarantee, refusal.witness)};
  }

  Result<Verified> JudgeDraft(const Claim& claim, const EncodedInput& input, Draft draft) {
    std::variant<VerifiedRelease, Refusal> verdict =
        join_ ? VerifyJoined(claim, join_->exact, join_->releases, std::move(draft)) : Verify(claim, std::move(draft));
    if (const Refusal* refusal = std::get_if<Refusal>(&verdict)) return Refused(*refusal);
    VerifiedRelease release = std::get<VerifiedRelease>(std::move(verdict));
    PENTIMENTO_RETURN_IF_ERROR(LookBeyondJoin(input, release));
    return Verified(std::move(release));
  }

  static Result<Verified> JudgeTwoTables(const Claim& claim, TwoTables tables) {
    std::variant<VerifiedTwoTables, Refusal> verdict = VerifyTwoTables(claim, std::move(tables));
    if (const Refusal* refusal = std::get_if<Refusal>(&verdict)) return Refused(*refusal);
    return Verified(std::get<VerifiedTwoTables>(std::move(verdict)));
  }

  void MeasureLoss(const EncodedInput& input, const VerifiedRelease& release) {
    const Draft& draft = release.draft();
    outcome_.metrics = Measure(draft, input.domains, bound_.k);
    // Where classes were verified to hold k people, nobody is alone in one.
    if (input.table.persons && bound_.k < 2) TellAlone(outcome_.metrics, draft, *input.table.persons);
    TellDistortion(outcome_.metrics, DepthsOfValues(input.table.quasi_identifiers, input.domains, input.table.rows));
    if (outcome_.sensitive) {
      outcome_.sensitive->largest_share =
          LargestShare(draft.group_of_row, static_cast<std::uint32_t>(draft.group_count()), sensitive_->signatures);
    }
  }
  void MeasureLoss(const EncodedInput& input, const VerifiedTwoTables& release) {
    const TwoTables& tables = release.tables();
    TaskGroup sizes;
    sizes.Run([&] {
      outcome_.metrics = MeasureClasses(tables.class_of_row, tables.classes, input.domains.size(), bound_.k);
    });
    outcome_.sensitive->largest_share = LargestShare(tables.class_of_row, tables.classes, sensitive_->signatures);
    sizes.Wait();
  }

  Result<std::vector<PublishedFile>> StageTables(const EncodedInput& input, const Verified& release) {
    const std::filesystem::path& folder = memory_.out().staging_path();
    if (const auto* tables = std::get_if<VerifiedTwoTables>(&release))
      return StageTwoTables(folder, bound_, input, sensitive_->columns, *tables);
    return StageRelease(folder, bound_, input, std::get<VerifiedRelease>(release));
  }

  // What one-to-one matching leaves of the guarantees is told, and refuses nothing.
  Status LookBeyondJoin(const EncodedInput& input, const VerifiedRelease& release) {
    if (!join_) return {};
    const NewReleaseView view{release.draft(), join_->exact, input.table.persons ? &*input.table.persons : nullptr};
    PENTIMENTO_ASSIGN(const OneToOneFindings findings, LookOneToOne(view, join_->releases));
    OneToOneNotes told = TellOneToOne(bound_.policy, join_->releases, findings);
    remarks_->Add(std::move(told.remarks));
    outcome_.join->one_to_one_json = std::move(told.json);
    return CheckCancelled();
  }

  IdentityHasher keyed_;  // draws what must be the same in every release of the same table
  std::optional<BoundJoin> join_;
  std::optional<BoundAlphaK> sensitive_;
};

// Bytes of all inputs, below which memory is no worry.
constexpr std::uintmax_t kSmallInput = std::uintmax_t{128} << 20;

bool HasSmallInput(const Policy& policy) {
  std::uintmax_t bytes = 0;
  for (const std::filesystem::path& file : policy.inputs) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error) return false;
    bytes += size;
  }
  return bytes <= kSmallInput;
}

}  // namespace

Result<ReleaseOutcome> PublishRelease(Policy policy, const ReleaseOptions& options) {
  PENTIMENTO_ASSIGN(BoundPolicy bound, Bind(std::move(policy)));
  if (HasSmallInput(bound.policy)) KeepFreedMemory();
  if (options.changes_only && FindIncremental(bound) == nullptr)
    return Error{ErrorCode::kUsage, "--changes-only is for a release of a series; this policy asks for no series"};
  PENTIMENTO_ASSIGN(ReleaseMemory memory, ReleaseMemory::Open(bound.policy, options));
  if (const IncrementalKAnonymityPolicy* series = FindIncremental(bound)) {
    const IncrementalKAnonymityPolicy guarantee = *series;
    return PublishIncrementalRelease(std::move(bound), guarantee, options, std::move(memory));
  }
  if (const GlobalGuaranteePolicy* global = FindGlobal(bound)) {
    const GlobalGuaranteePolicy guarantee = *global;
    return PublishGlobalRelease(std::move(bound), guarantee, options, std::move(memory));
  }
  Publication publication(std::move(bound), options, std::move(memory));

  PENTIMENTO_ASSIGN(const EncodedInput input, publication.Read());
  PENTIMENTO_RETURN_IF_ERROR(publication.Recall(input));
  PENTIMENTO_ASSIGN(Made made, publication.Anonymize(input));
  PENTIMENTO_ASSIGN(const Verified release, publication.Judge(input, std::move(made)));
  if (options.dry_run) return publication.Finish();
  PENTIMENTO_ASSIGN(const OpenEntry entry, publication.Stage(input, release));
  PENTIMENTO_RETURN_IF_ERROR(publication.Commit(entry));
  return publication.Finish();
}

}  // namespace pentimento
