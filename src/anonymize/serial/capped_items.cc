#include "anonymize/serial/capped_items.h"

namespace pentimento::serial {

CappedItems::CappedItems(const Signatures& signatures, const BudgetLevels& levels, bool balances)
    : item_count_(signatures.items.size()),
      balances_(balances),
      number_of_(signatures.count),
      first_item_{0, 0},
      caps_(levels.caps) {
  for (const Cap& cap : caps_) {
    constexpr std::uint64_t kNever = std::uint64_t{1} << 32;
    shares_.push_back(cap.share());
    fewest_rows_.push_back(cap.num == 0 ? kNever : (cap.den + cap.num - 1) / cap.num);
  }
  std::vector<std::vector<std::uint32_t>> items_of(signatures.count);
  for (std::uint32_t item = 0; item < item_count_; ++item) {
    for (const Code signature : signatures.items[item].signatures) items_of[signature].push_back(item);
  }
  for (Code signature = 0; signature < signatures.count; ++signature) {
    if (items_of[signature].empty()) continue;
    number_of_[signature] = static_cast<Code>(first_item_.size() - 1);
    items_.insert(items_.end(), items_of[signature].begin(), items_of[signature].end());
    first_item_.push_back(static_cast<std::uint32_t>(items_.size()));
  }
}

void HeldItems::FinishNode(std::uint64_t rows, std::size_t lowest) {
  const auto caps = items_->SharesOf(lowest);
  for (Held& held : held_) {
    held.cap = std::max<std::uint64_t>(caps[held.item], 1);
    held.used = std::min<std::uint64_t>((held.all << 32) / rows * 256 / held.cap, 256);
  }
}

std::int64_t HeldItems::Price(std::uint64_t below, std::uint64_t above, std::size_t level_below,
                              std::size_t level_above) const {
  if (!items_->balances()) return 0;
  const auto caps_below = items_->SharesOf(level_below);
  const auto caps_above = items_->SharesOf(level_above);
  const std::uint64_t concerned = std::min(below, above);
  std::int64_t worst = 0;
  for (const Held& held : held_) {
    const std::uint64_t room_below = caps_below[held.item] - (held.below << 32) / below;
    const std::uint64_t room_above = caps_above[held.item] - ((held.all - held.below) << 32) / above;
    const std::uint64_t apart = room_below > room_above ? room_below - room_above : room_above - room_below;
    const std::uint64_t part = std::min<std::uint64_t>((apart << 20) / held.cap, partition::kWholeWidth);
    // Where little of the cap is used it does not matter how holders are shared out.
    const std::uint64_t price = part * held.used / 256 * held.used / 256;
    worst = std::max(worst, static_cast<std::int64_t>(2 * price * concerned));
  }
  return worst;
}

}  // namespace pentimento::serial
