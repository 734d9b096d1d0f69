#include "engine/global/account_about.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kLargestL = std::uint64_t{1} << 32;

// Texts that are read may be anything; what nobody could have written is damage.
bool IsSound(const AccountAbout& about) {
  return std::ranges::all_of(about.items,
                             [](const AccountItem& item) {
                               const bool has_values = item.is_missing ? item.values.empty() : !item.values.empty();
                               return has_values && item.l >= 2 && item.l <= kLargestL;
                             }) &&
         std::ranges::all_of(about.releases, [&](const AccountedRelease& release) {
           return release.holders.size() <= about.items.size();
         });
}

// Cells may be any bytes, and an item must be found again: what is no UTF-8 is a list of its bytes.
Json TextAsJson(const std::string& text) {
  try {
    (void)Json(text).dump();
    return text;
  } catch (const Json::exception&) {
    return std::vector<unsigned char>(text.begin(), text.end());
  }
}

std::vector<std::uint64_t> WholeNumbers(const Json& json) {
  std::vector<std::uint64_t> numbers;
  for (const Json& number : json) numbers.push_back(WholeNumber(number));
  return numbers;
}

std::string TextOf(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  std::string bytes;
  for (const std::uint64_t byte : WholeNumbers(json)) bytes += static_cast<char>(byte);
  return bytes;
}

Json AsJson(const AccountItem& item) {
  Json values = Json::array();
  for (const std::string& value : item.values) values.push_back(TextAsJson(value));
  Json json = {{"column", item.column}, {"values", std::move(values)}, {"l", item.l}};
  if (item.is_missing) json["missing"] = true;
  if (item.is_set) json["set"] = true;
  return json;
}

AccountItem ItemOf(const Json& json) {
  AccountItem item;
  item.column = json.at("column").get<std::string>();
  for (const Json& value : json.at("values")) item.values.push_back(TextOf(value));
  item.l = WholeNumber(json.at("l"));
  item.is_missing = json.value("missing", false);
  item.is_set = json.value("set", false);
  return item;
}

}  // namespace

std::string AccountAboutText(const AccountAbout& about) {
  Json releases = Json::array();
  for (const AccountedRelease& release : about.releases)
    releases.push_back(
        {{"name", release.name}, {"input", release.input}, {"rows", release.rows}, {"holders", release.holders}});
  Json items = Json::array();
  for (const AccountItem& item : about.items) items.push_back(AsJson(item));
  return Json{{"version", kVersion},       {"series", about.series},           {"releases", std::move(releases)},
              {"items", std::move(items)}, {"every_value", about.every_value}, {"missing", about.missing}}
      .dump();
}

std::optional<AccountAbout> ParseAccountAbout(std::string_view text) {
  if (IsNestedDeeply(text)) return std::nullopt;
  try {
    const Json json = Json::parse(text);
    if (WholeNumber(json.at("version")) != kVersion) return std::nullopt;
    AccountAbout about;
    about.series = json.at("series").get<std::string>();
    for (const Json& release : json.at("releases")) {
      about.releases.push_back({release.at("name").get<std::string>(), release.at("input").get<std::string>(),
                                WholeNumber(release.at("rows")), WholeNumbers(release.at("holders"))});
    }
    for (const Json& item : json.at("items")) about.items.push_back(ItemOf(item));
    about.every_value = json.at("every_value").get<std::vector<std::string>>();
    if (const auto missing = json.find("missing"); missing != json.end())
      about.missing = missing->get<std::vector<std::string>>();
    return IsSound(about) ? std::optional(std::move(about)) : std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

bool IsNewerAccountAbout(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto version = json.is_object() ? json.find("version") : json.end();
  return version != json.end() && version->is_number_unsigned() && WholeNumber(*version) > kVersion;
}

}  // namespace pentimento
