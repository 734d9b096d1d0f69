// Series of a few people, written down as in a paper; for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "release/global_claim.h"

namespace pentimento {

// A row of a release: whose it is, in which class, and with which value of the only sensitive column.
struct SmallRow {
  std::uint32_t person = 0;
  std::uint32_t class_number = 0;
  Code value = 0;
};

// Counts a release for the items of the claim. Classes are numbered without gaps; people may have several rows.
inline ReleaseClasses SmallRelease(std::vector<SmallRow> rows, const GlobalClaim& claim) {
  ReleaseClasses release;
  std::sort(rows.begin(), rows.end(), [](const SmallRow& a, const SmallRow& b) {
    return std::pair(a.person, a.class_number) < std::pair(b.person, b.class_number);
  });
  for (const SmallRow& row : rows) {
    const std::size_t classes = std::max<std::size_t>(release.size.size(), row.class_number + 1);
    release.size.resize(classes);
    release.holders.resize(classes * claim.items.size());
    ++release.size[row.class_number];
    for (std::size_t item = 0; item < claim.items.size(); ++item)
      for (const Code value : claim.items[item].values)
        release.holders[row.class_number * claim.items.size() + item] += value == row.value ? 1 : 0;
  }
  if (!rows.empty()) release.class_of_person.assign(rows.back().person + 1, ReleaseClasses::kAbsent);
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].person == rows[begin].person) ++end;
    std::uint32_t& own = release.class_of_person[rows[begin].person];
    own = end - begin == 1 ? rows[begin].class_number : ReleaseClasses::kSeveral;
    for (std::size_t i = begin; own == ReleaseClasses::kSeveral && i < end; ++i) {
      auto& several = release.several_rows;
      if (i > begin && several.back().class_number == rows[i].class_number)
        ++several.back().rows;
      else
        several.push_back({rows[i].person, rows[i].class_number, 1});
    }
  }
  return release;
}

// One class of `size` people with the lowest numbers, with holders for one item.
inline ReleaseClasses OneClass(std::uint32_t holders, std::uint32_t size) {
  return {std::vector<std::uint32_t>(size, 0), {}, {size}, {holders}};
}

inline GlobalClaim OneItem(std::uint64_t l, Code value = 0) { return {{{0, {value}, l, true, ""}}}; }

}  // namespace pentimento
