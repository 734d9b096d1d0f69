#include "audit/finding.h"

#include <algorithm>

namespace pentimento {

std::string_view CodeOf(Attack attack) {
  constexpr std::string_view kCodes[] = {"A0", "A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"};
  return kCodes[static_cast<std::size_t>(attack)];
}

std::string_view InWords(Attack attack) {
  constexpr std::string_view kWords[] = {"hygiene",
                                         "one release",
                                         "seating",
                                         "joint classes",
                                         "values that stay",
                                         "values that change",
                                         "views with other columns",
                                         "arrival and leaving",
                                         "how it was made"};
  return kWords[static_cast<std::size_t>(attack)];
}

std::string_view NameOf(FindingKind kind) {
  constexpr std::string_view kNames[] = {"hygiene", "small-class", "seating", "joint-classes", "certain-value",
                                         "alpha",   "ever",        "views",   "arrivals",      "moved-rows"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<FindingKind> ParseFindingKind(std::string_view name) {
  for (const FindingKind kind : kEveryFindingKind) {
    if (NameOf(kind) == name) return kind;
  }
  return std::nullopt;
}

std::string_view NameOf(Certainty certainty) {
  constexpr std::string_view kNames[] = {"exact", "lower bound", "estimate", "test"};
  return kNames[static_cast<std::size_t>(certainty)];
}

std::string_view NameOf(AttackState state) {
  constexpr std::string_view kNames[] = {"done", "stopped", "does not apply"};
  return kNames[static_cast<std::size_t>(state)];
}

void SortFindings(std::vector<Finding>& findings) {
  std::ranges::sort(findings, [](const Finding& a, const Finding& b) {
    if (a.attack != b.attack) return a.attack < b.attack;
    if (a.releases.size() != b.releases.size()) return a.releases.size() < b.releases.size();
    return a < b;
  });
  const auto repeated = std::ranges::unique(findings);
  findings.erase(repeated.begin(), repeated.end());
}

bool Fails(const FailRule& rule, std::span<const Finding> findings) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return rule.on_any || (rule.on_broken_promise && !finding.broken.empty()) ||
           std::ranges::find(rule.kinds, finding.kind) != rule.kinds.end();
  });
}

}  // namespace pentimento
