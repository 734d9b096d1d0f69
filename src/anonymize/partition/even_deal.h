// Cards in the order of their signatures, dealt in turn to a number of bags: card i goes to bag i modulo the number.
// How many of which signature a bag gets follows from the counts, so a deal is judged before a single card is placed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/limits/signatures.h"
#include "base/interval.h"

namespace pentimento::partition {

class EvenDeal {
 public:
  // The rule must outlive the deal.
  explicit EvenDeal(const SensitiveRule& rule)
      : rule_(&rule), items_of_(rule.signature_count()), suit_of_(rule.signature_count(), kNone) {
    for (std::uint32_t i = 0; i < rule.items().size(); ++i) {
      for (const Code signature : rule.signatures_of(rule.items()[i])) items_of_[signature].push_back(i);
    }
    is_item_there_.assign(rule.items().size(), 0);
  }

  void Clear() {
    for (const Suit& suit : suits_) suit_of_[suit.signature] = kNone;
    for (const std::uint32_t item : items_) is_item_there_[item] = 0;
    suits_.clear();
    items_.clear();
    cards_ = 0;
  }
  // Signatures ascend.
  void AddCards(Code signature, std::uint32_t count) {
    if (suits_.empty() || suits_.back().signature != signature) {
      suit_of_[signature] = static_cast<std::uint32_t>(suits_.size());
      suits_.push_back({signature, cards_, cards_});
      for (const std::uint32_t item : items_of_[signature]) {
        if (is_item_there_[item] == 0) items_.push_back(item);
        is_item_there_[item] = 1;
      }
    }
    cards_ += count;
    suits_.back().past = cards_;
  }

  Code SignatureOf(std::uint32_t card) const {
    return std::ranges::upper_bound(suits_, card, {}, &Suit::past)->signature;
  }

  // Whether every bag may be a class, where every card is a person. There are as many cards as bags, at the least.
  bool Keeps(std::uint32_t bags) {
    if (cards_ / bags < rule_->k()) return false;
    Divide(bags);
    return std::ranges::all_of(items_, [&](std::uint32_t item) { return Keeps(rule_->items()[item], bags); });
  }

  // `order`: the cards, bag after bag; a bag gets the next cards of a signature that no bag before it got. `ends`:
  // where each bag ends in it.
  void Place(std::uint32_t bags, std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& ends) {
    Divide(bags);
    next_.resize(bags);
    ends.resize(bags);
    for (std::uint32_t b = 0, first = 0; b < bags; ++b) {
      next_[b] = first;
      first += cards_ / bags + (b < cards_ % bags ? 1 : 0);
      ends[b] = first;
    }
    order.resize(cards_);
    for (const Suit& suit : suits_) {
      std::uint32_t card = suit.first;
      for (std::uint32_t b = 0; b < bags && card < suit.past; ++b) {
        for (std::uint32_t left = suit.QuotaOf(b, bags); left > 0; --left) order[next_[b]++] = card++;
      }
    }
  }

 private:
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  // The cards [first, past), which have one signature.
  struct Suit {
    Code signature;
    std::uint32_t first;
    std::uint32_t past;
    // For a number of bags: every bag gets `each`, and `more` of them one more, from the bag `from` on and around.
    std::uint32_t each = 0;
    std::uint32_t more = 0;
    std::uint32_t from = 0;

    std::uint32_t QuotaOf(std::uint32_t bag, std::uint32_t bags) const {
      const std::uint32_t after = bag >= from ? bag - from : bag + (bags - from);
      return each + (after < more ? 1 : 0);
    }
  };

  void Divide(std::uint32_t bags) {
    for (Suit& suit : suits_) {
      suit.each = (suit.past - suit.first) / bags;
      suit.more = (suit.past - suit.first) % bags;
      suit.from = suit.first % bags;
    }
  }

  bool Keeps(const SensitiveRule::Item& item, std::uint32_t bags) const {
    const std::uint64_t smaller = cards_ / bags;
    const std::uint64_t larger_bags = cards_ % bags;
    const std::uint64_t cap = item.num * smaller / item.den;
    const std::uint64_t cap_of_larger = item.num * (smaller + 1) / item.den;
    std::uint64_t fewest = 0;
    std::uint64_t most = 0;
    for (const Code signature : rule_->signatures_of(item)) {
      if (suit_of_[signature] == kNone) continue;
      const Suit& suit = suits_[suit_of_[signature]];
      fewest += suit.each;
      most += suit.each + (suit.more > 0 ? 1 : 0);
    }
    if (most <= cap) return true;
    // The last bag is never one of the larger ones.
    if (fewest > cap) return false;
    for (std::uint32_t b = 0; b < bags; ++b) {
      std::uint64_t count = 0;
      for (const Code signature : rule_->signatures_of(item)) {
        if (suit_of_[signature] != kNone) count += suits_[suit_of_[signature]].QuotaOf(b, bags);
      }
      if (count > (b < larger_bags ? cap_of_larger : cap)) return false;
    }
    return true;
  }

  const SensitiveRule* rule_;
  std::vector<std::vector<std::uint32_t>> items_of_;  // by signature
  std::vector<std::uint32_t> suit_of_;                // by signature, where cards have it
  std::vector<std::uint8_t> is_item_there_;           // by item
  std::vector<std::uint32_t> items_;                  // that cards count for
  std::vector<Suit> suits_;
  std::uint32_t cards_ = 0;
  std::vector<std::uint32_t> next_;  // by bag
};

}  // namespace pentimento::partition
