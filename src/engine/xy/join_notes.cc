#include "engine/xy/join_notes.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "fmt/core.h"
#include "fmt/ranges.h"

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
  FailCheck("a claim was looked at that the policy does not ask for", std::source_location::current());
}

std::string TellClaim(const ClaimOneToOne& claim) {
  if (claim.not_told)
    return fmt::format("whether it holds over what one-to-one matching leaves is not known: {}", *claim.not_told);
  if (claim.violation)
    return fmt::format(
        "it does NOT hold over what one-to-one matching leaves: {}. Leave out a column that both releases have, or ask "
        "for more than you need",
        *claim.violation);
  const std::string found = claim.found.empty() ? "nothing is left" : claim.found;
  return claim.is_linkability
             ? fmt::format(
                   "it still holds over what one-to-one matching leaves: the largest share is {}, {} is allowed", found,
                   claim.required)
             : fmt::format(
                   "it still holds over what one-to-one matching leaves: the smallest count is {}, {} are "
                   "required",
                   found, claim.required);
}

Json AsJson(const ClaimOneToOne& claim, const Asked& asked, const char* type) {
  Json json = {{"guarantee", asked.number}, {"type", type}};
  if (claim.is_linkability) json["limit"] = claim.target + 1;
  json["required"] = claim.required;
  if (claim.not_told) return json;
  json["found"] = claim.found;
  json["holds"] = !claim.violation.has_value();
  return json;
}

std::string At(const Policy& policy, const NamedClaim& claim, const std::string& note) {
  return PolicyError(policy, claim.position, fmt::format("{}: {}", claim.type, note)).message;
}

bool IsInX(const NamedClaim& claim, ColumnPlace place) {
  return std::ranges::find(claim.x, place, &NamedPlace::place) != claim.x.end();
}

// Then every value on X comes from one class of each release, and all of one class match all of the other.
bool HoldsAllJoinColumns(const NamedClaim& claim, const CommonColumns& common, const NamedClaims& named) {
  const auto is_left_out = [&](ColumnPlace place) { return claim.Joins(place.release) && !IsInX(claim, place); };
  for (const JoinAttribute& attribute : common.joined) {
    const auto joins = [&](ColumnPlace place) { return claim.Joins(place.release); };
    if (std::ranges::count_if(attribute.columns, joins) < 2) continue;
    if (std::ranges::any_of(attribute.columns, is_left_out)) return false;
  }
  return std::ranges::none_of(named.impossible, [&](const NamedImpossible& pair) {
    if (!claim.Joins(pair.left.release) || !claim.Joins(pair.right.release)) return false;
    return is_left_out(pair.left) || is_left_out(pair.right);
  });
}

std::string QuotedColumnsHere(const NamedClaim& claim, const ReleaseColumns& columns) {
  std::vector<std::string> names;
  for (const NamedPlace& x : claim.x) {
    if (x.place.release == 0) names.push_back(fmt::format("'{}'", columns.Written(x.place)));
  }
  return names.empty() ? "no column" : fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> NotesOnClaim(const Policy& policy, const ReleaseColumns& columns, const CommonColumns& common,
                                      const NamedClaims& named, const NamedClaim& claim) {
  std::vector<std::string> notes;
  const auto is_who = [](const NamedPlace& y) { return y.place.column == ColumnPlace::kWho; };
  const auto is_here = [](const NamedPlace& y) { return y.place.release == 0; };
  const bool counts_person = std::ranges::any_of(claim.y, [&](const NamedPlace& y) { return is_who(y) && is_here(y); });
  if (claim.against.empty() && counts_person && claim.y.size() == 1) {
    notes.push_back(
        At(policy, claim,
           fmt::format("y is the person of this table: this is k-anonymity of this table on {}, with k = {}",
                       QuotedColumnsHere(claim, columns), claim.k)));
  }
  if (!claim.against.empty() && HoldsAllJoinColumns(claim, common, named)) {
    if (counts_person && claim.y.size() == 1) {
      notes.push_back(
          At(policy, claim,
             fmt::format("x holds all join columns of both sides and y is the person of this table: this is "
                         "k-anonymity of {} on {}, with k = {}",
                         claim.allows_dangling ? "the rows of this table that match a record there, and of no others,"
                                               : "this table",
                         QuotedColumnsHere(claim, columns), claim.k)));
    } else if (std::ranges::none_of(claim.y, is_here)) {
      notes.push_back(At(policy, claim,
                         "x holds all join columns of both sides and y is in earlier releases only: what this "
                         "release generalizes matters for who matches anything, and for nothing else; it holds or "
                         "fails by what is out already"));
    }
  }
  const bool counts_records =
      std::ranges::any_of(claim.y, [&](const NamedPlace& y) { return is_who(y) && !is_here(y); });
  if (counts_person && counts_records) {
    notes.push_back(At(policy, claim,
                       fmt::format("y counts pairs of a person here and a record there, so one person who meets many "
                                   "records is enough: this does not protect the person; write y = [\"{}\"] for that",
                                   columns.id())));
  }
  return notes;
}

// Whoever knows such a column besides those in x knows more than the guarantee looks at.
void NoteLeftOut(const Policy& policy, const ReleaseColumns& columns, const NamedClaim& claim,
                 std::vector<std::string>& notes) {
  std::vector<std::string> left_out;
  for (const std::uint32_t release : claim.against) {
    const std::span<const NamedColumn> earlier = columns.columns(release);
    for (std::uint32_t number = 0; number < earlier.size(); ++number) {
      const ColumnPlace place{release, number};
      const bool is_in_y = std::ranges::find(claim.y, place, &NamedPlace::place) != claim.y.end();
      if (earlier[number].role == Role::kQuasiIdentifier && !IsInX(claim, place) && !is_in_y)
        left_out.push_back(fmt::format("'{}'", columns.Written(place)));
    }
  }
  if (left_out.empty()) return;
  notes.push_back(At(policy, claim,
                     fmt::format("quasi-identifiers of earlier releases that are not in x: {}. Whoever knows them as "
                                 "well is not covered",
                                 fmt::join(left_out, ", "))));
}

std::string NoteApart(const JoinAttribute& attribute, const ReleaseColumns& columns) {
  std::vector<std::string> releases;
  bool has_categories = false;
  for (const ColumnPlace place : attribute.columns) {
    releases.push_back(columns.ReleaseWritten(place.release));
    has_categories |= columns.at(place).form == CellForm::kCategories;
  }
  const std::string where = fmt::format("column '{}' is in {}", attribute.name, fmt::join(releases, " and in "));
  if (has_categories)
    return where + ", as numbers in one and as categories in another: it is not joined, though somebody may know how";
  return fmt::format(
      "{}, as numbers, and is not joined; somebody who compares intervals can do so: write overlap = "
      "[\"{}\"] in the guarantee to have that covered",
      where, attribute.name);
}

}  // namespace

OneToOneNotes TellOneToOne(const Policy& policy, const XyReleases& releases, const OneToOneFindings& findings) {
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
  for (const ClaimOneToOne& result : findings.claims) {
    const char* const type = result.is_linkability ? "xy-linkability" : "xy-anonymity";
    const Asked asked = result.is_linkability ? FindAsked<XyLinkabilityPolicy>(policy, result.claim)
                                              : FindAsked<XyAnonymityPolicy>(policy, result.claim);
    told.remarks.warnings.push_back(
        PolicyError(policy, asked.position, fmt::format("{}: {}", type, TellClaim(result))).message);
    json["guarantees"].push_back(AsJson(result, asked, type));
  }
  told.json = json.dump(-1, ' ', false, Json::error_handler_t::replace);  // labels may be any bytes
  return told;
}

std::vector<std::string> JoinNotes(const Policy& policy, const ReleaseColumns& columns, const CommonColumns& common,
                                   const NamedClaims& named, const std::vector<bool>& is_generalized) {
  std::vector<std::string> notes;
  for (const NamedClaim& claim : named.claims) {
    for (std::string& note : NotesOnClaim(policy, columns, common, named, claim)) notes.push_back(std::move(note));
    NoteLeftOut(policy, columns, claim, notes);
  }
  std::vector<std::string> as_they_are;
  for (const NamedColumn& column : columns.columns(0)) {
    if (column.role == Role::kQuasiIdentifier && !is_generalized[column.number])
      as_they_are.push_back(fmt::format("'{}'", column.name));
  }
  if (!as_they_are.empty()) {
    notes.push_back(
        fmt::format("quasi-identifiers that are in no x are published as they are: {}", fmt::join(as_they_are, ", ")));
  }
  for (const JoinAttribute& attribute : common.apart) notes.push_back(NoteApart(attribute, columns));
  return notes;
}

}  // namespace pentimento
