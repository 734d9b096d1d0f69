#include "cli/plan_report.h"

#include <algorithm>

#include "fmt/core.h"
#include "release/series_horizon.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

// Rare items last for ever, as far as anybody can plan.
std::string Releases(std::uint64_t count) { return count >= kMostForeseen ? "any number" : WithCommas(count); }

std::string Range(std::uint64_t a, std::uint64_t b) {
  const auto [low, high] = std::minmax(a, b);
  return low == high ? Releases(low) : fmt::format("{} to {}", Releases(low), Releases(high));
}

std::string Percent(std::uint64_t part, std::uint64_t whole) {
  return PercentText(part == whole ? Ratio{1, 1} : Ratio{part, whole});
}

std::string People(std::uint64_t count) {
  return count == 1 ? std::string("one person") : fmt::format("{} people", WithCommas(count));
}

std::string RowsPerHolder(const serial::Cap& cap) {
  return cap.num == 0 ? "no number of them is enough"
                      : fmt::format("{:.2f}", static_cast<double>(cap.den) / static_cast<double>(cap.num));
}

// A line of the report: a name as wide as the widest, then cells.
std::string Line(std::string_view name, std::size_t width, std::string_view rest) {
  return fmt::format("    {:<{}}  {}\n", name, width, rest);
}

// The items that the text speaks of: those with a name, and of each column whose values have none the one that bears
// least. Programs get all of them.
std::vector<const ItemPlan*> ShownItems(const SeriesPlan& plan) {
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

class Text {
 public:
  explicit Text(const SeriesPlan& plan) : plan_(plan), shown_(ShownItems(plan)) {
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
        "table\n"
        "  and to be about the same people. Newcomers begin with their whole budgets.\n";
    return std::move(text_);
  }

 private:
  void Head() {
    text_ = fmt::format("{}: a plan for the series '{}'", plan_.release, plan_.series);
    if (plan_.made == 0) {
      text_ += plan_.has_ledger ? ", which has no release yet\n" : ", which has neither a release nor a ledger yet\n";
    } else if (plan_.planned) {
      text_ += fmt::format(", {} of {} releases are out\n", plan_.made, *plan_.planned);
    } else {
      text_ += fmt::format(", {} {} out\n", plan_.made, plan_.made == 1 ? "release is" : "releases are");
    }
    text_ += fmt::format("  {} in this table", People(plan_.people));
    if (plan_.made > 0) text_ += fmt::format(", {} of them new in the series", WithCommas(plan_.newcomers));
    text_ += "\n";
  }

  void Horizons() {
    text_ += "\n  how many more releases they can bear, if each has the values as often as this table\n";
    for (const ItemPlan* item : shown_) {
      text_ +=
          Line(NameOf(*item), width_,
               fmt::format("l = {}, {} of {} rows ({}): {} however they are grouped, {} under this schedule", item->l,
                           WithCommas(item->holders), WithCommas(item->rows), Percent(item->holders, item->rows),
                           AtMost(item->at_most), Range(item->tightest_groups, item->even_groups)));
    }
  }

  static std::string AtMost(std::uint64_t count) {
    return count >= kMostForeseen ? std::string("any number") : fmt::format("at most {}", WithCommas(count));
  }

  void Next() {
    text_ += "\n  the next release\n";
    switch (plan_.next) {
      case NextRelease::kNoneLeft:
        text_ += "    there is none: all releases that were planned are out\n";
        return;
      case NextRelease::kEverybody:
        text_ += "    everybody in this table can be in it\n";
        break;
      case NextRelease::kSomeWithheld:
        text_ += fmt::format("    {} would not be in it, because too little is left of their budgets\n",
                             People(plan_.withheld));
        break;
      case NextRelease::kRefused:
        text_ += "    this table would be refused\n";
        Reasons();
        break;
    }
    text_ += "    rows that a group needs for each that has the value, about:\n";
    for (const ItemPlan* item : shown_) {
      text_ += Line(NameOf(*item), width_,
                    fmt::format("{} for the median person, {} for whoever has least left", RowsPerHolder(item->median),
                                RowsPerHolder(item->tightest)));
    }
  }

  void Reasons() {
    for (const ItemPlan* item : shown_) {
      if (item->tightest.Allows(item->holders, item->rows)) continue;
      const std::uint64_t allowed = item->tightest.num * item->rows / item->tightest.den;
      text_ += Line(NameOf(*item), width_,
                    fmt::format("{} rows have it, but {} may, for whoever has least left", WithCommas(item->holders),
                                WithCommas(allowed)));
    }
  }

  static std::string Close(const CloseToLimit& close) {
    return fmt::format("less than half is left to {}, less than a quarter to {}, less than a tenth to {}",
                       People(close.below_half), WithCommas(close.below_quarter), WithCommas(close.below_tenth));
  }

  void Budgets() {
    if (plan_.made == 0) return;
    text_ += "\n  how much is left of the budgets\n";
    for (const ItemPlan* item : shown_) {
      text_ += Line(NameOf(*item), width_,
                    fmt::format("{} on average, {} at least; {}", Percent(item->mean_left, item->budget),
                                Percent(item->least_left, item->budget), Close(item->close)));
    }
    if (plan_.items.size() > 1) text_ += Line("any of them", width_, Close(plan_.close));
    text_ += fmt::format(
        "    {} too little left for values as frequent as in the latest release\n",
        plan_.close.too_little_left == 1 ? "one person has" : People(plan_.close.too_little_left) + " have");
  }

  void EveryValue() {
    for (const EveryValuePlan& column : plan_.every_value) {
      if (column.needed == 0) continue;
      text_ += fmt::format(
          "\n  every value of '{}' is protected, so a group of the next release needs at least {} different ones; "
          "this\n  table has {}\n",
          column.column, WithCommas(column.needed), WithCommas(column.values));
    }
  }

  bool Buys(const PlanAlternative& change) const {
    const PlanAlternative& now = plan_.alternatives.front();
    return change.at_most > now.at_most || change.even_groups > now.even_groups;
  }

  void Alternatives() {
    std::size_t width = std::string_view("what a change would buy, in more releases").size() - 2;
    bool buys_nothing = false;
    std::vector<const PlanAlternative*> shown;
    for (const PlanAlternative& change : plan_.alternatives) {
      if (change.kind == ChangeKind::kItems && !Buys(change)) {
        buys_nothing = true;
        continue;
      }
      width = std::max(width, change.change.size());
      shown.push_back(&change);
    }
    text_ += fmt::format("\n  {:<{}}  {:>10}  {:>20}\n", "what a change would buy, in more releases", width + 2,
                         "at most", "under its schedule");
    for (const PlanAlternative* change : shown) {
      text_ += Line(change->change, width,
                    fmt::format("{:>10}  {:>20}", Releases(change->at_most),
                                Range(change->tightest_groups, change->even_groups)));
    }
    if (buys_nothing) text_ += "    to leave out any other value or column alone buys nothing\n";
    if (plan_.made > 0) text_ += "    what earlier releases promised stays: l can grow, and no value can be given up\n";
  }

  const SeriesPlan& plan_;
  std::vector<const ItemPlan*> shown_;
  std::size_t width_ = 0;
  std::string text_;
};

}  // namespace

std::string PlanText(const SeriesPlan& plan) { return Text(plan).Write(); }

}  // namespace pentimento
