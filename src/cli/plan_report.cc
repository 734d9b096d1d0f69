#include "cli/plan_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/plural.h"
#include "cli/global_report.h"
#include "cli/output.h"
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
  return item.is_named ? item.name : fmt::format("the value of '{}' with the fewest remaining releases", item.column);
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
    constexpr std::string_view kTitle = "remaining releases";
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
    text_ += table.Head(kTitle, {"median", "smallest budget", "target"});
    for (const ItemPlan* item : shown_)
      text_ += table.Line(NameOf(*item),
                          {RowsPerHolder(item->median), RowsPerHolder(item->tightest), RowsPerHolder(item->target)});
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
    // With a known number of releases nobody is withheld beforehand, so that the smallest remaining budget decides.
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
            fmt::format("    {}: {} rows have it, but the smallest remaining budget allows {}\n", NameOf(*item),
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

using Json = nlohmann::ordered_json;

Json ReleasesJson(std::uint64_t count) { return count == kAnyNumberOfReleases ? Json() : Json(count); }

double Part(LogCost part, LogCost whole) { return static_cast<double>(part) / static_cast<double>(whole); }

Json CapJson(const global::Cap& cap) {
  const double share = Part(cap.num, cap.den);
  return {{"share", share}, {"rows_per_holder", cap.num == 0 ? Json() : Json(1 / share)}};
}

Json CloseJson(const CloseToLimit& close) {
  return {{"below_half", close.below_half},
          {"below_quarter", close.below_quarter},
          {"below_tenth", close.below_tenth},
          {"too_little_left", close.too_little_left}};
}

Json HistogramJson(const ItemPlan& item) {
  Json from = Json::array();
  for (std::size_t bin = 0; bin < kPlanBins; ++bin) from.push_back(static_cast<double>(bin) / kPlanBins);
  return {{"left_from", std::move(from)}, {"people", item.histogram}};
}

Json ByLJson(const ItemPlan& item) {
  Json at_most = Json::array();
  for (const std::uint64_t releases : item.at_most_by_l) at_most.push_back(ReleasesJson(releases));
  return {{"l", item.l_tried}, {"at_most", std::move(at_most)}};
}

Json ByReleaseJson(const ItemPlan& item, std::uint64_t made) {
  Json numbers = Json::array();
  const std::size_t count = std::max(item.shares_even.size(), item.shares_tightest.size());
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(made + i + 1);
  return {{"release", std::move(numbers)},
          {"share_even_groups", item.shares_even},
          {"share_tightest_groups", item.shares_tightest}};
}

Json ItemJson(const ItemPlan& item, std::uint64_t made) {
  Json json = {{"item", item.name}, {"column", item.column},   {"is_set", item.is_set},
               {"l", item.l},       {"holders", item.holders}, {"rows", item.rows}};
  json["frequency"] = Part(item.holders, item.rows);
  json["releases"] = {{"from_the_start", ReleasesJson(item.from_the_start)},
                      {"at_most", ReleasesJson(item.at_most)},
                      {"even_groups", ReleasesJson(item.even_groups)},
                      {"tightest_groups", ReleasesJson(item.tightest_groups)}};
  json["left"] = {{"mean", Part(item.mean_left, item.budget)},
                  {"median", Part(item.median_left, item.budget)},
                  {"least", Part(item.least_left, item.budget)}};
  json["people"] = CloseJson(item.close);
  json["next"] = {
      {"median", CapJson(item.median)}, {"tightest", CapJson(item.tightest)}, {"aimed", CapJson(item.target)}};
  json["histogram"] = HistogramJson(item);
  json["by_l"] = ByLJson(item);
  json["by_release"] = ByReleaseJson(item, made);
  if (item.persistence) json["persistence"] = Json::parse(PersistenceJson(*item.persistence));
  return json;
}

std::string_view Word(NextRelease next) {
  switch (next) {
    case NextRelease::kEverybody:
      return "everybody";
    case NextRelease::kSomeWithheld:
      return "some withheld";
    case NextRelease::kRefused:
      return "refused";
    case NextRelease::kNoneLeft:
      break;
  }
  return "none left";
}

std::string_view Word(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kNone:
      return "none";
    case ChangeKind::kL:
      return "l";
    case ChangeKind::kItems:
      return "values";
    case ChangeKind::kSchedule:
      break;
  }
  return "schedule";
}

Json AlternativeJson(const PlanAlternative& change) {
  return {{"kind", Word(change.kind)},
          {"change", change.change},
          {"at_most", ReleasesJson(change.at_most)},
          {"even_groups", ReleasesJson(change.even_groups)},
          {"tightest_groups", ReleasesJson(change.tightest_groups)}};
}

}  // namespace

std::string PlanText(const GlobalPlan& plan) { return PlanWriter(plan).Write(); }

std::string PlanJson(const GlobalPlan& plan) {
  Json json = {{"release", plan.release}, {"series", plan.series}, {"ledger", plan.has_ledger}, {"l", plan.l}};
  json["schedule"] = {{"releases", plan.planned ? Json(*plan.planned) : Json("open")},
                      {"spend", plan.spend ? Json(ToString(*plan.spend)) : Json()}};
  json["made"] = plan.made;
  json["people"] = {{"table", plan.people}, {"newcomers", plan.newcomers}};
  json["people"].update(CloseJson(plan.close));
  json["next"] = {{"release", Word(plan.next)}, {"withheld", plan.withheld}, {"people_in_a_group", plan.k}};
  json["next"]["loss_percent"] = plan.loss_percent ? Json(*plan.loss_percent) : Json();
  json["next"]["loses_too_much"] = plan.loses_too_much;
  json["next"]["refusal"] = plan.refusal.empty() ? Json() : Json(plan.refusal);
  if (plan.limits_classes) json["next"]["breaks_alpha_k"] = plan.breaks_class_limits;
  json["items"] = Json::array();
  for (const ItemPlan& item : plan.items) json["items"].push_back(ItemJson(item, plan.made));
  json["every_value"] = Json::array();
  for (const EveryValuePlan& column : plan.every_value)
    json["every_value"].push_back({{"column", column.column},
                                   {"values", column.values},
                                   {"needed", column.needed == 0 ? Json() : Json(column.needed)}});
  json["alternatives"] = Json::array();
  for (const PlanAlternative& change : plan.alternatives) json["alternatives"].push_back(AlternativeJson(change));
  json["notes"] = plan.notes;
  return JsonText(json);
}

}  // namespace pentimento
