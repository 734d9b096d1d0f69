// The guarantee `history`: over all releases on record about these people, and every choice of them, nobody has a crowd
// below k, and nobody can be surer than alpha of a sensitive value that stays. See history.md for what is promised.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ratio.h"
#include "guarantee/history/composition.h"
#include "release/common_releases.h"

namespace pentimento {

struct HistoryClaim {
  std::uint64_t k = 0;
  Membership membership = Membership::kUnknown;
  std::optional<Ratio> alpha = std::nullopt;  // for each value of every column with bags
};

enum class HistoryBreach {
  kSmallCrowd,       // `count` people where `of` are required
  kSmallJointClass,  // the same, for whoever knows who is in which release
  kTooManyChoices,   // somebody's joint class is below k, and there are more choices of releases than can be tried
  kNotRefined,       // no release shows the column and refines all the others, so alpha cannot be proved
  kTooFrequent       // `count` of `of` rows of a class have one value of the column
};

struct HistoryWitness {
  HistoryBreach breach = HistoryBreach::kSmallCrowd;
  std::uint32_t person = 0;             // somebody it is about
  std::vector<std::uint32_t> releases;  // places of those that show it
  std::uint64_t count = 0;
  std::uint64_t of = 0;
  std::string column = {};  // where it is about values
};

// What is wrong with the form, or nothing: every person has a class that is there, or none; a class has as many rows as
// people, or more; the counts of its values add up to its rows.
std::optional<std::string> FindMalformedReleases(const CommonReleases& common);

// A breach of the claim over the releases at these places, or nothing. Of small crowds it is the smallest, and of equal
// ones that of the first person. What cannot be proved is a breach.
// REQUIRES: the releases are well-formed.
std::optional<HistoryWitness> FindHistoryViolation(const CommonReleases& common, std::span<const std::uint32_t> set,
                                                   const HistoryClaim& claim, WorkLimit limit = {});

// In words, for people: releases and columns by name, never a value or who it is.
std::string Describe(const HistoryWitness& witness, const CommonReleases& common);

}  // namespace pentimento
