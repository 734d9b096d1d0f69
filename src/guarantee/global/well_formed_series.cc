#include "guarantee/global/well_formed_series.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace pentimento {
namespace {

constexpr std::uint64_t kLargestL = std::uint64_t{1} << 32;

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

}  // namespace

Status CheckClaim(const GlobalClaim& claim) {
  if (claim.items.empty()) return Error{ErrorCode::kInternal, "the global guarantee protects nothing"};
  for (std::size_t item = 0; item < claim.items.size(); ++item) {
    const SensitiveItem& it = claim.items[item];
    if (it.l < 2 || it.l > kLargestL)
      return Error{ErrorCode::kBadPolicy, fmt::format("l of {} is {}; it must be a whole number from 2 to {}",
                                                      NameOfItem(claim, item), it.l, kLargestL)};
    if (!it.transient)
      return Error{ErrorCode::kRefused,
                   fmt::format("{} is declared as not transient, and the global guarantee cannot be given for it: it "
                               "counts each release as a fresh draw, but who keeps a value is found by comparing who "
                               "shared a class with whom in each release; withhold the column, or declare the value "
                               "transient if it comes and goes",
                               NameOfItem(claim, item))};
  }
  return {};
}

std::optional<std::string> FindMalformedClasses(const ReleaseClasses& release, std::size_t items) {
  if (release.holders.size() != release.classes() * items) return "holders are not counted for every class and item";
  std::vector<std::uint64_t> rows_of_class(release.classes());
  for (const std::uint32_t class_number : release.class_of_person) {
    if (class_number < release.classes())
      ++rows_of_class[class_number];
    else if (class_number < ReleaseClasses::kSeveral)
      return "a person is in a class that is not there";
  }
  if (auto wrong = CountSeveralRows(release, rows_of_class)) return wrong;
  for (std::size_t class_number = 0; class_number < release.classes(); ++class_number) {
    if (rows_of_class[class_number] != release.size[class_number]) return "a class has not as many rows as it says";
    for (std::size_t item = 0; item < items; ++item)
      if (release.holders[class_number * items + item] > release.size[class_number])
        return "a class has more holders than rows";
  }
  return std::nullopt;
}

std::string NameOfItem(const GlobalClaim& claim, std::size_t item) {
  const std::string& name = claim.items[item].name;
  return name.empty() ? fmt::format("sensitive item {}", item + 1) : name;
}

}  // namespace pentimento
