#include "guarantee/global/classes_of_release.h"

#include <algorithm>
#include <vector>

namespace pentimento {
namespace {

std::vector<bool> HeldCodes(const SensitiveItem& item) {
  std::vector<bool> is_held;
  for (const Code value : item.values) {
    if (is_held.size() <= value) is_held.resize(std::size_t{value} + 1);
    is_held[value] = true;
  }
  return is_held;
}

// The rows of people who have several, one entry for each class that somebody is in.
std::vector<RowsInClass> CountSeveral(std::vector<RowsInClass> rows) {
  const auto place = [](const RowsInClass& row) { return std::pair(row.person, row.class_number); };
  std::ranges::sort(rows, {}, place);
  std::vector<RowsInClass> counted;
  for (const RowsInClass& row : rows) {
    if (counted.empty() || place(counted.back()) != place(row)) counted.push_back({row.person, row.class_number, 0});
    ++counted.back().rows;
  }
  return counted;
}

}  // namespace

ReleaseClasses ClassesOfRelease(const GlobalClaim& claim, std::span<const CodeColumn* const> sensitive,
                                std::span<const ClassNumber> class_of_row, std::uint32_t classes,
                                std::span<const std::uint32_t> person_of_row, std::size_t people) {
  ReleaseClasses release;
  release.class_of_person.assign(people, ReleaseClasses::kAbsent);
  release.size.assign(classes, 0);
  release.holders.assign(std::size_t{classes} * claim.items.size(), 0);
  for (std::size_t row = 0; row < class_of_row.size(); ++row) {
    ++release.size[class_of_row[row]];
    std::uint32_t& of_person = release.class_of_person[person_of_row[row]];
    of_person = of_person == ReleaseClasses::kAbsent ? class_of_row[row] : ReleaseClasses::kSeveral;
  }
  std::vector<RowsInClass> several;
  for (std::size_t row = 0; row < class_of_row.size(); ++row) {
    if (release.class_of_person[person_of_row[row]] == ReleaseClasses::kSeveral)
      several.push_back({person_of_row[row], class_of_row[row], 1});
  }
  release.several_rows = CountSeveral(std::move(several));
  for (std::size_t item = 0; item < claim.items.size(); ++item) {
    const std::vector<bool> is_held = HeldCodes(claim.items[item]);
    if (is_held.empty()) continue;  // also where the column is not published at all
    sensitive[claim.items[item].column]->Visit([&](auto codes) {
      for (std::size_t row = 0; row < codes.size(); ++row) {
        if (codes[row] < is_held.size() && is_held[codes[row]])
          ++release.holders[std::size_t{class_of_row[row]} * claim.items.size() + item];
      }
    });
  }
  return release;
}

}  // namespace pentimento
