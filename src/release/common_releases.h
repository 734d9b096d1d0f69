// Releases about the same people in one form, whoever made them and whatever they promise: who is in which class of
// which release, and which values of sensitive columns each class has. All that is measured or told of several releases
// together is computed from this form, and it holds nothing that is not published, but for who is who.
//
// 1. People are numbered from 0, those of all releases together. `class_of` has one element for each of them.
// 2. A class is what whoever knows everybody's quasi-identifiers can tell apart: equal published boxes (and group_id or
//    class_id, where there is one) are one class, and so are boxes that overlap so that nobody can tell which of them a
//    person is in. Whoever has several rows in a release is in a class of its own kind: people with rows in the same
//    classes share it.
// 3. A class has at least as many rows as people with this number. The rest are strangers: in this release, and nobody
//    can tell who they are or in which other releases.
// 4. Codes of sensitive values belong to the name of a column: equal names and equal codes are equal values, in all
//    releases. A release with a person of several rows has no `values`: its bags say nothing of single people.
// 5. `covering` is empty, or has one element for each person: for whoever is not in the release the one class whose box
//    their quasi-identifiers lie in, or kNotInRelease where they lie in none. Of those who are in it nothing is read.
//    Where it is empty, or kNobodyKnows for a person, nobody knows, and whoever does not know who is in a release is
//    given the smaller crowd.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "release/classes.h"

namespace pentimento {

// The class of whoever is not in a release.
inline constexpr ClassNumber kNotInRelease = 0xffffffff;
// Of `covering`: which class covers a person, if any, nobody knows.
inline constexpr ClassNumber kNobodyKnows = 0xfffffffe;

// How often each value of a sensitive column occurs in each class. The counts of a class add up to its rows.
struct ValueBags {
  std::string column;
  std::vector<std::uint32_t> begin;  // by class, and one more: where its entries begin
  std::vector<std::uint32_t> value;  // by entry: ascending inside a class, no two alike
  std::vector<std::uint32_t> count;  // by entry; never 0

  std::span<const std::uint32_t> values_of(ClassNumber number) const {
    return std::span(value).subspan(begin[number], begin[number + 1] - begin[number]);
  }
  std::span<const std::uint32_t> counts_of(ClassNumber number) const {
    return std::span(count).subspan(begin[number], begin[number + 1] - begin[number]);
  }
};

struct CommonRelease {
  std::string name;
  std::vector<ClassNumber> class_of;       // by person; kNotInRelease where not in it
  std::vector<std::uint32_t> rows;         // by class: how many rows it has
  std::vector<ValueBags> values = {};      // by sensitive column
  std::vector<ClassNumber> covering = {};  // by person, or empty: see 5

  // Of whoever is not in it.
  ClassNumber CoveringOf(std::uint32_t person) const { return covering.empty() ? kNobodyKnows : covering[person]; }
  std::uint32_t classes() const { return static_cast<std::uint32_t>(rows.size()); }
};

struct CommonReleases {
  std::uint32_t people = 0;
  std::vector<CommonRelease> releases;  // in the order of publication
};

}  // namespace pentimento
