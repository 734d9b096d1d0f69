#include "cli/global_report.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/plural.h"
#include "engine/global/persistence.h"
#include "fmt/core.h"
#include "release/global_horizon.h"
#include "report/metrics_report.h"

namespace pentimento {
namespace {

std::string_view ToldWord(Persistence told) {
  switch (told) {
    case Persistence::kComesAndGoes:
      return "comes and goes";
    case Persistence::kTooFew:
      return "too few to tell";
    case Persistence::kStays:
      return "stays";
    case Persistence::kRefused:
      return "refused";
    case Persistence::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view Conclusion(Persistence told) {
  switch (told) {
    case Persistence::kComesAndGoes:
      return "it comes and goes";
    case Persistence::kTooFew:
      return "too few people to tell whether it stays";
    default:
      return "it seems to stay";
  }
}

// A graver answer first, then the larger ratio.
bool IsWorse(const MeasuredPersistence& a, const MeasuredPersistence& b) {
  if (a.told != b.told) return a.told > b.told;
  return PersistenceRatio(a.seen) > PersistenceRatio(b.seen);
}

std::string LineOf(const GlobalOutcome::Item& item, std::size_t alike) {
  const HeldAgain& seen = item.persistence->seen;
  const std::string of_all = alike == 1 ? "" : fmt::format(", the one of {} that stays most", WithCommas(alike));
  if (seen.had == 0) {
    return fmt::format("  {}: {}, so whether it stays is unknown\n", item.name,
                       seen.known == 0 ? "it is not on record who of these people had it last time"
                                       : "nobody of these people is known to have had it last time");
  }
  return fmt::format("  {}{}: {} of {} {} who had it last time {} it again, {:.2f} times its frequency; {}\n",
                     item.name, of_all, WithCommas(seen.again), WithCommas(seen.had),
                     Plural(seen.had, "person", "people"), Plural(seen.again, "has", "have"), PersistenceRatio(seen),
                     Conclusion(item.persistence->told));
}

using Json = nlohmann::ordered_json;

// Rare items last for ever, as far as anybody can plan.
constexpr std::uint64_t kVeryMany = 10'000;

// Of items that share a name the one that lasts least. Programs get all of them.
std::vector<WorstOfName> ShortestLasting(const std::vector<GlobalOutcome::Item>& items) {
  return WorstByName(
      items.size(), [&](std::size_t i) -> const std::string& { return items[i].name; },
      [&](std::size_t a, std::size_t b) { return items[a].releases_left < items[b].releases_left; });
}

std::string ItemText(const GlobalOutcome::Item& item, std::size_t alike) {
  std::string left = "any number of releases";
  if (item.releases_left < kVeryMany)
    left = item.releases_left == 1 ? "one more release" : fmt::format("{} more releases", item.releases_left);
  const std::string of_all = alike == 1 ? "" : fmt::format(", the one of {} that lasts least", alike);
  return fmt::format("  {}{}: {} of {} rows; what is left would last for {} with as many, on average\n", item.name,
                     of_all, WithCommas(item.holders), WithCommas(item.rows), left);
}

// A line for each name of an item, about the one that stays most; nothing in a first release.
std::string PersistenceText(const GlobalOutcome& global) {
  std::vector<const GlobalOutcome::Item*> items;
  for (const GlobalOutcome::Item& item : global.items) {
    if (item.persistence) items.push_back(&item);
  }
  std::string text;
  for (const WorstOfName& worst : WorstByName(
           items.size(), [&](std::size_t i) -> const std::string& { return items[i]->name; },
           [&](std::size_t a, std::size_t b) { return IsWorse(*items[a]->persistence, *items[b]->persistence); }))
    text += LineOf(*items[worst.item], worst.alike);
  return text;
}

}  // namespace

std::string PersistenceJson(const MeasuredPersistence& measured) {
  const HeldAgain& seen = measured.seen;
  nlohmann::ordered_json json = {{"known", seen.known}, {"had", seen.had}, {"again", seen.again}};
  const bool has_ratio = seen.had > 0 && seen.holders > 0;
  json["ratio"] = has_ratio ? nlohmann::ordered_json(PersistenceRatio(seen)) : nlohmann::ordered_json();
  json["told"] = ToldWord(measured.told);
  return json.dump();
}

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
  for (const WorstOfName& worst : ShortestLasting(global.items))
    text += ItemText(global.items[worst.item], worst.alike);
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
