// What releases say together of a sensitive column whose values stay, as sums of unknown numbers: how many people of a
// joint class have which value. The sum over the joint classes of a class is the count in its bag, and the sum over the
// values of a joint class is its size.
//
// 1. An unknown is a joint class and a value that is in every bag of it; all others are 0 and are not kept.
// 2. A sum is an entry of a bag (those of all releases, one after the other) or, after them, a joint class.
// 3. A joint class with one value left is decided: it is taken out of the sums of its entries, and is in none. Values
//    that have nothing left in a bag are taken from whoever is not decided, until nothing changes.
// 4. Entries of classes in which everybody is decided are not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "audit/stay_joint.h"
#include "release/common_releases.h"

namespace pentimento {

// What the unknowns of a sum add up to, and what is known of them: the sums of their bounds.
struct StaySum {
  std::uint32_t total = 0;
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  std::uint32_t widest = 0;  // no unknown of it has bounds further apart
};

struct StayMargins {
  StayJointClasses joint;
  std::uint32_t entries = 0;               // that are kept
  std::vector<std::uint32_t> class_entry;  // by class of all releases, and one more: where its entries begin

  std::vector<std::uint8_t> has_one_value;  // by joint class: just one is in all of its bags

  std::vector<std::uint32_t> begin;     // by joint class, and one more: where its unknowns begin
  std::vector<std::uint32_t> value;     // by unknown: ascending inside a joint class
  std::vector<std::uint32_t> joint_of;  // by unknown
  std::vector<std::uint32_t> least;     // by unknown
  std::vector<std::uint32_t> most;      // by unknown

  std::vector<StaySum> sums;               // by entry, then by joint class
  std::vector<std::uint64_t> link_begin;   // by joint class, and one more: where the entries of its unknowns begin
  std::vector<std::uint32_t> link;         // entries: as many for each unknown as its joint class has releases
  std::vector<std::uint64_t> entry_begin;  // by entry, and one more: where its unknowns begin
  std::vector<std::uint32_t> entry_unknowns;

  // Classes, numbered through all releases, that cannot be as published if values stay; found so far.
  std::vector<std::uint32_t> impossible_classes;

  std::uint32_t unknowns() const { return static_cast<std::uint32_t>(value.size()); }
  // The entries that an unknown is in; none of a decided one.
  std::span<const std::uint32_t> entries_of(std::uint32_t unknown) const {
    const std::uint32_t of = joint_of[unknown];
    const std::uint64_t each = (link_begin[of + 1] - link_begin[of]) / (begin[of + 1] - begin[of]);
    return std::span(link).subspan(link_begin[of] + (unknown - begin[of]) * each, each);
  }
  std::span<const std::uint32_t> unknowns_of_entry(std::uint32_t entry) const {
    return std::span(entry_unknowns).subspan(entry_begin[entry], entry_begin[entry + 1] - entry_begin[entry]);
  }
};

// Looks at no more than `work` classes of whoever is not decided to take values from them.
// REQUIRES: the releases of `joint` have bags of the column.
StayMargins MakeStayMargins(StayJointClasses joint, std::string_view column, std::uint64_t work);

}  // namespace pentimento
