// A set of rows that grows: how many people it needs for its rows to keep the limits. Adding a row costs what the
// limits on its own value cost, however many others there are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "anonymize/limits/signatures.h"
#include "base/interval.h"

namespace pentimento {

class GrowingClass {
 public:
  // The rule must outlive the class.
  explicit GrowingClass(const SensitiveRule& rule)
      : rule_(&rule), first_item_(std::size_t{rule.signature_count()} + 1), counts_(rule.items().size()) {
    for (const SensitiveRule::Item& item : rule.items()) {
      for (const Code signature : rule.signatures_of(item)) ++first_item_[signature + 1];
    }
    for (std::size_t s = 1; s < first_item_.size(); ++s) first_item_[s] += first_item_[s - 1];
    items_.resize(first_item_.back());
    std::vector<std::uint32_t> next(first_item_.begin(), first_item_.end() - 1);
    for (std::uint32_t i = 0; i < rule.items().size(); ++i) {
      for (const Code signature : rule.signatures_of(rule.items()[i])) items_[next[signature]++] = i;
    }
    Clear();
  }

  void Clear() {
    for (const std::uint32_t item : present_) counts_[item] = 0;
    present_.clear();
    persons_ = 0;
    most_rows_ = 1;
    needed_ = rule_->k();
  }

  void AddRow(Code signature) {
    for (std::uint32_t i = first_item_[signature]; i < first_item_[signature + 1]; ++i) {
      if (counts_[items_[i]]++ == 0) present_.push_back(items_[i]);
      Require(items_[i]);
    }
  }
  // `rows`: how many the person has in the whole table.
  void AddPerson(std::uint64_t rows = 1) {
    ++persons_;
    if (rows <= most_rows_) return;
    most_rows_ = rows;
    for (const std::uint32_t item : present_) Require(item);
  }

  std::uint64_t persons() const { return persons_; }
  // What SensitiveRule::Holds says of the same rows.
  bool Keeps() const { return needed_ <= persons_; }

 private:
  __extension__ using Wide = unsigned __int128;

  void Require(std::uint32_t which) {
    const SensitiveRule::Item& item = rule_->items()[which];
    const Wide wanted = Wide{std::uint64_t{counts_[which]} * item.den} * most_rows_;
    if (wanted <= Wide{item.num} * needed_) return;
    constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
    if (item.num == 0) {
      needed_ = kNever;
      return;
    }
    const Wide rounded = wanted + item.num - 1;
    // Numbers of two words are rare, and to divide them takes several times as long.
    needed_ = rounded <= kNever ? static_cast<std::uint64_t>(rounded) / item.num
                                : static_cast<std::uint64_t>(std::min(rounded / item.num, Wide{kNever}));
  }

  const SensitiveRule* rule_;
  std::vector<std::uint32_t> first_item_;  // by signature, into items_
  std::vector<std::uint32_t> items_;
  std::vector<std::uint32_t> counts_;   // by item
  std::vector<std::uint32_t> present_;  // items with rows
  std::uint64_t persons_ = 0;
  std::uint64_t most_rows_ = 1;
  std::uint64_t needed_ = 0;
};

}  // namespace pentimento
