#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "cli/persistence_report.h"
#include "cli/plan_report.h"
#include "release/global_horizon.h"

namespace pentimento {
namespace {

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
      {"median", CapJson(item.median)}, {"tightest", CapJson(item.tightest)}, {"aimed", CapJson(item.aimed)}};
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
