#include "anonymize/global/global_groups.h"

#include <algorithm>
#include <utility>

#include "anonymize/global/blind.h"
#include "anonymize/global/capped_items.h"
#include "anonymize/global/grow_groups.h"
#include "anonymize/global/published_rows.h"
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

using global::BudgetLevels;
using global::CappedItems;
using global::PublishedRows;
using global::Spending;

constexpr std::size_t kRowsAhead = 32;

void CheckShapes(const EncodedTable& table, std::span<const Domain> domains, const GlobalPeople& people) {
  const std::size_t items = people.l_of_item.size();
  Check(domains.size() == table.quasi_identifiers.size(), "one domain per quasi-identifier");
  Check(table.rows < std::numeric_limits<std::uint32_t>::max(), "rows are numbered in 32 bits");
  Check(!table.persons || table.persons->one_row_each(), "one row per person and release");
  Check(people.signatures != nullptr && people.signatures->of_row.size() == table.rows, "a signature for each row");
  Check(items > 0 && people.signatures->items.size() == items, "a limit for each item");
  Check(
      people.person_of_row.empty() ? people.budgets.people() == table.rows : people.person_of_row.size() == table.rows,
      "a person for each row");
  Check(people.budgets.accounted <= items &&
            people.budgets.spent.size() == people.budgets.people() * people.budgets.accounted,
        "a budget for each person");
  Check(std::ranges::all_of(people.l_of_item.subspan(people.budgets.accounted), [](auto l) { return l == 0; }),
        "a budget for each item that has one");
  Check(people.expected.empty() || people.expected.size() == items, "an expected frequency for each item");
  Check(people.table_of_item.empty() || people.table_of_item.size() == items, "a table for each item");
}

EncodedTable Select(const EncodedTable& table, std::span<const Domain> domains, std::span<const std::uint32_t> rows) {
  EncodedTable some{.rows = rows.size(), .quasi_identifiers = {}, .persons = {}};
  for (std::size_t c = 0; c < domains.size(); ++c) {
    CodeColumn& codes = some.quasi_identifiers.emplace_back(domains[c].size(), rows.size());
    codes.VisitMutable([&](auto& to) {
      table.quasi_identifiers[c].Visit([&](const auto from) {
        for (std::size_t i = 0; i < rows.size(); ++i)
          to[i] = static_cast<std::remove_reference_t<decltype(to[0])>>(from[rows[i]]);
      });
    });
  }
  return some;
}

CodeColumn KeysOf(const Signatures& signatures, const BudgetLevels& levels, const CappedItems& items,
                  const GlobalPeople& people, const PublishedRows& published) {
  CodeColumn keys(items.key_count(), published.count);
  keys.VisitMutable([&](auto& key) {
    signatures.of_row.Visit([&](const auto of_row) {
      using Narrow = std::remove_reference_t<decltype(key[0])>;
      ParallelFor(published.count, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          // People are all over the place: whose level is read in a moment is fetched now.
          if (i + kRowsAhead < end)
            __builtin_prefetch(&levels.of_person[people.PersonOf(published.RowAt(i + kRowsAhead))]);
          const std::size_t row = published.RowAt(i);
          key[i] = static_cast<Narrow>(items.KeyOf(of_row[row], levels.of_person[people.PersonOf(row)]));
        }
      });
    });
  });
  return keys;
}

GlobalGroups GroupsOf(std::size_t rows, const PublishedRows& published, Classes draft, std::uint64_t fewest_rows) {
  GlobalGroups groups;
  groups.withheld = rows - published.count;
  groups.fewest_rows = fewest_rows;
  if (draft.boxes.empty()) {
    draft.columns = 0;
    draft.without_boxes = *std::max_element(draft.of_row.begin(), draft.of_row.end()) + 1;
  }
  if (groups.withheld > 0) {
    std::vector<ClassNumber> of_row(rows, kWithheldClass);
    for (std::size_t i = 0; i < published.rows.size(); ++i) of_row[published.rows[i]] = draft.of_row[i];
    draft.of_row = std::move(of_row);
  }
  groups.classes = std::move(draft);
  return groups;
}

}  // namespace

Result<GlobalGroups> GroupWithinBudgets(const EncodedTable& table, std::span<const Domain> domains,
                                        const GlobalPeople& people, const GlobalOptions& options) {
  CheckShapes(table, domains, people);
  Spending spending(options.schedule, people.l_of_item);
  PENTIMENTO_ASSIGN(const PublishedRows published, global::ChooseRows(table.rows, people, spending, options.k));
  spending.AimFor(published.holders, published.count);
  const BudgetLevels levels =
      global::LevelBudgets(people.budgets, spending, published.people, {people.l_of_item, people.signatures},
                           published.holders, options.budget_levels);
  const CappedItems items(*people.signatures, levels, options.balances);
  const CodeColumn keys = KeysOf(*people.signatures, levels, items, people, published);
  const PartitionOptions tree{
      .k = std::max<std::uint64_t>(options.k, 1), .form = options.form, .wants_boxes = options.wants_boxes};
  const bool is_all = published.count == table.rows;
  const EncodedTable some = is_all ? EncodedTable{} : Select(table, domains, published.rows);
  const EncodedTable& rows = is_all ? table : some;
  if (!options.blind)
    return GroupsOf(table.rows, published, global::GrowGroups(rows, domains, keys, items, tree), tree.k);
  PENTIMENTO_ASSIGN(global::BlindGroups blind,
                    global::GrowBlindGroups(rows, domains, keys, items, people.table_of_item, tree, options.seed));
  return GroupsOf(table.rows, published, std::move(blind.draft), blind.fewest_rows);
}

}  // namespace pentimento
