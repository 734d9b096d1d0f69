#include "cli/persistence_report.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/plural.h"
#include "fmt/core.h"
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

}  // namespace

std::string PersistenceText(const GlobalOutcome& global) {
  struct Shown {
    const GlobalOutcome::Item* item = nullptr;
    std::size_t alike = 0;
  };
  std::vector<Shown> shown;
  std::map<std::string_view, std::size_t> place;
  for (const GlobalOutcome::Item& item : global.items) {
    if (!item.persistence) continue;
    const auto [at, is_new] = place.try_emplace(item.name, shown.size());
    if (is_new) shown.push_back({&item, 0});
    Shown& one = shown[at->second];
    ++one.alike;
    if (IsWorse(*item.persistence, *one.item->persistence)) one.item = &item;
  }
  std::string text;
  for (const Shown& one : shown) text += LineOf(*one.item, one.alike);
  return text;
}

std::string PersistenceJson(const MeasuredPersistence& measured) {
  const HeldAgain& seen = measured.seen;
  nlohmann::ordered_json json = {{"known", seen.known}, {"had", seen.had}, {"again", seen.again}};
  const bool has_ratio = seen.had > 0 && seen.holders > 0;
  json["ratio"] = has_ratio ? nlohmann::ordered_json(PersistenceRatio(seen)) : nlohmann::ordered_json();
  json["told"] = ToldWord(measured.told);
  return json.dump();
}

}  // namespace pentimento
