// The rule of a class, asked of parts of it: how many rows a set of counts needs around it, and which limits a
// signature draws on. SensitiveRule says whether a class may be; this says also what is missing, and looks only at the
// limits that the rows at hand draw on, so that a class of three costs the same however many values there are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/limits/signatures.h"

namespace pentimento {

class ClassLimits {
 public:
  using Item = std::uint32_t;

  // Without signatures every row has signature 0, which nobody limits.
  ClassLimits(const Signatures* signatures, std::uint64_t k);

  std::uint64_t k() const { return k_; }
  Code signature_count() const { return static_cast<Code>(first_item_.size() - 1); }
  std::size_t item_count() const { return at_most_.size(); }
  std::span<const Item> ItemsOf(Code signature) const {
    return std::span(items_).subspan(first_item_[signature], first_item_[signature + 1] - first_item_[signature]);
  }
  bool IsOverdrawn(Item item, std::uint64_t count, std::uint64_t rows) const {
    __extension__ using Wide = unsigned __int128;
    const Ratio at_most = at_most_[item];
    // Numbers of rows have 32 bits nearly always, and so have the parts of a limit that somebody wrote down.
    if (are_short_ && (count | rows) >> 32 == 0) [[likely]]
      return count * at_most.den > at_most.num * rows;
    return Wide{count} * at_most.den > Wide{at_most.num} * rows;
  }
  // Whether every limit is of one signature alone, no signature has two, and no product below overflows: then counts by
  // signature are all it takes.
  bool are_by_signature() const { return are_by_signature_; }
  // Whether `count` rows of the signature are too many among so many; only where limits are by signature.
  bool IsTooMany(Code signature, std::uint32_t count, std::uint32_t rows) const {
    const ShortRatio at_most = at_most_of_[signature];
    return std::uint64_t{count} * at_most.den > std::uint64_t{at_most.num} * rows;
  }
  // The fewest rows of which `count` are not too many.
  std::uint64_t RowsNeeded(Item item, std::uint64_t count) const;
  // The same by signature, where limits are.
  std::uint64_t RowsNeededOf(Code signature, std::uint32_t count) const {
    const std::span<const Item> items = ItemsOf(signature);
    return items.empty() ? 0 : RowsNeeded(items[0], count);
  }
  // No class that keeps the rule has fewer rows.
  std::uint64_t smallest_class() const { return smallest_class_; }

 private:
  std::uint64_t FindSmallestClass() const;

  struct ShortRatio {
    std::uint32_t num = 1;
    std::uint32_t den = 1;
  };

  std::uint64_t k_;
  std::vector<Ratio> at_most_;             // by item
  std::vector<std::uint32_t> first_item_;  // by signature, into items_; one more at the end
  std::vector<Item> items_;
  std::uint64_t smallest_class_ = 1;
  bool are_short_ = true;  // numerators and denominators are below 2^32
  bool are_by_signature_ = true;
  std::vector<ShortRatio> at_most_of_;  // by signature, where limits are; all rows where it has none
};

// Rows by signature and by limited item. Where limits are by signature, items are not counted: they would be the same.
class Tally {
 public:
  explicit Tally(const ClassLimits& limits)
      : limits_(limits), of_signature_(limits.signature_count()), of_item_(limits.item_count()) {}

  void Add(Code signature, std::uint32_t rows) {
    rows_ += rows;
    if (of_signature_[signature] == 0) signatures_.push_back(signature);
    of_signature_[signature] += rows;
    if (limits_.are_by_signature()) return;
    for (const ClassLimits::Item item : limits_.ItemsOf(signature)) {
      if (of_item_[item] == 0) items_.push_back(item);
      of_item_[item] += rows;
    }
  }
  void Remove(Code signature, std::uint32_t rows) {
    rows_ -= rows;
    of_signature_[signature] -= rows;
    if (limits_.are_by_signature()) return;
    for (const ClassLimits::Item item : limits_.ItemsOf(signature)) of_item_[item] -= rows;
  }
  void Clear();

  std::uint64_t rows() const { return rows_; }
  std::uint32_t of_signature(Code signature) const { return of_signature_[signature]; }
  // Whether these rows may be a class.
  bool Holds() const;
  // How many rows a class has at least that holds as many of each limited item. No more than rows() where Holds(), and
  // only there.
  std::uint64_t RowsNeeded() const;
  // The same for the items of one signature alone.
  std::uint64_t RowsNeededFor(Code signature) const {
    if (limits_.are_by_signature()) return limits_.RowsNeededOf(signature, of_signature_[signature]);
    std::uint64_t needed = 0;
    for (const ClassLimits::Item item : limits_.ItemsOf(signature))
      needed = std::max(needed, limits_.RowsNeeded(item, of_item_[item]));
    return needed;
  }
  // Whether the signature draws on a limit that is exceeded already: more of it cannot help.
  bool IsOverdrawn(Code signature) const {
    if (limits_.are_by_signature())
      return limits_.IsTooMany(signature, of_signature_[signature], static_cast<std::uint32_t>(rows_));
    return std::ranges::any_of(limits_.ItemsOf(signature), [this](ClassLimits::Item item) {
      return limits_.IsOverdrawn(item, of_item_[item], rows_);
    });
  }

 private:
  const ClassLimits& limits_;
  std::uint64_t rows_ = 0;
  std::vector<std::uint32_t> of_signature_;
  std::vector<std::uint32_t> of_item_;
  std::vector<Code> signatures_;          // those that may be above 0
  std::vector<ClassLimits::Item> items_;  // likewise
};

}  // namespace pentimento
