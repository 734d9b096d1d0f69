// Who is published: everybody, or everybody with enough left. Decided without a look at what the withheld hold.
#pragma once

#include <cstdint>
#include <vector>

#include "anonymize/global/global_groups.h"

namespace pentimento::global {

struct PublishedRows {
  std::size_t count = 0;
  std::vector<std::uint32_t> rows;     // ascending; empty where it is everybody
  std::vector<std::uint64_t> holders;  // by item, among them
  PeopleChoice people;                 // whose rows they are

  std::size_t RowAt(std::size_t i) const { return rows.empty() ? i : rows[i]; }
};

// Everybody who has enough left, by the ledger alone (Spending::NeededFor), if one group of them keeps the caps. With a
// known number of releases: everybody, if one group of everybody keeps the caps; otherwise those who have as much left
// as an item of the expected frequency costs, provided that they keep the caps as one group and that what is published
// of them already shows that not everybody could be. Otherwise kRefused.
Result<PublishedRows> ChooseRows(std::size_t rows, const GlobalPeople& people, const Spending& spending,
                                 std::uint64_t k);

}  // namespace pentimento::global
