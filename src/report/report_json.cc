#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "report/metrics_report.h"
#include "report/report_page.h"

namespace pentimento {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <typename Number>
OrderedJson OrNull(const std::optional<Number>& number) {
  return number ? OrderedJson(*number) : OrderedJson();
}

OrderedJson TableJson(const ReportedTable& table) {
  return {{"form", table.two_tables ? "two-tables" : "generalized"},
          {"changes_only", table.changes_only},
          {"k", table.k},
          {"metrics", OrderedJson::parse(MetricsJson(table.metrics, table.quasi_identifiers))},
          {"class_sizes", OrderedJson::parse(ClassSizesJson(table.class_sizes))},
          {"rows_below_k", table.rows_below_k},
          {"unique_before", OrNull(table.unique_before)},
          {"rows_before", OrNull(table.rows_before)},
          {"unique_after", table.unique_after},
          {"columns", OrderedJson::parse(ColumnsJson(table.columns))}};
}

OrderedJson CountAsJson(const ReportedComposition::Count& count) {
  return {{"below_k", count.below_k}, {"alone", count.alone}, {"smallest", count.smallest}};
}

OrderedJson CompositionAsJson(const ReportedComposition& told) {
  OrderedJson json = {{"with", told.with}, {"cannot_be_told", told.cannot_be_told}};
  if (!told.is_measured()) return json;
  json["k"] = told.k;
  json["people"] = OrNull(told.people);
  json["crowds"] = CountAsJson(told.crowds);
  json["crowds"]["exact"] = told.crowds_are_exact;
  json["crowds"]["already_below_k"] = OrNull(told.already_below_k);
  json["joint_classes"] = told.joint ? CountAsJson(*told.joint) : OrderedJson();
  json["certain"] = OrderedJson::array();
  for (const ReportedComposition::Certain& certain : told.certain)
    json["certain"].push_back({{"column", certain.column}, {"people", certain.people}, {"exact", certain.is_exact}});
  json["broken"] = OrderedJson::array();
  for (const ReportedComposition::Broken& broken : told.broken)
    json["broken"].push_back({{"release", broken.release.empty() ? OrderedJson() : OrderedJson(broken.release)},
                              {"promise", broken.promise},
                              {"proved", broken.is_proved}});
  return json;
}

OrderedJson ReleaseAsJson(const ReportedRelease& release) {
  OrderedJson files = OrderedJson::array();
  for (const ReportedFile& file : release.files)
    files.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  OrderedJson json = {{"release", release.name},
                      {"state", release.state},
                      {"engine", release.engine},
                      {"series", release.series},
                      {"promises", release.promises},
                      {"not_promised", release.not_promised},
                      {"rows", release.rows},
                      {"files", std::move(files)},
                      {"table", release.table ? TableJson(*release.table) : OrderedJson()},
                      {"composition", release.composition ? CompositionAsJson(*release.composition) : OrderedJson()}};
  if (!release.table) json["why_no_table"] = release.why_no_table;
  if (release.record) json["notes"] = release.record->notes;
  return json;
}

OrderedJson GrowthAsJson(const ReportedGrowth& growth) {
  OrderedJson steps = OrderedJson::array();
  for (const ReportedGrowth::Step& step : growth.steps)
    steps.push_back({{"release", step.release},
                     {"rows", OrNull(step.rows)},
                     {"living", OrderedJson::parse(LivingJson(step.living))}});
  return {{"series", growth.series}, {"k", growth.k}, {"releases", std::move(steps)}};
}

OrderedJson BudgetAsJson(const ReportedBudget& budget) {
  if (!budget.problem.empty()) return {{"series", budget.series}, {"problem", budget.problem}};
  OrderedJson items = OrderedJson::array();
  for (const ReportedBudget::Item& item : budget.items)
    items.push_back({{"column", item.column},
                     {"set", item.words != "a value"},
                     {"l", item.l},
                     {"largest_chance", item.largest_chance},
                     {"people_near", item.people_near},
                     {"largest_after", item.largest_after},
                     {"mean_after", item.mean_after},
                     {"people_by_left", item.people_by_left},
                     {"holders", item.holders},
                     {"rows", item.rows},
                     {"left_for_tightest", OrNull(item.left_for_tightest)},
                     {"left_on_average", OrNull(item.left_on_average)}});
  return {{"series", budget.series},           {"people", budget.people},   {"releases", budget.releases},
          {"planned", OrNull(budget.planned)}, {"items", std::move(items)}, {"more_items", budget.more_items}};
}

OrderedJson TrialAsJson(const ReportedTrial& trial) {
  if (!trial.refusal.empty()) return {{"label", trial.label}, {"k", trial.k}, {"refusal", trial.refusal}};
  OrderedJson by_column = OrderedJson::object();
  for (std::size_t i = 0; i < std::min(trial.quasi_identifiers.size(), trial.loss_by_column.size()); ++i)
    by_column[trial.quasi_identifiers[i]] = trial.loss_by_column[i];
  return {{"label", trial.label},
          {"k", trial.k},
          {"rows", trial.rows},
          {"classes", trial.classes},
          {"smallest_class", trial.smallest_class},
          {"ncp_percent", trial.loss_percent},
          {"ncp_percent_by_column", std::move(by_column)},
          {"below_k_together", OrNull(trial.below_k_together)}};
}

OrderedJson QueryErrorAsJson(const ReportedQueryError& error) {
  return {{"queries", error.queries},  {"dimensions", error.dimensions},       {"average", error.average},
          {"median", error.median},    {"naive_average", error.naive_average}, {"counted", error.counted},
          {"left_out", error.left_out}};
}

const char* KeptName(KeptOverAll kept) {
  constexpr std::array<const char*, 4> kNames = {"yes", "no", "unknown", "nothing"};
  return kNames[static_cast<std::size_t>(kept)];
}

}  // namespace

std::string ReportJson(const ReportNumbers& numbers) {
  OrderedJson releases = OrderedJson::array(), growing = OrderedJson::array(), budgets = OrderedJson::array();
  for (const ReportedRelease& release : numbers.releases) releases.push_back(ReleaseAsJson(release));
  for (const ReportedGrowth& growth : numbers.growing) growing.push_back(GrowthAsJson(growth));
  for (const ReportedBudget& budget : numbers.budgets) budgets.push_back(BudgetAsJson(budget));
  OrderedJson json = {{"edition", numbers.edition == ReportEdition::kInternal ? "internal" : "public"},
                      {"verdict",
                       {{"kept", KeptName(numbers.verdict.kept)},
                        {"kept_words", numbers.verdict.kept_words},
                        {"promised", numbers.verdict.promised},
                        {"worst", numbers.verdict.worst},
                        {"left", numbers.verdict.left}}},
                      {"releases", std::move(releases)},
                      {"growing", std::move(growing)},
                      {"budgets", std::move(budgets)},
                      {"left_out", numbers.left_out}};
  // Only where it was asked for.
  for (const ReportedTrial& trial : numbers.trials) json["trials"].push_back(TrialAsJson(trial));
  if (numbers.query_error) json["query_error"] = QueryErrorAsJson(*numbers.query_error);
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace pentimento
