#include "engine/series/series_about.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/decimal.h"

namespace pentimento {
namespace {

using Json = nlohmann::json;  // keys are sorted, so equal contents are equal texts

std::string KeyText(const CaseNamer::Key& key) {
  std::string text;
  for (const std::uint8_t byte : key) text += fmt::format("{:02x}", byte);
  return text;
}

std::optional<CaseNamer::Key> ParseKey(const std::string& text) {
  CaseNamer::Key key{};
  if (text.size() != 2 * key.size()) return std::nullopt;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto digit = [&](char c) { return std::string_view("0123456789abcdef").find(c); };
    const std::size_t high = digit(text[2 * i]);
    const std::size_t low = digit(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    key[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return key;
}

Json DomainJson(const std::string& name, const Domain& domain) {
  if (domain.is_numeric()) {
    const NumericRange& range = domain.range();
    return {{"name", name},
            {"from", ToString(Decimal{range.lo, range.scale})},
            {"to", ToString(Decimal{range.hi, range.scale})}};
  }
  return {{"name", name}, {"taxonomy", ToHex(HashContent(domain.taxonomy().ToText()))}};
}

std::string Names(const std::string& columns) {
  std::string names;
  for (const Json& column : Json::parse(columns))
    names += (names.empty() ? "" : ", ") + column.at("name").get<std::string>();
  return names.empty() ? "none" : names;
}

std::string NamesAndRoles(const std::string& cells) {
  std::string names;
  for (const Json& cell : Json::parse(cells)) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", cell.at("name").get<std::string>(),
                         cell.at("role").get<std::string>());
  }
  return names.empty() ? "none" : names;
}

std::vector<std::string> Sorted(const std::string& texts) {
  std::vector<std::string> sorted = Json::parse(texts);
  std::ranges::sort(sorted);
  return sorted;
}

// The columns have the same names: which is the first that is not the same otherwise?
std::string FirstOther(const std::string& before, const std::string& now) {
  const Json left = Json::parse(before);
  const Json right = Json::parse(now);
  for (std::size_t c = 0; c < left.size(); ++c) {
    if (left[c] != right[c]) return left[c].at("name").get<std::string>();
  }
  return "";
}

}  // namespace

SeriesAbout DescribeSeries(const BoundPolicy& bound, const std::string& series, std::span<const Domain> domains,
                           const EncodedInput& input) {
  SeriesAbout about;
  about.series = series;
  about.release = bound.policy.release;
  Json columns = Json::array();
  for (std::size_t c = 0; c < domains.size(); ++c) {
    columns.push_back(DomainJson(bound.quasi_identifiers[c], domains[c]));
    about.allows_missing.push_back(domains[c].missing_code().has_value());
  }
  about.columns = columns.dump();
  about.missing = Json(bound.policy.missing).dump();
  Json cells = Json::array();
  std::size_t value = 0, keep = 0;
  for (const ColumnPlan& column : bound.plan.columns) {
    if (column.role == Role::kId) about.has_ids = true;
    if (column.role == Role::kId || column.role == Role::kQuasiIdentifier) continue;
    const char* role = column.role == Role::kSensitive ? "sensitive" : column.role == Role::kClass ? "class" : "keep";
    const CellType& type = column.role == Role::kKeep ? input.keep[keep++].second : input.values[value++].type;
    cells.push_back({{"name", column.name}, {"role", role}, {"type", type.arrow_format}});
  }
  about.cells = cells.dump();
  about.form = bound.policy.categories == CategoryForm::kSets ? "sets" : "taxonomy";
  return about;
}

std::string ToJson(const SeriesAbout& about) {
  return Json{{"version", 1},
              {"series", about.series},
              {"release", about.release},
              {"case_key", KeyText(about.case_key)},
              {"smallest_class", about.smallest_class},
              {"fewest_in_new_class", about.fewest_in_new_class},
              {"columns", Json::parse(about.columns)},
              {"missing", Json::parse(about.missing)},
              {"cells", Json::parse(about.cells)},
              {"form", about.form},
              {"k", about.k},
              {"hides_arrivals", about.hides_arrivals},
              {"has_ids", about.has_ids},
              {"allows_missing", about.allows_missing}}
      .dump();
}

std::optional<SeriesAbout> ParseSeriesAbout(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::nullopt;
  try {
    SeriesAbout about;
    about.series = json.at("series").get<std::string>();
    about.release = json.at("release").get<std::string>();
    const auto key = ParseKey(json.at("case_key").get<std::string>());
    if (!key) return std::nullopt;
    about.case_key = *key;
    about.smallest_class = json.at("smallest_class").get<std::uint64_t>();
    about.columns = json.at("columns").dump();
    about.missing = json.at("missing").dump();
    about.cells = json.at("cells").dump();
    about.form = json.at("form").get<std::string>();
    about.k = json.at("k").get<std::uint64_t>();
    // Releases that were kept before it was counted: what was promised then is known to be true.
    about.fewest_in_new_class = json.value("fewest_in_new_class", about.k);
    about.hides_arrivals = json.at("hides_arrivals").get<bool>();
    about.has_ids = json.at("has_ids").get<bool>();
    about.allows_missing = json.at("allows_missing").get<std::vector<bool>>();
    return about;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> FindBreak(const SeriesAbout& before, const SeriesAbout& now) {
  if (Names(before.columns) != Names(now.columns)) {
    return fmt::format("it began with the quasi-identifiers {}, and this policy has {}", Names(before.columns),
                       Names(now.columns));
  }
  if (before.columns != now.columns) {
    return fmt::format(
        "the domain or the taxonomy of column '{}' is not the one it began with, so that boxes of the two "
        "could not be compared",
        FirstOther(before.columns, now.columns));
  }
  if (Sorted(before.missing) != Sorted(now.missing)) return "its list of what counts as missing is another one";
  if (before.cells != now.cells && NamesAndRoles(before.cells) == NamesAndRoles(now.cells)) {
    return fmt::format("column '{}' has another type than in the releases before; convert the table first",
                       FirstOther(before.cells, now.cells));
  }
  if (before.cells != now.cells) {
    return fmt::format("it began with the other columns {}, and this policy has {}", NamesAndRoles(before.cells),
                       NamesAndRoles(now.cells));
  }
  if (before.form != now.form)
    return fmt::format("it publishes categories as {}, and this policy asks for {}", before.form, now.form);
  if (before.hides_arrivals != now.hides_arrivals) {
    return before.hides_arrivals ? "it hides arrivals, and this policy does not ask for that, which would break what "
                                   "earlier releases promised"
                                 : "it did not hide arrivals from the beginning, so that it cannot promise to now";
  }
  if (before.has_ids != now.has_ids)
    return before.has_ids ? "it began with an id column, and this policy names none"
                          : "it began without an id column, and this policy names one";
  return std::nullopt;
}

std::optional<std::string> FindTooFewFor(std::uint64_t k, const SeriesAbout& about) {
  if (about.smallest_class < k) return fmt::format("has a class of {}", about.smallest_class);
  if (about.fewest_in_new_class >= k) return std::nullopt;
  return fmt::format("refined a group into a class with {} people {}", about.fewest_in_new_class,
                     about.hides_arrivals ? "of the first release who had not left" : "who had not left");
}

}  // namespace pentimento
