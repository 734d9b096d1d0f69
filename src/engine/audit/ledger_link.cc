#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/audit/linked_people.h"
#include "engine/composition/earlier_releases.h"

namespace pentimento {
namespace {

// By code of a column of the ledger: the code of the same text in the published files. Values that no file shows, or
// that are no texts, get codes beyond these, the same in all releases of the ledger. Hashes are those of HashValues.
std::vector<Code> TranslateCodes(const RecalledReleases& recalled, const std::string& column,
                                 const SharedValues& values, const IdentityHasher& hasher) {
  const auto place = std::ranges::find(recalled.columns, column);
  const auto& dictionary = recalled.dictionaries[static_cast<std::size_t>(place - recalled.columns.begin())];
  std::map<IdentityHash, Code> known = {{hasher("no value:"), kNoValueCode}};
  for (const auto& [text, code] : values.Of(column)) known.emplace(hasher("value:" + text), code);
  Code next = values.end(column);
  std::vector<Code> codes;
  for (const IdentityHash& value : dictionary) {
    const auto [found, is_new] = known.emplace(value, next);
    next += is_new ? 1 : 0;
    codes.push_back(found->second);
  }
  return codes;
}

ValueBags InPublishedCodes(const ValueBags& bags, const std::vector<Code>& codes) {
  ValueBags moved{bags.column, bags.begin, {}, {}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  for (std::size_t c = 0; c + 1 < bags.begin.size(); ++c) {
    entries.clear();
    for (std::uint32_t i = bags.begin[c]; i < bags.begin[c + 1]; ++i)
      entries.emplace_back(codes[bags.value[i]], bags.count[i]);
    std::ranges::sort(entries);
    for (const auto& [value, count] : entries) {
      moved.value.push_back(value);
      moved.count.push_back(count);
    }
  }
  return moved;
}

std::optional<std::size_t> FindAudited(const AuditedReleases& audited, const std::string& name) {
  const auto place = std::ranges::find(audited.releases, name, &AuditedRelease::name);
  if (place == audited.releases.end()) return std::nullopt;
  return static_cast<std::size_t>(place - audited.releases.begin());
}

}  // namespace

Result<LinkedPeople> LinkByLedger(const AuditedReleases& audited, Ledger& ledger) {
  std::set<std::string> names;
  LinkedPeople linked{.by = LinkedBy::kLedger, .common = {}, .releases = {}, .left_out = {}, .seated = {}, .ids = {}};
  for (std::size_t i = 0; i < audited.releases.size(); ++i) {
    if (audited.releases[i].source.record) {
      names.insert(audited.releases[i].name);
    } else {
      linked.left_out.push_back({i, "it is not on the ledger, so who is in it is known by --people alone"});
    }
  }
  PENTIMENTO_ASSIGN(RecalledReleases recalled, RecallNamedReleases(ledger, names));
  for (const UnknownRelease& unknown : recalled.unknown) {
    if (const auto number = FindAudited(audited, unknown.name)) linked.left_out.push_back({*number, unknown.why});
  }
  linked.common.people = recalled.common.people;
  for (CommonRelease& release : recalled.common.releases) {
    for (ValueBags& bags : release.values)
      bags = InPublishedCodes(bags, TranslateCodes(recalled, bags.column, audited.values, ledger.identity_hasher()));
    linked.releases.push_back({.audited = *FindAudited(audited, release.name)});
    linked.common.releases.push_back(std::move(release));
  }
  return linked;
}

}  // namespace pentimento
