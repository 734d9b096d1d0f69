// Wrong checkers of k-anonymity, each with one mistake that somebody could make. A sweep that cannot tell them from
// the definition is too weak to say anything about the real checker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "release/classes.h"
#include "table/encoded_table.h"

namespace pentimento::property {

struct MutantChecker {
  std::string mistake;
  bool (*holds)(const EncodedTable& table, const Classes& draft, std::uint64_t k);
};

using Members = std::map<std::vector<Interval>, std::multiset<std::uint32_t>>;

// The members of each class, where `cell` says what of a published cell is looked at.
template <typename CellOf>
Members GatherMembers(const EncodedTable& table, const Classes& draft, std::size_t columns, const CellOf& cell) {
  Members members;
  for (std::size_t row = 0; row < table.rows; ++row) {
    std::vector<Interval> key;
    for (std::size_t c = 0; c < columns; ++c) key.push_back(cell(draft.box(draft.of_row[row])[c]));
    members[key].insert(table.persons ? table.persons->person_of_row[row] : static_cast<std::uint32_t>(row));
  }
  return members;
}

inline std::size_t Distinct(const std::multiset<std::uint32_t>& members) {
  return std::set<std::uint32_t>(members.begin(), members.end()).size();
}

inline Interval Whole(Interval interval) { return interval; }

inline std::vector<MutantChecker> MutantCheckers() {
  return {
      {"counts rows instead of persons",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         return std::ranges::all_of(GatherMembers(table, draft, draft.columns, Whole),
                                    [k](const auto& c) { return c.second.size() >= k; });
       }},
      {"takes groups with equal boxes for different classes",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         std::map<ClassNumber, std::set<std::size_t>> members;
         for (std::size_t row = 0; row < table.rows; ++row) {
           members[draft.of_row[row]].insert(table.persons ? table.persons->person_of_row[row] : row);
         }
         return std::ranges::all_of(members, [k](const auto& c) { return c.second.size() >= k; });
       }},
      {"wants more than k",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         return std::ranges::all_of(GatherMembers(table, draft, draft.columns, Whole),
                                    [k](const auto& c) { return Distinct(c.second) > k; });
       }},
      {"is content with k - 1",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         return std::ranges::all_of(GatherMembers(table, draft, draft.columns, Whole),
                                    [k](const auto& c) { return Distinct(c.second) + 1 >= k; });
       }},
      {"looks at the first column only",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         return std::ranges::all_of(GatherMembers(table, draft, std::min<std::size_t>(1, draft.columns), Whole),
                                    [k](const auto& c) { return Distinct(c.second) >= k; });
       }},
      {"leaves out the last column",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         return std::ranges::all_of(GatherMembers(table, draft, std::max<std::size_t>(1, draft.columns) - 1, Whole),
                                    [k](const auto& c) { return Distinct(c.second) >= k; });
       }},
      {"looks at the lower ends only",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         const auto lower_end = [](Interval interval) { return Interval{interval.lo, interval.lo}; };
         return std::ranges::all_of(GatherMembers(table, draft, draft.columns, lower_end),
                                    [k](const auto& c) { return Distinct(c.second) >= k; });
       }},
      {"looks at the average class",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         std::size_t sum = 0;
         const Members members = GatherMembers(table, draft, draft.columns, Whole);
         for (const auto& c : members) sum += Distinct(c.second);
         return members.empty() || sum / members.size() >= k;
       }},
      {"counts a person once in the whole table",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         std::set<std::uint32_t> seen;
         return std::ranges::all_of(GatherMembers(table, draft, draft.columns, Whole), [&](const auto& c) {
           std::size_t distinct = 0;
           for (const std::uint32_t person : c.second) distinct += seen.insert(person).second ? 1 : 0;
           return distinct >= k;
         });
       }},
      {"takes a group without rows for a class",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         Members members = GatherMembers(table, draft, draft.columns, Whole);
         for (ClassNumber g = 0; g < draft.count(); ++g) members[{draft.box(g).begin(), draft.box(g).end()}];
         return std::ranges::all_of(members, [k](const auto& c) { return Distinct(c.second) >= k; });
       }},
      {"stops at the last class but one",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         Members members = GatherMembers(table, draft, draft.columns, Whole);
         if (members.size() > 1) members.erase(std::prev(members.end()));
         return std::ranges::all_of(members, [k](const auto& c) { return Distinct(c.second) >= k; });
       }},
      {"refuses an empty table",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         const Members members = GatherMembers(table, draft, draft.columns, Whole);
         return !members.empty() &&
                std::ranges::all_of(members, [k](const auto& c) { return Distinct(c.second) >= k; });
       }},
      {"keeps k in 32 bits",
       [](const EncodedTable& table, const Classes& draft, std::uint64_t k) {
         return std::ranges::all_of(GatherMembers(table, draft, draft.columns, Whole),
                                    [k](const auto& c) { return Distinct(c.second) >= static_cast<std::uint32_t>(k); });
       }},
  };
}

}  // namespace pentimento::property
