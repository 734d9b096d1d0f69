#include "engine/incremental/incremental_context.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "anonymize/incremental/insert_batch.h"
#include "anonymize/incremental/published_boxes.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/random.h"
#include "engine/bind/guarantee_words.h"
#include "engine/incremental/class_counts.h"
#include "engine/incremental/emptied_cases.h"
#include "engine/incremental/follow_incremental.h"
#include "engine/incremental/full_export.h"
#include "engine/incremental/incremental_cells.h"
#include "engine/incremental/series_classes.h"
#include "engine/published/datapackage.h"
#include "engine/steps/id_forms.h"
#include "engine/steps/release_run.h"
#include "engine/steps/stage.h"
#include "guarantee/verify.h"
#include "io/take_input.h"

namespace pentimento {
namespace {

using Recalled = IncrementalContext::Recalled;
using Admitted = IncrementalContext::Admitted;
using Made = IncrementalContext::Made;

const IncrementalKAnonymityPolicy& GuaranteeOf(const ReleaseRun& run) { return *FindIncremental(run.bound); }

bool HoldsEverybody(const ReleaseRun& run) { return run.bound.policy.holds == TableHolds::kEverybody; }

// Members are numbered in an order of their own, drawn apart from the order in which rows are published.
Seed SeedOfNumbering(const Seed& seed) {
  Random random(seed, "numbering of members");
  Seed numbering;
  for (std::uint8_t& byte : numbering) byte = static_cast<std::uint8_t>(random.Next32());
  return numbering;
}

Status RequireFreeNames(const BoundPolicy& bound) {
  for (const ColumnPlan& column : bound.plan.columns) {
    if (column.role == Role::kId || (column.name != kCaseColumn && column.name != kChangeColumn)) continue;
    return PolicyError(
        bound.policy, {},
        fmt::format("a release of a series has a column '{}' of its own; rename that of the input", column.name));
  }
  return {};
}

// What earlier releases promised over the whole series stays promised: the policy's k becomes the largest of them.
std::uint64_t KeepPromises(const std::vector<IncrementalAbout>& abouts, BoundPolicy& bound) {
  std::uint64_t kept = 0;
  for (const IncrementalAbout& about : abouts) {
    if (bound.k >= about.k) continue;
    bound.k = kept = about.k;
    for (GuaranteePolicy& guarantee : bound.policy.guarantees) {
      if (auto* incremental = std::get_if<IncrementalKAnonymityPolicy>(&guarantee)) incremental->k = about.k;
    }
  }
  return kept;
}

// Before the data is read: a policy that does not fit is to blame, not the rows that do not fit it.
Status RequireSameSeries(ReleaseRun& run, Recalled& recalled) {
  const IncrementalKAnonymityPolicy guarantee = GuaranteeOf(run);
  recalled.about = DescribePolicy(run.bound, guarantee);
  PENTIMENTO_RETURN_IF_ERROR(RequireFreeNames(run.bound));
  const std::vector<IncrementalAbout>& abouts = recalled.series.abouts();
  if (recalled.series.is_new()) {
    Random random(run.seed, "case names");
    for (std::uint8_t& byte : recalled.about.case_key) byte = static_cast<std::uint8_t>(random.Next32());
    return {};
  }
  recalled.about.case_key = abouts.front().case_key;
  if (const auto found = FindBreak(abouts, recalled.about)) return CannotContinue(run.bound.policy, guarantee, *found);
  recalled.kept_k = KeepPromises(abouts, run.bound);
  const std::uint64_t k = run.bound.k;
  recalled.about.k = k;
  for (const IncrementalAbout& about : abouts) {
    if (const auto why = FindTooFewFor(k, about)) {
      return Error{ErrorCode::kRefused,
                   fmt::format("k = {} cannot be promised over the whole series '{}': its release '{}' {}. Nothing was "
                               "published; lower k, or begin a series with another name",
                               k, guarantee.series, about.release, *why)};
    }
  }
  return {};
}

Result<std::vector<Removal>> ReadRemovals(ReleaseRun& run) {
  std::vector<Removal> removals;
  EncodePlan plan{{}, run.bound.plan.missing};
  for (const ColumnPlan& column : run.bound.plan.columns) {
    if (column.role == Role::kId) plan.columns.push_back(column);
  }
  for (const TableFile& file : run.bound.tables.removed) {
    EncodeOptions options;
    options.identity_hasher = run.memory.identity_hasher();
    options.spill_folder = run.memory.spill_folder();
    options.keep_identities = true;
    options.shows_bad_values = run.options.show_values;
    PENTIMENTO_ASSIGN(const EncodedInput gone, EncodeTable(OpenInputs({file}, plan), plan, options));
    for (std::size_t row = 0; row < gone.identity_of_row.size(); ++row) {
      removals.push_back(
          {gone.identity_of_row[row], fmt::format("{}: row {} (the header not counted)", file.name, row + 1)});
    }
  }
  return removals;
}

constexpr const char* kHowToMeanIt = "Nothing was published. If it is meant, run the same command with --yes";

// A correction is one row among many. Where many people have another row, it is the columns or the export that changed;
// and where most are not there, the table is no export of everybody.
Status RequireLikelyExport(const ReleaseRun& run, const FullExport& found, const std::string& other_forms) {
  if (run.options.yes) return {};
  const std::string& series = GuaranteeOf(run).series;
  if (2 * found.recognized < found.living) {
    return Error{
        ErrorCode::kBadInput,
        fmt::format("[input] holds = \"everybody\", but of {} people in the series '{}' {} {} in the table: all "
                    "others would leave it, for good. {}. {}",
                    found.living, series, found.recognized, found.recognized == 1 ? "is" : "are",
                    other_forms.empty()
                        ? "See first that ids are written as before, also in letters of the same case: else everybody "
                          "would be in the series twice. If it is a part of an export, name all files; only a table "
                          "of newcomers alone has holds = \"newcomers\""
                        : other_forms + ": write ids as they were written before",
                    kHowToMeanIt)};
  }
  if (10 * found.corrected() > found.living) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("{} of the {} people in the series '{}' have another row than before: each of them would "
                             "get a new case beside the old one, which stays for ever. That is more than a tenth. If a "
                             "column changes for everybody, as an age does, it is no column for a series; if it is "
                             "written in another way, write it as before. {}",
                             found.corrected(), found.living, series, kHowToMeanIt)};
  }
  return {};
}

// To look for other forms of ids is to read the table again: where it may explain something, and does not take long.
Result<std::string> OtherForms(const ReleaseRun& run, const IncrementalMemory& series, const FullExport& found,
                               std::size_t rows) {
  constexpr std::size_t kFewRows = std::size_t{1} << 20;
  if (found.left() == 0 || found.coming.empty()) return std::string();
  if (rows > kFewRows && 2 * found.recognized >= found.living) return std::string();
  return TellOtherForms(run, found.coming,
                        [&](const IdentityHash& identity) { return series.FindMember(identity).has_value(); });
}

// Of the table only those stay who are a change.
Status SortOutEverybody(ReleaseRun& run, const Recalled& recalled, Admitted& admitted) {
  EncodedInput& input = admitted.input;
  PENTIMENTO_ASSIGN(const PeopleOfRows people,
                    RequireOneRowEach(std::move(input.identity_of_row), run.bound.policy.repeated,
                                      {run.bound.policy.inputs, input.rows_after_part}));
  const IncrementalCells cells(run.bound.plan, run.memory.spill_folder(), run.seed, run.progress);
  PENTIMENTO_ASSIGN(FullExport found, CompareWithSeries(recalled.series, input, people, cells));
  PENTIMENTO_ASSIGN(const std::string other_forms, OtherForms(run, recalled.series, found, input.table.rows));
  PENTIMENTO_RETURN_IF_ERROR(RequireLikelyExport(run, found, other_forms));
  if (!other_forms.empty()) {
    run.remarks->warnings.push_back(fmt::format(
        "{}: these people count as newcomers, and the others as having left. Write ids as they were written "
        "before",
        other_forms));
  }
  EncodeOptions options;
  options.seed = SeedOfNumbering(run.seed);
  options.spill_folder = run.memory.spill_folder();
  PENTIMENTO_ASSIGN(input, TakeInput(std::move(input), found.coming, options));
  admitted.left_out = people.dropped.size();
  admitted.full_export = FullExportOutcome{found.unchanged(), found.corrected(), found.left(), found.returned};
  admitted.who = std::move(found.who);
  PENTIMENTO_ASSIGN(admitted.people, AdmitPeople(run, admitted.who.identities));
  return {};
}

Status SortOut(ReleaseRun& run, const Recalled& recalled, Admitted& admitted) {
  if (!run.bound.counts_persons) return {};
  if (HoldsEverybody(run) && !recalled.series.is_new()) return SortOutEverybody(run, recalled, admitted);
  EncodedInput& input = admitted.input;
  PENTIMENTO_ASSIGN(const std::vector<Removal> removals, ReadRemovals(run));
  PENTIMENTO_ASSIGN(admitted.who,
                    SortOutPeople(recalled.series, std::move(input.identity_of_row), run.bound.policy.repeated,
                                  removals, {run.bound.policy.inputs, input.rows_after_part}));
  PENTIMENTO_ASSIGN(admitted.people, AdmitPeople(run, admitted.who.identities));
  return {};
}

// Newcomers are numbered in the order in which their cells are kept; rows that a newer one replaces are left out.
void NumberNewcomers(const Recalled& recalled, Admitted& admitted) {
  EncodedInput& input = admitted.input;
  if (!admitted.who.dropped.empty()) {
    input.form_of_row.assign(input.table.rows, RowForm::kWhole);
    for (const std::uint32_t row : admitted.who.dropped) input.form_of_row[row] = RowForm::kSkipped;
  }
  std::vector<std::uint32_t> order = input.order.All();
  std::erase_if(order, [&](std::uint32_t row) { return input.form(row) == RowForm::kSkipped; });
  admitted.batch.rows = order.size();
  for (const CodeColumn& column : input.table.quasi_identifiers) {
    CodeColumn codes = column.SameWidth();
    column.Visit([&](auto from) {
      codes.VisitMutable([&](auto& to) {
        // Where only changes are published, those whose box changes will stand behind the newcomers.
        to.reserve(recalled.changes_only ? 2 * order.size() : order.size());
        for (const std::uint32_t row : order)
          to.push_back(static_cast<typename std::remove_cvref_t<decltype(to)>::value_type>(from[row]));
      });
    });
    admitted.batch.quasi_identifiers.push_back(std::move(codes));
  }
  std::vector<CaseNumber> member_of_row(input.table.rows);
  const CaseNumber first = recalled.series.view().member_count();
  for (std::size_t i = 0; i < order.size(); ++i) member_of_row[order[i]] = first + static_cast<CaseNumber>(i);
  admitted.members.reserve(admitted.who.rows.size());
  for (const std::uint32_t row : admitted.who.rows) admitted.members.push_back(member_of_row[row]);
  admitted.newcomers = order.size();
  admitted.left_out += admitted.who.dropped.size();
  input.table = {};
}

void NoteRenamed(ReleaseRun& run) {
  for (const auto& [column, renamed] : run.bound.renamed) {
    std::vector<std::string> words;
    for (const auto& [before, now] : renamed.labels) words.push_back(fmt::format("'{}' is now '{}'", before, now));
    run.remarks->notes.push_back(fmt::format("column '{}': labels have other names than when the series began: {}",
                                             column, fmt::join(words, ", ")));
  }
}

IncrementalCells CellsOf(ReleaseRun& run) {
  return IncrementalCells(run.bound.plan, run.memory.ledger()->state_folder(), run.seed, run.progress);
}

Status KeepCells(ReleaseRun& run, Admitted& admitted) {
  PENTIMENTO_ASSIGN(admitted.kept_cells, CellsOf(run).Keep(admitted.input, run.bound.policy.release));
  admitted.input = {};
  admitted.has_kept_cells = true;
  return {};
}

// Earlier members whose box is as it was need not be published as a change.
std::vector<RowForm> SkipUnchanged(const IncrementalChange& change) {
  std::vector<RowForm> form_of_row(change.rows(), RowForm::kWhole);
  ParallelFor(change.rows(), std::size_t{1} << 15, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::uint32_t previous = change.previous_of_row[row];
      if (previous == IncrementalChange::kNew) continue;
      const bool is_unchanged =
          row > begin && change.IsLikeTheRowAbove(row)
              ? form_of_row[row - 1] == RowForm::kSkipped
              : std::ranges::equal(change.classes.box(change.classes.of_row[row]), change.previous_box(previous));
      if (is_unchanged) form_of_row[row] = RowForm::kSkipped;
    }
  });
  return form_of_row;
}

// The smallest class is a lower bound where only changes are looked at: leaves that did not change were counted before.
void NoteSizes(const Recalled& recalled, std::uint64_t k, Made& made, IncrementalAbout& about) {
  const ClassCounts counts = CountClasses(made.change, k);
  if (!recalled.changes_only) {
    made.told.newcomers_among_few = counts.newcomers_among_few;
    made.told.living = CountLiving(made.change.classes, made.change.is_withdrawn, k);
  }
  about.smallest_class = counts.smallest;
  about.fewest_in_new_class = counts.fewest_in_new;
  if (recalled.changes_only && !recalled.series.is_new())
    about.smallest_class = std::min(about.smallest_class, recalled.series.abouts().back().smallest_class);
}

// The whole series with this release in it.
OwnClasses WithNewcomers(const Recalled& recalled, const Admitted& admitted, const SegmentData& segment) {
  IncrementalView view = recalled.series.view();
  view.segments.push_back(segment.view());
  std::vector<NamedMember> named = recalled.series.NamedMembers();
  for (std::size_t i = 0; i < admitted.members.size(); ++i)
    named.push_back({admitted.who.identities[i], admitted.members[i]});
  return ClassesOfSeries(view, std::move(named));
}

IncrementalOutcome BeginTelling(const ReleaseRun& run, const Recalled& recalled, const Admitted& admitted) {
  const IncrementalKAnonymityPolicy& guarantee = GuaranteeOf(run);
  IncrementalOutcome told;
  told.series = guarantee.series;
  told.hides_arrivals = guarantee.hides_arrivals;
  told.number = recalled.series.releases() + 1;
  told.changes_only = recalled.changes_only;
  told.kept_k = recalled.kept_k;
  told.newcomers = admitted.newcomers;
  told.withdrawn = admitted.who.withdrawn.size();
  told.left_out = admitted.left_out;
  told.full_export = admitted.full_export;
  return told;
}

// Of a whole table, whose rows are numbered like cases.
void EmptyRows(const std::vector<EmptiedCase>& emptied, EncodedInput& input) {
  if (emptied.empty()) return;
  std::vector<bool> is_emptied(input.table.rows);
  input.form_of_row.assign(input.table.rows, RowForm::kWhole);
  for (const EmptiedCase& one : emptied) {
    is_emptied[one.member] = true;
    input.form_of_row[one.member] = RowForm::kEmptied;
  }
  for (ValueColumn& column : input.values) EmptyCells(column, is_emptied);
}

Result<EncodedInput> GatherCells(ReleaseRun& run, const Recalled& recalled, const Admitted& admitted,
                                 IncrementalContext::Verified& verified) {
  std::vector<KeptRows> kept;
  if (!recalled.changes_only) {
    PENTIMENTO_ASSIGN(kept, recalled.series.MapRows(StateCheck::kPayload));
  }
  if (admitted.kept_cells) {
    PENTIMENTO_ASSIGN(MappedStateFile file, run.memory.ledger()->MapState(*admitted.kept_cells, StateCheck::kHeader));
    kept.push_back({std::move(file), admitted.newcomers});
  }
  PENTIMENTO_ASSIGN(EncodedInput input, CellsOf(run).Read(kept, verified.table.rows));
  input.table = std::move(verified.table);
  input.domains = admitted.domains;
  input.form_of_row = std::move(verified.form_of_row);
  if (!recalled.changes_only) EmptyRows(admitted.emptied, input);
  return input;
}

IncrementalPart PartOf(const ReleaseRun& run, const Recalled& recalled, const Admitted& admitted,
                       IncrementalContext::Verified& verified) {
  IncrementalPart part{.series = GuaranteeOf(run).series,
                       .number = verified.told.number,
                       .follows = recalled.series.is_new() ? "" : recalled.series.abouts().back().release,
                       .changes_only = recalled.changes_only,
                       .namer = CaseNamer(recalled.about.case_key),
                       .case_of_row = {},
                       .is_refined = {},
                       .withdrawn = {}};
  for (const EmptiedCase& one : admitted.emptied) {
    if (!recalled.changes_only || one.release == recalled.series.releases()) part.withdrawn.push_back(one.member);
  }
  if (!recalled.changes_only) return part;
  for (const std::uint32_t previous : verified.change.previous_of_row)
    part.is_refined.push_back(previous == IncrementalChange::kNew ? 0 : 1);
  part.case_of_row = std::move(verified.change.case_of_row);
  return part;
}

}  // namespace

// Everything is believed only after a look at all of it, unless the point is to touch little.
Result<IncrementalContext::Recalled> IncrementalContext::Recall(ReleaseRun& run) {
  // Everybody is looked at where the table holds everybody.
  const bool touches_little = run.options.changes_only && !HoldsEverybody(run);
  const StateCheck check = touches_little ? StateCheck::kHeader : StateCheck::kPayload;
  PENTIMENTO_ASSIGN(IncrementalMemory series, IncrementalMemory::Open(run.memory.ledger(), GuaranteeOf(run).series,
                                                                      run.bound.quasi_identifiers.size(), check));
  // Changes do without the cells of earlier releases. The next whole table will not, so they had better be there.
  if (check == StateCheck::kHeader) {
    const Result<std::vector<KeptRows>> kept = series.MapRows(check);
    if (!kept.ok()) return kept.error();
  }
  const bool changes_only = run.options.changes_only && !series.is_new();
  PENTIMENTO_RETURN_IF_ERROR(FollowIncremental(series, run.bound, GuaranteeOf(run)));
  NoteRenamed(run);
  Recalled recalled{std::move(series), {}, 0, changes_only};
  PENTIMENTO_RETURN_IF_ERROR(RequireSameSeries(run, recalled));
  return recalled;
}

Result<EncodedInput> IncrementalContext::Read(ReleaseRun& run, const Recalled&) {
  return ReadInput(run, SeedOfNumbering(run.seed), /*keep_identities=*/true);
}

Result<IncrementalContext::Admitted> IncrementalContext::Admit(ReleaseRun& run, Recalled& recalled,
                                                               EncodedInput input) {
  Admitted admitted;
  admitted.input = std::move(input);
  PENTIMENTO_ASSIGN(admitted.domains, FixDomains(admitted.input, run.bound, recalled.series.abouts()));
  admitted.about = WithInput(recalled.about, admitted.domains, admitted.input);
  if (const auto found = FindOtherType(recalled.series.abouts(), admitted.about))
    return CannotContinue(run.bound.policy, GuaranteeOf(run), *found);
  PENTIMENTO_RETURN_IF_ERROR(SortOut(run, recalled, admitted));
  admitted.emptied = FindEmptied(recalled.series, admitted.who, admitted.about.keeps_leavers);
  NumberNewcomers(recalled, admitted);
  // The first release keeps its cells before it is verified: they take as much memory as everything else. Until the
  // release is on record they are nobody's, and go with the next start at the latest.
  if (run.options.dry_run) admitted.input = {};
  if (recalled.series.is_new() && !run.options.dry_run) PENTIMENTO_RETURN_IF_ERROR(KeepCells(run, admitted));
  return admitted;
}

Result<IncrementalContext::Made> IncrementalContext::Make(ReleaseRun& run, const Recalled& recalled,
                                                          Admitted& admitted) {
  const bool hides_arrivals = GuaranteeOf(run).hides_arrivals;
  Made made;
  made.told = BeginTelling(run, recalled, admitted);
  InsertOptions options{
      .k = run.bound.k,
      .form = run.bound.policy.categories,
      .hides_arrivals = hides_arrivals,
      .describes_change = recalled.changes_only,
      .require_intact = [&](std::span<const LeafPart> parts) { return recalled.series.RequireIntactRecords(parts); },
      .segment_is_made = {}};
  // The disk works while we refine and verify. What is refused goes again.
  if (!run.options.dry_run) {
    made.saving = std::make_unique<IncrementalSaving>();
    const std::filesystem::path state_folder = run.memory.ledger()->state_folder();
    made.saving->BeginIdentities(state_folder, run.bound.policy.release, admitted.who.identities);
    options.segment_is_made = [&, state_folder](std::shared_ptr<const SegmentData> segment) {
      made.saving->BeginSegment(state_folder, run.bound.policy.release, std::move(segment), admitted.domains.size(),
                                admitted.members);
    };
  }
  PENTIMENTO_ASSIGN(IncrementalStep step, InsertBatch(recalled.series.view(), admitted.domains,
                                                      std::move(admitted.batch), admitted.who.withdrawn, options));
  PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  made.told.groups_joined = step.leaves_joined;
  made.told.groups_refined = step.leaves_refined;
  made.told.members = std::uint64_t{recalled.series.view().member_count()} + step.segment->new_members;
  made.segment = std::move(step.segment);
  IncrementalView view = recalled.series.view();
  view.segments.push_back(made.segment->view());
  DescribedChange described =
      recalled.changes_only ? std::move(step.described)
                            : DescribeEverything(view, admitted.domains, run.bound.policy.categories, hides_arrivals);
  made.change = std::move(described.change);
  made.table = std::move(described.table);
  NoteSizes(recalled, run.bound.k, made, admitted.about);
  if (made.saving) made.saving->TellAbout(ToJson(admitted.about));
  if (recalled.changes_only) made.form_of_row = SkipUnchanged(made.change);
  made.draft.classes = std::move(made.change.classes);
  return made;
}

Result<IncrementalContext::Verified> IncrementalContext::Verify(ReleaseRun& run, const Recalled& recalled,
                                                                Admitted& admitted, Made made) {
  Evidence evidence{made.table, admitted.domains, run.bound.policy.categories, run.bound.policy.guarantees};
  evidence.change = &made.change;
  std::variant<VerifiedRelease, Refusal> result = pentimento::Verify(std::move(made.draft), evidence);
  Stopwatch watch;
  std::vector<StateFileRecord> saved;
  if (made.saving) {
    PENTIMENTO_ASSIGN(saved, made.saving->Finish());
  }
  const double save_seconds = watch.Lap();
  if (const Refusal* refusal = std::get_if<Refusal>(&result)) return Refused(*refusal);
  std::optional<OwnClasses> own;
  PENTIMENTO_ASSIGN(const bool has_others, run.memory.HasOthers(OwnReleases(recalled, admitted)));
  if (has_others && run.bound.counts_persons) own = WithNewcomers(recalled, admitted, *made.segment);
  // What is saved is not needed again, and the table takes as much memory.
  made.segment.reset();
  admitted.members = std::vector<CaseNumber>();
  admitted.who.identities = std::vector<IdentityHash>();
  admitted.who.rows = std::vector<std::uint32_t>();
  VerifiedRelease release = std::get<VerifiedRelease>(std::move(result));
  Metrics metrics;
  if (recalled.changes_only) {
    metrics.rows = made.table.rows - static_cast<std::size_t>(std::ranges::count(made.form_of_row, RowForm::kSkipped));
  } else {
    made.change = IncrementalChange();
    metrics = Measure(release.classes(), admitted.domains, run.bound.k);
    TellDistortion(metrics, DepthsOfValues(made.table.quasi_identifiers, admitted.domains, made.table.rows));
  }
  return Verified{std::move(release),     std::move(metrics),    std::move(made.told),
                  std::move(made.change), std::move(made.table), std::move(made.form_of_row),
                  std::move(saved),       std::move(own),        save_seconds};
}

std::set<std::string> IncrementalContext::OwnReleases(const Recalled& recalled, const Admitted&) {
  std::set<std::string> own;
  for (const IncrementalAbout& about : recalled.series.abouts()) own.insert(about.release);
  return own;
}

std::optional<OwnClasses> IncrementalContext::Own(ReleaseRun&, Admitted&, Verified& verified) {
  return std::move(verified.own);
}

void IncrementalContext::Tell(const ReleaseRun&, const Recalled&, const Admitted&, const Verified& verified,
                              ReleaseOutcome& outcome) {
  outcome.incremental = verified.told;
}

// Rows of people who came before are in the ledger, and are gathered where they are written.
Status IncrementalContext::Show(ReleaseRun&, const Admitted&, const Verified&, const ShowRows&) { return {}; }

Result<Staged> IncrementalContext::Stage(ReleaseRun& run, const PackageWords& words, const Recalled& recalled,
                                         Admitted& admitted, Verified& verified) {
  Staged staged;
  staged.state = std::move(verified.saved);
  if (!admitted.has_kept_cells) PENTIMENTO_RETURN_IF_ERROR(KeepCells(run, admitted));
  if (admitted.kept_cells) staged.state.push_back(*admitted.kept_cells);
  PENTIMENTO_ASSIGN(EncodedInput input, GatherCells(run, recalled, admitted, verified));
  if (!recalled.changes_only) staged.single_valued = FindSingleValued(run.bound, input, verified.release.classes());
  const IncrementalPart part = PartOf(run, recalled, admitted, verified);
  PENTIMENTO_ASSIGN(staged.files,
                    StageRelease(run.memory.out().staging_path(), run.bound, words, input, verified.release, &part));
  staged.rows = input.table.rows - static_cast<std::size_t>(std::ranges::count(input.form_of_row, RowForm::kSkipped));
  return staged;
}

}  // namespace pentimento
