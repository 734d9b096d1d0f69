// A0: whether the order of rows, or ids, tell anything. Every test is corrected for how many there are.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "audit/hygiene.h"
#include "engine/audit/attacks.h"

namespace pentimento {
namespace {

// Two values or rows at most say nothing of an order.
constexpr std::size_t kFewestRows = 8;

struct OrderLook {
  std::vector<std::string> releases;
  std::string column;
  std::string what;  // "the rows of 'r1' follow 'disease'"
  OrderResult result;
};

std::vector<std::uint32_t> CodesOf(const CodeColumn& column) {
  std::vector<std::uint32_t> codes(column.size());
  column.Visit([&](auto values) { std::ranges::copy(values, codes.begin()); });
  return codes;
}

void LookAtColumn(const AuditedRelease& release, const std::string& name, const CodeColumn& column, bool is_ordered,
                  std::vector<OrderLook>& looks) {
  const std::vector<std::uint32_t> codes = CodesOf(column);
  std::vector<OrderResult> results;
  if (is_ordered) {
    results = TestRowOrder(codes);
  } else {
    results = {TestClusters(codes)};
  }
  for (const OrderResult& result : results)
    looks.push_back({{release.name},
                     name,
                     fmt::format("the rows of '{}' are not in random order by '{}'", release.name, name),
                     result});
  if (release.group_of_row.empty()) return;
  for (const OrderResult& result : TestRowOrder(ValuesInOrderOf(release.group_of_row, codes)))
    looks.push_back(
        {{release.name}, name, fmt::format("the group_id of '{}' sorts like '{}'", release.name, name), result});
}

void LookAtRelease(const AuditedRelease& release, std::vector<OrderLook>& looks) {
  if (release.rows < kFewestRows) return;
  for (std::size_t c = 0; c < release.labels.size(); ++c)
    LookAtColumn(release, release.quasi_identifiers[c], release.labels[c], true, looks);
  for (const SensitiveCells& cells : release.sensitive) LookAtColumn(release, cells.column, cells.codes, false, looks);
  if (!release.has_two_tables) return;
  // The classes of NSS row after row, and those of SS entry after entry: equal places would link them.
  std::vector<std::uint32_t> classes(release.rows);
  for (std::size_t row = 0; row < release.rows; ++row) classes[row] = release.class_of_row(row);
  looks.push_back({{release.name},
                   "",
                   fmt::format("rows of one class lie together in NSS of '{}'", release.name),
                   TestClusters(classes)});
  if (release.entry_class.size() == release.rows) {
    looks.push_back({{release.name},
                     "",
                     fmt::format("NSS and SS of '{}' have their classes in the same rows", release.name),
                     TestSamePlace(classes, release.entry_class)});
  }
}

// Rows that two files share, by case or by cells that occur once: whether they are in one order.
std::vector<std::uint64_t> KeysOfRows(const AuditedRelease& release) {
  std::vector<std::uint64_t> keys;
  for (const IdentityHash& id : release.key_of_row) keys.push_back(id.low);
  return keys;
}

void LookAtPair(const AuditedRelease& a, const AuditedRelease& b, std::vector<OrderLook>& looks) {
  if (a.key_of_row.empty() || b.key_of_row.empty()) return;
  const std::vector<std::uint32_t> places = PlacesInOther(KeysOfRows(a), KeysOfRows(b));
  if (places.size() < kFewestRows) return;
  for (const OrderResult& result : TestAgainstOrder(places)) {
    looks.push_back(
        {{a.name, b.name}, "", fmt::format("the rows of '{}' are in the order of '{}'", a.name, b.name), result});
  }
}

}  // namespace

AttackResult LookAtOrder(const AuditView& view) {
  AttackResult attack;
  attack.report.attack = Attack::kA0;
  std::vector<OrderLook> looks;
  const auto& releases = view.audited.releases;
  for (const AuditedRelease& release : releases) LookAtRelease(release, looks);
  for (std::size_t i = 0; i < releases.size(); ++i) {
    for (std::size_t j = i + 1; j < releases.size(); ++j) LookAtPair(releases[i], releases[j], looks);
  }
  if (looks.empty()) {
    attack.report.reasons.push_back("no release has rows enough for an order to be told from chance");
    return attack;
  }
  attack.report.state = AttackState::kDone;
  std::vector<OrderResult> results;
  for (const OrderLook& look : looks) results.push_back(look.result);
  results = CorrectForNumber(std::move(results));
  attack.Count("tests", results.size());
  // Of several tests of one thing the clearest is told.
  std::map<std::string, std::size_t> clearest;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if (results[i].p >= kOrderIsFound) continue;
    const auto [place, is_new] = clearest.try_emplace(looks[i].what, i);
    if (!is_new && results[i].p < results[place->second].p) place->second = i;
  }
  attack.Count("found", clearest.size());
  for (const auto& [what, i] : clearest) {
    Finding finding{.attack = Attack::kA0,
                    .kind = FindingKind::kHygiene,
                    .releases = looks[i].releases,
                    .column = looks[i].column,
                    .people = results[i].compared};
    finding.certainty = Certainty::kTest;
    finding.sentence = fmt::format("{}{} ({}, p {:.1e}).", static_cast<char>(std::toupper(what.front())),
                                   what.substr(1), ToString(results[i].test), std::max(results[i].p, 1e-300));
    finding.prevention = "rows shuffled and ids drawn at random, as a release of pentimento does";
    for (const std::string& name : finding.releases) {
      const auto release = std::ranges::find(releases, name, &AuditedRelease::name);
      finding.has_draft |= release != releases.end() && release->source.is_draft;
    }
    attack.findings.push_back(std::move(finding));
  }
  return attack;
}

}  // namespace pentimento
