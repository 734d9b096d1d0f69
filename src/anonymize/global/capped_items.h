// What is limited, as the tree looks at it: each row's key, one number that tells its level and which items it has, and
// the counts of the items on the two sides of a cut.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/global/budget_levels.h"
#include "anonymize/limits/signatures.h"
#include "anonymize/partition/column_cuts.h"

namespace pentimento::global {

// Signatures are numbered anew: 0 for rows that have no item.
class CappedItems {
 public:
  CappedItems(const Signatures& signatures, const BudgetLevels& levels, bool balances);

  static std::size_t LevelOf(Code key) { return key % kMostLevels; }
  static std::uint32_t SignatureOf(Code key) { return key / static_cast<Code>(kMostLevels); }
  Code KeyOf(Code signature, std::size_t level) const {
    return number_of_[signature] * static_cast<Code>(kMostLevels) + static_cast<Code>(level);
  }
  // Keys are below this.
  std::uint64_t key_count() const { return std::uint64_t{items_of_.signature_count()} * kMostLevels; }

  std::size_t item_count() const { return item_count_; }
  std::span<const std::uint32_t> ItemsOf(std::uint32_t number) const { return items_of_.Of(number); }
  std::span<const Cap> CapsOf(std::size_t level) const {
    return std::span(caps_).subspan(level * item_count_, item_count_);
  }
  // The same as shares.
  std::span<const ClassShare> SharesOf(std::size_t level) const {
    return std::span(shares_).subspan(level * item_count_, item_count_);
  }
  // A group with this item has at least so many rows, if it has no level below.
  std::uint64_t FewestRowsWith(std::uint32_t item, std::size_t level) const {
    return fewest_rows_[level * item_count_ + item];
  }
  // Whether cuts are priced for holders out of proportion.
  bool balances() const { return balances_; }

 private:
  std::size_t item_count_;
  bool balances_;
  std::vector<Code> number_of_;  // by signature
  ItemsOfSignatures items_of_;   // by number
  std::vector<Cap> caps_;
  std::vector<ClassShare> shares_;
  std::vector<std::uint64_t> fewest_rows_;
};

// The items in a node, and below a cut of it.
class HeldItems {
 public:
  explicit HeldItems(const CappedItems& items) : items_(&items), place_(items.item_count(), kNowhere) {}

  void Clear() {
    for (const Held& held : held_) place_[held.item] = kNowhere;
    held_.clear();
  }
  void AddToNode(std::uint32_t signature) {
    for (const std::uint32_t item : items_->ItemsOf(signature)) {
      if (place_[item] == kNowhere) {
        place_[item] = static_cast<std::uint32_t>(held_.size());
        held_.push_back({.item = item});
      }
      ++held_[place_[item]].all;
    }
  }
  // `lowest`: the lowest level in the node.
  void FinishNode(std::uint64_t rows, std::size_t lowest);
  // Whatever the cut, one of its sides has at least so many rows, where `highest` is the highest level in the node.
  std::uint64_t FewestRows(std::size_t highest) const {
    std::uint64_t most = 0;
    for (const Held& held : held_) most = std::max(most, items_->FewestRowsWith(held.item, highest));
    return most;
  }

  void ClearBelow() {
    for (Held& held : held_) held.below = 0;
  }
  void AddBelow(std::uint32_t signature) {
    for (const std::uint32_t item : items_->ItemsOf(signature)) ++held_[place_[item]].below;
  }

  // Whether both sides keep their caps.
  bool Keeps(std::uint64_t below, std::uint64_t above, std::size_t level_below, std::size_t level_above) const {
    const auto caps_below = items_->CapsOf(level_below);
    const auto caps_above = items_->CapsOf(level_above);
    return std::all_of(held_.begin(), held_.end(), [&](const Held& held) {
      return caps_below[held.item].Allows(held.below, below) &&
             caps_above[held.item].Allows(held.all - held.below, above);
    });
  }

  // The same for one part of a cut into many. Items of the node are numbered: `kinds` of them.
  std::size_t kinds() const { return held_.size(); }
  void AddTo(std::span<std::uint32_t> counts, std::uint32_t signature) const {
    for (const std::uint32_t item : items_->ItemsOf(signature)) ++counts[place_[item]];
  }
  bool KeepsPart(std::span<const std::uint32_t> counts, std::uint64_t rows, std::size_t level) const {
    const auto caps = items_->CapsOf(level);
    for (std::size_t kind = 0; kind < held_.size(); ++kind) {
      if (!caps[held_[kind].item].Allows(counts[kind], rows)) return false;
    }
    return true;
  }
  // What Price says of the part and all others of the node's rows together.
  std::int64_t PriceOfPart(std::span<const std::uint32_t> counts, std::uint64_t rows, std::size_t level,
                           std::uint64_t node_rows, std::size_t node_level) const;

  // For the item that the cut shares out worst: how far apart the room of the two sides is, as a part of the cap, for
  // as many rows as it concerns, in the unit of gains.
  std::int64_t Price(std::uint64_t below, std::uint64_t above, std::size_t level_below, std::size_t level_above) const;

 private:
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;
  struct Held {
    std::uint32_t item = 0;
    std::uint64_t all = 0;
    std::uint64_t below = 0;
    std::uint64_t cap = 0;   // the node's, as a share
    std::uint64_t used = 0;  // how much of the node's cap is used, in 256ths
  };

  std::int64_t PriceOf(const Held& held, std::uint64_t held_below, std::uint64_t below, std::uint64_t above,
                       std::size_t level_below, std::size_t level_above) const;

  const CappedItems* items_;
  std::vector<std::uint32_t> place_;  // of an item in held_
  std::vector<Held> held_;
};

}  // namespace pentimento::global
