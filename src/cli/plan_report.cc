#include "cli/plan_report.h"

#include <algorithm>

#include "fmt/core.h"
#include "release/global_horizon.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

// Rare items last for ever, as far as anybody can plan.
std::string ReleasesText(std::uint64_t count) { return count >= kMostForeseen ? "any number" : WithCommas(count); }

std::string Range(std::uint64_t a, std::uint64_t b) {
  const auto [low, high] = std::minmax(a, b);
  return low == high ? ReleasesText(low) : fmt::format("{} to {}", ReleasesText(low), ReleasesText(high));
}

std::string Percent(std::uint64_t part, std::uint64_t whole) {
  return PercentText(part == whole ? Ratio{1, 1} : Ratio{part, whole});
}

std::string People(std::uint64_t count) {
  return count == 1 ? std::string("one person") : fmt::format("{} people", WithCommas(count));
}

std::string RowsPerHolder(const global::Cap& cap) {
  return cap.num == 0 ? "no number"
                      : fmt::format("{:.2f}", static_cast<double>(cap.den) / static_cast<double>(cap.num));
}

// One line of a table: a name as wide as the widest, then cells to the right of theirs.
struct PlanTable {
  std::size_t name_width = 0;
  std::vector<std::size_t> cell_widths;

  std::string Head(std::string_view title, const std::vector<std::string>& cells) const {
    return fmt::format("\n  {:<{}}{}\n", title, name_width + 2, Cells(cells));
  }
  std::string Line(std::string_view name, const std::vector<std::string>& cells) const {
    return fmt::format("    {:<{}}{}\n", name, name_width, Cells(cells));
  }

 private:
  std::string Cells(const std::vector<std::string>& cells) const {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) text += fmt::format("  {:>{}}", cells[i], cell_widths[i]);
    return text;
  }
};

// The items that the text speaks of: those with a name, and of each column whose values have none the one that bears
// least. Programs get all of them.
std::vector<const ItemPlan*> ShownItems(const GlobalPlan& plan) {
  std::vector<const ItemPlan*> shown;
  for (const ItemPlan& item : plan.items) {
    if (!item.is_published) continue;
    const auto same = std::ranges::find_if(shown, [&](const ItemPlan* other) {
      return !item.is_named && !other->is_named && other->column == item.column;
    });
    if (same == shown.end()) {
      shown.push_back(&item);
    } else if (item.at_most < (*same)->at_most) {
      *same = &item;
    }
  }
  return shown;
}

std::string NameOf(const ItemPlan& item) {
  return item.is_named ? item.name : fmt::format("the value of '{}' that bears least", item.column);
}

class PlanWriter {
 public:
  explicit PlanWriter(const GlobalPlan& plan) : plan_(plan), shown_(ShownItems(plan)) {
    for (const ItemPlan* item : shown_) width_ = std::max(width_, NameOf(*item).size());
  }

  std::string Write() {
    Head();
    Horizons();
    Next();
    Budgets();
    EveryValue();
    Alternatives();
    text_ +=
        "\n  Nobody knows how frequent the values will be: later releases are taken to have each as often as this "
        "table,\n  and to be about the same people. Newcomers begin with their whole budgets.\n";
    return std::move(text_);
  }

 private:
  void Head() {
    text_ = fmt::format("{}: a plan for the series '{}'", plan_.release, plan_.series);
    if (plan_.made == 0) {
      text_ += plan_.has_ledger ? ", which has no release yet\n" : ", which has neither a release nor a ledger yet\n";
    } else {
      text_ += fmt::format(", {} release{} out", plan_.made, plan_.made == 1 ? " is" : "s are");
      text_ += plan_.planned ? fmt::format(" and {} planned in all\n", *plan_.planned) : "\n";
    }
    text_ += fmt::format("  {} in this table", People(plan_.people));
    if (plan_.made > 0) text_ += fmt::format(", {} of them new in the series", WithCommas(plan_.newcomers));
    text_ += "\n";
  }

  PlanTable TableOf(std::string_view title, std::vector<std::size_t> cell_widths) const {
    return {std::max(width_, title.size() - 2), std::move(cell_widths)};
  }

  void Horizons() {
    constexpr std::string_view kTitle = "more releases that they can bear";
    const PlanTable table = TableOf(kTitle, {5, 24, 8, 10, 15});
    text_ += table.Head(kTitle, {"l", "rows with it", "", "at most", "this schedule"});
    for (const ItemPlan* item : shown_) {
      text_ += table.Line(NameOf(*item), {WithCommas(item->l),
                                          fmt::format("{} of {}", WithCommas(item->holders), WithCommas(item->rows)),
                                          Percent(item->holders, item->rows), ReleasesText(item->at_most),
                                          Range(item->tightest_groups, item->even_groups)});
    }
  }

  void Next() {
    text_ += "\n  the next release\n";
    switch (plan_.next) {
      case NextRelease::kNoneLeft:
        text_ += "    there is none: all releases that were planned are out\n";
        return;
      case NextRelease::kEverybody:
        text_ += "    everybody in this table can be in it\n";
        Loss();
        break;
      case NextRelease::kSomeWithheld:
        text_ += fmt::format("    {} would not be in it, because too little is left of their budgets\n",
                             People(plan_.withheld));
        Loss();
        break;
      case NextRelease::kRefused:
        text_ += "    this table would be refused\n";
        Reasons();
        break;
    }
    constexpr std::string_view kTitle = "rows needed for each that has it, about";
    const PlanTable table = TableOf(kTitle, {12, 18, 10});
    text_ += table.Head(kTitle, {"median", "who has least left", "aimed at"});
    for (const ItemPlan* item : shown_)
      text_ += table.Line(NameOf(*item),
                          {RowsPerHolder(item->median), RowsPerHolder(item->tightest), RowsPerHolder(item->aimed)});
    if (plan_.k > 1) text_ += fmt::format("    and {} in each group, whatever is in it\n", People(plan_.k));
    if (plan_.limits_classes)
      text_ += "    (alpha,k)-anonymity limits values in each group as well and may need more\n";
  }

  void Loss() {
    if (plan_.loss_percent)
      text_ += fmt::format("    {:.2f} % of the detail would be lost (NCP)\n", *plan_.loss_percent);
  }

  void Reasons() {
    if (plan_.loses_too_much) {
      text_ += fmt::format(
          "    {:.2f} % of the detail would be lost, and most_loss is {}: budgets would be spent for next to nothing\n",
          *plan_.loss_percent, PercentText(plan_.most_loss));
    }
    if (plan_.withheld > 0)
      text_ += fmt::format("    {} would not be in it, because too little is left of their budgets\n",
                           People(plan_.withheld));
    // With a known number of releases nobody is withheld beforehand, so that whoever has least left decides.
    const bool least_decides = !plan_.refusal.empty() && plan_.planned && !plan_.spend;
    if (plan_.people < plan_.k) text_ += fmt::format("    a group needs {}\n", People(plan_.k));
    if (!plan_.stays.empty()) text_ += fmt::format("    {}\n", plan_.stays);
    if (plan_.breaks_class_limits)
      text_ += "    a value is more frequent in this table than (alpha,k)-anonymity allows in any group\n";
    for (const ItemPlan& item : plan_.items) {
      if (item.is_too_late)
        text_ += fmt::format("    {}: earlier releases of the series told more of somebody than l = {} allows\n",
                             item.name, item.l);
    }
    for (const ItemPlan* item : shown_) {
      if (item->is_too_late) continue;
      if (plan_.made == 0 && plan_.planned && *plan_.planned > item->at_most) {
        text_ +=
            fmt::format("    {}: so frequent, it can be in {} at most, but releases = {}\n", NameOf(*item),
                        item->at_most == 1 ? "one release" : fmt::format("{} releases", ReleasesText(item->at_most)),
                        *plan_.planned);
      } else if (least_decides && !item->tightest.Allows(item->holders, item->rows)) {
        text_ +=
            fmt::format("    {}: {} rows have it, but with whoever has least left {} may\n", NameOf(*item),
                        WithCommas(item->holders), WithCommas(item->tightest.num * item->rows / item->tightest.den));
      }
    }
    if (!plan_.refusal.empty() && !least_decides)
      text_ += fmt::format("    the release would say: {}\n", plan_.refusal);
  }

  void Budgets() {
    if (plan_.made == 0) return;
    constexpr std::string_view kTitle = "what is left of the budgets";
    const PlanTable table = TableOf(kTitle, {9, 9, 11, 11, 11});
    const auto close = [](const CloseToLimit& counts) {
      return std::vector{WithCommas(counts.below_half), WithCommas(counts.below_quarter),
                         WithCommas(counts.below_tenth)};
    };
    text_ += table.Head(kTitle, {"average", "least", "below 1/2", "below 1/4", "below 1/10"});
    for (const ItemPlan* item : shown_) {
      std::vector<std::string> cells = {Percent(item->mean_left, item->budget),
                                        Percent(item->least_left, item->budget)};
      for (std::string& count : close(item->close)) cells.push_back(std::move(count));
      text_ += table.Line(NameOf(*item), cells);
    }
    if (plan_.items.size() > 1) {
      std::vector<std::string> cells = {"", ""};
      for (std::string& count : close(plan_.close)) cells.push_back(std::move(count));
      text_ += table.Line("any of all", cells);
    }
    text_ += fmt::format(
        "    {} too little left to be in a release with values as frequent as in the last ones\n",
        plan_.close.too_little_left == 1 ? "one person has" : People(plan_.close.too_little_left) + " have");
  }

  void EveryValue() {
    for (const EveryValuePlan& column : plan_.every_value) {
      if (column.needed == 0) continue;
      text_ += fmt::format(
          "\n  every value of '{}' is protected, so a group of the next release needs at least {} different ones;\n"
          "  this table has {}\n",
          column.column, WithCommas(column.needed), WithCommas(column.values));
    }
  }

  bool Buys(const PlanAlternative& change) const {
    const PlanAlternative& now = plan_.alternatives.front();
    return change.at_most > now.at_most || change.even_groups > now.even_groups;
  }

  void Alternatives() {
    constexpr std::string_view kTitle = "more releases after a change";
    PlanTable table = TableOf(kTitle, {10, 15});
    std::vector<const PlanAlternative*> shown;
    for (const PlanAlternative& change : plan_.alternatives) {
      if (change.kind == ChangeKind::kItems && !Buys(change)) continue;
      table.name_width = std::max(table.name_width, change.change.size());
      shown.push_back(&change);
    }
    text_ += table.Head(kTitle, {"at most", "its schedule"});
    for (const PlanAlternative* change : shown) {
      text_ += table.Line(change->change,
                          {ReleasesText(change->at_most), Range(change->tightest_groups, change->even_groups)});
    }
    if (shown.size() < plan_.alternatives.size())
      text_ += "    to leave out any other value or column alone buys nothing\n";
    if (plan_.made > 0) text_ += "    what earlier releases promised stays: l can grow, and no value can be given up\n";
  }

  const GlobalPlan& plan_;
  std::vector<const ItemPlan*> shown_;
  std::size_t width_ = 0;
  std::string text_;
};

}  // namespace

std::string PlanText(const GlobalPlan& plan) { return PlanWriter(plan).Write(); }

}  // namespace pentimento
