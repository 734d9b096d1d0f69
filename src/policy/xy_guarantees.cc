#include "policy/xy_guarantees.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/suggest.h"
#include "fmt/core.h"
#include "policy/columns.h"
#include "policy/guarantees.h"
#include "policy/reader.h"

namespace pentimento::policy_file {
namespace {

constexpr std::string_view kAgainstExample = "for example against = [\"immigration-2025\"]";
constexpr std::string_view kXExample = "for example x = [\"age\", \"immigration-2025:sex\"]";
constexpr std::string_view kYExample = "for example y = [\"person\"]";
constexpr std::string_view kXyLimitsExample = "for example y = [{ column = \"disease\", at_most = \"1/4\" }]";
constexpr std::string_view kOverlapExample = "for example overlap = [\"age\"]";
constexpr std::string_view kXyColumnExample = "for example column = \"disease\"";
constexpr std::string_view kXyColumnsExample = "for example columns = [\"disease\", \"income\"]";
constexpr std::string_view kXyCombinationsExample = "for example values = [[\"HIV\", \"low\"]]";
constexpr std::string_view kXyAtMostExample = "for example at_most = \"1/4\"";

Error EmptyList(const Source& source, const Value& value, std::string_view name, std::string_view example) {
  return source.At(value.position, fmt::format("{} is an empty list; write {}", name, example));
}

Result<std::vector<std::string>> ReadAgainst(const Source& source, const TableReader& guarantee,
                                             const ThisRelease& here) {
  PENTIMENTO_ASSIGN(const Entry* entry, guarantee.Require("against", kAgainstExample));
  PENTIMENTO_RETURN_IF_ERROR(ReadTexts(source, entry->value, "against", kAgainstExample));
  std::vector<std::string> against;
  for (const Value& item : std::get<Array>(entry->value.content)) {
    PENTIMENTO_ASSIGN(Text release, ReadName(source, item, "release", kAgainstExample));
    if (release.text == here.name) {
      return source.At(
          release.position,
          fmt::format("against lists '{}', which is this release itself; name releases that are out", release.text));
    }
    against.push_back(std::move(release.text));
  }
  return against;
}

Result<std::vector<ColumnName>> ReadColumnNames(const Source& source, const TableReader& guarantee,
                                                const NamePlace& place, std::string_view example,
                                                const ThisRelease& here, std::span<const std::string> against) {
  PENTIMENTO_ASSIGN(const Entry* entry, guarantee.Require(place.name, example));
  PENTIMENTO_ASSIGN(const std::vector<Text> texts, ReadTexts(source, entry->value, place.name, example));
  if (texts.empty()) return EmptyList(source, entry->value, place.name, example);
  std::vector<ColumnName> names;
  for (const Text& text : texts) {
    PENTIMENTO_ASSIGN(ColumnName name, ReadColumnName(source, text, place, here, against));
    names.push_back(std::move(name));
  }
  return names;
}

// Whether several earlier releases have a column that this one has not is known when they are read.
Result<std::vector<std::string>> ReadOverlap(const Source& source, const TableReader& guarantee,
                                             const ThisRelease& here, std::size_t against) {
  std::vector<std::string> overlap;
  const Entry* entry = guarantee.Find("overlap");
  if (entry == nullptr) return overlap;
  PENTIMENTO_ASSIGN(std::vector<Text> texts, ReadTexts(source, entry->value, "overlap", kOverlapExample));
  for (Text& text : texts) {
    const ColumnPolicy* column = FindColumn(here, text.text);
    if (column == nullptr && against > 1) {
      overlap.push_back(std::move(text.text));
      continue;
    }
    if (column == nullptr) {
      return source.At(text.position,
                       fmt::format("overlap names '{}', which [columns] does not have; write a column of [columns].{}",
                                   text.text, DidYouMean(text.text, ColumnNames(here))));
    }
    if (!column->domain) {
      return source.At(text.position,
                       fmt::format("overlap names '{}', but only intervals of numbers overlap; remove it, or make the "
                                   "column a quasi-identifier with a domain",
                                   text.text));
    }
    overlap.push_back(std::move(text.text));
  }
  return overlap;
}

// Keys that speak of matches say nothing where the guarantee is about this release alone.
Status RefuseMatchKeys(const Source& source, const TableReader& guarantee, std::span<const std::string> against) {
  if (!against.empty()) return {};
  for (const std::string_view key : {"overlap", "dangling"}) {
    const Entry* entry = guarantee.Find(key);
    if (entry == nullptr) continue;
    return source.At(entry->key_position,
                     fmt::format("'{}' would have no effect: with against = [] the guarantee is about this release "
                                 "alone, and nothing is matched; remove it, or name releases in 'against'",
                                 key));
  }
  return {};
}

// Only ever the user's word: without the key rows that match nothing are held to the guarantee.
Result<bool> ReadDangling(const Source& source, const TableReader& guarantee) {
  constexpr std::string_view kDanglingExample = "dangling = \"allow\", or leave it out";
  const Entry* entry = guarantee.Find("dangling");
  if (entry == nullptr) return false;
  PENTIMENTO_ASSIGN(const Text text, ReadText(source, entry->value, "dangling", kDanglingExample));
  if (text.text == "allow") return true;
  return source.At(text.position, fmt::format("dangling is '{}'; write {}", text.text, kDanglingExample));
}

// What is known and what must not be learnt are different things. A column that both sides have is one attribute of
// the person: its copy in another release gives it away just as well.
Status CheckApart(const Source& source, std::span<const ColumnName> x, const ColumnName& y) {
  for (const ColumnName& known : x) {
    if (known.column != y.column) continue;
    if (known.release == y.release) {
      return source.At(y.position, fmt::format("y names '{}', which x names too, and who knows x knows it already; "
                                               "remove it from one of the two",
                                               y.Written()));
    }
    return source.At(y.position, fmt::format("y names '{}' and x names '{}', the same column in another release, and "
                                             "who knows one knows the other; remove one of the two",
                                             y.Written(), known.Written()));
  }
  return {};
}

// An earlier release had its own texts for a missing value.
std::span<const std::string> MissingIn(const ColumnName& column, const ThisRelease& here) {
  return column.release.empty() ? here.missing : std::span<const std::string>();
}

// One column, or several of which combinations are limited.
Result<std::vector<ColumnName>> ReadLimitedColumns(const Source& source, const TableReader& table,
                                                   const ThisRelease& here, std::span<const std::string> against) {
  std::vector<ColumnName> columns;
  const Entry* several = table.Find("columns");
  if (several == nullptr) {
    PENTIMENTO_ASSIGN(const Entry* one, table.Require("column", kXyColumnExample));
    PENTIMENTO_ASSIGN(const Text name, ReadText(source, one->value, "'column' of an entry of y", kXyColumnExample));
    PENTIMENTO_ASSIGN(ColumnName column, ReadColumnName(source, name, {"y"}, here, against));
    columns.push_back(std::move(column));
    return columns;
  }
  if (const Entry* one = table.Find("column"))
    return source.At(one->key_position, "an entry of y has 'column' and 'columns'; keep one of the two");
  PENTIMENTO_ASSIGN(const std::vector<Text> names,
                    ReadTexts(source, several->value, "'columns' of an entry of y", kXyColumnsExample));
  if (names.size() < 2) {
    return source.At(several->value.position,
                     fmt::format("'columns' of an entry of y is for combinations of at least two columns; write {}, or "
                                 "column = \"COLUMN\"",
                                 kXyColumnsExample));
  }
  for (const Text& name : names) {
    PENTIMENTO_ASSIGN(ColumnName column, ReadColumnName(source, name, {"y"}, here, against));
    columns.push_back(std::move(column));
  }
  return columns;
}

// A combination: a text for each of the columns.
Result<std::vector<std::string>> ReadCombination(const Source& source, const Value& value,
                                                 std::span<const ColumnName> columns, const ThisRelease& here) {
  const std::string name = "'values' of an entry of y";
  const auto* texts = std::get_if<Array>(&value.content);
  if (texts == nullptr || texts->size() != columns.size()) {
    return source.At(
        value.position,
        fmt::format("{} lists {}, but every entry must be a list with one text for each of the {} columns; "
                    "write {}",
                    name, texts == nullptr ? std::string(KindOf(value)) : fmt::format("a list of {}", texts->size()),
                    columns.size(), kXyCombinationsExample));
  }
  std::vector<std::string> combination;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    PENTIMENTO_ASSIGN(std::string text, ReadValue(source, (*texts)[i], name, MissingIn(columns[i], here)));
    combination.push_back(std::move(text));
  }
  return combination;
}

Result<std::vector<std::vector<std::string>>> ReadLimitedValues(const Source& source, const Value& value,
                                                                std::span<const ColumnName> columns,
                                                                const ThisRelease& here) {
  const std::string name = "'values' of an entry of y";
  std::vector<std::vector<std::string>> values;
  if (columns.size() == 1) {
    PENTIMENTO_ASSIGN(const std::vector<std::string> texts,
                      ReadValues(source, value, name, MissingIn(columns[0], here)));
    for (const std::string& text : texts) values.push_back({text});
    return values;
  }
  const auto* list = std::get_if<Array>(&value.content);
  if (list == nullptr) {
    return source.At(value.position, fmt::format("{} is {}, but must be a list of lists; write {}", name, KindOf(value),
                                                 kXyCombinationsExample));
  }
  if (list->empty()) return EmptyList(source, value, name, kXyCombinationsExample);
  for (const Value& item : *list) {
    PENTIMENTO_ASSIGN(std::vector<std::string> combination, ReadCombination(source, item, columns, here));
    if (std::find(values.begin(), values.end(), combination) != values.end()) {
      return source.At(item.position, fmt::format("{} lists the same combination twice; remove one of the two", name));
    }
    values.push_back(std::move(combination));
  }
  return values;
}

Result<LinkabilityLimit> ReadLimit(const Source& source, const Value& value, const ThisRelease& here,
                                   std::span<const std::string> against) {
  static const std::vector<std::string> kKeys = {"column", "columns", "values", "at_most"};
  PENTIMENTO_ASSIGN(const TableReader table, TableReader::Open(source, value, "an entry of y", kXyLimitsExample));
  PENTIMENTO_RETURN_IF_ERROR(table.AllowOnly(kKeys));
  LinkabilityLimit limit;
  PENTIMENTO_ASSIGN(limit.columns, ReadLimitedColumns(source, table, here, against));
  if (const Entry* values = table.Find("values")) {
    PENTIMENTO_ASSIGN(limit.values, ReadLimitedValues(source, values->value, limit.columns, here));
  }
  PENTIMENTO_ASSIGN(const Entry* at_most, table.Require("at_most", kXyAtMostExample));
  PENTIMENTO_ASSIGN(limit.at_most, ReadFraction(source, at_most->value, {"at_most", kXyAtMostExample}));
  return limit;
}

// What a limit is for, in whatever order its columns and values are written: each value as columns with their texts.
using LimitedThings = std::set<std::set<std::pair<std::string, std::string>>>;

LimitedThings ThingsOf(const LinkabilityLimit& limit) {
  LimitedThings things;
  std::vector<std::vector<std::string>> values = limit.values;
  if (values.empty()) values.emplace_back(limit.columns.size());  // the empty text is no value
  for (const std::vector<std::string>& value : values) {
    std::set<std::pair<std::string, std::string>> parts;
    for (std::size_t i = 0; i < value.size(); ++i) parts.emplace(limit.columns[i].Written(), value[i]);
    things.insert(std::move(parts));
  }
  return things;
}

std::string QuotedColumns(const LinkabilityLimit& limit) {
  std::vector<std::string> names;
  for (const ColumnName& column : limit.columns) names.push_back(fmt::format("'{}'", column.Written()));
  return Listed(names);
}

Result<std::vector<LinkabilityLimit>> ReadLimits(const Source& source, const TableReader& guarantee,
                                                 const ThisRelease& here, std::span<const std::string> against) {
  PENTIMENTO_ASSIGN(const Entry* entry, guarantee.Require("y", kXyLimitsExample));
  const auto* tables = std::get_if<Array>(&entry->value.content);
  if (tables == nullptr) {
    return source.At(entry->value.position, fmt::format("y is {}, but must be a list of tables; write {}",
                                                        KindOf(entry->value), kXyLimitsExample));
  }
  if (tables->empty()) return EmptyList(source, entry->value, "y", kXyLimitsExample);
  std::vector<LinkabilityLimit> limits;
  std::set<LimitedThings> seen;
  for (const Value& value : *tables) {
    PENTIMENTO_ASSIGN(LinkabilityLimit limit, ReadLimit(source, value, here, against));
    if (!seen.insert(ThingsOf(limit)).second) {
      return source.At(value.position, fmt::format("y has two limits for the same values of {}; keep the smaller one",
                                                   QuotedColumns(limit)));
    }
    limits.push_back(std::move(limit));
  }
  return limits;
}

}  // namespace

Result<GuaranteePolicy> ReadXyAnonymity(const Source& source, const TableReader& guarantee, const ThisRelease& here) {
  XyAnonymityPolicy policy;
  policy.position = guarantee.position();
  PENTIMENTO_ASSIGN(policy.against, ReadAgainst(source, guarantee, here));
  PENTIMENTO_RETURN_IF_ERROR(RefuseMatchKeys(source, guarantee, policy.against));
  PENTIMENTO_ASSIGN(policy.x, ReadColumnNames(source, guarantee, {"x"}, kXExample, here, policy.against));
  PENTIMENTO_ASSIGN(policy.y, ReadColumnNames(source, guarantee, {"y", true}, kYExample, here, policy.against));
  for (const ColumnName& y : policy.y) PENTIMENTO_RETURN_IF_ERROR(CheckApart(source, policy.x, y));
  PENTIMENTO_ASSIGN(policy.k, ReadK(source, guarantee));
  PENTIMENTO_ASSIGN(policy.overlap, ReadOverlap(source, guarantee, here, policy.against.size()));
  PENTIMENTO_ASSIGN(policy.allows_dangling, ReadDangling(source, guarantee));
  return GuaranteePolicy(std::move(policy));
}

Result<GuaranteePolicy> ReadXyLinkability(const Source& source, const TableReader& guarantee, const ThisRelease& here) {
  XyLinkabilityPolicy policy;
  policy.position = guarantee.position();
  PENTIMENTO_ASSIGN(policy.against, ReadAgainst(source, guarantee, here));
  PENTIMENTO_RETURN_IF_ERROR(RefuseMatchKeys(source, guarantee, policy.against));
  PENTIMENTO_ASSIGN(policy.x, ReadColumnNames(source, guarantee, {"x"}, kXExample, here, policy.against));
  PENTIMENTO_ASSIGN(policy.y, ReadLimits(source, guarantee, here, policy.against));
  for (const LinkabilityLimit& limit : policy.y) {
    for (const ColumnName& y : limit.columns) PENTIMENTO_RETURN_IF_ERROR(CheckApart(source, policy.x, y));
  }
  PENTIMENTO_ASSIGN(policy.overlap, ReadOverlap(source, guarantee, here, policy.against.size()));
  PENTIMENTO_ASSIGN(policy.allows_dangling, ReadDangling(source, guarantee));
  return GuaranteePolicy(std::move(policy));
}

std::vector<std::span<const std::string>> JoinsOf(std::span<const GuaranteePolicy> guarantees) {
  std::vector<std::span<const std::string>> joins;
  for (const GuaranteePolicy& guarantee : guarantees) {
    if (const auto* anonymity = std::get_if<XyAnonymityPolicy>(&guarantee)) joins.emplace_back(anonymity->against);
    if (const auto* linkability = std::get_if<XyLinkabilityPolicy>(&guarantee))
      joins.emplace_back(linkability->against);
  }
  return joins;
}

}  // namespace pentimento::policy_file
