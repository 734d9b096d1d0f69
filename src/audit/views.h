// Two releases of the same people with different columns: what whoever joins them finds. A_Y(X), the fewest different
// values on Y that a value on X meets, and L_Y(X), the greatest share of the join that one value on Y has beside a
// value on X (Wang and Fung); and how many records that is about. The join is never built: rows that are alike in all
// that is asked count as one with a weight, on either side, and what is counted is W1 M W2^T.
//
// 1. Records match as in guarantee/xy/xy_anonymity.md: common columns by path or by overlap, impossible pairs excluded.
//    Values do not change between the two releases.
// 2. All numbers are exact for this pair; more may follow from three releases.
// 3. A record has one value on its own side of X and meets several on the other. Below k in *some* of them: its person
//    may be found with fewer than k values; in *every* one: the person is, whichever record is theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "audit/one_to_one.h"
#include "base/ratio.h"
#include "guarantee/xy/wide_count.h"
#include "release/xy_releases.h"

namespace pentimento {

// Columns are named as everywhere: release 0 is the left one, release 1 the right one.
struct ViewPair {
  EarlierRelease left;
  EarlierRelease right;
  std::vector<CommonAttribute> common;
  std::vector<ImpossiblePair> impossible = {};
  // Every record of the smaller release has a partner of its own in the other: the releases are about the same people,
  // a record each. Then matches that leave somebody without a partner are ruled out.
  bool is_one_to_one = false;
};

struct ViewQuestion {
  std::vector<ReleaseColumn> x;
  std::vector<ReleaseColumn> y;  // never empty

  friend bool operator==(const ViewQuestion&, const ViewQuestion&) = default;
};

struct ViewBars {
  std::uint64_t k = 2;
  Ratio alpha = {1, 1};
};

struct ViewLimits {
  // Rows that match, looked at to count records, a question each. None are where X holds all common columns of the side
  // that has Y.
  std::uint64_t work = std::uint64_t{1} << 31;
  PairingLimits pairing = {};
};

// A record of either release, as EarlierRelease::example counts them. They match, and have the value on X.
struct ViewWitness {
  std::uint64_t left_record = 0;
  std::uint64_t right_record = 0;
};

// Of the records of one release.
struct ViewRecords {
  std::uint64_t records = 0;
  std::uint64_t outside = 0;  // match nothing
  std::uint64_t below_k_in_some = 0;
  std::uint64_t below_k_in_every = 0;
  std::uint64_t above_alpha_in_some = 0;
  std::uint64_t above_alpha_in_every = 0;

  friend bool operator==(const ViewRecords&, const ViewRecords&) = default;
};

struct ViewAnswer {
  struct Least {
    WideCount values = 0;
    ViewWitness witness;
  };
  struct Greatest {
    WideFraction share;
    ViewWitness witness;
  };

  ViewQuestion question;
  std::optional<Least> least;  // nothing where nothing matches
  std::optional<Greatest> greatest;
  // Nothing where it is more work than the limit: least and greatest are exact all the same.
  std::optional<ViewRecords> left;
  std::optional<ViewRecords> right;
};

struct ViewPairing {
  PairingOutcome outcome = PairingOutcome::kPaired;
  std::uint64_t pairs = 0;  // of values that match
  std::uint64_t ruled_out = 0;
};

struct ViewFindings {
  std::vector<ViewAnswer> joined;  // parallel to the questions
  std::optional<ViewPairing> pairing;
  std::vector<ViewAnswer> paired;  // over the matches that are left; nothing where pairing rules out none
};

// Who plays which role in a pair.
struct ViewRoles {
  std::vector<std::uint32_t> left_identifying;
  std::vector<std::uint32_t> left_sensitive;
  std::vector<std::uint32_t> right_identifying;
  std::vector<std::uint32_t> right_sensitive;
};

// What an attacker may ask: X the quasi-identifiers of both releases, or of one; Y each sensitive column of either that
// is not, by itself or as a common column, in X. Questions about one release alone are left out.
std::vector<ViewQuestion> SensibleQuestions(const ViewPair& pair, const ViewRoles& roles);

// REQUIRES: columns that are there; fewer than 2^32 records on the left.
ViewFindings LookAtViews(const ViewPair& pair, const std::vector<ViewQuestion>& questions, const ViewBars& bars,
                         const ViewLimits& limits = {});

}  // namespace pentimento
