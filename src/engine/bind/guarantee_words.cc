#include "engine/bind/guarantee_words.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fmt/core.h"
#include "fmt/ranges.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

std::string TwoTablesInWords(const Policy& policy) {
  const auto sensitive = std::ranges::count(policy.columns, Role::kSensitive, &ColumnPolicy::role);
  const bool is_two = sensitive == 1 || policy.sensitive_tables == SensitiveTables::kCombined;
  return fmt::format(
      " It is published in {} tables that only the numbers of classes connect; that somebody is in the release is "
      "plain to whoever knows their quasi-identifiers.",
      is_two ? "two" : fmt::format("{}", sensitive + 1));
}

std::vector<std::string> NamesOf(const std::vector<ColumnName>& columns) {
  std::vector<std::string> names;
  for (const ColumnName& column : columns) names.push_back(column.Written());
  return names;
}

// "when this release is joined with immigration-2025", "when this release is joined with any of immigration-2025,
// housing-2025 or several of them together", "in this release by itself".
std::string WhereInWords(const std::vector<std::string>& against) {
  if (against.empty()) return "in this release by itself";
  if (against.size() == 1) return fmt::format("when this release is joined with {}", against.front());
  return fmt::format("when this release is joined with any of {} or several of them together",
                     fmt::join(against, ", "));
}

// A promise over a join depends on which matches count, and whom it leaves out.
template <typename Guarantee>
std::string MatchesInWords(const Guarantee& asked, const Policy& policy) {
  if (asked.against.empty()) return " It covers this release alone.";
  const std::vector<std::string>& overlap = asked.overlap;
  std::string words;
  if (asked.allows_dangling)
    words += fmt::format(" Rows of this release that match no record of {} are not covered: the policy allows it.",
                         asked.against.size() < 2 ? "that release" : "those releases");
  if (!overlap.empty())
    words += fmt::format(" Numbers in {} match where their intervals overlap.", fmt::join(overlap, ", "));
  if (!policy.impossible.empty()) words += " Matches that the policy declares impossible do not count.";
  return words;
}

Json ImpossibleAsJson(const Policy& policy) {
  Json pairs = Json::array();
  for (const ImpossiblePolicy& pair : policy.impossible) {
    pairs.push_back({{"left", pair.left.Written() + "=" + pair.left_value},
                     {"right", pair.right.Written() + "=" + pair.right_value}});
  }
  return pairs;
}

std::string InWords(const KAnonymityPolicy& asked, const BoundPolicy& bound) {
  return fmt::format(
      "{0}-anonymity: every combination of {1} in this table is shared by at least {0} {2}. It covers this release "
      "alone.",
      asked.k, fmt::join(bound.quasi_identifiers, ", "), bound.counts_persons ? "people" : "rows");
}

std::string InWords(const IncrementalKAnonymityPolicy& asked, const BoundPolicy& bound) {
  return fmt::format(
      "incremental {0}-anonymity: in every release of the series '{1}', and in any combination of its releases, at "
      "least {0} cases share every combination of {2}.",
      asked.k, asked.series, fmt::join(bound.quasi_identifiers, ", "));
}

std::string InWords(const XyAnonymityPolicy& asked, const BoundPolicy& bound) {
  return fmt::format("(X,Y)-anonymity: {}, every value on {} meets at least {} different values on {}.",
                     WhereInWords(asked.against), fmt::join(NamesOf(asked.x), ", "), asked.k,
                     fmt::join(NamesOf(asked.y), ", ")) +
         MatchesInWords(asked, bound.policy);
}

// "any value of disease", "disease among HIV, flu", "any combination of disease, job", "disease, job among (HIV,
// Clerk)".
std::string LimitedInWords(const LinkabilityLimit& limit) {
  const bool is_one = limit.columns.size() == 1;
  const std::string columns = fmt::format("{}", fmt::join(NamesOf(limit.columns), ", "));
  if (limit.values.empty()) return fmt::format("any {} of {}", is_one ? "value" : "combination", columns);
  std::vector<std::string> values;
  for (const std::vector<std::string>& value : limit.values)
    values.push_back(is_one ? value.front() : fmt::format("({})", fmt::join(value, ", ")));
  return fmt::format("{} among {}", columns, fmt::join(values, ", "));
}

std::string InWords(const XyLinkabilityPolicy& asked, const BoundPolicy& bound) {
  std::vector<std::string> limits;
  for (const LinkabilityLimit& limit : asked.y)
    limits.push_back(fmt::format("{} with more than {}", LimitedInWords(limit), ToString(limit.at_most)));
  return fmt::format("(X,Y)-linkability: {}, no value on {} leads to {} of the rows{} that have it.",
                     WhereInWords(asked.against), fmt::join(NamesOf(asked.x), ", "), fmt::join(limits, ", nor to "),
                     asked.against.empty() ? "" : " of that join") +
         MatchesInWords(asked, bound.policy);
}

// "a value of disease", "HIV of disease", "one of the values HIV, flu of disease".
std::string LimitedInWords(const ColumnPolicy& column) {
  if (column.values.empty()) return fmt::format("a value of {}", column.name);
  return fmt::format("{}{} of {}", column.values.size() == 1 ? "" : "one of the values ",
                     fmt::join(column.values, ", "), column.name);
}

// A value is named only where the policy names it.
std::string InWords(const AlphaKAnonymityPolicy& asked, const BoundPolicy& bound) {
  std::vector<std::string> columns;
  for (const ColumnPolicy& column : bound.policy.columns) {
    if (column.role == Role::kSensitive) columns.push_back(LimitedInWords(column));
  }
  std::string words = fmt::format(
      "({0},{1})-anonymity: every class is shared by at least {1} {2}, and in none is {3} more frequent than {0}.",
      ToString(asked.alpha), asked.k, bound.counts_persons ? "people" : "rows", fmt::join(columns, ", nor "));
  for (const SensitiveLimitPolicy& limit : asked.limits) {
    words += fmt::format(" {} of {} is at most {} of a class.", fmt::join(limit.values, " or "), limit.column,
                         ToString(limit.at_most));
  }
  words += " It covers this release alone.";
  if (bound.policy.form != PublishForm::kTwoTables) return words;
  return words + TwoTablesInWords(bound.policy);
}

// For a steward: who learns what, and under what condition. A value is named only where the policy names it.
std::string InWords(const GlobalGuaranteePolicy& asked, const BoundPolicy& bound) {
  std::vector<std::string> columns;
  bool is_one_value = true;
  for (const ColumnPolicy& column : bound.policy.columns) {
    if (column.role != Role::kSensitive) continue;
    is_one_value = is_one_value && columns.empty() && column.values.size() == 1;
    columns.push_back(column.values.empty() ? fmt::format("any particular value of {}", column.name)
                                            : fmt::format("{} of {}", fmt::join(column.values, " or "), column.name));
  }
  std::string words = fmt::format(
      "Global guarantee with l = {0}: over all releases of the series '{1}' together, nobody can be surer than 1/{0} "
      "that somebody ever had {2}, even knowing all quasi-identifiers and who was in which release.",
      asked.l, asked.series, fmt::join(columns, ", or "));
  if (!is_one_value) words += " That is for each value by itself.";
  for (const SensitiveSetPolicy& set : asked.sets)
    words += fmt::format(" For {} of {} taken as one thing nobody can be surer than 1/{}.",
                         fmt::join(set.values, " or "), set.column, set.l);
  if (asked.k > 0) words += fmt::format(" Every group has at least {} people.", asked.k);
  if (asked.allows_alone) words += " Somebody may be alone in a group: the policy allows it.";
  words += " It is about values that come and go from release to release, and about this series alone.";
  if (!asked.blind)
    words += " Groups were cut where the values allowed it: whoever runs the program again on guesses can learn more.";
  return bound.policy.form == PublishForm::kTwoTables ? words + TwoTablesInWords(bound.policy) : words;
}

std::string InWords(const HistoryPolicy& asked, const BoundPolicy&) {
  const std::string over =
      asked.over.empty() ? std::string("all releases on record") : fmt::format("{}", fmt::join(asked.over, ", "));
  std::string words = fmt::format(
      "history: over this release and {} about these people, and every choice of them, at least {} people cannot be "
      "told apart from anybody, by whoever knows all quasi-identifiers{}.",
      over, asked.k, asked.membership_is_known ? " and who is in which release" : " but not who is in which release");
  if (asked.alpha)
    words += fmt::format(" Nobody can be surer than {} of a sensitive value that stays.", ToString(*asked.alpha));
  if (asked.allows_unknown) words += " Releases whose people cannot be told are not covered: the policy allows it.";
  return words;
}

Json AsJson(const KAnonymityPolicy& asked, const BoundPolicy& bound) {
  return {{"type", "k-anonymity"},
          {"k", asked.k},
          {"counts", bound.counts_persons ? "persons" : "rows"},
          {"quasi_identifiers", bound.quasi_identifiers}};
}

Json AsJson(const IncrementalKAnonymityPolicy& asked, const BoundPolicy& bound) {
  return {{"type", "incremental-k-anonymity"},
          {"k", asked.k},
          {"counts", "cases"},
          {"quasi_identifiers", bound.quasi_identifiers},
          {"series", asked.series},
          {"arrivals", asked.hides_arrivals ? "hidden" : "shown"}};
}

// The same for programs. A guarantee about this release alone has no matches.
template <typename Guarantee>
void AddMatchesJson(const Guarantee& asked, const Policy& policy, Json& json) {
  if (!asked.overlap.empty()) json["overlap"] = asked.overlap;
  if (asked.allows_dangling) json["dangling"] = "allow";
  if (!asked.against.empty() && !policy.impossible.empty()) json["impossible"] = ImpossibleAsJson(policy);
}

Json AsJson(const XyAnonymityPolicy& asked, const BoundPolicy& bound) {
  Json json = {{"type", "xy-anonymity"},
               {"against", asked.against},
               {"x", NamesOf(asked.x)},
               {"y", NamesOf(asked.y)},
               {"k", asked.k}};
  AddMatchesJson(asked, bound.policy, json);
  return json;
}

Json AsJson(const XyLinkabilityPolicy& asked, const BoundPolicy& bound) {
  Json limits = Json::array();
  for (const LinkabilityLimit& limit : asked.y) {
    const bool is_one = limit.columns.size() == 1;
    Json one;
    if (is_one) {
      one["column"] = limit.columns.front().Written();
    } else {
      one["columns"] = NamesOf(limit.columns);
    }
    one["at_most"] = ToString(limit.at_most);
    for (const std::vector<std::string>& value : limit.values)
      one["values"].push_back(is_one ? Json(value.front()) : Json(value));
    limits.push_back(std::move(one));
  }
  Json json = {
      {"type", "xy-linkability"}, {"against", asked.against}, {"x", NamesOf(asked.x)}, {"y", std::move(limits)}};
  AddMatchesJson(asked, bound.policy, json);
  return json;
}

// The sensitive columns, and their values where the policy names them.
Json SensitiveAsJson(const BoundPolicy& bound) {
  Json sensitive = Json::array();
  for (const ColumnPolicy& column : bound.policy.columns) {
    if (column.role != Role::kSensitive) continue;
    Json one = {{"column", column.name}};
    if (!column.values.empty()) one["values"] = column.values;
    sensitive.push_back(std::move(one));
  }
  return sensitive;
}

const char* FormName(const BoundPolicy& bound) {
  return bound.policy.form == PublishForm::kTwoTables ? "two-tables" : "generalized";
}

Json AsJson(const AlphaKAnonymityPolicy& asked, const BoundPolicy& bound) {
  Json json = {{"type", "alpha-k-anonymity"},
               {"alpha", ToString(asked.alpha)},
               {"k", asked.k},
               {"counts", bound.counts_persons ? "persons" : "rows"},
               {"quasi_identifiers", bound.quasi_identifiers},
               {"sensitive", SensitiveAsJson(bound)},
               {"form", FormName(bound)},
               {"method", MethodName(ChooseMethod(bound.policy))}};
  for (const SensitiveLimitPolicy& limit : asked.limits) {
    json["limits"].push_back(
        {{"column", limit.column}, {"values", limit.values}, {"at_most", ToString(limit.at_most)}});
  }
  return json;
}

Json AsJson(const GlobalGuaranteePolicy& asked, const BoundPolicy& bound) {
  Json json = {{"type", "global-guarantee"},
               {"l", asked.l},
               {"series", asked.series},
               {"quasi_identifiers", bound.quasi_identifiers},
               {"sensitive", SensitiveAsJson(bound)},
               {"form", FormName(bound)}};
  if (asked.k > 0) json["k"] = asked.k;
  if (asked.allows_alone) json["alone"] = "allowed";
  if (asked.blind) json["blind"] = true;
  for (const SensitiveSetPolicy& set : asked.sets)
    json["limits"].push_back({{"column", set.column}, {"values", set.values}, {"l", set.l}});
  return json;
}

Json AsJson(const HistoryPolicy& asked, const BoundPolicy& bound) {
  Json json = {{"type", "history"},
               {"k", asked.k},
               {"counts", "persons"},
               {"quasi_identifiers", bound.quasi_identifiers},
               {"membership", asked.membership_is_known ? "known" : "unknown"}};
  if (asked.alpha) {
    json["alpha"] = ToString(*asked.alpha);
    json["sensitive"] = SensitiveAsJson(bound);
  }
  json["over"] = asked.over.empty() ? Json("all") : Json(asked.over);
  json["unknown"] = asked.allows_unknown ? "allow" : "refuse";
  return json;
}

}  // namespace

const IncrementalKAnonymityPolicy* FindIncremental(const BoundPolicy& bound) {
  return FindGuarantee<IncrementalKAnonymityPolicy>(bound.policy.guarantees);
}

const AlphaKAnonymityPolicy* FindAlphaK(const BoundPolicy& bound) {
  return FindGuarantee<AlphaKAnonymityPolicy>(bound.policy.guarantees);
}

const GlobalGuaranteePolicy* FindGlobal(const BoundPolicy& bound) {
  return FindGuarantee<GlobalGuaranteePolicy>(bound.policy.guarantees);
}

bool AsksForJoin(const BoundPolicy& bound) {
  return std::ranges::any_of(bound.policy.guarantees, [](const GuaranteePolicy& guarantee) {
    return std::holds_alternative<XyAnonymityPolicy>(guarantee) ||
           std::holds_alternative<XyLinkabilityPolicy>(guarantee);
  });
}

Method ChooseMethod(const Policy& policy) { return policy.method.value_or(Method::kPartition); }

const char* MethodName(Method method) {
  switch (method) {
    case Method::kPartition:
      return "partition";
    case Method::kRecode:
      return "recode";
    case Method::kAnatomy:
      return "anatomy";
    case Method::kSpecialize:
      return "specialize";
  }
  return "";
}

std::string Promise::InOneLine() const { return fmt::format("{}", fmt::join(words, " ")); }

Promise PromiseOf(const BoundPolicy& bound) {
  Promise promise;
  Json guarantees = Json::array();
  for (const GuaranteePolicy& guarantee : bound.policy.guarantees) {
    std::visit(
        [&](const auto& asked) {
          promise.words.push_back(InWords(asked, bound));
          guarantees.push_back(AsJson(asked, bound));
          guarantees.back()["words"] = promise.words.back();
        },
        guarantee);
  }
  promise.json = guarantees.dump();
  return promise;
}

}  // namespace pentimento
