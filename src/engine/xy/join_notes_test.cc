#include "engine/xy/join_notes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pentimento::join_notes_test {
namespace {

Policy ThreeGuarantees() {
  Policy policy;
  policy.source = "policy.toml";
  policy.guarantees = {KAnonymityPolicy{}, XyLinkabilityPolicy{}, XyAnonymityPolicy{}};
  std::get<XyLinkabilityPolicy>(policy.guarantees[1]).position = {7, 1};
  std::get<XyAnonymityPolicy>(policy.guarantees[2]).position = {9, 1};
  return policy;
}

OneToOneNotes Tell(const OneToOneFindings& findings) {
  XyReleases releases;
  releases.earlier.resize(1);
  releases.earlier[0].name = "harbour-2025";
  return TellOneToOne(ThreeGuarantees(), releases, findings);
}

OneToOneFindings Paired(PairingOutcome outcome, std::uint64_t ruled_out) {
  OneToOneFindings findings;
  findings.pairings.resize(1);
  findings.pairings[0].release = 1;
  findings.pairings[0].outcome = outcome;
  findings.pairings[0].pairs = 12;
  findings.pairings[0].ruled_out = ruled_out;
  return findings;
}

TEST(OneToOneNotes, WhereThereWasNothingToLookForNothingIsSaid) {
  const OneToOneNotes told = Tell({});
  EXPECT_TRUE(told.remarks.notes.empty() && told.remarks.warnings.empty() && told.json.empty());
}

TEST(OneToOneNotes, OnlyWhatCanBeRuledOutIsAWarning) {
  const OneToOneNotes none = Tell(Paired(PairingOutcome::kPaired, 0));
  ASSERT_EQ(none.remarks.notes.size(), 1u);
  EXPECT_TRUE(none.remarks.warnings.empty());
  EXPECT_EQ(none.remarks.notes[0],
            "one-to-one matching: whoever gives every record of 'harbour-2025' a row of its own in this table can rule "
            "out none of the 12 pairs of values that match in the join");
  const OneToOneNotes some = Tell(Paired(PairingOutcome::kPaired, 5));
  EXPECT_TRUE(some.remarks.notes.empty());
  ASSERT_EQ(some.remarks.warnings.size(), 1u);
  EXPECT_NE(some.remarks.warnings[0].find("can rule out 5 of the 12 pairs"), std::string::npos);
}

TEST(OneToOneNotes, WhatWasLeftOutIsAWarningWithItsReason) {
  const OneToOneNotes pairs = Tell(Paired(PairingOutcome::kTooManyPairs, 0));
  ASSERT_EQ(pairs.remarks.warnings.size(), 1u);
  EXPECT_NE(pairs.remarks.warnings[0].find("was not looked at, because more than 16777216 pairs of values match"),
            std::string::npos);
  const OneToOneNotes steps = Tell(Paired(PairingOutcome::kTooManySteps, 0));
  ASSERT_EQ(steps.remarks.warnings.size(), 1u);
  EXPECT_NE(steps.remarks.warnings[0].find("because it takes more than 2147483648 steps"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(steps.json)["releases"],
            nlohmann::json::parse(R"([{"release": "harbour-2025", "outcome": "left out"}])"));
}

TEST(OneToOneNotes, AClaimIsToldWithItsPlaceInThePolicy) {
  OneToOneFindings findings = Paired(PairingOutcome::kPaired, 5);
  findings.claims.resize(2);
  findings.claims[0].required = "3";
  findings.claims[0].not_told = "it is too large";
  findings.claims[1].is_linkability = true;
  findings.claims[1].found = "2/7";
  findings.claims[1].required = "1/3";
  const OneToOneNotes told = Tell(findings);
  ASSERT_EQ(told.remarks.warnings.size(), 3u);
  EXPECT_EQ(told.remarks.warnings[1],
            "policy.toml:9:1: xy-anonymity: whether it holds over what one-to-one matching leaves is not known: it is "
            "too large");
  EXPECT_EQ(
      told.remarks.warnings[2],
      "policy.toml:7:1: xy-linkability: it still holds over what one-to-one matching leaves: the largest share is "
      "2/7, 1/3 is allowed");
  EXPECT_EQ(nlohmann::json::parse(told.json)["guarantees"], nlohmann::json::parse(R"([
    {"guarantee": 3, "type": "xy-anonymity", "required": "3"},
    {"guarantee": 2, "type": "xy-linkability", "limit": 1, "required": "1/3", "found": "2/7", "holds": true}])"));
}

}  // namespace
}  // namespace pentimento::join_notes_test
