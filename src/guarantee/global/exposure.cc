#include "guarantee/global/exposure.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/ratio.h"

namespace pentimento {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::uint64_t kReadable = 1'000;  // a longer fraction tells people nothing

// The largest number of millionths that a chance above 0 is above of. Exact, because the verifier is.
std::uint64_t MillionthsBelow(std::span<const DrawsFromClass> draws) {
  std::uint64_t below = 0;
  std::uint64_t reached = kMillion;
  while (reached - below > 1) {
    const std::uint64_t middle = (below + reached) / 2;
    (ChanceOfEverIsAtMost(draws, {middle, kMillion}) ? reached : below) = middle;
  }
  return below;
}

std::string DecimalText(std::uint64_t millionths) {
  return fmt::format("{}.{:06}", millionths / kMillion, millionths % kMillion);
}

}  // namespace

ChargedShares::ChargedShares(const ReleaseClasses& release, std::size_t items) : release_(release), items_(items) {
  const std::vector<std::uint32_t>& confusable = release.confusable;
  const auto is_other = [&](std::size_t class_number) { return confusable[class_number] != class_number; };
  bool is_any = false;
  for (std::size_t class_number = 0; class_number < confusable.size() && !is_any; ++class_number)
    is_any = is_other(class_number);
  if (!is_any) return;
  dearest_.resize(release.holders.size());
  for (std::uint32_t class_number = 0; class_number < release.classes(); ++class_number) {
    for (std::size_t item = 0; item < items; ++item) {
      // The smallest class of a component comes first, and keeps what is the largest so far.
      std::uint32_t& dearest = dearest_[confusable[class_number] * items + item];
      if (!is_other(class_number)) dearest = class_number;
      const std::uint64_t own = std::uint64_t{release.holders[class_number * items + item]} * release.size[dearest];
      const std::uint64_t most = std::uint64_t{release.holders[dearest * items + item]} * release.size[class_number];
      if (own > most) dearest = class_number;
    }
  }
  for (std::size_t class_number = 0; class_number < release.classes(); ++class_number)
    std::copy_n(&dearest_[confusable[class_number] * items], items, &dearest_[class_number * items]);
  if (!release.several_rows.empty()) FindBounds();
}

// In one pass: a component may have as many classes as there are people who ask for its bound.
void ChargedShares::FindBounds() {
  bounds_.resize(release_.holders.size());
  for (std::size_t class_number = 0; class_number < release_.classes(); ++class_number) {
    for (std::size_t item = 0; item < items_; ++item) {
      const Share own{release_.holders[class_number * items_ + item], release_.size[class_number]};
      Share& bound = bounds_[release_.confusable[class_number] * items_ + item];
      // The smallest class of a component comes first.
      if (release_.confusable[class_number] == class_number) bound = own;
      bound = {std::max(bound.holders, own.holders), std::min(bound.rows, own.rows)};
    }
  }
  for (Share& bound : bounds_) bound.holders = std::min(bound.holders, bound.rows);
}

void ChargedShares::AddExposures(std::uint32_t number, std::uint32_t person, std::size_t item,
                                 std::vector<Exposure>& exposures) const {
  if (person >= release_.class_of_person.size()) return;
  const std::uint32_t class_number = release_.class_of_person[person];
  if (class_number < release_.classes()) {
    const Share share = Of(class_number, item);
    if (share.holders != 0) exposures.push_back({number, share.holders, share.rows, 1});
  }
  if (class_number != ReleaseClasses::kSeveral) return;
  AddSeveralRows(std::ranges::equal_range(release_.several_rows, person, {}, &RowsInClass::person), number, item,
                 exposures);
}

// Rows that may be in any class of a component are charged as if all were in one that is worse than each of them.
void ChargedShares::AddSeveralRows(std::span<const RowsInClass> own, std::uint32_t number, std::size_t item,
                                   std::vector<Exposure>& exposures) const {
  const auto component = [&](const RowsInClass& rows) {
    return dearest_.empty() ? rows.class_number : release_.confusable[rows.class_number];
  };
  std::map<std::uint32_t, std::uint64_t> rows_in;
  for (const RowsInClass& rows : own) rows_in[component(rows)] += rows.rows;
  for (const auto& [smallest_class, rows] : rows_in) {
    const std::size_t at = smallest_class * items_ + item;
    const Share share = bounds_.empty() ? Share{release_.holders[at], release_.size[smallest_class]} : bounds_[at];
    if (share.holders != 0)
      exposures.push_back({number, share.holders, share.rows, std::min<std::uint64_t>(rows, share.rows)});
  }
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
  if (ChanceOfEverIsAtMost(draws, {1, l})) return DecimalText(below);
  // Rounded up it would read as a certainty, which it need not be.
  return below + 1 == kMillion ? "above " + DecimalText(below) : DecimalText(below + 1);
}

}  // namespace pentimento
