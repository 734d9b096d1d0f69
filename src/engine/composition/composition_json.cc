#include "engine/composition/composition_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json_text.h"

namespace pentimento {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson CountJson(const CompositionOutcome::Count& count) {
  return {{"below_k", count.below_k}, {"alone", count.alone}, {"smallest", count.smallest}};
}

CompositionOutcome::Count CountFrom(const OrderedJson& json) {
  return {WholeNumber(json.at("below_k")), WholeNumber(json.at("alone")), WholeNumber(json.at("smallest"))};
}

OrderedJson CertainJson(const CompositionOutcome& composition) {
  OrderedJson list = OrderedJson::array();
  for (const CompositionOutcome::Certain& certain : composition.certain)
    list.push_back({{"column", certain.column}, {"people", certain.people}, {"exact", certain.is_exact}});
  return list;
}

// What is known where releases were measured together.
void AddMeasured(const CompositionOutcome& composition, OrderedJson& json) {
  json["k"] = composition.k;
  json["people"] = composition.people;
  json["crowds"] = CountJson(composition.crowds);
  json["crowds"]["already_below_k"] = composition.already_below_k;
  json["crowds"]["exact"] = composition.crowds_are_exact;
  json["joint_classes"] = CountJson(composition.joint);
  json["certain"] = CertainJson(composition);
  json["not_compared"] = composition.not_compared;
  json["broken"] = OrderedJson::array();
  for (const CompositionOutcome::Broken& broken : composition.broken)
    json["broken"].push_back({{"release", broken.release}, {"promise", broken.what}, {"proved", broken.is_proved}});
  json["minimal_sets"] = composition.minimal_sets;
  json["every_minimal_set"] = composition.has_every_set;
  json["overlap"] = composition.refuses_broken ? "refuse" : "measure";
}

OrderedJson AsJson(const CompositionOutcome& composition) {
  OrderedJson json = {{"releases", OrderedJson::array()}, {"unknown", OrderedJson::array()}};
  for (const CompositionOutcome::Release& release : composition.releases) {
    json["releases"].push_back({{"release", release.name}, {"people", release.people}});
    if (!release.series.empty()) json["releases"].back()["series"] = release.series;
    if (release.imported) json["releases"].back()["imported"] = true;
    if (release.by_content) json["releases"].back()["by_content"] = true;
  }
  for (const CompositionOutcome::Unknown& unknown : composition.unknown) {
    json["unknown"].push_back({{"release", unknown.name}, {"people", nullptr}, {"why", unknown.why}});
    if (unknown.people) json["unknown"].back()["people"] = *unknown.people;
  }
  json["other_people"] = composition.other_people;
  if (!composition.releases.empty()) {
    AddMeasured(composition, json);
    return json;
  }
  for (const char* key : {"k", "people", "crowds", "joint_classes", "certain", "not_compared", "broken", "minimal_sets",
                          "every_minimal_set", "overlap"})
    json[key] = nullptr;
  return json;
}

// Throws OrderedJson::exception, as what it calls, where the text is another one.
void TakeMeasured(const OrderedJson& json, CompositionOutcome& composition) {
  composition.k = WholeNumber(json.at("k"));
  composition.people = WholeNumber(json.at("people"));
  composition.crowds = CountFrom(json.at("crowds"));
  composition.already_below_k = WholeNumber(json.at("crowds").at("already_below_k"));
  composition.crowds_are_exact = json.at("crowds").at("exact").get<bool>();
  composition.joint = CountFrom(json.at("joint_classes"));
  for (const OrderedJson& certain : json.at("certain"))
    composition.certain.push_back(
        {certain.at("column").get<std::string>(), WholeNumber(certain.at("people")), certain.at("exact").get<bool>()});
  composition.not_compared = json.at("not_compared").get<std::vector<std::string>>();
  for (const OrderedJson& broken : json.at("broken"))
    composition.broken.push_back({broken.at("release").get<std::string>(), broken.at("promise").get<std::string>(),
                                  broken.at("proved").get<bool>()});
  composition.minimal_sets = json.at("minimal_sets").get<std::vector<std::vector<std::string>>>();
  composition.has_every_set = json.at("every_minimal_set").get<bool>();
  composition.refuses_broken = json.at("overlap") == "refuse";
}

CompositionOutcome FromJson(const OrderedJson& json) {
  CompositionOutcome composition;
  for (const OrderedJson& release : json.at("releases"))
    composition.releases.push_back({release.at("release").get<std::string>(), release.value("series", ""),
                                    WholeNumber(release.at("people")), release.value("imported", false),
                                    release.value("by_content", false)});
  for (const OrderedJson& unknown : json.at("unknown")) {
    CompositionOutcome::Unknown& one = composition.unknown.emplace_back();
    one.name = unknown.at("release").get<std::string>();
    one.why = unknown.at("why").get<std::string>();
    if (!unknown.at("people").is_null()) one.people = WholeNumber(unknown.at("people"));
  }
  composition.other_people = json.at("other_people").get<std::vector<std::string>>();
  if (!composition.releases.empty()) TakeMeasured(json, composition);
  return composition;
}

bool IsImported(const CompositionOutcome& composition, const std::string& name) {
  const auto release = std::ranges::find(composition.releases, name, &CompositionOutcome::Release::name);
  return release != composition.releases.end() && release->imported;
}

}  // namespace

std::string CompositionJson(const std::optional<CompositionOutcome>& composition) {
  return composition ? AsJson(*composition).dump() : "null";
}

std::optional<CompositionOutcome> ParseComposition(std::string_view json) {
  const OrderedJson parsed = OrderedJson::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return std::nullopt;
  try {
    return FromJson(parsed);
  } catch (const OrderedJson::exception&) {
    return std::nullopt;
  }
}

std::string PublicCompositionJson(const std::optional<CompositionOutcome>& composition) {
  if (!composition) return "null";
  OrderedJson with = OrderedJson::array();
  std::uint64_t imported = 0;
  for (const CompositionOutcome::Release& release : composition->releases) {
    if (release.imported)
      ++imported;
    else
      with.push_back(release.name);
  }
  OrderedJson json = {
      {"with", std::move(with)}, {"with_imported", imported}, {"cannot_be_told", composition->unknown.size()}};
  if (composition->releases.empty()) {
    for (const char* key : {"k", "crowds", "certain", "broken"}) json[key] = nullptr;
    return json.dump();
  }
  json["k"] = composition->k;
  json["crowds"] = CountJson(composition->crowds);
  json["crowds"]["exact"] = composition->crowds_are_exact;
  json["certain"] = CertainJson(*composition);
  json["broken"] = OrderedJson::array();
  for (const CompositionOutcome::Broken& broken : composition->broken) {
    const bool is_named = !IsImported(*composition, broken.release);
    json["broken"].push_back({{"release", is_named ? OrderedJson(broken.release) : OrderedJson(nullptr)},
                              {"promise", broken.what},
                              {"proved", broken.is_proved}});
  }
  return json.dump();
}

}  // namespace pentimento
