#include "anonymize/limits/class_limits.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pentimento {

__extension__ using Wide = unsigned __int128;

ClassLimits::ClassLimits(const Signatures* signatures, std::uint64_t k)
    : k_(std::max<std::uint64_t>(k, 1)), first_item_(signatures == nullptr ? 2 : std::size_t{signatures->count} + 1) {
  if (signatures != nullptr) {
    for (const LimitedItem& item : signatures->items) {
      at_most_.push_back(item.at_most);
      for (const Code signature : item.signatures) ++first_item_[signature + 1];
    }
    std::partial_sum(first_item_.begin(), first_item_.end(), first_item_.begin());
    items_.resize(first_item_.back());
    std::vector<std::uint32_t> next(first_item_.begin(), first_item_.end() - 1);
    for (Item item = 0; item < at_most_.size(); ++item) {
      for (const Code signature : signatures->items[item].signatures) items_[next[signature]++] = item;
      are_short_ = are_short_ && (at_most_[item].num | at_most_[item].den) >> 32 == 0;
      are_by_signature_ = are_by_signature_ && signatures->items[item].signatures.size() == 1;
    }
  }
  are_by_signature_ = are_by_signature_ && are_short_;
  for (Code signature = 0; signature < signature_count() && are_by_signature_; ++signature) {
    const std::span<const Item> items = ItemsOf(signature);
    are_by_signature_ = items.size() <= 1;
    at_most_of_.emplace_back();
    if (items.empty()) continue;
    at_most_of_.back().num = static_cast<std::uint32_t>(at_most_[items[0]].num);
    at_most_of_.back().den = static_cast<std::uint32_t>(at_most_[items[0]].den);
  }
  smallest_class_ = FindSmallestClass();
}

std::uint64_t ClassLimits::RowsNeeded(Item item, std::uint64_t count) const {
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  const Ratio at_most = at_most_[item];
  if (count == 0) return 0;
  if (at_most.num == 0) return kNever;
  if (are_short_ && count >> 32 == 0) return (count * at_most.den + at_most.num - 1) / at_most.num;
  const Wide needed = (Wide{count} * at_most.den + at_most.num - 1) / at_most.num;
  return needed > kNever ? kNever : static_cast<std::uint64_t>(needed);
}

// Of each signature a class of m rows can hold as many as the strictest of its limits leaves it, and together these
// must come to m. Every class meets this, so none is smaller than the first m that does.
std::uint64_t ClassLimits::FindSmallestClass() const {
  constexpr std::uint64_t kLookAtMost = 4096;
  for (std::uint64_t m = k_; m < k_ + kLookAtMost; ++m) {
    std::uint64_t room = 0;
    for (Code signature = 0; signature < signature_count() && room < m; ++signature) {
      std::uint64_t most = m;
      for (const Item item : ItemsOf(signature)) {
        const Ratio at_most = at_most_[item];
        most = std::min(most, static_cast<std::uint64_t>(Wide{at_most.num} * m / at_most.den));
      }
      room += most;
    }
    if (room >= m) return m;
  }
  return k_ + kLookAtMost;
}

void Tally::Clear() {
  for (const Code signature : signatures_) of_signature_[signature] = 0;
  for (const ClassLimits::Item item : items_) of_item_[item] = 0;
  signatures_.clear();
  items_.clear();
  rows_ = 0;
}

bool Tally::Holds() const {
  if (rows_ < limits_.k()) return false;
  if (limits_.are_by_signature())
    return std::ranges::none_of(signatures_, [this](Code signature) { return IsOverdrawn(signature); });
  return std::ranges::none_of(
      items_, [this](ClassLimits::Item item) { return limits_.IsOverdrawn(item, of_item_[item], rows_); });
}

std::uint64_t Tally::RowsNeeded() const {
  std::uint64_t needed = limits_.smallest_class();
  // Dividing is slow, and most items need no more than is needed already.
  const auto add = [&](ClassLimits::Item item, std::uint32_t count) {
    if (limits_.IsOverdrawn(item, count, needed)) needed = limits_.RowsNeeded(item, count);
  };
  for (const ClassLimits::Item item : items_) add(item, of_item_[item]);
  if (!limits_.are_by_signature()) return needed;
  for (const Code signature : signatures_) {
    for (const ClassLimits::Item item : limits_.ItemsOf(signature)) add(item, of_signature_[signature]);
  }
  return needed;
}

}  // namespace pentimento
