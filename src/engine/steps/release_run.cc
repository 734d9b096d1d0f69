#include "engine/steps/release_run.h"

#include <future>
#include <numeric>
#include <utility>

#include "base/clock.h"
#include "base/parallel.h"
#include "engine/steps/people_on_record.h"
#include "fmt/core.h"

namespace pentimento {

Error Refused(const Refusal& refusal, const std::string& who) {
  // A limit of the program says nothing about the release.
  if (refusal.xy_fault == XyFault::kTooLarge)
    return Error{ErrorCode::kBadPolicy, fmt::format("{} cannot be verified by this version: {}. Nothing was published",
                                                    refusal.guarantee, refusal.witness)};
  return {ErrorCode::kRefused,
          fmt::format("{} does not hold: {}{}. Nothing was published.", refusal.guarantee, refusal.witness, who)};
}

ReleaseRun::ReleaseRun(BoundPolicy given, const ReleaseOptions& asked, ReleaseMemory opened)
    : bound(std::move(given)),
      options(asked),
      memory(std::move(opened)),
      seed(asked.seed ? SeedFromNumber(*asked.seed) : DrawSeed()),
      progress(asked.progress != nullptr ? asked.progress : &silent_),
      remarks(asked.remarks != nullptr ? asked.remarks : &own_remarks_) {
  remarks->notes = memory.recovered();
  remarks->Add({.notes = memory.notes(), .warnings = {}});
  remarks->Add({.notes = bound.tables.read_as, .warnings = {}});
}

Result<EncodedInput> ReadInput(ReleaseRun& run, const Seed& order, bool keep_identities) {
  PENTIMENTO_RETURN_IF_ERROR(RequireTellable(run.bound, run.memory.ledger(), run.memory.unrecorded()));
  run.progress->Begin("reading");
  EncodeOptions options;
  options.seed = order;
  options.identity_hasher = run.memory.identity_hasher();
  options.spill_folder = run.memory.spill_folder();
  options.keep_identities = keep_identities;
  options.shows_bad_values = run.options.show_values;
  options.progress = run.progress;
  return EncodeTable(OpenInput(run.bound), run.bound.plan, options);
}

Result<std::uint64_t> AdmitPeople(ReleaseRun& run, std::span<const IdentityHash> people) {
  PENTIMENTO_RETURN_IF_ERROR(RequireOtherPeople(run.bound, people, run.memory.ledger()));
  return std::uint64_t{people.size()};
}

Result<SavedPeople> BeginPeopleState(ReleaseRun& run, std::vector<IdentityHash> people) {
  SavedPeople saved{{}, std::make_shared<const std::vector<IdentityHash>>(std::move(people))};
  if (!run.options.dry_run) saved.state = run.memory.BeginState(run.bound.policy.release, saved.people);
  PENTIMENTO_ASSIGN(const bool has_others, run.memory.HasOthers());
  if (!has_others) saved.people.reset();
  return saved;
}

std::future<Result<SavedState>> BeginClassesState(ReleaseRun& run, const std::optional<OwnClasses>& own) {
  return StartSideTask([&run, &own]() -> Result<SavedState> {
    SavedState saved;
    if (!run.bound.counts_persons || !own || own->is_in_series_state || own->class_of.empty()) return saved;
    PENTIMENTO_ASSIGN(StateFileRecord file,
                      WriteOwnClasses(run.memory.ledger()->state_folder(), run.bound.policy.release, *own));
    saved.files.push_back(std::move(file));
    return saved;
  });
}

std::optional<OwnClasses> OwnClassesOf(const ReleaseRun& run, const EncodedInput& input, const Classes& classes,
                                       const SharedPeople& people, std::vector<ClassNumber> confusable) {
  std::vector<std::uint32_t> each;
  if (!run.bound.counts_persons) {
    if (!people) return std::nullopt;
    each.resize(input.table.rows);
    std::iota(each.begin(), each.end(), 0U);
  }
  const bool one_row_each = !input.table.persons;
  const std::vector<std::uint32_t>& person_of_row = !each.empty()  ? each
                                                    : one_row_each ? input.person_of_row
                                                                   : input.table.persons->person_of_row;
  ReleasedRows released{classes, person_of_row,
                        one_row_each ? static_cast<std::uint32_t>(input.table.rows) : input.table.persons->count};
  released.sensitive = SensitiveColumnsOf(run.bound, input);
  released.confusable = std::move(confusable);
  OwnClasses own = ClassesOf(released, run.memory.identity_hasher());
  own.people = people;
  own.people_are_on_file = run.bound.counts_persons;
  return own;
}

Status RequireEnoughPeople(const BoundPolicy& bound, std::uint64_t there) {
  if (there >= bound.k) return {};
  const char* const people = bound.counts_persons ? (there == 1 ? "person" : "people") : (there == 1 ? "row" : "rows");
  return Error{
      ErrorCode::kRefused,
      fmt::format(
          "the table has {} {}, but every class needs {}: {} more would be needed, and nothing was published; gather "
          "more rows or lower k",
          there, people, bound.k, bound.k - there)};
}

std::vector<ColumnCut> CutsOf(const BoundPolicy& bound, const Specialized& made) {
  std::vector<ColumnCut> cuts;
  for (std::size_t column = 0; column < made.cuts.size(); ++column) {
    if (made.cuts[column].empty()) continue;  // as it came
    const auto refused = std::ranges::count(made.left_general, column, &LeftGeneral::column);
    cuts.push_back({bound.quasi_identifiers[column], made.cuts[column].size(), static_cast<std::uint64_t>(refused)});
  }
  return cuts;
}

namespace {

bool LimitsSensitiveValues(const BoundPolicy& bound) {
  const std::span<const GuaranteePolicy> guarantees = bound.policy.guarantees;
  const auto* history = FindGuarantee<HistoryPolicy>(guarantees);
  return FindAlphaK(bound) != nullptr || FindGlobal(bound) != nullptr ||
         FindGuarantee<XyLinkabilityPolicy>(guarantees) != nullptr || (history != nullptr && history->alpha);
}

}  // namespace

std::optional<std::vector<SingleValuedColumn>> FindSingleValued(const BoundPolicy& bound, const EncodedInput& input,
                                                                const Classes& classes) {
  if (LimitsSensitiveValues(bound)) return std::nullopt;
  std::vector<SingleValuedColumn> found;
  for (const ValueColumn* column : SensitiveColumnsOf(bound, input))
    found.push_back({column->name, CountSingleValued(classes, column->codes, column->null_code)});
  return found;
}

Metrics MeasureTable(const BoundPolicy& bound, const EncodedInput& input, const Classes& classes) {
  Metrics metrics = Measure(classes, input.domains, bound.k);
  // Where classes were verified to hold k people, nobody is alone in one.
  if (input.table.persons && bound.k < 2) TellAlone(metrics, classes, *input.table.persons);
  TellDistortion(metrics, DepthsOfValues(input.table.quasi_identifiers, input.domains, input.table.rows));
  return metrics;
}

Result<Staged> StageBeside(std::future<Result<SavedState>> state,
                           const std::function<Result<std::vector<PublishedFile>>()>& stage_tables,
                           std::uint64_t rows) {
  Result<std::vector<PublishedFile>> files = stage_tables();
  Result<SavedState> saved = state.get();
  if (!files.ok()) return std::move(files).error();
  if (!saved.ok()) return std::move(saved).error();
  return Staged{rows, std::move(files).value(), std::move(saved->files), {}, saved->seconds};
}

}  // namespace pentimento
