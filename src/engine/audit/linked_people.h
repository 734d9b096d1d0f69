// Who is in which class of which release, as far as it can be told: by everybody's quasi-identifiers, by a key that
// rows carry from release to release, or by the ledger. What cannot be told is left out, and never guessed:
//
// 1. By quasi-identifiers: whoever is listed is everybody. A class that covers as many people as it has rows has just
//    them. Where it covers more, nobody can tell who of them is in it: they are in no class, its rows are strangers',
//    and all that is found stays a lower bound. Where it has more rows than it covers people, not everybody is listed,
//    so nothing follows from any of the classes: the release is left out.
// 2. Classes between which somebody cannot be placed are one class.
// 3. By a key each person has one row; a release with a key twice is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/seating.h"
#include "base/result.h"
#include "engine/audit/audited_release.h"
#include "ledger/ledger.h"
#include "release/common_releases.h"

namespace pentimento {

enum class LinkedBy { kPeople, kKey, kLedger };

struct LinkedRelease {
  std::size_t audited = 0;                 // its number among the audited releases
  std::vector<ClassNumber> of_class = {};  // by published class: its class in the common form; empty where unknown
  std::uint64_t uncertain = 0;             // people of whom nobody can tell whether they are in it
};

struct LeftOutRelease {
  std::size_t audited = 0;
  std::string why;
};

// How people sit in one release, where quasi-identifiers are known.
struct SeatedRelease {
  std::size_t audited = 0;
  std::uint64_t in_no_box = 0;
  std::uint64_t in_several_boxes = 0;
  std::uint64_t narrowed = 0;                      // of those: counting rules some class out
  std::uint64_t forced = 0;                        // of those: counting leaves one class
  std::optional<ClassNumber> narrowed_class = {};  // a published class that the first of them can be in
  bool is_exact = false;
};

struct LinkedPeople {
  LinkedBy by = LinkedBy::kPeople;
  CommonReleases common;
  std::vector<LinkedRelease> releases;   // parallel to common.releases
  std::vector<LeftOutRelease> left_out;  // of those that this link could be about
  std::vector<SeatedRelease> seated;     // by quasi-identifiers alone
  std::vector<IdentityHash> ids;         // by person, where they have ids or keys

  // Whether of everybody it is known in which of these releases they are.
  bool is_exact() const;
};

// By everybody's quasi-identifiers.
Result<LinkedPeople> LinkByPeople(const AuditedReleases& audited, const PeopleTexts& people);

// By the keys that rows carry: a group for each series, or one for all where --key names a column. Releases without a
// key are in none.
std::vector<LinkedPeople> LinkByKeys(const AuditedReleases& audited, bool has_key_column);

// By what the ledger keeps of who was in which class of its releases. Values get the codes of `audited`; a release of
// which nobody can tell is left out, with the reason. A growing series is its latest release, without values.
Result<LinkedPeople> LinkByLedger(const AuditedReleases& audited, Ledger& ledger);

// Everybody, from a file with an id and the quasi-identifiers of `names`. kBadInput where a column lacks, or somebody
// is there twice with different ones.
Result<PeopleTexts> ReadPeopleFile(const std::filesystem::path& file, const std::filesystem::path& policy,
                                   std::vector<std::string> names, Progress* progress);

}  // namespace pentimento
