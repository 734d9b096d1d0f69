// One sensitive column held against its limits, class by class. Where people have several rows the counts of their
// classes are kept for what is to be said about them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/parallel.h"
#include "base/ratio.h"
#include "guarantee/alpha_k/alpha_k_anonymity.h"
#include "guarantee/alpha_k/repeated_people.h"
#include "guarantee/form/rows_of_classes.h"
#include "guarantee/form/smallest_index.h"
#include "release/alpha_k_claim.h"

namespace pentimento {

// What of the column is limited, taken apart: single values and sets of values, each with one limit.
struct CheckedItem {
  Ratio at_most;
  std::uint32_t limit = 0;  // of the claim
  Code value = 0;           // where it is a single value
};

struct CheckedItems {
  std::vector<CheckedItem> items;
  std::vector<std::uint32_t> begin_of_value;  // in item_of_value, and one more for the end
  std::vector<std::uint32_t> item_of_value;

  Code value_count() const { return static_cast<Code>(begin_of_value.size() - 1); }
  std::span<const std::uint32_t> of(Code value) const {
    return std::span(item_of_value).subspan(begin_of_value[value], begin_of_value[value + 1] - begin_of_value[value]);
  }
};

// The items of one column for values below `value_count`; others are in no row. A value that several limits speak of
// by itself is one item with the strictest of them; limits of 1 and more cannot be broken and are left out.
CheckedItems CollectCheckedItems(const AlphaKClaim& claim, std::uint32_t column, Code value_count);

// How often each item occurs in one class, which is filled in by value. Made once for many classes.
class BagTally {
 public:
  explicit BagTally(const CheckedItems& items)
      : items_(items), count_of_value_(items.value_count()), count_(items.items.size()) {}

  void AddValue(Code value, std::uint32_t count) {
    if (count_of_value_[value] == 0) met_values_.push_back(value);
    count_of_value_[value] += count;
  }
  // From values to items, when all values are there.
  void CountItems() {
    for (const Code value : met_values_) {
      for (const std::uint32_t item : items_.of(value)) {
        if (count_[item] == 0) met_.push_back(item);
        count_[item] += count_of_value_[value];
      }
    }
  }
  void Clear() {
    for (const Code value : met_values_) count_of_value_[value] = 0;
    for (const std::uint32_t item : met_) count_[item] = 0;
    met_values_.clear();
    met_.clear();
  }

  std::span<const std::uint32_t> met() const { return met_; }
  std::uint32_t count(std::uint32_t item) const { return count_[item]; }
  const CheckedItem& item(std::uint32_t item) const { return items_.items[item]; }

 private:
  const CheckedItems& items_;
  std::vector<std::uint32_t> count_of_value_;
  std::vector<Code> met_values_;
  std::vector<std::uint32_t> count_;
  std::vector<std::uint32_t> met_;
};

// Cross-multiplied on purpose: in doubles 0.29 * 100 is 28.999999999999996, and 29 of 100 would break 0.29.
inline bool IsMoreThan(std::uint64_t count, std::uint64_t of, Ratio limit) {
  __extension__ using Wide = unsigned __int128;
  return Wide{count} * limit.den > Wide{limit.num} * of;
}

struct ItemCount {
  std::uint32_t item = 0;
  std::uint32_t rows = 0;  // of the class that have it; not 0
};

struct CheckedColumn {
  CheckedItems items;
  std::optional<AlphaKViolation> violation;
  std::vector<std::uint64_t> begin;  // by class, in `counts`, and one more for the end; empty where nothing is kept
  std::vector<ItemCount> counts;

  std::span<const ItemCount> of(std::size_t c) const {
    return std::span(counts).subspan(begin[c], begin[c + 1] - begin[c]);
  }
};

// The sensitive values of a generalized table: those of its rows.
template <typename Narrow>
struct RowBags {
  const RowsOfClasses& classes;
  std::span<const Narrow> of_row;
  std::vector<Narrow> by_class;

  void Load(std::size_t c, BagTally& tally) const {
    for (std::uint32_t i = classes.begin[c]; i < classes.begin[c + 1]; ++i) tally.AddValue(by_class[i], 1);
  }
  Code value(std::size_t row) const { return of_row[row]; }
};

// Verifies one class after the other.
template <typename Bags>
class ClassChecker {
 public:
  // `shared`: the rows of people with several in a class, where their values are published; otherwise nothing.
  ClassChecker(const Bags& bags, const CheckedItems& items, const RowsOfClasses& classes, const SharedRows* shared)
      : bags_(bags), items_(items), classes_(classes), shared_(shared), tally_(items) {
    if (shared != nullptr) superfluous_.resize(items.items.size()), last_group_.resize(items.items.size());
  }

  // The most frequent item that breaks its limit; without the row.
  std::optional<AlphaKViolation> Check(std::size_t c) {
    tally_.Clear();
    bags_.Load(c, tally_);
    tally_.CountItems();
    std::optional<AlphaKViolation> worst;
    for (const std::uint32_t item : tally_.met())
      Offer({AlphaKBreach::kTooManyRows, item, tally_.count(item), classes_.size(c)}, worst);
    if constexpr (requires { bags_.value(0); }) {
      if (!worst && shared_ != nullptr && !shared_->of(c).empty()) CheckPeople(c, worst);
    }
    return worst;
  }
  // Of the class that was verified last.
  const BagTally& tally() const { return tally_; }

 private:
  struct Share {
    AlphaKBreach breach;
    std::uint32_t item;
    std::uint64_t count;
    std::uint64_t of;
  };

  void Offer(const Share& share, std::optional<AlphaKViolation>& worst) const {
    const CheckedItem& item = items_.items[share.item];
    if (!IsMoreThan(share.count, share.of, item.at_most)) [[likely]]
      return;
    const AlphaKViolation found{share.breach, item.limit, item.value, share.count, share.of, {}, 0};
    const auto order = [](const AlphaKViolation& v) { return std::tuple(~v.count, v.limit, v.value); };
    if (!worst || order(found) < order(*worst)) worst = found;
  }

  // People with an item are its rows without those that one of them has too many.
  void CheckPeople(std::size_t c, std::optional<AlphaKViolation>& worst) {
    for (const std::span<const RowInClass> rows : shared_->of(c)) {
      ++group_;
      for (const RowInClass& row : rows) {
        for (const std::uint32_t item : items_.of(bags_.value(row.row))) {
          if (last_group_[item] == group_) ++superfluous_[item];
          last_group_[item] = group_;
        }
      }
    }
    const std::uint64_t people = classes_.size(c) - shared_->superfluous[c];
    for (const std::uint32_t item : tally_.met()) {
      Offer({AlphaKBreach::kTooManyPeople, item, tally_.count(item) - superfluous_[item], people}, worst);
      superfluous_[item] = 0;
    }
  }

  const Bags& bags_;
  const CheckedItems& items_;
  const RowsOfClasses& classes_;
  const SharedRows* shared_;
  BagTally tally_;
  std::vector<std::uint32_t> superfluous_;  // by item: rows that somebody has besides another one
  std::vector<std::uint64_t> last_group_;   // by item: the last group of rows that had it
  std::uint64_t group_ = 0;
};

// Few, because each task counts into arrays as long as the column has values.
inline constexpr std::size_t kMostCheckingTasks = 32;
inline constexpr std::size_t kFewestClassesPerTask = 512;

// `keeps_counts`: by class, or empty for none.
template <typename Bags>
CheckedColumn CheckColumn(const Bags& bags, CheckedItems items, const RowsOfClasses& classes, const SharedRows* shared,
                          std::span<const std::uint8_t> keeps_counts) {
  const std::size_t tasks = std::clamp<std::size_t>(classes.classes() / kFewestClassesPerTask, 1, kMostCheckingTasks);
  CheckedColumn column{std::move(items), {}, {}, {}};
  if (!keeps_counts.empty()) column.begin.resize(classes.classes() + 1);
  std::vector<std::vector<ItemCount>> kept(tasks);
  SmallestIndex broken;
  ParallelFor(tasks, 1, [&](std::size_t first_task, std::size_t past_task) {
    for (std::size_t task = first_task; task < past_task; ++task) {
      ClassChecker<Bags> checker(bags, column.items, classes, shared);
      const std::size_t last = classes.classes() * (task + 1) / tasks;
      for (std::size_t c = classes.classes() * task / tasks; c < last; ++c) {
        if (checker.Check(c)) return broken.Offer(c);
        if (keeps_counts.empty() || keeps_counts[c] == 0) continue;
        for (const std::uint32_t item : checker.tally().met())
          kept[task].push_back({item, checker.tally().count(item)});
        column.begin[c + 1] = checker.tally().met().size();
      }
    }
  });
  if (const auto c = broken.Get()) {
    column.violation = ClassChecker<Bags>(bags, column.items, classes, shared).Check(*c);
    column.violation->row = classes.FirstRow(*c);
    return column;
  }
  for (std::size_t c = 1; c < column.begin.size(); ++c) column.begin[c] += column.begin[c - 1];
  for (const auto& of_task : kept) column.counts.insert(column.counts.end(), of_task.begin(), of_task.end());
  return column;
}

}  // namespace pentimento
