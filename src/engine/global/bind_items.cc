#include "engine/global/bind_items.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/machine_limits.h"
#include "base/result.h"
#include "engine/alpha_k/bind_limits.h"
#include "engine/bind/bind.h"
#include "engine/global/account.h"
#include "fmt/core.h"
#include "fmt/ranges.h"
#include "io/encode.h"

namespace pentimento {
namespace {

// What is spent is in memory twice while a release is charged and written.
constexpr std::uint64_t kBytesPerNumber = 2 * sizeof(LogCost) + sizeof(HeldLast);

// A sensitive column of which every value is protected.
struct WholeColumn {
  std::string name;
  std::uint64_t values = 0;
};

WholeColumn LargestWholeColumn(const BoundPolicy& bound, const EncodedInput& input) {
  WholeColumn largest;
  for (const ValueColumn* column : SensitiveColumnsOf(bound, input)) {
    const auto policy = std::ranges::find(bound.policy.columns, column->name, &ColumnPolicy::name);
    const bool is_whole = policy != bound.policy.columns.end() && policy->values.empty();
    if (is_whole && column->values.size() > largest.values) largest = {column->name, column->values.size()};
  }
  return largest;
}

// A person has one: older ones are left out by now.
std::uint64_t RowsThatCount(const EncodedInput& input) {
  const auto skipped = std::ranges::count(input.form_of_row, RowForm::kSkipped);
  return input.table.rows - static_cast<std::uint64_t>(skipped);
}

// kStorage, naming the column with the most values, where the account of these people would need more memory than this
// process may have. Reckoned from below, so what fits is never refused.
Status RequireAccountFits(const BoundPolicy& bound, const EncodedInput& input, const Account& account) {
  const WholeColumn column = LargestWholeColumn(bound, input);
  const std::uint64_t people = std::max<std::uint64_t>(account.people().size(), RowsThatCount(input));
  const std::uint64_t memory = MemoryOfProcess();
  if (column.values == 0 || people <= memory / kBytesPerNumber / column.values) return {};
  const double gigabytes = 1e9;
  return Error{
      ErrorCode::kStorage,
      fmt::format(
          "the column '{}' has {} different values, and every one of them is protected: an account of {} people "
          "and so many values needs {:.1f} GB of memory, and this process may have {:.1f} GB. Nothing was "
          "published. If it is a number or a text of its own for nearly everybody, leave it out; otherwise list "
          "the values to protect in 'values', or publish coarser ones.",
          column.name, column.values, people,
          static_cast<double>(people) * static_cast<double>(column.values) * kBytesPerNumber / gigabytes,
          static_cast<double>(memory) / gigabytes)};
}

bool IsTransient(const ColumnPolicy& column, const std::vector<std::string>& values) {
  return !column.transient || std::ranges::all_of(values, [&column](const std::string& value) {
    return std::ranges::find(*column.transient, value) != column.transient->end();
  });
}

class ItemBinder {
 public:
  ItemBinder(const BoundPolicy& bound, const GlobalGuaranteePolicy& guarantee, const EncodedInput& input,
             Account& account, BoundItems& result)
      : bound_(bound), guarantee_(guarantee), input_(input), account_(account), result_(result) {
    for (const ValueColumn* column : result.columns) texts_.emplace_back(*column);
    for (const ColumnPolicy& column : bound.policy.columns) {
      if (column.role == Role::kSensitive) columns_.push_back(&column);
    }
  }

  Status Run() {
    CollectWanted();
    PENTIMENTO_RETURN_IF_ERROR(RequireTransient());
    PENTIMENTO_RETURN_IF_ERROR(RequireStillSensitive());
    PENTIMENTO_RETURN_IF_ERROR(RequireSameMissing());
    PENTIMENTO_RETURN_IF_ERROR(MatchAccount());
    MakeClaim();
    return {};
  }

 private:
  // What this policy protects, in its order, and every value of columns of which an earlier release promised that: a
  // value that goes out without account in between could never be protected again.
  void CollectWanted() {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const ColumnPolicy& column = *columns_[c];
      for (const std::string& value : column.values) Want({column.name, {value}, false, false, guarantee_.l});
      if (column.values.empty() || WasProtectedWhole(column.name)) WantEveryValueOf(c);
      if (!column.values.empty() && WasProtectedWhole(column.name))
        Note(fmt::format("every value of '{}' was protected in earlier releases of the series; that stays",
                         column.name));
    }
    for (const SensitiveSetPolicy& set : guarantee_.sets) {
      AccountItem item{set.column, set.values, false, true, set.l};
      std::ranges::sort(item.values);
      Want(std::move(item));
    }
  }

  void WantEveryValueOf(std::size_t column) {
    const ValueTexts& texts = texts_[column];
    for (Code code = 0; code < texts.texts().size(); ++code) {
      const bool is_missing = code == texts.column().null_code;
      if (is_missing && !IsPublished(*result_.codes[column], code)) continue;
      Want({columns_[column]->name, is_missing ? std::vector<std::string>() : std::vector{texts.texts()[code]},
            is_missing, false, guarantee_.l});
    }
  }

  bool WasProtectedWhole(const std::string& column) const {
    return std::ranges::find(account_.about().every_value, column) != account_.about().every_value.end();
  }

  // Rows that are left out have no value either.
  bool IsPublished(const CodeColumn& column, Code code) const {
    return column.Visit([&](auto codes) {
      for (std::size_t row = 0; row < codes.size(); ++row) {
        if (codes[row] == code && input_.form(row) != RowForm::kSkipped) return true;
      }
      return false;
    });
  }

  // A set may be listed as a value, too, and a value twice.
  void Want(AccountItem item) {
    const auto same = [&](const AccountItem& other) { return other.Matches(item); };
    if (std::ranges::none_of(wanted_, same)) wanted_.push_back(std::move(item));
  }

  const ColumnPolicy& PolicyOf(const AccountItem& item) const {
    return **std::ranges::find(columns_, item.column, &ColumnPolicy::name);
  }
  // A value is named only where a policy names it.
  bool NamesValues(const AccountItem& item) const {
    if (item.is_set) return true;
    const std::vector<std::string>& listed = PolicyOf(item).values;
    return !item.is_missing && std::ranges::find(listed, item.values.front()) != listed.end();
  }

  std::string NameOf(const AccountItem& item) const {
    if (!NamesValues(item)) return fmt::format("a value of '{}'", item.column);
    return fmt::format("{} of '{}'", fmt::join(item.values, " or "), item.column);
  }

  // Also what only an earlier policy listed: it stays promised.
  Status RequireTransient() const {
    for (const AccountItem& item : wanted_) PENTIMENTO_RETURN_IF_ERROR(RequireTransient(item));
    for (const AccountItem& item : account_.about().items) {
      if (std::ranges::find(columns_, item.column, &ColumnPolicy::name) == columns_.end()) continue;
      PENTIMENTO_RETURN_IF_ERROR(RequireTransient(item));
    }
    return {};
  }

  Status RequireTransient(const AccountItem& item) const {
    const ColumnPolicy& column = PolicyOf(item);
    if (!column.transient || (IsTransient(column, item.values) && !item.is_missing)) return {};
    return RefuseAt(
        column.position,
        fmt::format("{} is protected, but the policy says that it does not come and go. The global guarantee counts "
                    "every release as a fresh draw; of a value that stays, two releases tell more: whoever has it is "
                    "found by comparing who shared a group with whom in each of them. Nothing was published; protect "
                    "other values, or declare it transient if people really get and lose it",
                    NameOf(item)));
  }

  // Published as something else, values that were promised would go out row by row.
  Status RequireStillSensitive() const {
    for (const AccountItem& item : account_.about().items) {
      const auto column = std::ranges::find(bound_.policy.columns, item.column, &ColumnPolicy::name);
      if (column == bound_.policy.columns.end() || column->role == Role::kSensitive) continue;
      return RefuseAt(column->position,
                      fmt::format("'{}' was sensitive in earlier releases of the series '{}', and nobody may be "
                                  "linked to its values; give it the role 'sensitive' again, or leave it out",
                                  column->name, account_.about().series));
    }
    return {};
  }

  // What counts as missing is one value with one budget. A text that moved from it to a value of its own, or back,
  // would begin with nothing spent.
  Status RequireSameMissing() const {
    const AccountAbout& about = account_.about();
    const std::vector<std::string>& now = bound_.policy.missing;
    const auto counts = [](const std::vector<std::string>& texts, const std::string& text) {
      return std::ranges::find(texts, text) != texts.end();
    };
    for (const AccountItem& item : about.items) {
      const auto value = std::ranges::find_if(item.values, [&](const auto& text) { return counts(now, text); });
      if (value == item.values.end()) continue;
      return Refuse(
          fmt::format("'{}' counts as missing, but earlier releases of the series '{}' protected it as a value "
                      "of '{}'. Nothing was published; take it out of [input] missing",
                      *value, about.series, item.column));
    }
    if (about.every_value.empty()) return {};
    for (const std::string& text : about.missing) {
      if (text.empty() || counts(now, text)) continue;  // an empty cell is missing whatever the policy says
      return Refuse(
          fmt::format("'{}' counted as missing in earlier releases of the series '{}', which protects every "
                      "value of '{}'. Nothing was published; list it in [input] missing again",
                      text, about.series, fmt::join(about.every_value, "', '")));
    }
    return {};
  }

  // Items of the account that this policy does not protect stay promised, and what it protects anew must never have
  // been given away.
  Status MatchAccount() {
    const AccountAbout& about = account_.about();
    std::vector<AccountItem> added;
    for (const AccountItem& item : wanted_) {
      const auto known = std::ranges::find_if(about.items, [&](const auto& old) { return old.Matches(item); });
      if (known != about.items.end()) continue;
      const bool was_accounted = WasProtectedWhole(item.column) && !item.is_set;
      if (about.releases.empty() || was_accounted) {
        added.push_back(item);
        if (was_accounted) added.back().l = std::max(item.l, LargestLOf(item.column));
        continue;
      }
      return Refuse(
          fmt::format("{} is protected now, but {} of the series '{}' went out without an account of it, so "
                      "nobody knows what they gave away; begin another series, or leave it out",
                      NameOf(item), Releases(about.releases.size()), about.series));
    }
    account_.AddItems(std::move(added));
    account_.CountAsMissing(bound_.policy.missing);
    for (const ColumnPolicy* column : columns_) {
      if (column->values.empty()) account_.ProtectEveryValueOf(column->name);
    }
    return {};
  }

  // What was promised of every value is promised of those that nobody had yet.
  std::uint64_t LargestLOf(const std::string& column) const {
    std::uint64_t largest = 2;
    for (const AccountItem& item : account_.about().items) {
      if (item.column == column && !item.is_set) largest = std::max(largest, item.l);
    }
    return largest;
  }

  // Of a column of which every value is protected, also those that nobody has at the moment.
  bool IsOfWholeColumn(const AccountItem& item) const {
    const auto column = std::ranges::find(columns_, item.column, &ColumnPolicy::name);
    return !item.is_set && column != columns_.end() && ((*column)->values.empty() || WasProtectedWhole(item.column));
  }

  void MakeClaim() {
    for (const AccountItem& item : account_.about().items) {
      const auto wanted = std::ranges::find_if(wanted_, [&](const auto& other) { return other.Matches(item); });
      const auto column = std::ranges::find(columns_, item.column, &ColumnPolicy::name);
      SensitiveItem made;
      made.is_asked = wanted != wanted_.end() || IsOfWholeColumn(item);
      // What only an earlier policy promised keeps the l of that promise.
      made.l = made.is_asked ? std::max(item.l, wanted == wanted_.end() ? guarantee_.l : wanted->l) : item.l;
      made.transient = true;
      if (column == columns_.end()) {  // a column that this policy leaves out gives nothing away
        made.column = static_cast<std::uint32_t>(columns_.size());
        made.name = fmt::format("a value of '{}'", item.column);
      } else {
        made.column = static_cast<std::uint32_t>(column - columns_.begin());
        made.values = CodesOf(item, made.column);
        made.name = NameOf(item);
      }
      if (wanted != wanted_.end() && item.l > wanted->l) {
        Note(fmt::format("{} was promised with l = {} before; that stays", made.name, item.l));
      }
      result_.claim.items.push_back(std::move(made));
    }
  }

  std::vector<Code> CodesOf(const AccountItem& item, std::uint32_t column) {
    if (item.is_missing) {
      const auto null_code = texts_[column].column().null_code;
      return null_code ? std::vector<Code>{*null_code} : std::vector<Code>();
    }
    std::vector<std::string> absent;
    std::vector<Code> codes = texts_[column].Find(item.values, absent);
    std::erase_if(codes, [&](Code code) { return code >= texts_[column].texts().size(); });
    if (!absent.empty() && NamesValues(item)) {
      Note(fmt::format("the policy protects {} of '{}', which no row has; look that nothing is misspelt",
                       fmt::join(absent, ", "), item.column));
    }
    return codes;
  }

  static std::string Releases(std::size_t count) {
    return count == 1 ? std::string("one release") : fmt::format("{} releases", count);
  }
  Error Refuse(const std::string& message) const { return RefuseAt(guarantee_.position, message); }
  Error RefuseAt(SourcePosition position, const std::string& message) const {
    return {ErrorCode::kRefused, PolicyError(bound_.policy, position, message).message};
  }
  // Values that are not named read alike: once is enough.
  void Note(std::string note) {
    if (std::ranges::find(result_.notes, note) == result_.notes.end()) result_.notes.push_back(std::move(note));
  }

  const BoundPolicy& bound_;
  const GlobalGuaranteePolicy& guarantee_;
  const EncodedInput& input_;
  Account& account_;
  BoundItems& result_;
  std::vector<ValueTexts> texts_;
  std::vector<const ColumnPolicy*> columns_;  // the sensitive ones
  std::vector<AccountItem> wanted_;
};

}  // namespace

ItemSets CollectItemSets(const GlobalClaim& claim, std::size_t column, Code value_count) {
  std::vector<std::vector<std::size_t>> items_of_code(value_count);
  for (std::size_t item = 0; item < claim.items.size(); ++item) {
    if (claim.items[item].column != column) continue;
    for (const Code value : claim.items[item].values) items_of_code[value].push_back(item);
  }
  ItemSets sets;
  std::map<std::vector<std::size_t>, std::uint32_t> known;
  for (const std::vector<std::size_t>& items : items_of_code) {
    const auto [place, is_new] = known.try_emplace(items, static_cast<std::uint32_t>(sets.items.size()));
    if (is_new) sets.items.push_back(items);
    sets.of_code.push_back(place->second);
  }
  return sets;
}

Result<BoundItems> BindItems(const BoundPolicy& bound, const GlobalGuaranteePolicy& guarantee,
                             const EncodedInput& input, Account& account) {
  PENTIMENTO_RETURN_IF_ERROR(RequireAccountFits(bound, input, account));
  BoundItems result;
  result.columns = SensitiveColumnsOf(bound, input);
  for (const ValueColumn* column : result.columns) {
    result.codes.push_back(&column->codes);
    result.value_counts.push_back(static_cast<Code>(column->values.size()));
  }
  PENTIMENTO_RETURN_IF_ERROR(ItemBinder(bound, guarantee, input, account, result).Run());
  return result;
}

}  // namespace pentimento
