#include "policy/guarantees.h"

#include <algorithm>
#include <string>

#include "base/suggest.h"
#include "fmt/core.h"

namespace pentimento::policy_file {
namespace {

constexpr std::string_view kGuaranteeExample = "[[guarantee]] and below it type = \"k-anonymity\" and k = 10";
constexpr std::string_view kTypeExample = "type = \"k-anonymity\"";
constexpr std::string_view kKExample = "for example k = 10";
constexpr std::int64_t kLargestK = std::int64_t{1} << 32;  // more than any table here has rows

// Every type a policy may one day ask for. The ones after the first are refused until they are here.
const std::vector<std::string>& KnownTypes() {
  static const std::vector<std::string> kTypes = {"k-anonymity",       "xy-anonymity",
                                                  "xy-linkability",    "incremental-k-anonymity",
                                                  "alpha-k-anonymity", "global-guarantee"};
  return kTypes;
}

Status CheckType(const Source& source, const TableReader& guarantee) {
  PENTIMENTO_ASSIGN(const Entry* entry, guarantee.Require("type", kTypeExample));
  PENTIMENTO_ASSIGN(const Text type, ReadText(source, entry->value, "the type of a guarantee", kTypeExample));
  if (type.text == "k-anonymity") return {};
  const std::vector<std::string>& known = KnownTypes();
  if (std::find(known.begin(), known.end(), type.text) != known.end()) {
    return source.At(type.position,
                     fmt::format("this version does not have the guarantee '{}' yet, so nothing is published; "
                                 "use a version that has it, or ask for k-anonymity",
                                 type.text));
  }
  return source.At(type.position, fmt::format("unknown guarantee '{}'; write {}.{}", type.text, kTypeExample,
                                              DidYouMean(type.text, known)));
}

Result<GuaranteePolicy> ReadGuarantee(const Source& source, const Value& value) {
  static const std::vector<std::string> kKeys = {"type", "k"};
  PENTIMENTO_ASSIGN(const TableReader guarantee, TableReader::Open(source, value, "[[guarantee]]", kGuaranteeExample));
  PENTIMENTO_RETURN_IF_ERROR(CheckType(source, guarantee));
  PENTIMENTO_RETURN_IF_ERROR(guarantee.AllowOnly(kKeys));
  PENTIMENTO_ASSIGN(const Entry* entry, guarantee.Require("k", kKExample));
  PENTIMENTO_ASSIGN(const std::int64_t k, ReadWhole(source, entry->value, "k", kKExample));
  const SourcePosition position = entry->value.position;
  if (k == 1) return source.At(position, "k = 1 protects nobody: everyone may stand alone; write a k of at least 2");
  if (k < 1)
    return source.At(position, fmt::format("k is {}, but a group has at least one person; write a k of at least 2", k));
  if (k > kLargestK) return source.At(position, fmt::format("k is {}; write a k of at most {}", k, kLargestK));
  return GuaranteePolicy(KAnonymityPolicy{static_cast<std::uint64_t>(k)});
}

}  // namespace

Result<std::vector<GuaranteePolicy>> ReadGuarantees(const Source& source, const TableReader& policy) {
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
  for (const Value& table : *tables) {
    PENTIMENTO_ASSIGN(GuaranteePolicy guarantee, ReadGuarantee(source, table));
    // The smaller k would change nothing, and the reader of the policy could take it for the promise.
    if (!guarantees.empty()) {
      return source.At(table.position, "k-anonymity is asked for twice; keep the guarantee with the larger k");
    }
    guarantees.push_back(guarantee);
  }
  return guarantees;
}

}  // namespace pentimento::policy_file
