#include "engine/incremental/incremental_about.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/decimal.h"
#include "base/json_text.h"

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

Json DomainJson(const ColumnPlan& column, const BoundPolicy& bound) {
  if (column.range) {
    Json domain = {
        {"name", column.name}, {"from", ToString(column.range->first)}, {"to", ToString(column.range->second)}};
    if (column.reading.decimals) domain["decimals"] = *column.reading.decimals;
    return domain;
  }
  if (const auto& days = column.taxonomy->calendar())
    return {{"name", column.name}, {"from", WriteDay(days->first)}, {"to", WriteDay(days->last)}};
  const auto renamed = bound.renamed.find(column.name);
  return {{"name", column.name},
          {"taxonomy", renamed == bound.renamed.end() ? HashOfTaxonomy(*column.taxonomy) : renamed->second.began_with}};
}

const char* NameOf(Role role) {
  return role == Role::kSensitive ? "sensitive" : role == Role::kClass ? "class" : "keep";
}

std::string Names(const std::string& columns) {
  std::string names;
  for (const Json& column : Json::parse(columns))
    names += (names.empty() ? "" : ", ") + column.at("name").get<std::string>();
  return names.empty() ? "none" : names;
}

std::vector<std::string> Sorted(const std::string& texts) {
  std::vector<std::string> sorted = Json::parse(texts);
  std::ranges::sort(sorted);
  return sorted;
}

// The columns have the same names: which is the first that is not the same otherwise?
Json FirstOther(const std::string& before, const std::string& now) {
  const Json left = Json::parse(before);
  const Json right = Json::parse(now);
  for (std::size_t c = 0; c < left.size(); ++c) {
    if (left[c] != right[c]) return left[c];
  }
  return {};
}

bool HasName(const Json& columns, const std::string& name) {
  return std::ranges::any_of(columns, [&](const Json& column) { return column.at("name") == name; });
}

// The names differ: what is new cannot be filled in, what is gone cannot be left open.
IncrementalBreak OtherQuasiIdentifiers(const IncrementalAbout& before, const IncrementalAbout& now) {
  IncrementalBreak found{fmt::format("it began with the quasi-identifiers {}, and this policy has {}",
                                     Names(before.columns), Names(now.columns))};
  const Json left = Json::parse(before.columns);
  const Json right = Json::parse(now.columns);
  for (const Json& column : right) {
    const std::string name = column.at("name").get<std::string>();
    if (HasName(left, name)) continue;
    found.column = name;
    found.why += fmt::format(". What its cases have in '{}' is not known, so that they have no place in a class", name);
    return found;
  }
  for (const Json& column : left) {
    const std::string name = column.at("name").get<std::string>();
    if (HasName(right, name)) continue;
    found.why += fmt::format(". Its classes are divided by '{}', so that newcomers have no place without it", name);
    return found;
  }
  return found;
}

IncrementalBreak OtherDomain(const Json& column) {
  const std::string name = column.at("name").get<std::string>();
  if (!column.contains("taxonomy")) {
    return {.why = fmt::format("the domain of column '{}' is not the one it began with, so that boxes of the two could "
                               "not be compared",
                               name),
            .column = name};
  }
  return {.why = fmt::format("the taxonomy of column '{}' is not the one it began with, so that labels which are out "
                             "would change their meaning",
                             name),
          .what_to_do =
              "take the one it began with (if only its lines are in another order, put them back as they "
              "were)",
          .column = name};
}

// The first column of `now` that `before` had, too, with another `key`: what it was, and what it is.
std::optional<std::pair<Json, Json>> FirstOtherCell(const IncrementalAbout& before, const IncrementalAbout& now,
                                                    const char* key) {
  const Json known = Json::parse(before.cells);
  for (const Json& cell : Json::parse(now.cells)) {
    const auto was =
        std::ranges::find_if(known, [&](const Json& other) { return other.at("name") == cell.at("name"); });
    if (was != known.end() && was->at(key) != cell.at(key)) return std::pair(*was, cell);
  }
  return std::nullopt;
}

std::optional<IncrementalBreak> FindOtherRole(const IncrementalAbout& before, const IncrementalAbout& now) {
  const auto found = FirstOtherCell(before, now, "role");
  if (!found) return std::nullopt;
  const std::string name = found->second.at("name").get<std::string>();
  return IncrementalBreak{
      .why = fmt::format("column '{}' was published as {} before, and this policy makes it {}", name,
                         found->first.at("role").get<std::string>(), found->second.at("role").get<std::string>()),
      .column = name};
}

}  // namespace

IncrementalAbout DescribePolicy(const BoundPolicy& bound, const IncrementalKAnonymityPolicy& guarantee) {
  IncrementalAbout about;
  about.series = guarantee.series;
  about.release = bound.policy.release;
  Json columns = Json::array();
  Json cells = Json::array();
  for (const ColumnPlan& column : bound.plan.columns) {
    if (column.role == Role::kId) {
      about.has_ids = true;
    } else if (column.role == Role::kQuasiIdentifier) {
      columns.push_back(DomainJson(column, bound));
    } else {
      cells.push_back({{"name", column.name}, {"role", NameOf(column.role)}});
    }
  }
  about.columns = columns.dump();
  about.cells = cells.dump();
  about.missing = Json(bound.policy.missing).dump();
  about.form = bound.policy.categories == CategoryForm::kSets ? "sets" : "taxonomy";
  about.k = bound.k;
  about.hides_arrivals = guarantee.hides_arrivals;
  about.keeps_leavers = bound.policy.leavers == LeaversRule::kKept;
  return about;
}

IncrementalAbout WithInput(IncrementalAbout about, std::span<const Domain> domains, const EncodedInput& input) {
  for (const Domain& domain : domains) about.allows_missing.push_back(domain.missing_code().has_value());
  Json cells = Json::parse(about.cells);
  std::size_t value = 0, keep = 0;
  for (Json& cell : cells) {
    const CellType& type = cell.at("role") == "keep" ? input.keep[keep++].second : input.values[value++].type;
    cell["type"] = type.arrow_format;
  }
  about.cells = cells.dump();
  return about;
}

std::string ToJson(const IncrementalAbout& about) {
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
              {"leavers", about.keeps_leavers ? "kept" : "emptied"},
              {"has_ids", about.has_ids},
              {"allows_missing", about.allows_missing}}
      .dump();
}

std::optional<IncrementalAbout> ParseIncrementalAbout(std::string_view text) {
  if (IsNestedDeeply(text)) return std::nullopt;
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  try {
    IncrementalAbout about;
    about.series = json.at("series").get<std::string>();
    about.release = json.at("release").get<std::string>();
    const auto key = ParseKey(json.at("case_key").get<std::string>());
    if (!key) return std::nullopt;
    about.case_key = *key;
    about.smallest_class = WholeNumber(json.at("smallest_class"));
    about.columns = json.at("columns").dump();
    about.missing = json.at("missing").dump();
    about.cells = json.at("cells").dump();
    about.form = json.at("form").get<std::string>();
    about.k = WholeNumber(json.at("k"));
    // Releases that were kept before it was counted: what was promised then is known to be true.
    const auto fewest = json.find("fewest_in_new_class");
    about.fewest_in_new_class = fewest == json.end() ? about.k : WholeNumber(*fewest);
    about.hides_arrivals = json.at("hides_arrivals").get<bool>();
    about.keeps_leavers = json.value("leavers", "emptied") == "kept";  // earlier versions emptied all
    about.has_ids = json.at("has_ids").get<bool>();
    about.allows_missing = json.at("allows_missing").get<std::vector<bool>>();
    return about;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::vector<std::string> QuasiIdentifiersOf(const IncrementalAbout& about) {
  std::vector<std::string> names;
  for (const Json& column : Json::parse(about.columns)) names.push_back(column.at("name").get<std::string>());
  return names;
}

std::set<std::string> CellNamesOf(const IncrementalAbout& about) {
  std::set<std::string> names;
  for (const Json& cell : Json::parse(about.cells)) names.insert(cell.at("name").get<std::string>());
  return names;
}

std::vector<std::string> SensitiveNamesOf(const IncrementalAbout& about) {
  std::vector<std::string> names;
  for (const Json& cell : Json::parse(about.cells)) {
    if (cell.value("role", "") == NameOf(Role::kSensitive)) names.push_back(cell.value("name", ""));
  }
  return names;
}

std::optional<std::string> TaxonomyHashOf(const IncrementalAbout& about, std::string_view name) {
  for (const Json& column : Json::parse(about.columns)) {
    if (column.at("name") == name && column.contains("taxonomy")) return column.at("taxonomy").get<std::string>();
  }
  return std::nullopt;
}

std::string HashOfTaxonomy(const Taxonomy& taxonomy) { return ToHex(HashContent(taxonomy.ToText())); }

std::optional<IncrementalBreak> FindBreak(std::span<const IncrementalAbout> before, const IncrementalAbout& now) {
  const IncrementalAbout& first = before.front();
  if (Names(first.columns) != Names(now.columns)) return OtherQuasiIdentifiers(first, now);
  if (first.columns != now.columns) return OtherDomain(FirstOther(first.columns, now.columns));
  if (Sorted(first.missing) != Sorted(now.missing))
    return IncrementalBreak{"its list of what counts as missing is another one"};
  for (const IncrementalAbout& about : before) {
    if (auto found = FindOtherRole(about, now)) return found;
  }
  if (first.form != now.form)
    return IncrementalBreak{
        fmt::format("it publishes categories as {}, and this policy asks for {}", first.form, now.form)};
  if (first.hides_arrivals != now.hides_arrivals) {
    return IncrementalBreak{first.hides_arrivals
                                ? "it hides arrivals, and this policy does not ask for that, which would break what "
                                  "earlier releases promised"
                                : "it did not hide arrivals from the beginning, so that it cannot promise to now"};
  }
  if (first.has_ids != now.has_ids)
    return IncrementalBreak{first.has_ids ? "it began with an id column, and this policy names none"
                                          : "it began without an id column, and this policy names one"};
  return std::nullopt;
}

std::optional<IncrementalBreak> FindOtherType(std::span<const IncrementalAbout> before, const IncrementalAbout& now) {
  for (const IncrementalAbout& about : before) {
    const auto found = FirstOtherCell(about, now, "type");
    if (!found) continue;
    const std::string name = found->second.at("name").get<std::string>();
    return IncrementalBreak{
        .why = fmt::format("column '{}' has another type than in the release '{}'", name, about.release),
        .what_to_do = "convert the table first",
        .column = name};
  }
  return std::nullopt;
}

std::optional<std::string> FindTooFewFor(std::uint64_t k, const IncrementalAbout& about) {
  if (about.smallest_class < k) return fmt::format("has a class of {}", about.smallest_class);
  if (about.fewest_in_new_class >= k) return std::nullopt;
  return fmt::format("refined a class into one with {} people {}", about.fewest_in_new_class,
                     about.hides_arrivals ? "of the earliest release in it who had not left" : "who had not left");
}

}  // namespace pentimento
