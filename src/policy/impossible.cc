#include "policy/impossible.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "policy/xy_guarantees.h"

namespace pentimento::policy_file {
namespace {

constexpr std::string_view kImpossibleExample =
    "[[impossible]] and below it left = \"sex=Male\" and right = \"immigration-2025:status=Pregnant\"";
constexpr std::string_view kSideExample = "for example \"sex=Male\"";

using Joins = std::span<const std::span<const std::string>>;

struct Side {
  ColumnName column;
  std::string value;
};

std::vector<std::string> AllReleases(Joins joins) {
  std::set<std::string> all;
  for (const std::span<const std::string>& against : joins) all.insert(against.begin(), against.end());
  return {all.begin(), all.end()};
}

Result<Side> ReadSide(const Source& source, const TableReader& pair, const std::string& key, const ThisRelease& here,
                      Joins joins) {
  const std::string name = fmt::format("'{}' of [[impossible]]", key);
  PENTIMENTO_ASSIGN(const Entry* entry, pair.Require(key, fmt::format("{} = \"COLUMN=VALUE\"", key)));
  PENTIMENTO_ASSIGN(const Text text, ReadText(source, entry->value, name, kSideExample));
  const std::size_t equals = text.text.find('=');
  if (equals == std::string::npos) {
    return source.At(text.position, fmt::format("{} is not of the form COLUMN=VALUE; write {}", name, kSideExample));
  }
  Side side;
  const Text column = {text.text.substr(0, equals), text.position};
  PENTIMENTO_ASSIGN(side.column, ReadColumnName(source, column, {name}, here, AllReleases(joins)));
  side.value = text.text.substr(equals + 1);
  if (side.value.empty()) {
    return source.At(text.position, fmt::format("{} has no value after '='; write {}", name, kSideExample));
  }
  if (side.value == "*") {
    return source.At(text.position, fmt::format("{} has the value '*', which stands for any value; name one", name));
  }
  return side;
}

// Two releases meet only where one guarantee is against both, or against one of them and about the other, this one.
Status CheckMeet(const Source& source, SourcePosition position, const Side& left, const Side& right, Joins joins) {
  const std::string& a = left.column.release;
  const std::string& b = right.column.release;
  if (a == b) {
    return source.At(position,
                     "left and right of [[impossible]] are columns of one release, but it is a match of two releases "
                     "that they rule out; take one of them from another release, as RELEASE:COLUMN=VALUE");
  }
  const bool meet = std::any_of(joins.begin(), joins.end(), [&](const std::span<const std::string>& against) {
    const auto joined = [&](const std::string& release) {
      return release.empty() || std::find(against.begin(), against.end(), release) != against.end();
    };
    return joined(a) && joined(b);
  });
  if (meet) return {};
  return source.At(position, fmt::format("[[impossible]] would have no effect: no guarantee is against both '{}' and "
                                         "'{}'; remove it, or name both releases in one 'against'",
                                         a, b));
}

Result<ImpossiblePolicy> ReadPair(const Source& source, const Value& value, const ThisRelease& here, Joins joins) {
  static const std::vector<std::string> kKeys = {"left", "right"};
  PENTIMENTO_ASSIGN(const TableReader pair, TableReader::Open(source, value, "[[impossible]]", kImpossibleExample));
  PENTIMENTO_RETURN_IF_ERROR(pair.AllowOnly(kKeys));
  PENTIMENTO_ASSIGN(Side left, ReadSide(source, pair, "left", here, joins));
  PENTIMENTO_ASSIGN(Side right, ReadSide(source, pair, "right", here, joins));
  PENTIMENTO_RETURN_IF_ERROR(CheckMeet(source, pair.position(), left, right, joins));
  return ImpossiblePolicy{std::move(left.column), std::move(left.value), std::move(right.column),
                          std::move(right.value)};
}

}  // namespace

Result<std::vector<ImpossiblePolicy>> ReadImpossible(const Source& source, const TableReader& policy,
                                                     const ThisRelease& here,
                                                     std::span<const GuaranteePolicy> guarantees) {
  std::vector<ImpossiblePolicy> pairs;
  const Entry* entry = policy.Find("impossible");
  if (entry == nullptr) return pairs;
  const auto joins = JoinsOf(guarantees);
  if (joins.empty()) {
    return source.At(entry->key_position,
                     "[[impossible]] would have no effect: it serves xy-anonymity and xy-linkability, and no guarantee "
                     "is one of them; remove it or ask for one of them");
  }
  const auto* tables = std::get_if<Array>(&entry->value.content);
  if (tables == nullptr || tables->empty()) {
    return source.At(entry->value.position,
                     fmt::format("'impossible' is {}, but must be a list of tables; write {}",
                                 tables == nullptr ? KindOf(entry->value) : "an empty list", kImpossibleExample));
  }
  std::set<std::pair<std::string, std::string>> seen;  // whichever side is left
  for (const Value& value : *tables) {
    PENTIMENTO_ASSIGN(ImpossiblePolicy pair, ReadPair(source, value, here, joins));
    std::string left = pair.left.Written() + "=" + pair.left_value;
    std::string right = pair.right.Written() + "=" + pair.right_value;
    if (right < left) std::swap(left, right);
    if (!seen.insert({std::move(left), std::move(right)}).second) {
      return source.At(value.position, "[[impossible]] rules this pair out twice; remove one of the two");
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace pentimento::policy_file
