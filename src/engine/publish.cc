#include "engine/publish.h"

#include <set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/machine_limits.h"
#include "base/user_name.h"
#include "engine/alone/alone_context.h"
#include "engine/audit/recall_by_content.h"
#include "engine/bind/bind.h"
#include "engine/bind/guarantee_words.h"
#include "engine/composition/compose.h"
#include "engine/composition/composition_json.h"
#include "engine/composition/earlier_releases.h"
#include "engine/global/global_context.h"
#include "engine/incremental/incremental_context.h"
#include "engine/steps/release_context.h"
#include "engine/steps/release_run.h"
#include "engine/xy/xy_context.h"

namespace pentimento {
namespace {

// A release that is staged, or would be, and what is told of it.
struct Prepared {
  ReleaseOutcome outcome;
  OpenEntry entry;
};

constexpr std::size_t kManyRows = std::size_t{1} << 20;  // from so many on, memory is a worry

ReleaseOutcome BeginOutcome(const ReleaseRun& run);
Status MeasureTogether(ReleaseRun& run, const std::optional<OwnClasses>& own, const EncodedInput* rows,
                       const std::set<std::string>& own_releases, ReleaseOutcome& outcome);
OpenEntry EntryOf(const ReleaseRun& run, const ReleaseOutcome& outcome, Staged staged, std::uint64_t rows_read);

// The flow. What differs between guarantees is the context: AloneContext, XyContext, IncrementalContext or
// GlobalContext. Its functions take the values of the steps before and return their own (release_context.h). Nothing is
// visible, and nothing on record, when it ends.
template <ReleaseContext Context>
Result<Prepared> Prepare(ReleaseRun& run, const ReleaseHooks& hooks) {
  Stopwatch watch;
  StepSeconds seconds;
  PENTIMENTO_ASSIGN(auto recalled, Context::Recall(run));  // what is on record about the series or the join
  seconds.load = watch.Lap();
  PENTIMENTO_ASSIGN(EncodedInput input, Context::Read(run, recalled));
  if (input.table.rows > kManyRows) GiveBackFreedMemory();
  const std::uint64_t rows_read = input.table.rows;
  seconds.read = watch.Lap();
  PENTIMENTO_ASSIGN(auto admitted, Context::Admit(run, recalled, std::move(input)));  // may it be published at all?
  PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  seconds.load += watch.Lap();
  run.progress->Begin(Context::kMaking);
  PENTIMENTO_ASSIGN(auto made, Context::Make(run, recalled, admitted));  // a draft, which need not be trusted
  PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  seconds.partition = watch.Lap();
  run.progress->Begin("verifying");
  PENTIMENTO_ASSIGN(auto verified, Context::Verify(run, recalled, admitted, std::move(made)));
  PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  seconds.save = verified.save_seconds;
  seconds.verify = watch.Lap() - seconds.save;

  Prepared prepared{BeginOutcome(run), {}};
  ReleaseOutcome& outcome = prepared.outcome;
  run.progress->Begin("composing");
  const std::optional<OwnClasses> own = Context::Own(run, admitted, verified);
  PENTIMENTO_RETURN_IF_ERROR(
      MeasureTogether(run, own, Context::RowsOfPeople(admitted), Context::OwnReleases(recalled, admitted), outcome));
  PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  seconds.compose = watch.Lap();
  outcome.persons = admitted.people;
  outcome.metrics = std::move(verified.metrics);
  Context::Tell(run, recalled, admitted, verified, outcome);
  if (run.options.dry_run && hooks.show) PENTIMENTO_RETURN_IF_ERROR(Context::Show(run, admitted, verified, hooks.show));
  if (!run.options.dry_run) {
    run.progress->Begin("writing");
    (void)watch.Lap();
    std::future<Result<SavedState>> saving = BeginClassesState(run, own);
    const PackageWords words{outcome.promise, PublicCompositionJson(outcome.composition)};
    Result<Staged> written = Context::Stage(run, words, recalled, admitted, verified);
    Result<SavedState> saved = saving.get();
    PENTIMENTO_ASSIGN(Staged staged, std::move(written));
    PENTIMENTO_ASSIGN(const SavedState classes, std::move(saved));
    staged.state.insert(staged.state.end(), classes.files.begin(), classes.files.end());
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    if (staged.single_valued) outcome.single_valued = std::move(staged.single_valued);
    seconds.save_beside = staged.save_beside;
    seconds.write = watch.Lap();
    for (const PublishedFile& file : staged.files) outcome.files.push_back(file.name);
    outcome.folder = run.memory.out().final_path();
    prepared.entry = EntryOf(run, outcome, std::move(staged), rows_read);
  }
  outcome.seconds = seconds;
  return prepared;
}

// The first of the guarantees that needs more than this table names the context.
Result<Prepared> PrepareInContext(ReleaseRun& run, const ReleaseHooks& hooks) {
  if (FindIncremental(run.bound) != nullptr) return Prepare<IncrementalContext>(run, hooks);
  if (FindGlobal(run.bound) != nullptr) return Prepare<GlobalContext>(run, hooks);
  if (AsksForJoin(run.bound)) return Prepare<XyContext>(run, hooks);
  return Prepare<AloneContext>(run, hooks);
}

// Bytes of all inputs, below which memory is no worry.
constexpr std::uintmax_t kSmallInput = std::uintmax_t{128} << 20;

bool HasSmallInput(const BoundPolicy& bound) {
  std::uintmax_t bytes = 0;
  for (const TableFile& file : bound.tables.files) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file.path, error);
    if (error) return false;
    bytes += size;
  }
  return bytes <= kSmallInput;
}

ReleaseOutcome BeginOutcome(const ReleaseRun& run) {
  const BoundPolicy& bound = run.bound;
  ReleaseOutcome outcome;
  outcome.release = bound.policy.release;
  outcome.dry_run = run.options.dry_run;
  outcome.promise = PromiseOf(bound);
  outcome.form = bound.policy.form;
  outcome.k = bound.k;
  outcome.counts_persons = bound.counts_persons;
  outcome.quasi_identifiers = bound.quasi_identifiers;
  outcome.dropped = bound.tables.dropped;
  outcome.new_ledger = run.memory.new_ledger();
  outcome.recovered = run.memory.recovered();
  return outcome;
}

// What is on record about the people of this release. `rows`: theirs, where everybody has one; else null.
Result<RecalledReleases> RecallAround(ReleaseRun& run, const std::optional<OwnClasses>& own, const EncodedInput* rows,
                                      const std::set<std::string>& own_releases) {
  Ledger* const ledger = run.memory.ledger();
  PeopleOfRelease people;
  people.are_named = run.bound.counts_persons;
  if (own && own->people) people.people = *own->people;
  PENTIMENTO_ASSIGN(RecalledReleases earlier, RecallEarlierReleases(ledger, run.bound.policy, people, own_releases));
  if (ledger != nullptr && own && rows != nullptr)
    PENTIMENTO_RETURN_IF_ERROR(RecallByContent(*ledger, run.bound, *rows, earlier));
  return earlier;
}

// What lies in --out beside this release, and the ledger does not know.
void TellUnrecorded(const ReleaseRun& run, ReleaseOutcome& outcome) {
  for (UnknownRelease& unknown : UnknownFolders(run.memory.unrecorded())) {
    if (!outcome.composition) outcome.composition.emplace();
    outcome.composition->unknown.push_back({std::move(unknown.name), std::move(unknown.why), unknown.shared});
  }
}

// Which releases the steward says are of other people.
void TellAsserted(const ReleaseRun& run, ReleaseOutcome& outcome) {
  const std::vector<std::string>& others = run.bound.policy.other_people;
  if (others.empty()) return;
  if (!outcome.composition) outcome.composition.emplace();
  outcome.composition->other_people = others;
}

// What this release tells together with those on record, and with those that nobody can look at. `rows`: as above.
Status MeasureTogether(ReleaseRun& run, const std::optional<OwnClasses>& own, const EncodedInput* rows,
                       const std::set<std::string>& own_releases, ReleaseOutcome& outcome) {
  PENTIMENTO_ASSIGN(RecalledReleases earlier, RecallAround(run, own, rows, own_releases));
  PENTIMENTO_ASSIGN(outcome.composition,
                    ComposeWithRecord(run.bound, run.memory.identity_hasher(), outcome.promise.json,
                                      own ? *own : OwnClasses(), std::move(earlier)));
  TellUnrecorded(run, outcome);
  TellAsserted(run, outcome);
  if (!run.bound.counts_persons && !outcome.composition) {
    run.remarks->notes.emplace_back(
        "no column has the role 'id', so that nobody in this table can be recognized again: what it tells together "
        "with later releases about the same people cannot be measured");
  }
  return {};
}

// Which table it was made from, for the owner of the ledger: no cell of it, and nothing by which one could be guessed.
RecordedInput InputOf(const BoundPolicy& bound, std::uint64_t rows_read) {
  RecordedInput input;
  for (const std::filesystem::path& file : bound.policy.inputs) input.files.push_back(file.string());
  for (const std::filesystem::path& file : bound.policy.removed) input.files.push_back(file.string());
  input.rows = rows_read;
  for (const ColumnPlan& column : bound.plan.columns) input.columns.push_back(column.name);
  input.columns.insert(input.columns.end(), bound.tables.dropped.begin(), bound.tables.dropped.end());
  return input;
}

OpenEntry EntryOf(const ReleaseRun& run, const ReleaseOutcome& outcome, Staged staged, std::uint64_t rows_read) {
  OpenEntry entry;
  entry.release = outcome.release;
  entry.policy_text = run.bound.policy.text;
  entry.guarantee = outcome.promise.InOneLine();
  entry.parameters_json = outcome.promise.json;
  entry.composition_json = CompositionJson(outcome.composition);
  entry.rows = staged.rows;
  entry.seed = run.seed;
  entry.files = std::move(staged.files);
  entry.final_path = run.memory.out().final_path();
  entry.state_files = std::move(staged.state);
  entry.replaces = std::move(staged.replaces);
  entry.user = UserName();
  entry.policy_file = std::filesystem::absolute(run.bound.policy.source).lexically_normal().string();
  entry.input = InputOf(run.bound, rows_read);
  entry.notes = run.remarks->notes;
  entry.notes.insert(entry.notes.end(), run.remarks->warnings.begin(), run.remarks->warnings.end());
  return entry;
}

}  // namespace

// bind, recall, read, admit, make, verify, stage: Prepare. Then commit: open the entry, make the folder visible, close
// it.
Result<ReleaseOutcome> PublishRelease(Policy policy, const ReleaseOptions& options, const ReleaseHooks& hooks) {
  PENTIMENTO_ASSIGN(BoundPolicy bound, Bind(std::move(policy), options.input));
  if (options.input == nullptr && HasSmallInput(bound)) KeepFreedMemory();
  if (options.changes_only && FindIncremental(bound) == nullptr)
    return Error{ErrorCode::kUsage, "--changes-only is for a release of a series; this policy asks for no series"};
  PENTIMENTO_RETURN_IF_ERROR(RequireApart(options.ledger, options.out));
  PENTIMENTO_ASSIGN(ReleaseMemory memory, ReleaseMemory::Open(bound.policy, options));
  ReleaseRun run(std::move(bound), options, std::move(memory));
  if (hooks.drawn_seed && !options.seed) run.seed = *hooks.drawn_seed;

  PENTIMENTO_ASSIGN(Prepared prepared,
                    PrepareInContext(run, hooks));  // state files go with `run` until they are on record
  if (hooks.approve) PENTIMENTO_RETURN_IF_ERROR(hooks.approve(prepared.outcome));
  if (!options.dry_run) {
    run.progress->Begin("recording");
    Stopwatch watch;
    PENTIMENTO_RETURN_IF_ERROR(run.memory.Commit(prepared.entry));
    prepared.outcome.seconds.record = watch.Lap();
  }
  run.progress->End();
  prepared.outcome.remarks = *run.remarks;
  return std::move(prepared.outcome);
}

}  // namespace pentimento
