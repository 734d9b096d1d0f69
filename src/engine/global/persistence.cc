#include "engine/global/persistence.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "base/plural.h"
#include "engine/global/bind_items.h"
#include "fmt/core.h"
#include "fmt/ranges.h"
#include "table/code_column.h"

namespace pentimento {
namespace {

// The items of one sensitive column: all of them, and those of each value.
struct ColumnItems {
  std::vector<std::size_t> all;
  ItemSets sets;
};

ColumnItems ItemsOfColumn(const BoundItems& items, std::size_t column) {
  ColumnItems found{{}, CollectItemSets(items.claim, column, items.value_counts[column])};
  for (std::size_t item = 0; item < items.claim.items.size(); ++item) {
    if (items.claim.items[item].column == column) found.all.push_back(item);
  }
  return found;
}

void Add(const std::vector<HeldAgain>& more, std::vector<HeldAgain>& sums) {
  for (std::size_t item = 0; item < sums.size(); ++item) {
    sums[item].known += more[item].known;
    sums[item].had += more[item].had;
    sums[item].again += more[item].again;
  }
}

void CountColumn(const BoundItems& items, std::size_t column, const PublishedPeople& people, const Account& account,
                 std::vector<HeldAgain>& sums) {
  const ColumnItems of_column = ItemsOfColumn(items, column);
  const std::span<const HeldLast> all_held = account.held_last();
  const std::size_t each = account.items();
  std::mutex mutex;
  items.codes[column]->Visit([&](auto codes) {
    ParallelFor(people.rows.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
      std::vector<HeldAgain> here(sums.size());
      for (std::size_t i = begin; i < end; ++i) {
        const HeldLast* const held = &all_held[people.person_of_row[i] * each];
        for (const std::size_t item : of_column.all) {
          here[item].known += held[item] == HeldLast::kUnknown ? 0 : 1;
          here[item].had += held[item] == HeldLast::kYes ? 1 : 0;
        }
        for (const std::size_t item : of_column.sets.ItemsOf(codes[people.rows[i]]))
          here[item].again += held[item] == HeldLast::kYes ? 1 : 0;
      }
      const std::scoped_lock lock(mutex);
      Add(here, sums);
    });
  });
}

bool StaysLonger(const HeldAgain& a, const HeldAgain& b) { return PersistenceRatio(a) > PersistenceRatio(b); }

// Those to warn of, one of each name.
std::vector<WorstOfName> RemarkableByName(const GlobalClaim& claim, std::span<const MeasuredPersistence> measured) {
  std::vector<std::size_t> items;
  for (std::size_t item = 0; item < measured.size(); ++item) {
    if (measured[item].told == Persistence::kStays) items.push_back(item);
  }
  std::vector<WorstOfName> worst = WorstByName(
      items.size(), [&](std::size_t i) -> const std::string& { return claim.items[items[i]].name; },
      [&](std::size_t a, std::size_t b) { return StaysLonger(measured[items[a]].seen, measured[items[b]].seen); });
  for (WorstOfName& one : worst) one.item = items[one.item];
  return worst;
}

// The first of those that stay most.
std::optional<std::size_t> WorstRefused(std::span<const MeasuredPersistence> measured) {
  std::optional<std::size_t> worst;
  for (std::size_t item = 0; item < measured.size(); ++item) {
    if (measured[item].told != Persistence::kRefused) continue;
    if (!worst || StaysLonger(measured[item].seen, measured[*worst].seen)) worst = item;
  }
  return worst;
}

std::string WordsOnRatio(const HeldAgain& seen) {
  return fmt::format(
      "of {} {} who had it in the last release that they were in, {} {} it again: {:.2f} times its frequency, which is "
      "{} of {} rows",
      seen.had, Plural(seen.had, "person", "people"), seen.again, Plural(seen.again, "has", "have"),
      PersistenceRatio(seen), seen.holders, seen.rows);
}

std::string WordsOnOthers(std::size_t others) {
  return others == 0 ? std::string() : fmt::format(" (and {} more {})", others, Plural(others, "value", "values"));
}

}  // namespace

std::optional<std::string> NoteOnCellsThatStay(const Policy& policy, const GlobalGuaranteePolicy& guarantee) {
  std::vector<std::string> names;
  for (const ColumnPolicy& column : policy.columns) {
    if (column.role == Role::kKeep || column.role == Role::kClass) names.push_back(fmt::format("'{}'", column.name));
  }
  if (names.empty() || guarantee.releases == 1) return std::nullopt;
  return fmt::format(
      "{} {} published as it came. Where a person's cell stays the same from release to release it tells "
      "which rows are that person's, and the person is in all of their groups; the account does not "
      "count that",
      fmt::join(names, ", "), names.size() == 1 ? "is" : "are each");
}

std::vector<MeasuredPersistence> MeasurePersistence(const BoundItems& items, const PublishedPeople& people,
                                                    const ItemFrequencies& frequencies, const Account& account,
                                                    Ratio most) {
  std::vector<HeldAgain> sums(items.claim.items.size());
  for (std::size_t column = 0; column < items.codes.size(); ++column) CountColumn(items, column, people, account, sums);
  const auto compared = std::ranges::count_if(sums, [](const HeldAgain& seen) { return seen.had > 0; });
  std::vector<MeasuredPersistence> measured;
  for (std::size_t item = 0; item < sums.size(); ++item) {
    sums[item].rows = frequencies.rows;
    sums[item].holders = frequencies.holders[item];
    measured.push_back(
        {sums[item],
         ClassifyPersistence(sums[item], most, std::max<std::uint64_t>(1, static_cast<std::size_t>(compared)))});
  }
  return measured;
}

void RememberHeld(const BoundItems& items, const PublishedPeople& people, Account& account) {
  const std::span<HeldLast> all_held = account.mutable_held_last();
  const std::size_t each = account.items();
  for (std::size_t column = 0; column < items.codes.size(); ++column) {
    const ColumnItems of_column = ItemsOfColumn(items, column);
    items.codes[column]->Visit([&](auto codes) {
      ParallelFor(people.rows.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          HeldLast* const held = &all_held[people.person_of_row[i] * each];
          for (const std::size_t item : of_column.all) held[item] = HeldLast::kNo;
          for (const std::size_t item : of_column.sets.ItemsOf(codes[people.rows[i]])) held[item] = HeldLast::kYes;
        }
      });
    });
  }
}

std::vector<std::string> WarnOfPersistence(const GlobalClaim& claim, std::span<const MeasuredPersistence> measured,
                                           Ratio most) {
  std::vector<std::string> warnings;
  for (const WorstOfName& one : RemarkableByName(claim, measured)) {
    warnings.push_back(fmt::format(
        "{}{} seems to stay: {}. The global guarantee counts every release as a fresh draw, so whoever knows that the "
        "value stays can be surer than 1/l. Above most_persistence = {} times the release would be refused",
        claim.items[one.item].name, WordsOnOthers(one.alike - 1), WordsOnRatio(measured[one.item].seen),
        ToString(most)));
  }
  return warnings;
}

std::string WordsOnRefused(const GlobalClaim& claim, std::span<const MeasuredPersistence> measured, Ratio most) {
  const auto worst = WorstRefused(measured);
  if (!worst) return "";
  const auto all = std::ranges::count(measured, Persistence::kRefused, &MeasuredPersistence::told);
  return fmt::format("{}{} does not come and go: {}, and most_persistence allows {} times", claim.items[*worst].name,
                     WordsOnOthers(static_cast<std::size_t>(all) - 1), WordsOnRatio(measured[*worst].seen),
                     ToString(most));
}

Status RequireComingAndGoing(const GlobalClaim& claim, std::span<const AccountItem> items,
                             std::span<const MeasuredPersistence> measured, Ratio most) {
  const auto worst = WorstRefused(measured);
  if (!worst) return {};
  return Error{
      ErrorCode::kRefused,
      fmt::format(
          "{}. The global guarantee counts every release as a fresh draw; of a value that stays, whoever compares two "
          "releases can be surer than 1/l. Nothing was published, and nobody's budget was spent. Leave the column '{}' "
          "out of the release, for everybody: to leave out the people who have the value, or their cells alone, would "
          "tell who they are. Before a new series begins, choose coarser values or a set that people really get and "
          "lose. Raise most_persistence only if you know that people do get and lose this value from one release to "
          "the next, and why it looks otherwise",
          WordsOnRefused(claim, measured, most), items[*worst].column)};
}

}  // namespace pentimento
