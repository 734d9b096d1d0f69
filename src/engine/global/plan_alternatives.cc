#include "engine/global/plan_alternatives.h"

#include <fmt/core.h>

#include <algorithm>

#include "release/global_horizon.h"

namespace pentimento {
namespace {

class Comparison {
 public:
  explicit Comparison(const AlternativesBase& base) : base_(base), now_{{}, ScheduleNow()} {
    for (const ItemPlan& item : base.items) now_.l_of_item.push_back(item.l);
  }

  std::vector<PlanAlternative> Run() {
    Add(ChangeKind::kNone, "as it is", now_);
    ChangeL();
    ChangeLOfSets();
    if (!has_begun()) LeaveOutItems();
    LeaveOutColumns();
    ChangeSchedule();
    return std::move(alternatives_);
  }

 private:
  struct Terms {
    std::vector<std::uint64_t> l_of_item;  // 0: it is not protected, or not published
    PlanSchedule schedule;
  };

  bool has_begun() const { return base_.made > 0; }
  PlanSchedule ScheduleNow() const {
    return ScheduleOf(base_.guarantee->releases, base_.guarantee->spend, base_.made, base_.guarantee->room);
  }

  void Add(ChangeKind kind, std::string change, const Terms& terms) {
    PlanAlternative& made = alternatives_.emplace_back();
    made.kind = kind;
    made.change = std::move(change);
    made.at_most = kAnyNumberOfReleases;
    std::vector<CourseItem> items;
    bool is_too_late = false;
    for (std::size_t i = 0; i < base_.items.size(); ++i) {
      const ItemPlan& item = base_.items[i];
      const std::uint64_t l = terms.l_of_item[i];
      if (l == 0) continue;
      is_too_late = is_too_late || !base_.spent[i].Keeps(l);
      made.at_most = std::min(made.at_most, MostReleasesLeft(l, {item.holders, item.rows}, base_.spent[i]));
      items.push_back({l, item.holders, item.rows, base_.spent[i].MeanLeft(BudgetOfLimit(l))});
    }
    if (is_too_late) return;
    const std::uint32_t appearances = base_.typical_appearances;
    made.even_groups = ReleasesUnder(terms.schedule, items, appearances, GroupShape::kEven);
    made.tightest_groups = ReleasesUnder(terms.schedule, items, appearances, GroupShape::kTightest);
  }

  // Once a release promised an l, only a larger one changes anything.
  std::vector<std::uint64_t> OtherL(std::uint64_t l) const {
    std::vector<std::uint64_t> others;
    if (l > 2 && !has_begun()) others.push_back(l - 1);
    others.push_back(l + 1);
    if (2 * l > l + 1) others.push_back(2 * l);
    return others;
  }

  void ChangeL() {
    for (const std::uint64_t l : OtherL(base_.guarantee->l)) {
      Terms terms = now_;
      for (std::size_t i = 0; i < base_.items.size(); ++i) {
        if (base_.items[i].is_set || !base_.items[i].is_asked) continue;
        terms.l_of_item[i] = has_begun() ? std::max(terms.l_of_item[i], l) : l;
      }
      Add(ChangeKind::kL, fmt::format("l = {}", l), terms);
    }
  }

  void ChangeLOfSets() {
    for (std::size_t i = 0; i < base_.items.size(); ++i) {
      if (!base_.items[i].is_set || !base_.items[i].is_asked) continue;
      for (const std::uint64_t l : OtherL(base_.items[i].l)) {
        Terms terms = now_;
        terms.l_of_item[i] = l;
        Add(ChangeKind::kL, fmt::format("l = {} for {}", l, base_.items[i].name), terms);
      }
    }
  }

  // A policy without anything to protect has no such guarantee.
  void AddIfAnythingIsLeft(const std::string& change, const Terms& terms) {
    for (std::size_t i = 0; i < base_.items.size(); ++i) {
      if (terms.l_of_item[i] > 0 && base_.items[i].is_published) return Add(ChangeKind::kItems, change, terms);
    }
  }

  void LeaveOutItems() {
    for (std::size_t i = 0; i < base_.items.size(); ++i) {
      if (!base_.items[i].is_named) continue;
      Terms terms = now_;
      terms.l_of_item[i] = 0;
      AddIfAnythingIsLeft(
          fmt::format("without {}{}", base_.items[i].is_set ? "the limit on " : "", base_.items[i].name), terms);
    }
  }

  void LeaveOutColumns() {
    std::vector<std::string> columns;
    for (const ItemPlan& item : base_.items) {
      // Before the first release its values can be left out one by one, where the policy lists them.
      if (!item.is_published || (item.is_named && !has_begun())) continue;
      if (std::ranges::find(columns, item.column) == columns.end()) columns.push_back(item.column);
    }
    for (const std::string& column : columns) {
      Terms terms = now_;
      for (std::size_t i = 0; i < base_.items.size(); ++i) {
        if (base_.items[i].column == column) terms.l_of_item[i] = 0;
      }
      AddIfAnythingIsLeft(fmt::format("without the column '{}'", column), terms);
    }
  }

  void ChangeSchedule() {
    const GlobalGuaranteePolicy& guarantee = *base_.guarantee;
    const std::uint64_t at_most = alternatives_.front().at_most;
    const auto add = [&](const std::string& change, std::optional<std::uint64_t> releases, std::optional<Ratio> spend) {
      if (spend == guarantee.spend && (spend || releases == guarantee.releases)) return;
      Add(ChangeKind::kSchedule, change, {now_.l_of_item, ScheduleOf(releases, spend, base_.made, guarantee.room)});
    };
    // The most that can be planned at all, where that is a number that a policy may say.
    if (at_most > 0 && at_most + base_.made <= kMostForeseen && at_most < kMostForeseen)
      add(fmt::format("releases = {}", base_.made + at_most), base_.made + at_most, std::nullopt);
    add("releases = \"open\"", std::nullopt, std::nullopt);
    add("spend = \"1/2\"", guarantee.releases, Ratio{1, 2});
    add("spend = \"1/4\"", guarantee.releases, Ratio{1, 4});
    add("spend = \"1/10\"", guarantee.releases, Ratio{1, 10});
  }

  const AlternativesBase& base_;
  Terms now_;
  std::vector<PlanAlternative> alternatives_;
};

}  // namespace

std::vector<PlanAlternative> CompareAlternatives(const AlternativesBase& base) { return Comparison(base).Run(); }

}  // namespace pentimento
