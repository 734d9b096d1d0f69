#include "engine/global/global_context.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

#include "anonymize/limits/count_classes.h"
#include "base/clock.h"
#include "base/parallel.h"
#include "base/plural.h"
#include "engine/alpha_k/bind_limits.h"
#include "engine/alpha_k/feasible.h"
#include "engine/alpha_k/make_classes.h"
#include "engine/bind/guarantee_words.h"
#include "engine/global/form_groups.h"
#include "engine/global/input_rows.h"
#include "engine/global/persistence.h"
#include "engine/steps/id_forms.h"
#include "engine/steps/release_run.h"
#include "engine/steps/stage.h"
#include "guarantee/global/confusable_groups.h"
#include "guarantee/verify.h"
#include "release/global_horizon.h"
#include "table/take_rows.h"

namespace pentimento {
namespace {

using Admitted = GlobalContext::Admitted;

const GlobalGuaranteePolicy& GuaranteeOf(const ReleaseRun& run) { return *FindGlobal(run.bound); }

Status RequireReleasesLeft(const GlobalGuaranteePolicy& guarantee, const Account& account) {
  if (!guarantee.releases || account.about().releases.size() < *guarantee.releases) return {};
  return Error{
      ErrorCode::kRefused,
      fmt::format("the series '{}' was planned with {} release{}, and all of them are out, so nothing is left "
                  "for another one. Nothing was published; where people have budget left a larger 'releases' in the "
                  "policy helps (try it with --dry-run), otherwise begin another series with other people",
                  guarantee.series, *guarantee.releases, *guarantee.releases == 1 ? "" : "s")};
}

Status RequireAnotherInput(const GlobalGuaranteePolicy& guarantee, const Account& account,
                           const std::string& input_hash) {
  const auto& releases = account.about().releases;
  const auto same = std::ranges::find(releases, input_hash, &AccountedRelease::input);
  if (same == releases.end()) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the release '{}' of the series '{}' was made from the same people with the same values: "
                           "publishing them again would spend everybody's budgets and tell nothing new. Nothing was "
                           "published; name the new table in [input] path",
                           same->name, guarantee.series)};
}

// People come and go, but a series that goes on with nobody of before is one whose ids are written in another way, or
// whose table is another one.
Status RequireSomebodyKnown(const ReleaseRun& run, const Account& account, const PeopleOfRows& people) {
  const std::span<const IdentityHash> known = account.people();
  if (run.options.yes || known.empty()) return {};
  std::vector<IdentityHash> both;
  std::ranges::set_intersection(people.identities, known, std::back_inserter(both));
  const std::uint64_t expected = std::min(people.identities.size(), known.size());
  if (100 * both.size() >= expected && !both.empty()) return {};
  PENTIMENTO_ASSIGN(const std::string other_forms, TellOtherForms(run, people.rows, [&](const IdentityHash& identity) {
                      return std::ranges::binary_search(known, identity);
                    }));
  return Error{
      ErrorCode::kBadInput,
      fmt::format("of {} people in the table {} {} in an earlier release of the series '{}': what everybody has "
                  "spent so far would not count. {}. Nothing was published. If it is meant, run the same "
                  "command with --yes",
                  people.identities.size(), both.size(), both.size() == 1 ? "was" : "were", GuaranteeOf(run).series,
                  other_forms.empty() ? "See that the table and its id column are those of the series"
                                      : other_forms + ": write ids as they were written before")};
}

// The account makes room for these people; every row that takes part gets the number of its person.
void JoinAccount(const PeopleOfRows& people, Admitted& admitted) {
  const std::size_t known = admitted.account.people().size();
  const std::vector<std::uint32_t> numbers = admitted.account.Join(people.identities);
  admitted.newcomers = admitted.account.people().size() - known;
  // From the order of the identities to that of the rows.
  std::vector<std::uint32_t> person_of_input_row(admitted.input.table.rows);
  for (std::size_t i = 0; i < numbers.size(); ++i) person_of_input_row[people.rows[i]] = numbers[i];
  if (admitted.HasAllRows()) {
    admitted.person_of_row = std::move(person_of_input_row);
    return;
  }
  for (const std::uint32_t row : admitted.rows) admitted.person_of_row.push_back(person_of_input_row[row]);
}

// The table and its sensitive columns, without the rows that are left out. Owns what it had to copy.
class ChosenRows {
 public:
  explicit ChosenRows(const Admitted& admitted) : table_(&admitted.input.table), sensitive_(admitted.items.codes) {
    if (admitted.HasAllRows()) return;
    some_ = TakeRows(admitted.input.table, admitted.rows);
    table_ = &some_;
    for (const CodeColumn* column : admitted.items.codes) columns_.push_back(TakeRows(*column, admitted.rows));
    for (std::size_t c = 0; c < columns_.size(); ++c) sensitive_[c] = &columns_[c];
  }
  ChosenRows(const ChosenRows&) = delete;
  ChosenRows& operator=(const ChosenRows&) = delete;

  const EncodedTable& table() const { return *table_; }
  const std::vector<const CodeColumn*>& sensitive() const { return sensitive_; }

 private:
  EncodedTable some_;
  std::vector<CodeColumn> columns_;
  const EncodedTable* table_;
  std::vector<const CodeColumn*> sensitive_;
};

// Groups keep their numbers; rows that are withheld are gone from everything that is verified.
Status LeaveOutWithheld(ReleaseRun& run, Admitted& admitted, Classes& groups) {
  std::vector<std::uint32_t> rows, person_of_row;
  std::vector<ClassNumber> of_row;
  for (std::size_t i = 0; i < admitted.rows.size(); ++i) {
    if (groups.of_row[i] == kWithheldClass) continue;
    rows.push_back(admitted.rows[i]);
    person_of_row.push_back(admitted.person_of_row[i]);
    of_row.push_back(groups.of_row[i]);
  }
  admitted.rows = std::move(rows);
  admitted.person_of_row = std::move(person_of_row);
  groups.of_row = std::move(of_row);
  PublishOnly(admitted.input, admitted.rows);
  PENTIMENTO_ASSIGN(admitted.items, BindItems(run.bound, GuaranteeOf(run), admitted.input, admitted.account));
  admitted.frequencies = CountItems(admitted.items, admitted.rows);
  return {};
}

// At random, so that a number tells nothing of how the group was found.
Classes NumberGroups(Classes groups, const Seed& seed) {
  std::vector<ClassNumber> number(groups.count());
  std::iota(number.begin(), number.end(), ClassNumber{0});
  Random random(seed, "group-ids");
  for (std::uint32_t i = static_cast<std::uint32_t>(number.size()); i > 1; --i)
    std::swap(number[i - 1], number[random.Below(i)]);
  const std::size_t columns = groups.columns;
  Classes numbered{columns, std::vector<Interval>(groups.boxes.size()), std::move(groups.of_row)};
  ParallelFor(numbered.of_row.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) numbered.of_row[row] = number[numbered.of_row[row]];
  });
  ParallelFor(number.size(), kRowsPerTask / 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group)
      std::copy_n(groups.boxes.begin() + static_cast<std::ptrdiff_t>(group * columns), columns,
                  numbered.boxes.begin() + static_cast<std::ptrdiff_t>(std::size_t{number[group]} * columns));
  });
  return numbered;
}

// Of the rows that would be published, and of no others: whether a release is refused must not depend on more.
Result<std::vector<MeasuredPersistence>> RequireFreshValues(ReleaseRun& run, const Admitted& admitted) {
  std::vector<MeasuredPersistence> measured;
  if (admitted.account.about().releases.empty()) return measured;
  const Ratio most = GuaranteeOf(run).most_persistence;
  measured = MeasurePersistence(admitted.items, {admitted.rows, admitted.person_of_row}, admitted.frequencies,
                                admitted.account, most);
  run.remarks->Add({.notes = {}, .warnings = WarnOfPersistence(admitted.items.claim, measured, most)});
  PENTIMENTO_RETURN_IF_ERROR(
      RequireComingAndGoing(admitted.items.claim, admitted.account.about().items, measured, most));
  return measured;
}

Metrics MeasureLoss(const ReleaseRun& run, const EncodedTable& table, std::span<const Domain> domains,
                    const VerifiedRelease& release) {
  const Classes& classes = release.classes();
  if (release.draft().is_two_tables())
    return MeasureClasses(classes.of_row, classes.count(), domains.size(), run.bound.k);
  Metrics metrics = MeasureNumbered(classes, domains, run.bound.k);
  TellDistortion(metrics, DepthsOfValues(table.quasi_identifiers, domains, table.rows));
  return metrics;
}

// Budgets are spent whatever the groups tell. Two tables lose nothing of the detail.
Status RequireUse(const ReleaseRun& run, double ncp_percent, std::uint64_t withheld) {
  if (run.bound.policy.form == PublishForm::kTwoTables) return {};
  const GlobalGuaranteePolicy& guarantee = GuaranteeOf(run);
  if (!LosesTooMuch(guarantee, ncp_percent)) return {};
  const std::string without = withheld == 0 ? std::string()
                                            : fmt::format(", also without {} {} whose remaining budgets are too small",
                                                          withheld, Plural(withheld, "person", "people"));
  return Error{
      ErrorCode::kRefused,
      fmt::format("{:.2f} % of the detail would be lost (NCP){}, and most_loss is {}: everybody's budgets would "
                  "be spent for next to nothing. Nothing was published, and no budget was spent; wait until "
                  "more people are there or fewer have the value, or write most_loss = 1 to publish all the "
                  "same",
                  ncp_percent, without, ToString(guarantee.most_loss))};
}

// The person is named by the ledger's keyed hash: whoever has the ledger's key finds out who it is, and nobody else.
std::string HashOf(const Refusal& refusal, const Account& account) {
  if (!refusal.person) return "";
  const IdentityHash& hash = account.people()[*refusal.person];
  return fmt::format(" (the ledger's hash of this person is {:016x}{:016x})", hash.high, hash.low);
}

// What is left is that of those who were in this release, on average: nobody can do better by grouping.
std::vector<GlobalOutcome::Item> TellItems(const Admitted& admitted, std::span<const MeasuredPersistence> persistence) {
  std::vector<GlobalOutcome::Item> items;
  const std::vector<LogCost> left = admitted.account.MeanLeft(admitted.person_of_row);
  for (std::size_t item = 0; item < admitted.items.claim.items.size(); ++item) {
    GlobalOutcome::Item& told = items.emplace_back();
    const SensitiveItem& claimed = admitted.items.claim.items[item];
    told.name = claimed.name;
    told.l = claimed.l;
    told.holders = admitted.frequencies.holders[item];
    told.rows = admitted.frequencies.rows;
    const bool is_published = claimed.column < admitted.items.codes.size();
    if (is_published && !persistence.empty()) told.persistence = persistence[item];
    told.releases_left = told.holders == 0 ? kAnyNumberOfReleases : ReleasesLeft(left[item], told.holders, told.rows);
  }
  return items;
}

}  // namespace

Result<GlobalContext::Recalled> GlobalContext::Recall(ReleaseRun& run) {
  const GlobalGuaranteePolicy& guarantee = GuaranteeOf(run);
  PENTIMENTO_ASSIGN(Account account, Account::Open(run.memory.ledger(), guarantee.series));
  PENTIMENTO_RETURN_IF_ERROR(RequireReleasesLeft(guarantee, account));
  return Recalled{std::move(account)};
}

Result<EncodedInput> GlobalContext::Read(ReleaseRun& run, const Recalled&) {
  PENTIMENTO_ASSIGN(EncodedInput input, ReadInput(run, run.seed, /*keep_identities=*/true));
  if (input.table.rows == 0) return Error{ErrorCode::kBadInput, "the table has no rows, so nothing was published"};
  return input;
}

Result<GlobalContext::Admitted> GlobalContext::Admit(ReleaseRun& run, Recalled& recalled, EncodedInput input) {
  const GlobalGuaranteePolicy& guarantee = GuaranteeOf(run);
  const BoundPolicy& bound = run.bound;
  PENTIMENTO_ASSIGN(const PeopleOfRows people,
                    RequireOneRowEach(std::move(input.identity_of_row), bound.policy.repeated,
                                      {bound.policy.inputs, input.rows_after_part}));
  Admitted admitted{.input = std::move(input),
                    .people = {},
                    .input_hash = {},
                    .left_out = people.dropped.size(),
                    .account = std::move(recalled.account),
                    .rows = {},
                    .person_of_row = {},
                    .items = {},
                    .frequencies = {}};
  admitted.rows.resize(admitted.input.table.rows);
  std::iota(admitted.rows.begin(), admitted.rows.end(), 0U);
  if (!people.dropped.empty()) {
    admitted.rows = people.rows;
    std::ranges::sort(admitted.rows);
    PublishOnly(admitted.input, admitted.rows);
  }
  admitted.input_hash = InputHash(admitted.input, bound.quasi_identifiers, people);
  PENTIMENTO_RETURN_IF_ERROR(RequireAnotherInput(guarantee, admitted.account, admitted.input_hash));
  PENTIMENTO_ASSIGN(admitted.people, AdmitPeople(run, people.identities));
  PENTIMENTO_ASSIGN(admitted.items, BindItems(bound, guarantee, admitted.input, admitted.account));
  run.remarks->Add({.notes = admitted.items.notes, .warnings = {}});
  if (auto note = NoteOnCellsThatStay(bound.policy, guarantee)) run.remarks->notes.push_back(*std::move(note));
  PENTIMENTO_RETURN_IF_ERROR(RequireKeptSoFar(bound, guarantee, admitted.items.claim, admitted.account));
  PENTIMENTO_RETURN_IF_ERROR(RequireSomebodyKnown(run, admitted.account, people));
  JoinAccount(people, admitted);
  admitted.frequencies = CountItems(admitted.items, admitted.rows);
  const Status bearable = RequirePlannedReleases(guarantee, admitted.items.claim, admitted.frequencies,
                                                 admitted.account.about().releases.size());
  if (!bearable.ok())
    return Error{bearable.error().code,
                 bearable.error().message + WordsOnEveryValue(bound, guarantee, admitted.items, admitted.frequencies)};
  PENTIMENTO_RETURN_IF_ERROR(RequireEnoughPeople(bound, admitted.rows.size()));
  return admitted;
}

Result<GlobalContext::Made> GlobalContext::Make(ReleaseRun& run, const Recalled&, Admitted& admitted) {
  const GlobalGuaranteePolicy& guarantee = GuaranteeOf(run);
  GlobalGroups groups;
  {
    const ChosenRows chosen(admitted);
    if (const std::optional<BoundAlphaK> limits = BindLimits(run.bound, admitted.input))
      PENTIMENTO_RETURN_IF_ERROR(RequireFeasible(run.bound, chosen.table(), chosen.sensitive(), *limits));
    PENTIMENTO_ASSIGN(groups, FormGlobalGroups({run.bound, guarantee, admitted.input, admitted.items, admitted.account,
                                                chosen.table(), chosen.sensitive(), admitted.person_of_row, run.seed}));
  }
  Made made;
  made.withheld = groups.withheld;
  if (guarantee.blind) made.blind_rows = groups.fewest_rows;
  if (groups.withheld > 0) PENTIMENTO_RETURN_IF_ERROR(LeaveOutWithheld(run, admitted, groups.classes));
  PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
  PENTIMENTO_ASSIGN(made.persistence, RequireFreshValues(run, admitted));
  if (run.bound.policy.form != PublishForm::kTwoTables) {
    made.draft = {NumberGroups(std::move(groups.classes), run.seed)};
    return made;
  }
  const ChosenRows chosen(admitted);
  made.draft = CountClasses(std::move(groups.classes), chosen.sensitive(),
                            SensitiveTablesOf(run.bound.policy, admitted.items.columns.size()), run.seed);
  return made;
}

Result<GlobalContext::Verified> GlobalContext::Verify(ReleaseRun& run, const Recalled&, Admitted& admitted, Made made) {
  const ChosenRows chosen(admitted);
  Account& account = admitted.account;
  Evidence evidence{chosen.table(), admitted.input.domains, run.bound.policy.categories, run.bound.policy.guarantees,
                    chosen.sensitive()};
  const std::optional<BoundAlphaK> limits = BindLimits(run.bound, admitted.input);
  if (limits) evidence.alpha_k = &limits->claim;
  if (!admitted.HasAllRows()) evidence.input_rows = admitted.rows;
  GlobalBudgets budgets{admitted.items.claim, admitted.person_of_row,
                        static_cast<std::uint32_t>(account.about().releases.size()), account.TakeSpent()};
  evidence.budgets = &budgets;
  std::variant<VerifiedRelease, Refusal> result = pentimento::Verify(std::move(made.draft), evidence);
  if (const Refusal* refusal = std::get_if<Refusal>(&result)) return Refused(*refusal, HashOf(*refusal, account));
  VerifiedRelease release = std::get<VerifiedRelease>(std::move(result));
  Metrics metrics = MeasureLoss(run, chosen.table(), admitted.input.domains, release);
  PENTIMENTO_RETURN_IF_ERROR(RequireUse(run, metrics.ncp_percent, made.withheld));

  const GlobalGuaranteePolicy& guarantee = GuaranteeOf(run);
  const std::size_t number = account.about().releases.size() + 1;
  Stopwatch watch;
  account.Charge(
      admitted.person_of_row, std::move(budgets.spent),
      {run.bound.policy.release, admitted.input_hash, admitted.frequencies.rows, admitted.frequencies.holders});
  RememberHeld(admitted.items, {admitted.rows, admitted.person_of_row}, account);
  for (std::size_t item = 0; item < admitted.items.claim.items.size(); ++item)
    account.Promise(item, admitted.items.claim.items[item].l);
  return Verified{std::move(release), std::move(metrics),
                  GlobalOutcome{.series = guarantee.series,
                                .number = number,
                                .newcomers = admitted.newcomers,
                                .withheld = made.withheld,
                                .left_out = admitted.left_out,
                                .blind_rows = made.blind_rows,
                                .items = TellItems(admitted, made.persistence)},
                  std::move(budgets.confusable),
                  /*save_seconds=*/watch.Lap()};
}

std::set<std::string> GlobalContext::OwnReleases(const Recalled&, const Admitted& admitted) {
  std::set<std::string> own;
  for (const AccountedRelease& release : admitted.account.about().releases) own.insert(release.name);
  return own;
}

// The people of this release are those of the account who have a row in it. Their groups overlap.
std::optional<OwnClasses> GlobalContext::Own(ReleaseRun& run, Admitted& admitted, Verified& verified) {
  const std::span<const IdentityHash> account = admitted.account.people();
  std::vector<std::uint32_t> number(account.size(), 0);
  for (const std::uint32_t person : admitted.person_of_row) number[person] = 1;
  std::vector<IdentityHash> people;
  for (std::size_t person = 0; person < account.size(); ++person) {
    if (number[person] == 0) continue;
    number[person] = static_cast<std::uint32_t>(people.size());
    people.push_back(account[person]);
  }
  std::vector<std::uint32_t> person_of_row;
  for (const std::uint32_t person : admitted.person_of_row) person_of_row.push_back(number[person]);
  const ChosenRows chosen(admitted);
  const Classes& classes = verified.release.classes();
  ReleasedRows released{classes, person_of_row, static_cast<std::uint32_t>(people.size())};
  released.sensitive = admitted.items.columns;
  if (!admitted.HasAllRows()) released.input_rows = admitted.rows;
  released.confusable = verified.release.draft().is_two_tables() ? ClassesWithEqualRows(chosen.table(), classes)
                                                                 : std::move(verified.confusable);
  OwnClasses own = ClassesOf(released, run.memory.identity_hasher());
  own.people = std::make_shared<const std::vector<IdentityHash>>(std::move(people));
  return own;
}

void GlobalContext::Tell(const ReleaseRun&, const Recalled&, const Admitted&, const Verified& verified,
                         ReleaseOutcome& outcome) {
  outcome.global = verified.told;
}

Status GlobalContext::Show(ReleaseRun& run, const Admitted& admitted, const Verified& verified, const ShowRows& show) {
  return ShowRelease(run.bound, admitted.input, verified.release, show);
}

Result<Staged> GlobalContext::Stage(ReleaseRun& run, const PackageWords& words, const Recalled&, Admitted& admitted,
                                    const Verified& verified) {
  const std::filesystem::path& folder = run.memory.out().staging_path();
  const auto write_budgets = [&]() -> Result<SavedState> {
    Stopwatch watch;
    PENTIMENTO_ASSIGN(StateFileRecord budgets, admitted.account.Write(run.memory.ledger()->state_folder(),
                                                                      run.bound.policy.release + ".budgets"));
    return SavedState{{std::move(budgets)}, watch.Lap()};
  };
  const auto stage_tables = [&] {
    return verified.release.draft().is_two_tables()
               ? StageTwoTables(folder, run.bound, words, admitted.input, admitted.items.columns, verified.release)
               : StageRelease(folder, run.bound, words, admitted.input, verified.release);
  };
  PENTIMENTO_ASSIGN(Staged staged, StageBeside(StartSideTask(write_budgets), stage_tables, admitted.rows.size()));
  if (!admitted.account.file().empty()) staged.replaces = {admitted.account.file()};
  return staged;
}

}  // namespace pentimento
