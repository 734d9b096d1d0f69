#include "engine/xy/one_to_one_notes.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

// "every row of this table a record of its own in 'immigration-2025'"
std::string Assignment(const ReleasePairing& pairing, const std::string& name) {
  if (pairing.rows_are_fewer) return fmt::format("every row of this table a record of its own in '{}'", name);
  return fmt::format("every record of '{}' a row of its own in this table", name);
}

void TellPairing(const ReleasePairing& pairing, const std::string& name, OneToOneNotes& told) {
  const std::string assignment = Assignment(pairing, name);
  switch (pairing.outcome) {
    case PairingOutcome::kPaired:
      (pairing.ruled_out > 0 ? told.remarks.warnings : told.remarks.notes)
          .push_back(fmt::format("one-to-one matching: whoever gives {} can rule out {} of the {} pairs of values that "
                                 "match in the join{}",
                                 assignment, pairing.ruled_out == 0 ? "none" : fmt::format("{}", pairing.ruled_out),
                                 pairing.pairs, pairing.ruled_out == 0 ? "" : "; the guarantees count them all"));
      return;
    case PairingOutcome::kNoPairing:
      told.remarks.notes.push_back(
          fmt::format("one-to-one matching: nobody can give {}, so they are not about the same people with a record "
                      "each, and nothing follows from it",
                      assignment));
      return;
    case PairingOutcome::kTooManyPairs:
    case PairingOutcome::kTooManySteps:
      told.remarks.warnings.push_back(
          fmt::format("one-to-one matching was not looked at, because {}: what follows for whoever gives {} is not "
                      "known; leave out a "
                      "column that both releases have to have it looked at",
                      pairing.outcome == PairingOutcome::kTooManyPairs
                          ? fmt::format("more than {} pairs of values match in the join", PairingLimits{}.most_pairs)
                          : fmt::format("it takes more than {} steps", PairingLimits{}.most_steps),
                      assignment));
  }
}

const char* NameOf(PairingOutcome outcome) {
  switch (outcome) {
    case PairingOutcome::kPaired:
      return "paired";
    case PairingOutcome::kNoPairing:
      return "no pairing";
    case PairingOutcome::kTooManyPairs:
    case PairingOutcome::kTooManySteps:
      return "left out";
  }
  return "left out";
}

// Where the policy asks for it.
struct Asked {
  std::size_t number = 0;  // among its guarantees, from 1
  SourcePosition position;
};

template <typename Guarantee>
Asked FindAsked(const Policy& policy, std::size_t claim) {
  for (std::size_t number = 0; number < policy.guarantees.size(); ++number) {
    const auto* const asked = std::get_if<Guarantee>(&policy.guarantees[number]);
    if (asked != nullptr && claim-- == 0) return {number + 1, asked->position};
  }
  FailCheck("a claim was judged that the policy does not ask for", std::source_location::current());
}

std::string TellClaim(const ClaimOneToOne& judged) {
  if (judged.not_judged)
    return fmt::format("whether it holds over what one-to-one matching leaves is not known: {}", *judged.not_judged);
  if (judged.violation)
    return fmt::format(
        "it does NOT hold over what one-to-one matching leaves: {}. Leave out a column that both releases have, or ask "
        "for more than you need",
        *judged.violation);
  const std::string found = judged.found.empty() ? "nothing is left" : judged.found;
  return judged.is_linkability
             ? fmt::format(
                   "it still holds over what one-to-one matching leaves: the largest share is {}, {} is allowed", found,
                   judged.required)
             : fmt::format(
                   "it still holds over what one-to-one matching leaves: the smallest count is {}, {} are "
                   "required",
                   found, judged.required);
}

Json AsJson(const ClaimOneToOne& judged, const Asked& asked, const char* type) {
  Json json = {{"guarantee", asked.number}, {"type", type}};
  if (judged.is_linkability) json["limit"] = judged.target + 1;
  json["required"] = judged.required;
  if (judged.not_judged) return json;
  json["found"] = judged.found;
  json["holds"] = !judged.violation.has_value();
  return json;
}

}  // namespace

OneToOneNotes TellOneToOne(const Policy& policy, const JoinedReleases& releases, const OneToOneFindings& findings) {
  OneToOneNotes told;
  if (findings.pairings.empty()) return told;
  Json json = {{"releases", Json::array()}, {"guarantees", Json::array()}};
  for (const ReleasePairing& pairing : findings.pairings) {
    const std::string& name = releases.earlier[pairing.release - 1].name;
    TellPairing(pairing, name, told);
    json["releases"].push_back({{"release", name}, {"outcome", NameOf(pairing.outcome)}});
    if (pairing.outcome != PairingOutcome::kPaired) continue;
    json["releases"].back()["pairs"] = pairing.pairs;
    json["releases"].back()["ruled_out"] = pairing.ruled_out;
  }
  for (const ClaimOneToOne& judged : findings.claims) {
    const char* const type = judged.is_linkability ? "xy-linkability" : "xy-anonymity";
    const Asked asked = judged.is_linkability ? FindAsked<XyLinkabilityPolicy>(policy, judged.claim)
                                              : FindAsked<XyAnonymityPolicy>(policy, judged.claim);
    told.remarks.warnings.push_back(
        PolicyError(policy, asked.position, fmt::format("{}: {}", type, TellClaim(judged))).message);
    json["guarantees"].push_back(AsJson(judged, asked, type));
  }
  told.json = json.dump(-1, ' ', false, Json::error_handler_t::replace);  // labels may be any bytes
  return told;
}

}  // namespace pentimento
