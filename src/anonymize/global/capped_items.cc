#include "anonymize/global/capped_items.h"

#include <algorithm>
#include <cstdlib>

namespace pentimento::global {
namespace {

// For each signature 0 where its rows have no item, and otherwise its place among those that have one, from 1.
std::vector<Code> NumberHolders(const Signatures& signatures) {
  const ItemsOfSignatures items(signatures.items, signatures.count);
  std::vector<Code> numbers(signatures.count, 0);
  Code holders = 0;
  for (Code signature = 0; signature < signatures.count; ++signature)
    if (!items.Of(signature).empty()) numbers[signature] = ++holders;
  return numbers;
}

std::vector<LimitedItem> Renumbered(std::vector<LimitedItem> items, std::span<const Code> number_of) {
  for (LimitedItem& item : items) {
    for (Code& signature : item.signatures) signature = number_of[signature];
  }
  return items;
}

}  // namespace

CappedItems::CappedItems(const Signatures& signatures, const BudgetLevels& levels, bool balances)
    : item_count_(signatures.items.size()),
      balances_(balances),
      number_of_(NumberHolders(signatures)),
      items_of_(Renumbered(signatures.items, number_of_), std::ranges::max(number_of_) + 1),
      caps_(levels.caps) {
  for (const Cap& cap : caps_) {
    constexpr std::uint64_t kNever = std::uint64_t{1} << 32;
    shares_.push_back(cap.share());
    fewest_rows_.push_back(cap.num == 0 ? kNever : (cap.den + cap.num - 1) / cap.num);
  }
}

void HeldItems::FinishNode(std::uint64_t rows, std::size_t lowest) {
  const auto caps = items_->SharesOf(lowest);
  for (Held& held : held_) {
    held.cap = std::max<std::uint64_t>(caps[held.item], 1);
    held.used = std::min<std::uint64_t>((held.all << 32) / rows * 256 / held.cap, 256);
  }
}

std::int64_t HeldItems::PriceOf(const Held& held, std::uint64_t held_below, std::uint64_t below, std::uint64_t above,
                                std::size_t level_below, std::size_t level_above) const {
  // Signed: the others of a part need not keep the caps when taken together.
  const auto room = [&](std::size_t level, std::uint64_t holders, std::uint64_t rows) {
    return static_cast<std::int64_t>(items_->SharesOf(level)[held.item]) -
           static_cast<std::int64_t>((holders << 32) / rows);
  };
  const auto apart = static_cast<std::uint64_t>(
      std::abs(room(level_below, held_below, below) - room(level_above, held.all - held_below, above)));
  const std::uint64_t part = std::min<std::uint64_t>((apart << 20) / held.cap, partition::kWholeWidth);
  // Where little of the cap is used it does not matter how holders are shared out.
  const std::uint64_t price = part * held.used / 256 * held.used / 256;
  return static_cast<std::int64_t>(2 * price * std::min(below, above));
}

std::int64_t HeldItems::Price(std::uint64_t below, std::uint64_t above, std::size_t level_below,
                              std::size_t level_above) const {
  if (!items_->balances()) return 0;
  std::int64_t worst = 0;
  for (const Held& held : held_)
    worst = std::max(worst, PriceOf(held, held.below, below, above, level_below, level_above));
  return worst;
}

std::int64_t HeldItems::PriceOfPart(std::span<const std::uint32_t> counts, std::uint64_t rows, std::size_t level,
                                    std::uint64_t node_rows, std::size_t node_level) const {
  if (!items_->balances()) return 0;
  std::int64_t worst = 0;
  for (std::size_t kind = 0; kind < held_.size(); ++kind)
    worst = std::max(worst, PriceOf(held_[kind], counts[kind], rows, node_rows - rows, level, node_level));
  return worst;
}

}  // namespace pentimento::global
