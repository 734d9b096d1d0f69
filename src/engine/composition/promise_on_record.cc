#include "engine/composition/promise_on_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pentimento {
namespace {

using Json = nlohmann::json;

std::vector<std::string> AccountedColumns(const Json& guarantee) {
  std::vector<std::string> columns;
  for (const Json& one : guarantee.value("sensitive", Json::array())) {
    if (one.is_object()) columns.push_back(one.value("column", ""));
  }
  return columns;
}

std::vector<std::string> TextsIn(const Json& object, const char* key) {
  std::vector<std::string> texts;
  for (const Json& text : object.value(key, Json::array())) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

void AddLimits(const Json& guarantee, PromiseOnRecord& promise) {
  const auto alpha = ParseRatio(guarantee.value("alpha", ""));
  for (const Json& one : guarantee.value("sensitive", Json::array())) {
    if (alpha && one.is_object())
      promise.limits.push_back({one.value("column", ""), *alpha, TextsIn(one, "values"), /*together=*/false});
  }
  for (const Json& one : guarantee.value("limits", Json::array())) {
    if (!one.is_object()) continue;
    if (const auto at_most = ParseRatio(one.value("at_most", "")))
      promise.limits.push_back({one.value("column", ""), *at_most, TextsIn(one, "values"), /*together=*/true});
  }
}

void AddGuarantee(const Json& guarantee, PromiseOnRecord& promise) {
  const std::string type = guarantee.value("type", "");
  const bool is_over_join = type.starts_with("xy-");
  // Over a join k counts values, not people of a class.
  if (!is_over_join && guarantee.contains("k") && guarantee["k"].is_number_unsigned())
    promise.k = std::max(promise.k, guarantee["k"].get<std::uint64_t>());
  if (is_over_join) {
    const std::vector<std::string> against = TextsIn(guarantee, "against");
    promise.against.insert(promise.against.end(), against.begin(), against.end());
  }
  if (type == "xy-linkability") promise.limits_join = true;
  if (type == "incremental-k-anonymity" || type == "global-guarantee") promise.is_of_series = true;
  if (promise.is_of_series || type == "history") promise.spans_releases = true;
  if (type == "history" && guarantee.value("membership", "") == "known") promise.membership = Membership::kKnown;
  if (type == "alpha-k-anonymity" || type == "history") AddLimits(guarantee, promise);
  if (type == "global-guarantee") {
    promise.global_series = guarantee.value("series", "");
    promise.accounted = AccountedColumns(guarantee);
  }
}

}  // namespace

bool PromiseOnRecord::IsJoinedWith(const PromiseOnRecord& other) const {
  return std::ranges::find(against, other.release) != against.end() ||
         std::ranges::find(other.against, release) != other.against.end();
}

PromiseOnRecord ReadPromise(const std::string& release, std::string_view parameters_json) {
  PromiseOnRecord promise;
  promise.release = release;
  const Json guarantees = Json::parse(parameters_json, nullptr, /*allow_exceptions=*/false);
  if (!guarantees.is_array()) return promise;
  for (const Json& guarantee : guarantees) {
    if (guarantee.is_object()) AddGuarantee(guarantee, promise);
  }
  return promise;
}

bool RefusesByDefault(const std::vector<PromiseOnRecord>& promises) {
  return std::ranges::any_of(promises, [&](const PromiseOnRecord& promise) {
    if (promise.spans_releases || !promise.limits.empty()) return true;
    return promise.limits_join && !std::ranges::all_of(promises, [&](const PromiseOnRecord& other) {
             return other.release == promise.release || promise.IsJoinedWith(other);
           });
  });
}

}  // namespace pentimento
