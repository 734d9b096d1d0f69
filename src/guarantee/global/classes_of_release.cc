#include "guarantee/global/classes_of_release.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "guarantee/form/rows_of_classes.h"

namespace pentimento {
namespace {

// By code of a sensitive column: the items it belongs to.
std::vector<std::vector<std::size_t>> ItemsOfCodes(const GlobalClaim& claim, std::size_t column) {
  std::vector<std::vector<std::size_t>> items_of;
  for (std::size_t item = 0; item < claim.items.size(); ++item) {
    if (claim.items[item].column != column) continue;
    for (const Code value : claim.items[item].values) {
      if (items_of.size() <= value) items_of.resize(std::size_t{value} + 1);
      // A value that is listed twice is still one item.
      if (std::ranges::find(items_of[value], item) == items_of[value].end()) items_of[value].push_back(item);
    }
  }
  return items_of;
}

void CountHolders(const GlobalClaim& claim, std::span<const CodeColumn* const> sensitive,
                  std::span<const ClassNumber> class_of_row, std::vector<std::uint32_t>& holders) {
  for (std::size_t column = 0; column < sensitive.size(); ++column) {
    std::vector<std::vector<std::size_t>> items_of = ItemsOfCodes(claim, column);
    sensitive[column]->Visit([&](auto codes) {
      for (std::size_t row = 0; row < codes.size(); ++row) {
        if (codes[row] >= items_of.size()) continue;
        for (const std::size_t item : items_of[codes[row]])
          ++holders[std::size_t{class_of_row[row]} * claim.items.size() + item];
      }
    });
  }
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

// Counts the people of each class who have one row. False where somebody is in a class that is not there.
bool CountPeople(const ReleaseClasses& release, std::vector<std::uint64_t>& rows_of_class) {
  for (const std::uint32_t class_number : release.class_of_person) {
    if (class_number >= ReleaseClasses::kSeveral) continue;
    if (class_number >= release.classes()) return false;
    ++rows_of_class[class_number];
  }
  return true;
}

// Adds the people who have several rows to what the classes have, or says what is wrong with them.
std::optional<std::string> CountSeveralRows(const ReleaseClasses& release, std::vector<std::uint64_t>& rows_of_class) {
  std::size_t people = 0;
  const RowsInClass* before = nullptr;
  for (const RowsInClass& entry : release.several_rows) {
    if (before != nullptr &&
        std::tie(before->person, before->class_number) >= std::tie(entry.person, entry.class_number))
      return "people with several rows are out of order";
    if (entry.person >= release.class_of_person.size() ||
        release.class_of_person[entry.person] != ReleaseClasses::kSeveral)
      return "rows of a person who has one row or none";
    if (entry.class_number >= release.classes() || entry.rows == 0) return "a person with several rows is in no class";
    people += before == nullptr || before->person != entry.person ? 1 : 0;
    rows_of_class[entry.class_number] += entry.rows;
    before = &entry;
  }
  const auto marked =
      std::count(release.class_of_person.begin(), release.class_of_person.end(), ReleaseClasses::kSeveral);
  if (people != static_cast<std::size_t>(marked)) return "a person with several rows is in no class";
  return std::nullopt;
}

// Every class names the smallest one of its component, which names itself.
bool AreComponents(const ReleaseClasses& release) {
  const std::vector<std::uint32_t>& smallest = release.confusable;
  if (smallest.empty()) return true;
  if (smallest.size() != release.classes()) return false;
  for (std::size_t class_number = 0; class_number < smallest.size(); ++class_number) {
    const std::uint32_t named = smallest[class_number];
    if (named > class_number || smallest[named] != named) return false;
  }
  return true;
}

}  // namespace

ReleaseClasses ClassesOfRelease(const GlobalClaim& claim, std::span<const CodeColumn* const> sensitive,
                                std::span<const ClassNumber> class_of_row, std::uint32_t classes,
                                std::span<const std::uint32_t> person_of_row, std::size_t people) {
  ReleaseClasses release;
  release.size = CountRows(class_of_row, classes);
  release.holders.assign(std::size_t{classes} * claim.items.size(), 0);
  CountHolders(claim, sensitive, class_of_row, release.holders);
  release.class_of_person.assign(people, ReleaseClasses::kAbsent);
  bool has_several = false;
  for (std::size_t row = 0; row < class_of_row.size(); ++row) {
    std::uint32_t& of_person = release.class_of_person[person_of_row[row]];
    has_several = has_several || of_person != ReleaseClasses::kAbsent;
    of_person = of_person == ReleaseClasses::kAbsent ? class_of_row[row] : ReleaseClasses::kSeveral;
  }
  if (!has_several) return release;
  std::vector<RowsInClass> several;
  for (std::size_t row = 0; row < class_of_row.size(); ++row) {
    if (release.class_of_person[person_of_row[row]] == ReleaseClasses::kSeveral)
      several.push_back({person_of_row[row], class_of_row[row], 1});
  }
  release.several_rows = CountSeveral(std::move(several));
  return release;
}

std::optional<std::string> FindMalformedClasses(const ReleaseClasses& release, std::size_t items) {
  if (release.holders.size() != release.classes() * items) return "holders are not counted for every class and item";
  if (!AreComponents(release)) return "a class is confused with one that is not there";
  std::vector<std::uint64_t> rows_of_class(release.classes());
  if (!CountPeople(release, rows_of_class)) return "a person is in a class that is not there";
  if (auto wrong = CountSeveralRows(release, rows_of_class)) return wrong;
  for (std::size_t class_number = 0; class_number < release.classes(); ++class_number) {
    if (rows_of_class[class_number] != release.size[class_number]) return "a class has not as many rows as it says";
    for (std::size_t item = 0; item < items; ++item)
      if (release.holders[class_number * items + item] > release.size[class_number])
        return "a class has more holders than rows";
  }
  return std::nullopt;
}

}  // namespace pentimento
