// What the releases of a series say about one person and one sensitive item, and how likely that makes it that the
// person ever had it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "guarantee/alpha_k/chance_of_ever.h"
#include "release/global_claim.h"

namespace pentimento {

// The person has `own_rows` rows in a class of `rows`, of which `holders` have the item.
struct Exposure {
  std::uint32_t release = 0;  // by number, in the order of publication, from 0
  std::uint64_t holders = 0;
  std::uint64_t rows = 0;
  std::uint64_t own_rows = 1;
  friend bool operator==(const Exposure&, const Exposure&) = default;
};

// Why the guarantee does not hold. The person is a number: who knows the ledger's hash of it may tell people.
struct GlobalViolation {
  std::uint32_t person = 0;
  std::uint32_t item = 0;
  std::string chance;               // of the person ever having had the item; see ChanceInWords
  std::vector<Exposure> exposures;  // the releases that contributed
};

// What the people of a class are charged for: the largest share of each item in any of the classes that theirs may be
// confused with. Its own share where everybody's class is known.
class ChargedShares {
 public:
  struct Share {
    std::uint32_t holders = 0;
    std::uint32_t rows = 0;
  };

  ChargedShares(const ReleaseClasses& release, std::size_t items);

  Share Of(std::size_t class_number, std::size_t item) const {
    if (!dearest_.empty()) class_number = dearest_[class_number * items_ + item];
    return {release_.holders[class_number * items_ + item], release_.size[class_number]};
  }

  // Without those that say nothing because nobody in these classes has the item.
  void AddExposures(std::uint32_t number, std::uint32_t person, std::size_t item,
                    std::vector<Exposure>& exposures) const;

 private:
  void AddSeveralRows(std::span<const RowsInClass> own, std::uint32_t number, std::size_t item,
                      std::vector<Exposure>& exposures) const;
  void FindBounds();

  const ReleaseClasses& release_;
  std::size_t items_;
  std::vector<std::uint32_t> dearest_;  // by class and item: the class with the largest share; empty: always itself
  // By the smallest class of a component and item: the most holders and the fewest rows of any of its classes. Drawing
  // all rows from such a class is at least as likely to meet the item as any way to draw them from the component. Empty
  // where nobody has several rows, or every class is a component.
  std::vector<Share> bounds_;
};

// Of a single row in a single release: no product is needed. l is at most 2^32.
inline bool IsWithinLimit(std::uint64_t holders, std::uint64_t rows, std::uint64_t l) {
  __extension__ using Wide = unsigned __int128;
  return Wide{l} * (rows - holders) >= Wide{l - 1} * rows;
}

std::vector<DrawsFromClass> DrawsOf(std::span<const Exposure> exposures);

// The chance of ever having had the item: a fraction where it is short, otherwise six decimals, rounded up if the
// chance is above 1/l and down if not. A rounded number therefore never crosses the limit.
std::string ChanceInWords(std::span<const DrawsFromClass> draws, std::uint64_t l);

}  // namespace pentimento
