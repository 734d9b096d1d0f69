#include "policy/guarantees.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/suggest.h"
#include "fmt/core.h"
#include "policy/alpha_k_guarantee.h"
#include "policy/global_guarantee.h"
#include "policy/history_guarantee.h"
#include "policy/xy_guarantees.h"

namespace pentimento::policy_file {
namespace {

constexpr std::string_view kGuaranteeExample = "[[guarantee]] and below it type = \"k-anonymity\" and k = 10";
constexpr std::string_view kTypeExample = "type = \"k-anonymity\"";
constexpr std::string_view kKExample = "for example k = 10";
constexpr std::string_view kSeriesExample = "for example series = \"patients\"";
constexpr std::int64_t kLargestK = std::int64_t{1} << 32;  // more than any table here has rows

Result<GuaranteePolicy> ReadKAnonymity(const Source& source, const TableReader& guarantee, const ThisRelease&) {
  PENTIMENTO_ASSIGN(const std::uint64_t k, ReadK(source, guarantee));
  return GuaranteePolicy(KAnonymityPolicy{k});
}

Result<GuaranteePolicy> ReadIncrementalKAnonymity(const Source& source, const TableReader& guarantee,
                                                  const ThisRelease&) {
  static const std::vector<std::string> kArrivals = {"shown", "hidden"};
  IncrementalKAnonymityPolicy policy;
  PENTIMENTO_ASSIGN(policy.k, ReadK(source, guarantee));
  PENTIMENTO_ASSIGN(const Entry* series, guarantee.Require("series", kSeriesExample));
  PENTIMENTO_ASSIGN(Text name, ReadName(source, series->value, "series", kSeriesExample));
  policy.series = std::move(name.text);
  if (const Entry* arrivals = guarantee.Find("arrivals")) {
    PENTIMENTO_ASSIGN(const std::size_t chosen, ReadChoice(source, arrivals->value, "arrivals", kArrivals));
    policy.hides_arrivals = chosen == 1;
  }
  return GuaranteePolicy(std::move(policy));
}

// How each guarantee is written, and the keys it takes besides 'type'.
struct TypeForm {
  std::string name;
  std::vector<std::string> keys;
  Result<GuaranteePolicy> (*read)(const Source&, const TableReader&, const ThisRelease&);
  std::string_view twice;  // why a second one is refused, and what to do; empty where it is not
};

const std::vector<TypeForm>& TypeForms() {
  // The smaller k would change nothing, and the reader of the policy could take it for the promise.
  static const std::vector<TypeForm> kForms = {
      {"k-anonymity", {"k"}, ReadKAnonymity, "k-anonymity is asked for twice; keep the guarantee with the larger k"},
      {"incremental-k-anonymity",
       {"k", "series", "arrivals"},
       ReadIncrementalKAnonymity,
       "incremental-k-anonymity is asked for twice, but a release belongs to one series; keep one of the two"},
      {"xy-anonymity", {"against", "x", "y", "k", "overlap", "dangling"}, ReadXyAnonymity, ""},
      {"xy-linkability", {"against", "x", "y", "overlap", "dangling"}, ReadXyLinkability, ""},
      {"alpha-k-anonymity",
       {"alpha", "k", "limits"},
       ReadAlphaKAnonymity,
       "alpha-k-anonymity is asked for twice; keep one, with the smaller alpha and the larger k, and list what is "
       "stricter under limits"},
      {"global-guarantee",
       {"l", "series", "releases", "k", "alone", "spend", "room", "most_loss", "blind", "most_persistence", "limits"},
       ReadGlobalGuarantee,
       "global-guarantee is asked for twice, but a release belongs to one series; keep one, with the larger l, and "
       "list what is stricter under limits"},
      {"history",
       {"k", "membership", "alpha", "over", "unknown"},
       ReadHistory,
       "history is asked for twice; keep one, with the larger k and the smaller alpha"},
  };
  return kForms;
}

bool Contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<const TypeForm*> ReadType(const Source& source, const TableReader& guarantee) {
  PENTIMENTO_ASSIGN(const Entry* entry, guarantee.Require("type", kTypeExample));
  PENTIMENTO_ASSIGN(const Text type, ReadText(source, entry->value, "the type of a guarantee", kTypeExample));
  std::vector<std::string> names;
  for (const TypeForm& form : TypeForms()) {
    if (form.name == type.text) return &form;
    names.push_back(form.name);
  }
  const std::string here = Listed(names);
  return source.At(type.position, fmt::format("unknown guarantee '{}'; write one of {}.{}", type.text, here,
                                              DidYouMean(type.text, names)));
}

// The type that takes this key and most of the other keys in the table; nothing where no type takes the key.
const TypeForm* LikeliestType(const TableReader& guarantee, std::string_view key) {
  const TypeForm* likeliest = nullptr;
  std::ptrdiff_t most = 0;
  for (const TypeForm& form : TypeForms()) {
    if (!Contains(form.keys, key)) continue;
    const std::ptrdiff_t taken = std::count_if(guarantee.entries().begin(), guarantee.entries().end(),
                                               [&form](const Entry& entry) { return Contains(form.keys, entry.key); });
    if (taken <= most) continue;
    likeliest = &form;
    most = taken;
  }
  return likeliest;
}

// A key of another guarantee is no misspelling: the user wants something that this type does not promise.
Status CheckKeys(const Source& source, const TableReader& guarantee, const TypeForm& form) {
  for (const Entry& entry : guarantee.entries()) {
    if (entry.key == "type" || Contains(form.keys, entry.key)) continue;
    const TypeForm* other = LikeliestType(guarantee, entry.key);
    if (other == nullptr) continue;
    return source.At(entry.key_position,
                     fmt::format("'{}' is a key of the guarantee '{}', not of '{}'; remove it or write type = \"{}\"",
                                 entry.key, other->name, form.name, other->name));
  }
  std::vector<std::string> keys = {"type"};
  keys.insert(keys.end(), form.keys.begin(), form.keys.end());
  return guarantee.AllowOnly(keys);
}

// A group under the global guarantee may be as small as one row that has no protected value: somebody alone beside
// their quasi-identifiers, whatever l is.
Status RequireK(const Source& source, std::span<const GuaranteePolicy> guarantees) {
  const GlobalGuaranteePolicy* const global = FindGuarantee<GlobalGuaranteePolicy>(guarantees);
  if (global == nullptr) return {};
  const bool has_k = std::ranges::any_of(guarantees, [](const GuaranteePolicy& one) { return KOf(one) > 0; });
  if (!has_k && !global->allows_alone) {
    return source.At(global->position,
                     "global-guarantee without a k leaves people alone in their groups, beside what is published of "
                     "them; write, for example, k = 10, or alone = \"allowed\" if that is meant");
  }
  if (has_k && global->allows_alone) {
    return source.At(global->position,
                     "alone = \"allowed\" and a k contradict each other: with a k nobody is alone in a group; remove "
                     "one of them");
  }
  return {};
}

bool IsOfSeries(const GuaranteePolicy& guarantee) {
  return std::holds_alternative<IncrementalKAnonymityPolicy>(guarantee);
}

// What is verified over a history, over a join or over one release alone does not go together yet.
Status CheckTogether(const Source& source, const Value& value, std::span<const GuaranteePolicy> guarantees) {
  const bool of_series = std::any_of(guarantees.begin(), guarantees.end(), IsOfSeries);
  const bool joined = !JoinsOf(guarantees).empty();
  if (of_series && joined) {
    return source.At(
        value.position,
        "a release of a series is verified over the releases of that series alone, so incremental-k-anonymity "
        "cannot go with xy-anonymity or xy-linkability; keep one of them, or publish the table as a release "
        "outside of the series");
  }
  if (FindGuarantee<GlobalGuaranteePolicy>(guarantees) != nullptr && (of_series || joined)) {
    return source.At(value.position,
                     "global-guarantee forms the groups of every release anew, so it cannot go with "
                     "incremental-k-anonymity, xy-anonymity or xy-linkability; keep it with k-anonymity or "
                     "alpha-k-anonymity, or publish another release for the others");
  }
  if (FindGuarantee<HistoryPolicy>(guarantees) != nullptr &&
      (of_series || FindGuarantee<GlobalGuaranteePolicy>(guarantees) != nullptr)) {
    return source.At(value.position,
                     "history forms classes within those of all releases on record, and a series within its own, so "
                     "history cannot go with incremental-k-anonymity or global-guarantee; keep one of them");
  }
  if (FindGuarantee<AlphaKAnonymityPolicy>(guarantees) == nullptr) return {};
  if (of_series) {
    return source.At(value.position,
                     "alpha-k-anonymity covers one release, and the groups of a series are refined from release to "
                     "release, so it cannot go with incremental-k-anonymity; keep one of them");
  }
  if (joined) {
    return source.At(value.position,
                     "alpha-k-anonymity limits values in classes of this release, while xy-anonymity and "
                     "xy-linkability are about values on x, also where releases are joined, and no maker here keeps "
                     "both; keep one of them, xy-linkability limits sensitive values, too");
  }
  return {};
}

}  // namespace

Result<std::uint64_t> ReadK(const Source& source, const TableReader& guarantee) {
  PENTIMENTO_ASSIGN(const Entry* entry, guarantee.Require("k", kKExample));
  PENTIMENTO_ASSIGN(const std::int64_t k, ReadWhole(source, entry->value, "k", kKExample));
  const SourcePosition position = entry->value.position;
  if (k == 1) return source.At(position, "k = 1 protects nobody: everyone may stand alone; write a k of at least 2");
  if (k < 1)
    return source.At(position, fmt::format("k is {}, but a group has at least one person; write a k of at least 2", k));
  if (k > kLargestK) return source.At(position, fmt::format("k is {}; write a k of at most {}", k, kLargestK));
  return static_cast<std::uint64_t>(k);
}

Result<std::vector<GuaranteePolicy>> ReadGuarantees(const Source& source, const TableReader& policy,
                                                    const ThisRelease& here) {
  PENTIMENTO_ASSIGN(const Entry* entry, policy.Require("guarantee", kGuaranteeExample));
  const auto* tables = std::get_if<Array>(&entry->value.content);
  if (tables == nullptr) {
    return source.At(entry->value.position, fmt::format("'guarantee' is {}, but must be a list of tables; write {}",
                                                        KindOf(entry->value), kGuaranteeExample));
  }
  if (tables->empty()) {
    return source.At(entry->value.position, fmt::format("no guarantee is asked for; write {}", kGuaranteeExample));
  }
  std::vector<GuaranteePolicy> guarantees;
  std::vector<const TypeForm*> asked;
  for (const Value& value : *tables) {
    PENTIMENTO_ASSIGN(const TableReader table, TableReader::Open(source, value, "[[guarantee]]", kGuaranteeExample));
    PENTIMENTO_ASSIGN(const TypeForm* form, ReadType(source, table));
    PENTIMENTO_RETURN_IF_ERROR(CheckKeys(source, table, *form));
    PENTIMENTO_ASSIGN(GuaranteePolicy guarantee, form->read(source, table, here));
    const bool again = std::find(asked.begin(), asked.end(), form) != asked.end();
    if (again && !form->twice.empty()) return source.At(value.position, form->twice);
    asked.push_back(form);
    guarantees.push_back(std::move(guarantee));
    PENTIMENTO_RETURN_IF_ERROR(CheckTogether(source, value, guarantees));
  }
  if (!here.is_on_record) PENTIMENTO_RETURN_IF_ERROR(RequireK(source, guarantees));
  return guarantees;
}

}  // namespace pentimento::policy_file

namespace pentimento {

std::uint64_t KOf(const GuaranteePolicy& guarantee) {
  if (const auto* plain = std::get_if<KAnonymityPolicy>(&guarantee)) return plain->k;
  if (const auto* incremental = std::get_if<IncrementalKAnonymityPolicy>(&guarantee)) return incremental->k;
  if (const auto* alpha_k = std::get_if<AlphaKAnonymityPolicy>(&guarantee)) return alpha_k->k;
  if (const auto* global = std::get_if<GlobalGuaranteePolicy>(&guarantee)) return global->k;
  if (const auto* history = std::get_if<HistoryPolicy>(&guarantee)) return history->k;
  return 0;
}

}  // namespace pentimento
