#include "cli/global_report.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/plural.h"
#include "cli/persistence_report.h"
#include "fmt/core.h"
#include "release/global_horizon.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

// Rare items last for ever, as far as anybody can plan.
constexpr std::uint64_t kVeryMany = 10'000;

// Items that the policy names, and of those that share a name because it does not, the one that lasts least: where
// every value is protected there may be thousands. Programs get all of them.
struct ShownItem {
  const GlobalOutcome::Item* item = nullptr;
  std::size_t alike = 0;
};

std::vector<ShownItem> ShownItems(const std::vector<GlobalOutcome::Item>& items) {
  std::vector<ShownItem> shown;
  std::map<std::string_view, std::size_t> place;
  for (const GlobalOutcome::Item& item : items) {
    const auto [at, is_new] = place.try_emplace(item.name, shown.size());
    if (is_new) shown.push_back({&item, 0});
    ShownItem& one = shown[at->second];
    ++one.alike;
    if (item.releases_left < one.item->releases_left) one.item = &item;
  }
  return shown;
}

std::string ItemText(const ShownItem& shown) {
  const GlobalOutcome::Item& item = *shown.item;
  std::string left = "any number of releases";
  if (item.releases_left < kVeryMany)
    left = item.releases_left == 1 ? "one more release" : fmt::format("{} more releases", item.releases_left);
  const std::string of_all = shown.alike == 1 ? "" : fmt::format(", the one of {} that lasts least", shown.alike);
  return fmt::format("  {}{}: {} of {} rows; what is left would last for {} with as many, on average\n", item.name,
                     of_all, WithCommas(item.holders), WithCommas(item.rows), left);
}

}  // namespace

std::string GlobalText(const GlobalOutcome& global) {
  std::string text = fmt::format("  release {} of the series '{}', {} {} new in it\n", global.number, global.series,
                                 WithCommas(global.newcomers), Plural(global.newcomers, "person is", "people are"));
  if (global.withheld > 0) {
    text += fmt::format(
        "  {} {} not in it, because too little is left of their budgets; who they are follows "
        "from the releases before, not from what they have now\n",
        WithCommas(global.withheld), Plural(global.withheld, "person is", "people are"));
  }
  if (global.left_out > 0)
    text += fmt::format("  {} {} left out, because these people have a newer one\n", WithCommas(global.left_out),
                        Plural(global.left_out, "older row was", "older rows were"));
  if (global.blind_rows)
    text += fmt::format("  groups of {} people or more, made without a look at who has what\n",
                        WithCommas(*global.blind_rows));
  for (const ShownItem& item : ShownItems(global.items)) text += ItemText(item);
  text += PersistenceText(global);
  return text + "\n";
}

std::string GlobalJson(const GlobalOutcome& global) {
  Json items = Json::array();
  for (const GlobalOutcome::Item& item : global.items) {
    Json one = {{"item", item.name}, {"l", item.l}, {"holders", item.holders}, {"rows", item.rows}};
    one["releases_left"] = item.releases_left == kAnyNumberOfReleases ? Json() : Json(item.releases_left);
    if (item.persistence) one["persistence"] = Json::parse(PersistenceJson(*item.persistence));
    items.push_back(std::move(one));
  }
  Json json = {{"name", global.series},       {"number", global.number},     {"newcomers", global.newcomers},
               {"withheld", global.withheld}, {"left_out", global.left_out}, {"items", std::move(items)}};
  if (global.blind_rows) json["fewest_rows"] = *global.blind_rows;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // cells may be any bytes
}

}  // namespace pentimento
