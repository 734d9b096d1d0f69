#include "engine/global/plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/temporary_folder.h"
#include "engine/alpha_k/bind_limits.h"
#include "engine/alpha_k/feasible.h"
#include "engine/bind/bind.h"
#include "engine/bind/guarantee_words.h"
#include "engine/global/account.h"
#include "engine/global/bind_items.h"
#include "engine/global/form_groups.h"
#include "engine/global/input_rows.h"
#include "engine/global/persistence.h"
#include "engine/global/remaining_releases.h"
#include "engine/steps/one_row_each.h"
#include "release/global_horizon.h"
#include "table/take_rows.h"

namespace pentimento {
namespace {

// What is remembered of a series, and how people are known in it.
struct IncrementalMemory {
  bool has_ledger = false;
  IdentityHasher hasher{SecretKey{}};
  std::vector<std::string> notes;
  Account account;
};

Result<IncrementalMemory> OpenMemory(const std::filesystem::path& folder, const std::string& series,
                                     const std::string& release) {
  // A writer beside us may replace the state between our look at the ledger and at the file. What is damaged stays so.
  constexpr int kTries = 3;
  for (int tried = 1;; ++tried) {
    PENTIMENTO_ASSIGN(std::optional<Ledger> ledger, Ledger::OpenForTrying(folder));
    Result<Account> account = Account::Open(ledger ? &*ledger : nullptr, series);
    if (!account.ok() && tried < kTries) continue;
    if (!account.ok()) return std::move(account).error();
    if (!ledger) return IncrementalMemory{false, IdentityHasher(RandomKey()), {}, std::move(account).value()};
    std::vector<std::string> notes = ledger->recovered();
    // A plan changes nothing, so a name that is taken is worth a word and no more.
    if (const Status is_new = ledger->RequireNewName(release); !is_new.ok()) notes.push_back(is_new.error().message);
    return IncrementalMemory{true, ledger->identity_hasher(), std::move(notes), std::move(account).value()};
  }
}

// The steps are members so that PlanGlobal below reads as the flow itself.
class Planning {
 public:
  Planning(BoundPolicy bound, const GlobalGuaranteePolicy& guarantee, const PlanOptions& options)
      : bound_(std::move(bound)),
        guarantee_(guarantee),
        options_(options),
        progress_(options.progress != nullptr ? options.progress : &silent_) {
    plan_.release = bound_.policy.release;
    plan_.series = guarantee_.series;
    plan_.planned = guarantee_.releases;
    plan_.spend = guarantee_.spend;
    plan_.l = guarantee_.l;
    plan_.k = std::max<std::uint64_t>(bound_.k, 1);
    plan_.limits_classes = std::ranges::any_of(bound_.policy.guarantees, [](const GuaranteePolicy& other) {
      return std::holds_alternative<AlphaKAnonymityPolicy>(other);
    });
  }

  Status Remember() {
    PENTIMENTO_ASSIGN(memory_, OpenMemory(options_.ledger, guarantee_.series, bound_.policy.release));
    plan_.has_ledger = memory_.has_ledger;
    plan_.made = account().about().releases.size();
    plan_.notes = memory_.notes;
    setting_.schedule = ScheduleOf(guarantee_.releases, guarantee_.spend, plan_.made, guarantee_.room);
    setting_.has_begun = plan_.made > 0;
    return {};
  }

  Status Read() {
    progress_->Begin("reading");
    // Who is there and who has what decides, and quasi-identifiers tell what is lost. Classes tell whether a table was
    // released before.
    std::erase_if(bound_.plan.columns, [&](const ColumnPlan& column) {
      return column.role == Role::kKeep || (column.role == Role::kClass && plan_.made == 0);
    });
    EncodeOptions options;
    options.seed = DrawSeed();
    options.identity_hasher = memory_.hasher;
    options.spill_folder = TemporaryFolder();
    options.keep_identities = true;
    options.progress = progress_;
    PENTIMENTO_ASSIGN(input_, EncodeTable(OpenInput(bound_), bound_.plan, options));
    PENTIMENTO_ASSIGN(people_of_rows_, RequireOneRowEach(std::move(input_.identity_of_row), bound_.policy.repeated,
                                                         {bound_.policy.inputs, input_.rows_after_part}));
    if (people_of_rows_.rows.empty()) return Error{ErrorCode::kBadInput, "the table has no rows, so nothing to plan"};
    NoteSameInput();
    PublishOnly(input_, SortedRows());
    PENTIMENTO_ASSIGN(items_, BindItems(bound_, guarantee_, input_, account()));
    for (const std::string& note : items_.notes) plan_.notes.push_back(note);
    for (const CodeColumn* column : items_.codes) sensitive_.push_back(TakeRows(*column, people_of_rows_.rows));
    people_ = FindPeople(account(), people_of_rows_.identities);
    plan_.people = people_.count();
    plan_.newcomers = people_.newcomers;
    setting_.typical_appearances = MedianAppearances();
    return {};
  }

  void MeasureItems() {
    progress_->Begin("planning");
    CountHolders();
    std::vector<PersonStanding> standing(people_.count());
    const std::vector<LogCost> most_ever = MostSpent(account());
    const std::vector<Ratio> seen = ExpectedOf(account(), setting_.schedule.spending);
    for (std::size_t item = 0; item < items_.claim.items.size(); ++item) {
      ItemPlan& made = plan_.items.emplace_back(Describe(item));
      made.most_ever = most_ever[item];
      MeasureItem(setting_, people_.spent[item], people_.appearances, Expected(seen, item, made), made, standing);
    }
    for (const PersonStanding& person : standing) Count(person, plan_.close);
    AimAtNext();
    for (std::size_t column = 0; column < sensitive_.size(); ++column) PlanEveryValue(column);
  }

  void Compare() {
    std::vector<SpentOnItem> spent;
    for (std::size_t i = 0; i < people_.spent.size(); ++i)
      spent.emplace_back(people_.spent[i], plan_.items[i].most_ever);
    plan_.alternatives =
        CompareAlternatives({&guarantee_, plan_.items, spent, plan_.made, setting_.typical_appearances});
  }

  // What the release would do, by the rules of the release itself.
  void Foresee() {
    plan_.next = NextRelease::kNoneLeft;
    if (setting_.schedule.releases_left == 0) return;
    plan_.next = NextRelease::kRefused;
    if (std::ranges::any_of(plan_.items, &ItemPlan::is_too_late)) return;
    ItemFrequencies frequencies{plan_.people, {}};
    for (const ItemPlan& item : plan_.items) frequencies.holders.push_back(item.holders);
    if (!RequirePlannedReleases(guarantee_, items_.claim, frequencies, plan_.made).ok()) return;
    plan_.breaks_class_limits = !KeepsClassLimits();
    if (plan_.breaks_class_limits) return;
    const std::vector<std::uint32_t> numbers = account().Join(people_of_rows_.identities);
    const Result<GlobalGroups> groups = FormGroups(numbers);
    if (!groups.ok()) {
      plan_.refusal = groups.error().message;
      return;
    }
    plan_.withheld = groups->withheld;
    if (plan_.made > 0) ForeseePersistence(*groups, numbers);
    if (!groups->classes.boxes.empty()) plan_.loss_percent = LossOfGroups(*groups, input_.domains);
    plan_.most_loss = guarantee_.most_loss;
    plan_.loses_too_much = plan_.loss_percent && LosesTooMuch(guarantee_, *plan_.loss_percent);
    if (plan_.loses_too_much || !plan_.stays.empty()) return;
    plan_.next = plan_.withheld == 0 ? NextRelease::kEverybody : NextRelease::kSomeWithheld;
  }

  GlobalPlan Finish() {
    progress_->End();
    return std::move(plan_);
  }

 private:
  Account& account() { return memory_.account; }

  void NoteSameInput() {
    const auto& releases = account().about().releases;
    if (releases.empty()) return;
    const auto same = std::ranges::find(releases, InputHash(input_, bound_.quasi_identifiers, people_of_rows_),
                                        &AccountedRelease::input);
    if (same == releases.end()) return;
    plan_.notes.push_back(
        fmt::format("the release '{}' of this series was made from the same people with the same values; to publish "
                    "them again is refused, so name the new table in [input] path",
                    same->name));
  }

  std::vector<std::uint32_t> SortedRows() const {
    std::vector<std::uint32_t> rows = people_of_rows_.rows;
    std::ranges::sort(rows);
    return rows;
  }

  std::uint32_t MedianAppearances() const {
    std::vector<std::uint32_t> appearances = people_.appearances;
    const auto middle = appearances.begin() + static_cast<std::ptrdiff_t>((appearances.size() - 1) / 2);
    std::nth_element(appearances.begin(), middle, appearances.end());
    return *middle;
  }

  // Of every column, rows by value.
  void CountHolders() {
    for (std::size_t column = 0; column < sensitive_.size(); ++column) {
      std::vector<std::uint64_t>& rows_with = rows_with_.emplace_back(items_.value_counts[column]);
      sensitive_[column].Visit([&](auto codes) {
        for (std::size_t row = 0; row < codes.size(); ++row) ++rows_with[codes[row]];
      });
    }
  }

  ItemPlan Describe(std::size_t number) {
    const AccountItem& known = account().about().items[number];
    const SensitiveItem& item = items_.claim.items[number];
    const auto column = std::ranges::find(bound_.policy.columns, known.column, &ColumnPolicy::name);
    ItemPlan plan;
    plan.name = item.name;
    plan.column = known.column;
    plan.is_published = column != bound_.policy.columns.end();
    plan.is_named = plan.is_published && (known.is_set || !column->values.empty());
    plan.is_set = known.is_set;
    plan.is_asked = item.is_asked;
    plan.l = item.l;
    plan.rows = plan_.people;
    for (const Code value : item.values) plan.holders += rows_with_[item.column][value];
    return plan;
  }

  // What everybody saw in the last releases; before that, this table.
  static Frequency Expected(const std::vector<Ratio>& seen, std::size_t item, const ItemPlan& here) {
    return seen.empty() ? Frequency{here.holders, here.rows} : Frequency{seen[item].num, seen[item].den};
  }

  // Items share the number of releases that an open series aims at, so this looks at all of them.
  void AimAtNext() {
    if (setting_.schedule.releases_left == 0) return;
    std::vector<std::uint64_t> l_of_item, holders;
    for (const ItemPlan& item : plan_.items) {
      l_of_item.push_back(item.l);
      holders.push_back(item.holders);
    }
    global::Spending spending(setting_.schedule.spending, l_of_item);
    spending.AimFor(holders, plan_.people);
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      ItemPlan& item = plan_.items[i];
      item.target = CapOfAllowance(spending.Aim(i, item.median_left, setting_.typical_appearances), item.l);
    }
  }

  // Where every value is protected, a group in which none has more than the largest share needs so many different ones.
  void PlanEveryValue(std::size_t column) {
    const std::string& name = items_.columns[column]->name;
    const auto policy = std::ranges::find(bound_.policy.columns, name, &ColumnPolicy::name);
    if (!policy->values.empty()) return;
    EveryValuePlan plan{name, 0, 0};
    for (const std::uint64_t rows : rows_with_[column]) plan.values += rows > 0 ? 1 : 0;
    for (const ItemPlan& item : plan_.items) {
      if (item.column != name || item.is_set || item.median.num == 0) continue;
      const std::uint64_t needed = ValuesNeeded(item.median);
      plan.needed = plan.needed == 0 ? needed : std::min(plan.needed, needed);
    }
    plan_.every_value.push_back(std::move(plan));
  }

  std::vector<const CodeColumn*> SensitiveColumns() const {
    std::vector<const CodeColumn*> columns;
    for (const CodeColumn& column : sensitive_) columns.push_back(&column);
    return columns;
  }

  // Where (alpha,k)-anonymity is asked for as well: whether groups of these people can keep it at all.
  bool KeepsClassLimits() const {
    const std::optional<BoundAlphaK> limits = BindLimits(bound_, input_);
    EncodedTable people;
    people.rows = people_.count();
    return !limits || RequireFeasible(bound_, people, SensitiveColumns(), *limits).ok();
  }

  // Of those who would be published, as the release measures it.
  void ForeseePersistence(const GlobalGroups& groups, std::span<const std::uint32_t> numbers) {
    std::vector<std::uint32_t> rows, people;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (groups.classes.of_row[i] == kWithheldClass) continue;
      rows.push_back(people_of_rows_.rows[i]);
      people.push_back(numbers[i]);
    }
    const Ratio most = guarantee_.most_persistence;
    const std::vector<MeasuredPersistence> measured =
        MeasurePersistence(items_, {rows, people}, CountItems(items_, rows), account(), most);
    for (std::size_t item = 0; item < measured.size(); ++item) {
      if (plan_.items[item].is_published) plan_.items[item].persistence = measured[item];
    }
    for (std::string& warning : WarnOfPersistence(items_.claim, measured, most))
      plan_.notes.push_back(std::move(warning));
    plan_.stays = WordsOnRefused(items_.claim, measured, most);
  }

  // As the release would form them. `person_of_row`: people have joined the account of this plan, which nobody saves.
  Result<GlobalGroups> FormGroups(std::span<const std::uint32_t> person_of_row) {
    const EncodedTable table = TakeRows(input_.table, people_of_rows_.rows);
    const Seed seed = DrawSeed();  // decides nothing but how blind groups are tried out
    return FormGlobalGroups(
        {bound_, guarantee_, input_, items_, account(), table, SensitiveColumns(), person_of_row, seed});
  }

  BoundPolicy bound_;
  GlobalGuaranteePolicy guarantee_;
  const PlanOptions& options_;
  Progress silent_;
  Progress* progress_;
  GlobalPlan plan_;
  IncrementalMemory memory_;
  PlanSetting setting_;
  EncodedInput input_;
  PeopleOfRows people_of_rows_;
  BoundItems items_;
  std::vector<CodeColumn> sensitive_;                  // in the order of the people
  std::vector<std::vector<std::uint64_t>> rows_with_;  // by sensitive column and code
  PlanPeople people_;
};

}  // namespace

Result<GlobalPlan> PlanGlobal(Policy policy, const PlanOptions& options) {
  PENTIMENTO_ASSIGN(BoundPolicy bound, Bind(std::move(policy)));
  const GlobalGuaranteePolicy* const found = FindGlobal(bound);
  if (found == nullptr) {
    return Error{ErrorCode::kBadPolicy,
                 fmt::format("{}: a plan tells how long a series under global-guarantee can last, but this policy asks "
                             "for no such guarantee; write, for example, [[guarantee]] type = \"global-guarantee\", "
                             "l = 2, series = \"clinic\", releases = 12",
                             bound.policy.source.string())};
  }
  const GlobalGuaranteePolicy guarantee = *found;
  Planning planning(std::move(bound), guarantee, options);
  PENTIMENTO_RETURN_IF_ERROR(planning.Remember());
  PENTIMENTO_RETURN_IF_ERROR(planning.Read());
  planning.MeasureItems();
  planning.Compare();
  planning.Foresee();
  return planning.Finish();
}

}  // namespace pentimento
