#include "anonymize/global/blind.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace pentimento::global {
namespace {

// If values have nothing to do with where people lie, those of a table are one more draw like these, and the chance
// that they alone break a cap is at most one in a hundred.
constexpr int kDraws = 99;

using ItemList = std::vector<std::uint32_t>;

// What one published table shows of who holds what, without saying who: for every row that holds some of its items, the
// list of these. Lists are in their order, so nothing here depends on rows, nor on the items of other tables.
struct TableTotals {
  std::vector<ItemList> lists;                // different ones, ascending, none empty
  std::vector<std::uint32_t> list_of_holder;  // by holder: which list; ascending
};

// `counts`: rows by signature.
TableTotals TotalsOf(std::uint32_t table, std::span<const std::uint32_t> table_of_item, const CappedItems& items,
                     std::span<const std::uint32_t> counts) {
  std::map<ItemList, std::uint32_t> rows_with;
  for (std::uint32_t signature = 0; signature < counts.size(); ++signature) {
    ItemList shown;
    for (const std::uint32_t item : items.ItemsOf(signature)) {
      if (table_of_item.empty() || table_of_item[item] == table) shown.push_back(item);
    }
    if (!shown.empty() && counts[signature] > 0) rows_with[shown] += counts[signature];
  }
  TableTotals totals;
  for (const auto& [list, rows] : rows_with) {
    totals.list_of_holder.insert(totals.list_of_holder.end(), rows, static_cast<std::uint32_t>(totals.lists.size()));
    totals.lists.push_back(list);
  }
  return totals;
}

class GroupSizes {
 public:
  GroupSizes(const Classes& draft, const CodeColumn& keys, const CappedItems& items) : draft_(draft), items_(items) {
    const std::size_t groups = *std::max_element(draft.of_row.begin(), draft.of_row.end()) + std::size_t{1};
    rows_.resize(groups);
    lowest_.resize(groups, kMostLevels - 1);
    for (std::size_t row = 0; row < draft.of_row.size(); ++row) {
      const ClassNumber group = draft.of_row[row];
      ++rows_[group];
      lowest_[group] = std::min(lowest_[group], CappedItems::LevelOf(keys[row]));
    }
  }

  // Whether every group keeps its caps with these holders; items_of(h): what the row of holder h has.
  template <typename ItemsOf>
  bool Keep(std::span<const std::uint32_t> rows, const ItemsOf& items_of) {
    counts_.assign(rows_.size() * items_.item_count(), 0);
    for (std::size_t h = 0; h < rows.size(); ++h) {
      const std::size_t group = draft_.of_row[rows[h]];
      const auto caps = items_.CapsOf(lowest_[group]);
      for (const std::uint32_t item : items_of(h)) {
        // Groups only fill up, so the first that breaks a cap decides.
        if (!caps[item].Allows(++counts_[group * items_.item_count() + item], rows_[group])) return false;
      }
    }
    return true;
  }

 private:
  const Classes& draft_;
  const CappedItems& items_;
  std::vector<std::uint64_t> rows_;
  std::vector<std::size_t> lowest_;
  std::vector<std::uint32_t> counts_;
};

class BlindSearch {
 public:
  BlindSearch(const EncodedTable& table, std::span<const Domain> domains, const CodeColumn& keys,
              const CappedItems& items, std::span<const std::uint32_t> table_of_item, const PartitionOptions& options,
              const Seed& seed)
      : table_(table), domains_(domains), keys_(keys), items_(items), options_(options), seed_(seed) {
    levels_ = CodeColumn(kMostLevels, table.rows);
    std::vector<std::uint32_t> counts(items.key_count() / kMostLevels);
    for (std::uint32_t row = 0; row < table.rows; ++row) {
      levels_.Set(row, static_cast<Code>(CappedItems::LevelOf(keys[row])));
      const std::uint32_t signature = CappedItems::SignatureOf(keys[row]);
      if (signature == 0) continue;
      rows_.push_back(row);
      signatures_.push_back(signature);
      ++counts[signature];
    }
    const std::uint32_t last = table_of_item.empty() ? 0 : *std::ranges::max_element(table_of_item);
    for (std::uint32_t shown = 0; shown <= last; ++shown)
      totals_.push_back(TotalsOf(shown, table_of_item, items, counts));
  }

  Result<BlindGroups> Find() {
    std::size_t finest = 0;
    std::size_t coarsest = 0;
    while (SizeOf(coarsest) <= table_.rows / 2) ++coarsest;
    // One group of all rows keeps the caps whoever holds what, so there is always a size that does.
    while (finest < coarsest) {
      const std::size_t middle = finest + (coarsest - finest) / 2;
      if (KeepsWhenDrawn(GrowWith(middle))) {
        coarsest = middle;
      } else {
        finest = middle + 1;
      }
    }
    Classes draft = GrowWith(finest);
    if (GroupSizes(draft, keys_, items_).Keep(rows_, [&](std::size_t h) { return items_.ItemsOf(signatures_[h]); }))
      return BlindGroups{std::move(draft), SizeOf(finest)};
    return Error{ErrorCode::kRefused,
                 fmt::format("groups of {} people or more, chosen without a look at the values (blind = true), would "
                             "let somebody be linked to a sensitive value more often than the schedule allows: those "
                             "who have it are too much alike. Other groups because of that would tell something of "
                             "who has it. Write k = {} or more in global-guarantee, plan fewer releases, or do without "
                             "blind. Nothing was published.",
                             SizeOf(finest), 2 * SizeOf(finest))};
  }

 private:
  std::uint64_t SizeOf(std::size_t step) const { return std::max<std::uint64_t>(options_.k, 1) << step; }

  Classes GrowWith(std::size_t step) const {
    PartitionOptions options = options_;
    options.k = SizeOf(step);
    return GrowGroups(table_, domains_, levels_, items_, options);
  }

  // Every draw is the same for all sizes. The values of a table are drawn by themselves: drawn together with those of
  // another, the size would tell how many people hold items of both, which nobody publishes.
  bool KeepsWhenDrawn(const Classes& draft) const {
    GroupSizes sizes(draft, keys_, items_);
    Random random(seed_, "values dealt at random");
    std::vector<std::uint32_t> people(table_.rows);
    std::iota(people.begin(), people.end(), 0U);
    for (int draw = 0; draw < kDraws; ++draw) {
      for (const TableTotals& totals : totals_) {
        const std::size_t holders = totals.list_of_holder.size();
        for (std::size_t h = 0; h < holders; ++h)
          std::swap(people[h], people[h + random.Below(static_cast<std::uint32_t>(people.size() - h))]);
        const auto items_of = [&](std::size_t h) -> const ItemList& { return totals.lists[totals.list_of_holder[h]]; };
        if (!sizes.Keep(std::span<const std::uint32_t>(people).first(holders), items_of)) return false;
      }
    }
    return true;
  }

  const EncodedTable& table_;
  std::span<const Domain> domains_;
  const CodeColumn& keys_;
  const CappedItems& items_;
  PartitionOptions options_;
  Seed seed_;
  CodeColumn levels_;                      // keys without signatures
  std::vector<std::uint32_t> rows_;        // who holds something
  std::vector<std::uint32_t> signatures_;  // and what
  std::vector<TableTotals> totals_;        // by published table
};

}  // namespace

Result<BlindGroups> GrowBlindGroups(const EncodedTable& table, std::span<const Domain> domains, const CodeColumn& keys,
                                    const CappedItems& items, std::span<const std::uint32_t> table_of_item,
                                    const PartitionOptions& options, const Seed& seed) {
  return BlindSearch(table, domains, keys, items, table_of_item, options, seed).Find();
}

}  // namespace pentimento::global
