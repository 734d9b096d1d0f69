// What is on record about the people of a release, in the common form: their classes in every earlier release.
//
// 1. Releases that share nobody with the new one are left out, and so are those that the policy says are of other
//    people, and earlier releases of its own series, which its own guarantee covers.
// 2. A growing series is its latest release, and each earlier one after which somebody came: by those whoever knows who
//    is in which release tells newcomers apart. Told of is the latest alone.
// 3. Unknown is not none. Releases whose people or classes nobody can tell are listed with the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "engine/steps/forgotten_release.h"
#include "engine/steps/own_classes.h"
#include "ledger/ledger.h"
#include "policy/policy.h"
#include "release/common_releases.h"

namespace pentimento {

struct RecalledRelease {
  std::string name;
  std::string series;                       // of a growing series; otherwise empty
  std::string latest = {};                  // of an earlier release of a growing series: its latest
  std::vector<std::string> uncounted = {};  // sensitive columns that it shows, of whose values nobody keeps the bags
  std::string parameters_json;
  std::uint64_t shared = 0;  // people that are also in the new release
  bool imported = false;     // another tool made it
  bool by_content = false;   // who is in it was told by what it holds
};

// A release on record of which nobody can tell whether it is about the same people, or in which classes they are.
struct UnknownRelease {
  std::string name;
  std::string why;                      // "it names nobody"
  std::optional<std::uint64_t> shared;  // nothing: nobody can tell who is in it
};

struct RecalledReleases {
  std::vector<RecalledRelease> about;                   // parallel to common.releases
  CommonReleases common;                                // people of the new release, then all others of these releases
  std::vector<std::vector<IdentityHash>> dictionaries;  // by column of `columns`: values that occur
  std::vector<std::string> columns;                     // sensitive columns by name
  std::vector<UnknownRelease> unknown;
};

// The people that a new release is about, as the ledger names them.
struct PeopleOfRelease {
  std::span<const IdentityHash> people;  // ascending, each once
  bool are_named = false;                // the policy names an id
};

// `own`: earlier releases of the same series. `ledger` may be null: nothing is on record.
Result<RecalledReleases> RecallEarlierReleases(Ledger* ledger, const Policy& policy, const PeopleOfRelease& people,
                                               const std::set<std::string>& own);

// The releases of these names, all of them and nobody's policy beside them: people are numbered among themselves, and
// `shared` is 0. Of a growing series only the latest release on record is told.
Result<RecalledReleases> RecallNamedReleases(Ledger& ledger, const std::set<std::string>& names);

// Releases in --out that the ledger does not know: nobody can tell who is in them.
std::vector<UnknownRelease> UnknownFolders(std::span<const UnrecordedRelease> unrecorded);

// The codes that all releases share, of a column's values; those that are new get the next ones.
std::vector<Code> CommonCodes(const std::string& column, std::span<const IdentityHash> dictionary,
                              RecalledReleases& earlier);

// Only the latest release of each growing series stays. Then less is known than there is.
void KeepLatestOfSeries(RecalledReleases& earlier);

// Adds the new release as the last one.
void AddOwnRelease(const std::string& name, const OwnClasses& own, RecalledReleases& earlier);

}  // namespace pentimento
