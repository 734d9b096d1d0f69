#include "engine/incremental/publish_incremental.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "anonymize/incremental/insert_batch.h"
#include "anonymize/incremental/published_boxes.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "engine/incremental/class_counts.h"
#include "engine/incremental/follow_incremental.h"
#include "engine/incremental/incremental_about.h"
#include "engine/incremental/incremental_cells.h"
#include "engine/incremental/incremental_domains.h"
#include "engine/incremental/incremental_memory.h"
#include "engine/incremental/incremental_people.h"
#include "engine/incremental/incremental_saving.h"
#include "engine/published/datapackage.h"
#include "engine/steps/one_release.h"
#include "engine/steps/release_steps.h"
#include "engine/steps/stage.h"
#include "guarantee/verify.h"
#include "io/encode.h"
#include "io/file_reader.h"
#include "utility/metrics.h"

namespace pentimento {
namespace {

// Members are numbered in an order of their own, drawn apart from the order in which rows are published.
Seed SeedOfNumbering(const Seed& seed) {
  Random random(seed, "numbering of members");
  Seed numbering;
  for (std::uint8_t& byte : numbering) byte = static_cast<std::uint8_t>(random.Next32());
  return numbering;
}

// One release of a series. The steps are members so that PublishIncrementalRelease below reads as the flow itself.
class IncrementalPublication : public ReleaseSteps {
 public:
  IncrementalPublication(BoundPolicy bound, const IncrementalKAnonymityPolicy& guarantee, const ReleaseOptions& options,
                         ReleaseMemory memory)
      : ReleaseSteps(std::move(bound), options, std::move(memory)), guarantee_(guarantee), options_(options) {
    outcome_.series.emplace();
    outcome_.series->series = guarantee.series;
    outcome_.series->hides_arrivals = guarantee.hides_arrivals;
  }

  // Everything is believed only after a look at all of it, unless the point is to touch little.
  Status Remember() {
    const StateCheck check = options_.changes_only ? StateCheck::kHeader : StateCheck::kPayload;
    PENTIMENTO_ASSIGN(IncrementalMemory series, IncrementalMemory::Open(memory_.ledger(), guarantee_.series,
                                                                        bound_.quasi_identifiers.size(), check));
    series_.emplace(std::move(series));
    // Changes do without the cells of earlier releases. The next whole table will not, so they had better be there.
    if (check == StateCheck::kHeader) {
      const Result<std::vector<KeptRows>> kept = series_->MapRows(check);
      if (!kept.ok()) return kept.error();
    }
    PENTIMENTO_RETURN_IF_ERROR(FollowIncremental(*series_, bound_, guarantee_));
    PENTIMENTO_RETURN_IF_ERROR(RequireSameSeries());
    outcome_.quasi_identifiers = bound_.quasi_identifiers;
    if (series_->is_new()) options_.changes_only = false;  // everybody is new
    outcome_.series->changes_only = options_.changes_only;
    outcome_.series->number = series_->releases() + 1;
    outcome_.seconds.load = watch_.Lap();
    return {};
  }

  Status Read() {
    PENTIMENTO_ASSIGN(input_, ReadInput(SeedOfNumbering(seed_), /*keep_identities=*/true));
    PENTIMENTO_ASSIGN(domains_, FixDomains(input_, bound_, series_->abouts()));
    about_ = WithInput(std::move(about_), domains_, input_);
    if (const auto found = FindOtherType(series_->abouts(), about_))
      return CannotContinue(bound_.policy, guarantee_, *found);
    if (bound_.counts_persons) {
      PENTIMENTO_ASSIGN(const std::vector<Removal> removals, ReadRemovals());
      PENTIMENTO_ASSIGN(people_, SortOutPeople(*series_, std::move(input_.identity_of_row), bound_.policy.repeated,
                                               removals, {bound_.policy.inputs, input_.rows_after_part}));
      outcome_.persons = people_.identities.size();
      PENTIMENTO_RETURN_IF_ERROR(RequireOtherPeople(bound_, people_.identities, memory_.ledger()));
    }
    NumberNewcomers();
    outcome_.series->newcomers = batch_.rows;
    outcome_.series->withdrawn = people_.withdrawn.size();
    outcome_.series->left_out = people_.dropped.size();
    outcome_.seconds.read = watch_.Lap();
    return {};
  }

  // The first release keeps its cells before the verdict: they take as much memory as everything else. Until the
  // release is on record they are nobody's, and go with the next start at the latest.
  Status MakeRoom() {
    if (options_.dry_run) input_ = {};
    if (!series_->is_new() || options_.dry_run) return {};
    PENTIMENTO_RETURN_IF_ERROR(KeepCells());
    outcome_.seconds.write = watch_.Lap();
    return CheckCancelled();
  }

  Status Insert() {
    progress_->Begin("refining");
    InsertOptions options{
        .k = bound_.k,
        .form = bound_.policy.categories,
        .hides_arrivals = guarantee_.hides_arrivals,
        .describes_change = options_.changes_only,
        .require_intact = [this](std::span<const LeafPart> parts) { return series_->RequireIntactRecords(parts); },
        .segment_is_made = {}};
    // The disk works while we refine and judge. What is refused goes again.
    if (!options_.dry_run) {
      has_loose_state_ = true;
      saving_.BeginIdentities(memory_.ledger()->state_folder(), bound_.policy.release, people_.identities);
      options.segment_is_made = [this](std::shared_ptr<const SegmentData> segment) {
        saving_.BeginSegment(memory_.ledger()->state_folder(), bound_.policy.release, std::move(segment),
                             domains_.size(), members_);
      };
    }
    PENTIMENTO_ASSIGN(IncrementalStep step,
                      InsertBatch(series_->view(), domains_, std::move(batch_), people_.withdrawn, options));
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    segment_ = std::move(step.segment);
    described_ = std::move(step.described);
    outcome_.series->groups_joined = step.leaves_joined;
    outcome_.series->groups_refined = step.leaves_refined;
    outcome_.series->members = std::uint64_t{series_->view().member_count()} + segment_->new_members;
    outcome_.seconds.partition = watch_.Lap();
    return {};
  }

  Result<VerifiedRelease> Judge() {
    progress_->Begin("verifying");
    IncrementalView view = series_->view();
    view.segments.push_back(segment_->view());
    const CategoryForm form = bound_.policy.categories;
    DescribedChange described = options_.changes_only
                                    ? std::move(described_)
                                    : DescribeEverything(view, domains_, form, guarantee_.hides_arrivals);
    change_ = std::move(described.change);
    NoteSizes(change_);
    if (!options_.dry_run) saving_.TellAbout(ToJson(about_));
    NoteUnchanged(change_);
    table_ = std::move(described.table);
    const Claim claim{table_, domains_, form, bound_.policy.guarantees};
    std::variant<VerifiedRelease, Refusal> verdict = VerifyIncremental(claim, change_);
    outcome_.seconds.verify = watch_.Lap();
    PENTIMENTO_RETURN_IF_ERROR(FinishSaving());
    if (const Refusal* refusal = std::get_if<Refusal>(&verdict)) {
      return Error{ErrorCode::kRefused,
                   fmt::format("{} does not hold: {}. Nothing was published.", refusal->guarantee, refusal->witness)};
    }
    if (!options_.changes_only) {
      IncrementalChange needed;
      needed.is_withdrawn = std::move(change_.is_withdrawn);
      change_ = std::move(needed);
    }
    VerifiedRelease release = std::get<VerifiedRelease>(std::move(verdict));
    if (options_.changes_only) {
      outcome_.metrics.rows =
          table_.rows - static_cast<std::size_t>(std::ranges::count(form_of_row_, RowForm::kSkipped));
    } else {
      outcome_.metrics = Measure(release.draft(), domains_, bound_.k);
      TellDistortion(outcome_.metrics, DepthsOfValues(table_.quasi_identifiers, domains_, table_.rows));
    }
    std::set<std::string> own;
    for (const IncrementalAbout& about : series_->abouts()) own.insert(about.release);
    PENTIMENTO_ASSIGN(outcome_.overlaps, memory_.OverlapsWith(people_.identities, own));
    // What is saved is not needed again, and the table takes as much memory.
    people_.identities = {};
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    (void)watch_.Lap();
    return release;
  }

  Result<OpenEntry> Stage(const VerifiedRelease& release) {
    progress_->Begin("writing");
    return WriteStateAndTable(release);
  }

  // After an error on the way: what was written and is not on record goes.
  void DropLooseState() {
    saving_.Abandon();
    if (has_loose_state_) memory_.DropState(bound_.policy.release);
  }

  Status Commit(const OpenEntry& entry) {
    has_loose_state_ = false;
    return ReleaseSteps::Commit(entry);
  }

 private:
  // Before the data is read: a policy that does not fit is to blame, not the rows that do not fit it.
  Status RequireSameSeries() {
    about_ = DescribePolicy(bound_, guarantee_);
    for (const ColumnPlan& column : bound_.plan.columns) {
      if (column.role != Role::kId && (column.name == kCaseColumn || column.name == kChangeColumn)) {
        return PolicyError(
            bound_.policy, {},
            fmt::format("a release of a series has a column '{}' of its own; rename that of the input", column.name));
      }
    }
    if (series_->is_new()) {
      Random random(seed_, "case names");
      for (std::uint8_t& byte : about_.case_key) byte = static_cast<std::uint8_t>(random.Next32());
      return {};
    }
    const IncrementalAbout& first = series_->abouts().front();
    about_.case_key = first.case_key;
    if (const auto found = FindBreak(series_->abouts(), about_))
      return CannotContinue(bound_.policy, guarantee_, *found);
    // What earlier releases promised over the whole series stays promised.
    for (const IncrementalAbout& about : series_->abouts()) KeepPromise(about.k);
    about_.k = bound_.k;
    for (const IncrementalAbout& about : series_->abouts()) {
      if (const auto why = FindTooFewFor(bound_.k, about)) {
        return Error{
            ErrorCode::kRefused,
            fmt::format("k = {} cannot be promised over the whole series '{}': its release '{}' {}. Nothing was "
                        "published; lower k, or begin a series with another name",
                        bound_.k, guarantee_.series, about.release, *why)};
      }
    }
    return {};
  }

  void KeepPromise(std::uint64_t k) {
    if (bound_.k >= k) return;
    bound_.k = k;
    outcome_.k = k;
    outcome_.series->kept_k = k;
    for (GuaranteePolicy& guarantee : bound_.policy.guarantees) {
      if (auto* incremental = std::get_if<IncrementalKAnonymityPolicy>(&guarantee)) incremental->k = k;
    }
  }

  Result<std::vector<Removal>> ReadRemovals() {
    std::vector<Removal> removals;
    EncodePlan plan{{}, bound_.plan.missing};
    for (const ColumnPlan& column : bound_.plan.columns) {
      if (column.role == Role::kId) plan.columns.push_back(column);
    }
    for (const std::filesystem::path& file : bound_.policy.removed) {
      EncodeOptions options;
      options.identity_hasher = memory_.identity_hasher();
      options.spill_folder = memory_.spill_folder();
      options.keep_identities = true;
      PENTIMENTO_ASSIGN(const EncodedInput gone, EncodeTable(OpenInputs({file}, plan), plan, options));
      for (std::size_t row = 0; row < gone.identity_of_row.size(); ++row) {
        removals.push_back(
            {gone.identity_of_row[row], fmt::format("{}: row {} (the header not counted)", file.string(), row + 1)});
      }
    }
    return removals;
  }

  // Newcomers are numbered in the order in which their cells are kept; rows that a newer one replaces are left out.
  void NumberNewcomers() {
    if (!people_.dropped.empty()) {
      input_.form_of_row.assign(input_.table.rows, RowForm::kWhole);
      for (const std::uint32_t row : people_.dropped) input_.form_of_row[row] = RowForm::kSkipped;
    }
    std::vector<std::uint32_t> order = input_.order.All();
    std::erase_if(order, [&](std::uint32_t row) { return input_.form(row) == RowForm::kSkipped; });
    batch_.rows = order.size();
    for (const CodeColumn& column : input_.table.quasi_identifiers) {
      CodeColumn codes = column.SameWidth();
      column.Visit([&](auto from) {
        codes.VisitMutable([&](auto& to) {
          // Where only changes are published, those whose box changes will stand behind the newcomers.
          to.reserve(options_.changes_only ? 2 * order.size() : order.size());
          for (const std::uint32_t row : order)
            to.push_back(static_cast<typename std::remove_cvref_t<decltype(to)>::value_type>(from[row]));
        });
      });
      batch_.quasi_identifiers.push_back(std::move(codes));
    }
    std::vector<CaseNumber> member_of_row(input_.table.rows);
    const CaseNumber first = series_->view().member_count();
    for (std::size_t i = 0; i < order.size(); ++i) member_of_row[order[i]] = first + static_cast<CaseNumber>(i);
    members_.reserve(people_.rows.size());
    for (const std::uint32_t row : people_.rows) members_.push_back(member_of_row[row]);
    input_.table = {};
  }

  // Earlier members whose box is as it was need not be published as a change.
  void NoteUnchanged(const IncrementalChange& change) {
    if (!options_.changes_only) return;
    form_of_row_.assign(change.rows(), RowForm::kWhole);
    ParallelFor(change.rows(), std::size_t{1} << 15, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        const std::uint32_t previous = change.previous_of_row[row];
        if (previous == IncrementalChange::kNew) continue;
        const bool is_unchanged =
            row > begin && change.IsLikeTheRowAbove(row)
                ? form_of_row_[row - 1] == RowForm::kSkipped
                : std::ranges::equal(change.draft.box(change.draft.group_of_row[row]), change.previous_box(previous));
        if (is_unchanged) form_of_row_[row] = RowForm::kSkipped;
      }
    });
  }

  // The smallest class is a lower bound where only changes are looked at: leaves that did not change were counted
  // before.
  void NoteSizes(const IncrementalChange& change) {
    const ClassCounts counts = CountClasses(change, bound_.k);
    if (!options_.changes_only) outcome_.series->newcomers_among_few = counts.newcomers_among_few;
    about_.smallest_class = counts.smallest;
    about_.fewest_in_new_class = counts.fewest_in_new;
    if (options_.changes_only && !series_->is_new())
      about_.smallest_class = std::min(about_.smallest_class, series_->abouts().back().smallest_class);
  }

  Status KeepCells() {
    has_loose_state_ = true;
    PENTIMENTO_ASSIGN(kept_cells_, Cells().Keep(input_, bound_.policy.release));
    input_ = {};
    has_kept_cells_ = true;
    return {};
  }

  // What is saved is not needed again, and the table takes as much memory.
  Status FinishSaving() {
    PENTIMENTO_ASSIGN(saved_, saving_.Finish());
    segment_.reset();
    people_.rows = {};
    members_ = {};
    outcome_.seconds.save = watch_.Lap();
    return {};
  }

  Result<OpenEntry> WriteStateAndTable(const VerifiedRelease& release) {
    std::vector<StateFileRecord> state_files = std::move(saved_);
    if (!has_kept_cells_) PENTIMENTO_RETURN_IF_ERROR(KeepCells());
    if (kept_cells_) state_files.push_back(*kept_cells_);
    PENTIMENTO_ASSIGN(EncodedInput input, GatherCells());
    IncrementalPart part = MakePart();
    PENTIMENTO_ASSIGN(std::vector<PublishedFile> files,
                      StageRelease(memory_.out().staging_path(), bound_, input, release, &part));
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    NoteFiles(files);
    outcome_.seconds.write += watch_.Lap();

    const auto skipped = static_cast<std::size_t>(std::ranges::count(input.form_of_row, RowForm::kSkipped));
    return memory_.EntryOf(bound_, seed_, input.table.rows - skipped, std::move(files), std::move(state_files));
  }

  IncrementalCells Cells() { return IncrementalCells(bound_.plan, memory_.ledger()->state_folder(), seed_, progress_); }

  Result<EncodedInput> GatherCells() {
    std::vector<KeptRows> kept;
    if (!options_.changes_only) {
      PENTIMENTO_ASSIGN(kept, series_->MapRows(StateCheck::kPayload));
    }
    if (kept_cells_) {
      PENTIMENTO_ASSIGN(MappedStateFile file, memory_.ledger()->MapState(*kept_cells_, StateCheck::kHeader));
      kept.push_back({std::move(file), outcome_.series->newcomers});
    }
    PENTIMENTO_ASSIGN(EncodedInput input, Cells().Read(kept, table_.rows));
    input.table = std::move(table_);
    input.domains = domains_;
    input.form_of_row = std::move(form_of_row_);
    if (!options_.changes_only) EmptyWithdrawnRows(input);
    return input;
  }

  void EmptyWithdrawnRows(EncodedInput& input) const {
    std::vector<bool> is_emptied(input.table.rows);
    std::transform(change_.is_withdrawn.begin(), change_.is_withdrawn.end(), is_emptied.begin(),
                   [](std::uint8_t withdrawn) { return withdrawn != 0; });
    if (std::ranges::find(is_emptied, true) == is_emptied.end()) return;
    input.form_of_row.assign(input.table.rows, RowForm::kWhole);
    for (std::size_t row = 0; row < input.table.rows; ++row) {
      if (is_emptied[row]) input.form_of_row[row] = RowForm::kEmptied;
    }
    for (ValueColumn& column : input.values) EmptyCells(column, is_emptied);
  }

  IncrementalPart MakePart() {
    IncrementalPart part{.series = guarantee_.series,
                         .number = outcome_.series->number,
                         .follows = series_->is_new() ? "" : series_->abouts().back().release,
                         .changes_only = options_.changes_only,
                         .namer = CaseNamer(about_.case_key),
                         .case_of_row = {},
                         .is_refined = {},
                         .withdrawn = people_.withdrawn};
    if (options_.changes_only) {
      for (const std::uint32_t previous : change_.previous_of_row)
        part.is_refined.push_back(previous == IncrementalChange::kNew ? 0 : 1);
      part.case_of_row = std::move(change_.case_of_row);
    }
    return part;
  }

  IncrementalKAnonymityPolicy guarantee_;
  ReleaseOptions options_;

  std::optional<IncrementalMemory> series_;
  IncrementalAbout about_;
  std::vector<Domain> domains_;
  EncodedInput input_;  // the batch: who its rows are about, and their cells
  IncrementalPeople people_;
  std::vector<CaseNumber> members_;  // by identity of people_
  EncodedTable batch_;               // the newcomers, as they are numbered
  bool has_kept_cells_ = false;
  std::optional<StateFileRecord> kept_cells_;  // nothing where no column is published as it came
  bool has_loose_state_ = false;               // state files are written, and the release is not on record
  std::vector<StateFileRecord> saved_;
  std::shared_ptr<const SegmentData> segment_;
  DescribedChange described_;  // where only changes are published
  EncodedTable table_;         // of the rows that are published
  IncrementalChange change_;   // without its draft, which is verified and moves on
  std::vector<RowForm> form_of_row_;
  IncrementalSaving saving_;  // of what stands above, so it goes first
};

// The flow.
Result<ReleaseOutcome> Publish(IncrementalPublication& publication, bool dry_run) {
  PENTIMENTO_RETURN_IF_ERROR(publication.Remember());
  PENTIMENTO_RETURN_IF_ERROR(publication.Read());
  PENTIMENTO_RETURN_IF_ERROR(publication.MakeRoom());
  PENTIMENTO_RETURN_IF_ERROR(publication.Insert());
  PENTIMENTO_ASSIGN(const VerifiedRelease release, publication.Judge());
  if (dry_run) return publication.Finish();
  PENTIMENTO_ASSIGN(const OpenEntry entry, publication.Stage(release));
  PENTIMENTO_RETURN_IF_ERROR(publication.Commit(entry));
  return publication.Finish();
}

}  // namespace

Result<ReleaseOutcome> PublishIncrementalRelease(BoundPolicy bound, const IncrementalKAnonymityPolicy& guarantee,
                                                 const ReleaseOptions& options, ReleaseMemory memory) {
  IncrementalPublication publication(std::move(bound), guarantee, options, std::move(memory));
  Result<ReleaseOutcome> outcome = Publish(publication, options.dry_run);
  if (!outcome.ok()) publication.DropLooseState();
  return outcome;
}

}  // namespace pentimento
