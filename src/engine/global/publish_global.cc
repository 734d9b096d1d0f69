#include "engine/global/publish_global.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

#include "anonymize/limits/count_classes.h"
#include "base/parallel.h"
#include "base/plural.h"
#include "base/stopwatch.h"
#include "engine/alpha_k/bind_limits.h"
#include "engine/alpha_k/feasible.h"
#include "engine/alpha_k/make_groups.h"
#include "engine/bind/guarantee_words.h"
#include "engine/global/account.h"
#include "engine/global/bearable.h"
#include "engine/global/bind_items.h"
#include "engine/global/cells_that_stay.h"
#include "engine/global/form_groups.h"
#include "engine/global/input_hash.h"
#include "engine/global/persistence.h"
#include "engine/global/row_choice.h"
#include "engine/steps/one_release.h"
#include "engine/steps/one_row_each.h"
#include "engine/steps/release_steps.h"
#include "engine/steps/stage.h"
#include "engine/steps/stage_two_tables.h"
#include "guarantee/verify.h"
#include "release/global_horizon.h"
#include "utility/metrics.h"

namespace pentimento {
namespace {

using Verified = std::variant<VerifiedRelease, VerifiedTwoTables>;

// One release of the series. The steps are members so that PublishGlobalRelease below reads as the flow itself.
class GlobalPublication : public ReleaseSteps {
 public:
  GlobalPublication(BoundPolicy bound, const GlobalGuaranteePolicy& guarantee, const ReleaseOptions& options,
                    ReleaseMemory memory)
      : ReleaseSteps(std::move(bound), options, std::move(memory)), guarantee_(guarantee) {
    GlobalOutcome& global = outcome_.global.emplace();
    global.promises = GuaranteesInWords(bound_);
    global.guarantees_json = GuaranteesAsJson(bound_);
    global.form = bound_.policy.form;
    global.series = guarantee.series;
  }

  Status Remember() {
    PENTIMENTO_ASSIGN(account_, Account::Open(memory_.ledger(), guarantee_.series));
    outcome_.global->number = account_.about().releases.size() + 1;
    outcome_.seconds.load = watch_.Lap();
    if (!guarantee_.releases || account_.about().releases.size() < *guarantee_.releases) return {};
    return Error{
        ErrorCode::kRefused,
        fmt::format("the series '{}' was planned with {} release{}, and all of them are out, so nothing is left "
                    "for another one. Nothing was published; where people have budget left a larger 'releases' in the "
                    "policy helps (try it with --dry-run), otherwise begin another series with other people",
                    guarantee_.series, *guarantee_.releases, *guarantee_.releases == 1 ? "" : "s")};
  }

  Status Read() {
    PENTIMENTO_ASSIGN(input_, ReadInput(seed_, /*keep_identities=*/true));
    if (input_.table.rows == 0) return Error{ErrorCode::kBadInput, "the table has no rows, so nothing was published"};
    PENTIMENTO_RETURN_IF_ERROR(SortPeople());
    outcome_.seconds.read = watch_.Lap();
    PENTIMENTO_RETURN_IF_ERROR(RequireAnotherInput());
    PENTIMENTO_RETURN_IF_ERROR(RequireOtherPeople(bound_, people_.identities, memory_.ledger()));
    std::set<std::string> own;
    for (const AccountedRelease& release : account_.about().releases) own.insert(release.name);
    PENTIMENTO_ASSIGN(outcome_.overlaps, memory_.OverlapsWith(people_.identities, own));
    PENTIMENTO_ASSIGN(items_, BindItems(bound_, guarantee_, input_, account_));
    remarks_->Add({.notes = items_.notes, .warnings = {}});
    if (auto note = NoteOnCellsThatStay(bound_.policy, guarantee_)) remarks_->notes.push_back(*std::move(note));
    PENTIMENTO_RETURN_IF_ERROR(RequireKeptSoFar(bound_, guarantee_, items_.claim, account_));
    const std::size_t known = account_.people().size();
    const std::vector<std::uint32_t> numbers = account_.Join(people_.identities);
    outcome_.global->newcomers = account_.people().size() - known;
    // From the order of the identities to that of the rows.
    std::vector<std::uint32_t> person_of_input_row(input_.table.rows);
    for (std::size_t i = 0; i < numbers.size(); ++i) person_of_input_row[people_.rows[i]] = numbers[i];
    if (HasAllRows()) {
      person_of_row_ = std::move(person_of_input_row);
    } else {
      for (const std::uint32_t row : rows_) person_of_row_.push_back(person_of_input_row[row]);
    }
    outcome_.seconds.load += watch_.Lap();
    frequencies_ = CountItems(items_, rows_);
    const Status bearable = RequireBearable(guarantee_, items_.claim, frequencies_, account_.about().releases.size());
    if (bearable.ok()) return {};
    return Error{bearable.error().code,
                 bearable.error().message + WordsOnEveryValue(bound_, guarantee_, items_, frequencies_)};
  }

  Status Group() {
    progress_->Begin("grouping");
    const EncodedTable chosen = HasAllRows() ? EncodedTable() : TakeRows(input_.table, rows_);
    const EncodedTable& table = HasAllRows() ? input_.table : chosen;
    PENTIMENTO_RETURN_IF_ERROR(RequireEnoughPeople(table.rows));
    const std::vector<CodeColumn> columns = ChosenSensitive();
    std::vector<const CodeColumn*> sensitive = items_.codes;
    for (std::size_t c = 0; c < columns.size(); ++c) sensitive[c] = &columns[c];
    if (const std::optional<BoundAlphaK> limits = BindLimits(bound_, input_))
      PENTIMENTO_RETURN_IF_ERROR(RequireFeasible(bound_, table, sensitive, *limits));
    PENTIMENTO_ASSIGN(groups_, FormGlobalGroups({bound_, guarantee_, input_, items_, account_, table, sensitive,
                                                 person_of_row_, seed_}));
    outcome_.global->withheld = groups_.withheld;
    if (guarantee_.blind) outcome_.global->blind_rows = groups_.fewest_rows;
    if (groups_.withheld > 0) PENTIMENTO_RETURN_IF_ERROR(LeaveOutWithheld());
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    outcome_.seconds.partition = watch_.Lap();
    return {};
  }

  // Of the rows that would be published, and of no others: whether a release is refused must not depend on more.
  Status RequireFreshValues() {
    if (account_.about().releases.empty()) return {};
    persistence_ = MeasurePersistence(items_, Published(), frequencies_, account_, guarantee_.most_persistence);
    outcome_.seconds.load += watch_.Lap();
    remarks_->Add(
        {.notes = {}, .warnings = WarnOfPersistence(items_.claim, persistence_, guarantee_.most_persistence)});
    return RequireComingAndGoing(items_.claim, account_.about().items, persistence_, guarantee_.most_persistence);
  }

  Result<Verified> Judge() {
    progress_->Begin("verifying");
    const EncodedTable chosen = HasAllRows() ? EncodedTable() : TakeRows(input_.table, rows_);
    const std::vector<CodeColumn> columns = ChosenSensitive();
    std::vector<const CodeColumn*> sensitive;
    for (const CodeColumn& column : columns) sensitive.push_back(&column);
    if (HasAllRows()) sensitive = items_.codes;
    Claim claim{HasAllRows() ? input_.table : chosen, input_.domains, bound_.policy.categories,
                bound_.policy.guarantees, sensitive};
    const std::optional<BoundAlphaK> limits = BindLimits(bound_, input_);
    if (limits) claim.alpha_k = &limits->claim;
    if (!HasAllRows()) claim.input_rows = rows_;
    GlobalBudgets budgets{items_.claim, person_of_row_, static_cast<std::uint32_t>(account_.about().releases.size()),
                          account_.TakeSpent()};
    PENTIMENTO_ASSIGN(Verified release, Verify(claim, budgets));
    outcome_.seconds.verify = watch_.Lap();
    std::visit([&](const auto& verified) { MeasureLoss(claim.table, verified); }, release);
    PENTIMENTO_RETURN_IF_ERROR(RequireUse());
    (void)watch_.Lap();
    NoteItems();
    account_.Charge(person_of_row_, std::move(budgets.spent), Accounted());
    RememberHeld(items_, Published(), account_);
    for (std::size_t item = 0; item < items_.claim.items.size(); ++item)
      account_.Promise(item, items_.claim.items[item].l);
    NoteWhatIsLeft();
    outcome_.seconds.save = watch_.Lap();
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    return release;
  }

  Result<OpenEntry> Stage(const Verified& release) {
    PENTIMENTO_ASSIGN(OpenEntry entry,
                      StageBeside([&] { return WriteBudgets(); }, [&] { return StageTables(release); }, rows_.size()));
    if (!account_.file().empty()) entry.replaces = {account_.file()};
    return entry;
  }

 private:
  PublishedPeople Published() const { return {rows_, person_of_row_}; }
  bool HasAllRows() const { return rows_.size() == input_.table.rows; }

  Result<std::vector<StateFileRecord>> WriteBudgets() {
    Stopwatch beside;
    PENTIMENTO_ASSIGN(StateFileRecord budgets,
                      account_.Write(memory_.ledger()->state_folder(), bound_.policy.release + ".budgets"));
    outcome_.seconds.save_beside = beside.Lap();
    return std::vector<StateFileRecord>{std::move(budgets)};
  }

  Result<std::vector<PublishedFile>> StageTables(const Verified& release) {
    const std::filesystem::path& folder = memory_.out().staging_path();
    if (const auto* tables = std::get_if<VerifiedTwoTables>(&release))
      return StageTwoTables(folder, bound_, input_, items_.columns, *tables);
    return StageRelease(folder, bound_, input_, std::get<VerifiedRelease>(release));
  }

  Status SortPeople() {
    PENTIMENTO_ASSIGN(people_, RequireOneRowEach(std::move(input_.identity_of_row), bound_.policy.repeated,
                                                 {bound_.policy.inputs, input_.rows_after_part}));
    rows_.resize(input_.table.rows);
    std::iota(rows_.begin(), rows_.end(), 0U);
    if (!people_.dropped.empty()) {
      rows_ = people_.rows;
      std::ranges::sort(rows_);
      PublishOnly(input_, rows_);
    }
    outcome_.persons = people_.identities.size();
    outcome_.global->left_out = people_.dropped.size();
    return {};
  }

  Status RequireAnotherInput() {
    input_hash_ = InputHash(input_, bound_.quasi_identifiers, people_);
    const auto& releases = account_.about().releases;
    const auto same = std::ranges::find(releases, input_hash_, &AccountedRelease::input);
    if (same == releases.end()) return {};
    return Error{ErrorCode::kRefused,
                 fmt::format("the release '{}' of the series '{}' was made from the same people with the same values: "
                             "publishing them again would spend everybody's budgets and tell nothing new. Nothing was "
                             "published; name the new table in [input] path",
                             same->name, guarantee_.series)};
  }

  // Groups keep their numbers; rows that are withheld are gone from everything that is judged.
  Status LeaveOutWithheld() {
    std::vector<std::uint32_t> rows, person_of_row;
    std::vector<ClassNumber> class_of_row;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (groups_.grouping.class_of_row[i] == kWithheldClass) continue;
      rows.push_back(rows_[i]);
      person_of_row.push_back(person_of_row_[i]);
      class_of_row.push_back(groups_.grouping.class_of_row[i]);
    }
    rows_ = std::move(rows);
    person_of_row_ = std::move(person_of_row);
    groups_.grouping.class_of_row = std::move(class_of_row);
    PublishOnly(input_, rows_);
    PENTIMENTO_ASSIGN(items_, BindItems(bound_, guarantee_, input_, account_));
    frequencies_ = CountItems(items_, rows_);
    return {};
  }

  // Empty where every row is chosen: the columns are as they are.
  std::vector<CodeColumn> ChosenSensitive() const {
    std::vector<CodeColumn> columns;
    if (HasAllRows()) return columns;
    for (const CodeColumn* column : items_.codes) columns.push_back(TakeRows(*column, rows_));
    return columns;
  }

  // The person is named by the ledger's keyed hash: whoever has the ledger's key finds out who it is, and nobody else.
  Error Refused(const Refusal& refusal) const {
    std::string who;
    if (refusal.person) {
      const IdentityHash& hash = account_.people()[*refusal.person];
      who = fmt::format(" (the ledger's hash of this person is {:016x}{:016x})", hash.high, hash.low);
    }
    return {ErrorCode::kRefused,
            fmt::format("{} does not hold: {}{}. Nothing was published.", refusal.guarantee, refusal.witness, who)};
  }

  Result<Verified> Verify(const Claim& claim, GlobalBudgets& budgets) {
    if (bound_.policy.form == PublishForm::kTwoTables) {
      TwoTables made = CountClasses(std::move(groups_.grouping), claim.sensitive,
                                    SensitiveTablesOf(bound_.policy, items_.columns.size()), seed_);
      auto verdict = VerifyGlobal(claim, budgets, std::move(made));
      if (const Refusal* refusal = std::get_if<Refusal>(&verdict)) return Refused(*refusal);
      return Verified(std::get<VerifiedTwoTables>(std::move(verdict)));
    }
    auto verdict = VerifyGlobal(claim, budgets, NumberGroups());
    if (const Refusal* refusal = std::get_if<Refusal>(&verdict)) return Refused(*refusal);
    return Verified(std::get<VerifiedRelease>(std::move(verdict)));
  }

  void MeasureLoss(const EncodedTable& table, const VerifiedRelease& release) {
    outcome_.metrics = MeasureNumbered(release.draft(), input_.domains, bound_.k);
    TellDistortion(outcome_.metrics, DepthsOfValues(table.quasi_identifiers, input_.domains, table.rows));
  }
  void MeasureLoss(const EncodedTable& /*table*/, const VerifiedTwoTables& release) {
    const TwoTables& tables = release.tables();
    outcome_.metrics = MeasureClasses(tables.class_of_row, tables.classes, input_.domains.size(), bound_.k);
  }

  // Budgets are spent whatever the groups tell. Two tables lose nothing of the detail.
  Status RequireUse() const {
    if (bound_.policy.form == PublishForm::kTwoTables) return {};
    if (!LosesTooMuch(guarantee_, outcome_.metrics.ncp_percent)) return {};
    const std::uint64_t withheld = outcome_.global->withheld;
    const std::string without = withheld == 0
                                    ? std::string()
                                    : fmt::format(", also without {} {} who have too little left of their budgets",
                                                  withheld, Plural(withheld, "person", "people"));
    return Error{
        ErrorCode::kRefused,
        fmt::format("{:.2f} % of the detail would be lost (NCP){}, and most_loss is {}: everybody's budgets would "
                    "be spent for next to nothing. Nothing was published, and no budget was spent; wait until "
                    "more people are there or fewer have the value, or write most_loss = 1 to publish all the "
                    "same",
                    outcome_.metrics.ncp_percent, without, ToString(guarantee_.most_loss))};
  }

  // At random, so that a number tells nothing of how the group was found.
  Draft NumberGroups() {
    const std::size_t columns = input_.domains.size();
    std::vector<GroupId> number(groups_.grouping.classes);
    for (GroupId group = 0; group < number.size(); ++group) number[group] = group;
    Random random(seed_, "group-ids");
    for (std::uint32_t i = static_cast<std::uint32_t>(number.size()); i > 1; --i)
      std::swap(number[i - 1], number[random.Below(i)]);
    Draft draft{columns, std::vector<Interval>(groups_.boxes.size()), std::move(groups_.grouping.class_of_row)};
    ParallelFor(draft.group_of_row.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) draft.group_of_row[row] = number[draft.group_of_row[row]];
    });
    ParallelFor(number.size(), kRowsPerTask / 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group)
        std::copy_n(groups_.boxes.begin() + static_cast<std::ptrdiff_t>(group * columns), columns,
                    draft.boxes.begin() + static_cast<std::ptrdiff_t>(std::size_t{number[group]} * columns));
    });
    return draft;
  }

  AccountedRelease Accounted() const {
    return {bound_.policy.release, input_hash_, frequencies_.rows, frequencies_.holders};
  }

  void NoteItems() {
    for (std::size_t item = 0; item < items_.claim.items.size(); ++item) {
      GlobalOutcome::Item& told = outcome_.global->items.emplace_back();
      told.name = items_.claim.items[item].name;
      told.l = items_.claim.items[item].l;
      told.holders = frequencies_.holders[item];
      told.rows = frequencies_.rows;
      const bool is_published = items_.claim.items[item].column < items_.codes.size();
      if (is_published && !persistence_.empty()) told.persistence = persistence_[item];
    }
  }

  // Of those who were in this release, on average: nobody can do better by grouping.
  void NoteWhatIsLeft() {
    const std::vector<LogCost> left = account_.MeanLeft(person_of_row_);
    for (std::size_t item = 0; item < left.size(); ++item) {
      GlobalOutcome::Item& told = outcome_.global->items[item];
      told.releases_left = told.holders == 0 ? kAnyNumberOfReleases : ReleasesLeft(left[item], told.holders, told.rows);
    }
  }

  GlobalGuaranteePolicy guarantee_;
  Account account_;
  EncodedInput input_;
  PeopleOfRows people_;
  std::vector<std::uint32_t> rows_;           // of the input that take part, ascending
  std::vector<std::uint32_t> person_of_row_;  // by their order
  std::string input_hash_;
  BoundItems items_;
  ItemFrequencies frequencies_;
  std::vector<MeasuredPersistence> persistence_;  // by item; empty for a first release
  GlobalGroups groups_;
};

}  // namespace

Result<ReleaseOutcome> PublishGlobalRelease(BoundPolicy bound, const GlobalGuaranteePolicy& guarantee,
                                            const ReleaseOptions& options, ReleaseMemory memory) {
  GlobalPublication publication(std::move(bound), guarantee, options, std::move(memory));
  PENTIMENTO_RETURN_IF_ERROR(publication.Remember());
  PENTIMENTO_RETURN_IF_ERROR(publication.Read());
  PENTIMENTO_RETURN_IF_ERROR(publication.Group());
  PENTIMENTO_RETURN_IF_ERROR(publication.RequireFreshValues());
  PENTIMENTO_ASSIGN(const Verified release, publication.Judge());
  if (options.dry_run) return publication.Finish();
  PENTIMENTO_ASSIGN(const OpenEntry entry, publication.Stage(release));
  PENTIMENTO_RETURN_IF_ERROR(publication.Commit(entry));
  return publication.Finish();
}

}  // namespace pentimento
