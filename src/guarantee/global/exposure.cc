#include "guarantee/global/exposure.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/ratio.h"

namespace pentimento {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::uint64_t kReadable = 1'000;  // a longer fraction tells people nothing

// The largest number of millionths that a chance above 0 is above of. Exact, because the judge is.
std::uint64_t MillionthsBelow(std::span<const DrawsFromClass> draws) {
  std::uint64_t below = 0;
  std::uint64_t reached = kMillion;
  while (reached - below > 1) {
    const std::uint64_t middle = (below + reached) / 2;
    (ChanceOfEverIsAtMost(draws, {middle, kMillion}) ? reached : below) = middle;
  }
  return below;
}

std::string Decimal(std::uint64_t millionths) {
  return fmt::format("{}.{:06}", millionths / kMillion, millionths % kMillion);
}

}  // namespace

void AddExposures(const ReleaseClasses& release, std::uint32_t number, std::size_t items, std::uint32_t person,
                  std::size_t item, std::vector<Exposure>& exposures) {
  if (person >= release.class_of_person.size()) return;
  const auto add = [&](std::uint32_t class_number, std::uint32_t own_rows) {
    const std::uint32_t holders = release.holders[std::size_t{class_number} * items + item];
    if (holders != 0) exposures.push_back({number, holders, release.size[class_number], own_rows});
  };
  const std::uint32_t class_number = release.class_of_person[person];
  if (class_number < release.classes()) add(class_number, 1);
  if (class_number != ReleaseClasses::kSeveral) return;
  const auto& several = release.several_rows;
  auto entry = std::lower_bound(several.begin(), several.end(), person,
                                [](const RowsInClass& rows, std::uint32_t who) { return rows.person < who; });
  for (; entry != several.end() && entry->person == person; ++entry) add(entry->class_number, entry->rows);
}

std::vector<DrawsFromClass> DrawsOf(std::span<const Exposure> exposures) {
  std::vector<DrawsFromClass> draws;
  draws.reserve(exposures.size());
  for (const Exposure& exposure : exposures) draws.push_back({exposure.rows, exposure.holders, exposure.own_rows});
  return draws;
}

std::string ChanceInWords(std::span<const DrawsFromClass> draws, std::uint64_t l) {
  const std::optional<Ratio> chance = ChanceOfEver(draws);
  if (chance && chance->den <= kReadable) return ToString(*chance);
  const std::uint64_t below = MillionthsBelow(draws);
  if (ChanceOfEverIsAtMost(draws, {1, l})) return Decimal(below);
  // Rounded up it would read as a certainty, which it need not be.
  return below + 1 == kMillion ? "above " + Decimal(below) : Decimal(below + 1);
}

}  // namespace pentimento
