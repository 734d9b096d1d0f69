// One sensitive column held against its limits, class by class. Where people have several rows the counts of their
// classes are kept for what is to be said about them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "guarantee/alpha_k/alpha_k_anonymity.h"
#include "guarantee/alpha_k/judged_items.h"
#include "guarantee/alpha_k/repeated_people.h"
#include "guarantee/form/rows_of_classes.h"
#include "guarantee/form/smallest_index.h"

namespace pentimento {

struct ItemCount {
  std::uint32_t item = 0;
  std::uint32_t rows = 0;  // of the class that have it; not 0
};

struct JudgedColumn {
  JudgedItems items;
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
class ClassJudge {
 public:
  // `shared`: the rows of people with several in a class, where their values are published; otherwise nothing.
  ClassJudge(const Bags& bags, const JudgedItems& items, const RowsOfClasses& classes, const SharedRows* shared)
      : bags_(bags), items_(items), classes_(classes), shared_(shared), tally_(items) {
    if (shared != nullptr) superfluous_.resize(items.items.size()), last_group_.resize(items.items.size());
  }

  // The most frequent item that breaks its limit; without the row.
  std::optional<AlphaKViolation> Judge(std::size_t c) {
    tally_.Clear();
    bags_.Load(c, tally_);
    tally_.CountItems();
    std::optional<AlphaKViolation> worst;
    for (const std::uint32_t item : tally_.met())
      Offer({AlphaKBreach::kTooManyRows, item, tally_.count(item), classes_.size(c)}, worst);
    if constexpr (requires { bags_.value(0); }) {
      if (!worst && shared_ != nullptr && !shared_->of(c).empty()) JudgePeople(c, worst);
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
    const JudgedItem& item = items_.items[share.item];
    if (!IsMoreThan(share.count, share.of, item.at_most)) [[likely]]
      return;
    const AlphaKViolation found{share.breach, item.limit, item.value, share.count, share.of, {}, 0};
    const auto order = [](const AlphaKViolation& v) { return std::tuple(~v.count, v.limit, v.value); };
    if (!worst || order(found) < order(*worst)) worst = found;
  }

  // People with an item are its rows without those that one of them has too many.
  void JudgePeople(std::size_t c, std::optional<AlphaKViolation>& worst) {
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
  const JudgedItems& items_;
  const RowsOfClasses& classes_;
  const SharedRows* shared_;
  BagTally tally_;
  std::vector<std::uint32_t> superfluous_;  // by item: rows that somebody has besides another one
  std::vector<std::uint64_t> last_group_;   // by item: the last group of rows that had it
  std::uint64_t group_ = 0;
};

// Few, because each task counts into arrays as long as the column has values.
inline constexpr std::size_t kMostJudgingTasks = 32;
inline constexpr std::size_t kFewestClassesPerTask = 512;

// `keeps_counts`: by class, or empty for none.
template <typename Bags>
JudgedColumn JudgeColumn(const Bags& bags, JudgedItems items, const RowsOfClasses& classes, const SharedRows* shared,
                         std::span<const std::uint8_t> keeps_counts) {
  const std::size_t tasks = std::clamp<std::size_t>(classes.classes() / kFewestClassesPerTask, 1, kMostJudgingTasks);
  JudgedColumn column{std::move(items), {}, {}, {}};
  if (!keeps_counts.empty()) column.begin.resize(classes.classes() + 1);
  std::vector<std::vector<ItemCount>> kept(tasks);
  SmallestIndex broken;
  ParallelFor(tasks, 1, [&](std::size_t first_task, std::size_t past_task) {
    for (std::size_t task = first_task; task < past_task; ++task) {
      ClassJudge<Bags> judge(bags, column.items, classes, shared);
      const std::size_t last = classes.classes() * (task + 1) / tasks;
      for (std::size_t c = classes.classes() * task / tasks; c < last; ++c) {
        if (judge.Judge(c)) return broken.Offer(c);
        if (keeps_counts.empty() || keeps_counts[c] == 0) continue;
        for (const std::uint32_t item : judge.tally().met()) kept[task].push_back({item, judge.tally().count(item)});
        column.begin[c + 1] = judge.tally().met().size();
      }
    }
  });
  if (const auto c = broken.Get()) {
    column.violation = ClassJudge<Bags>(bags, column.items, classes, shared).Judge(*c);
    column.violation->row = classes.FirstRow(*c);
    return column;
  }
  for (std::size_t c = 1; c < column.begin.size(); ++c) column.begin[c] += column.begin[c - 1];
  for (const auto& of_task : kept) column.counts.insert(column.counts.end(), of_task.begin(), of_task.end());
  return column;
}

}  // namespace pentimento
