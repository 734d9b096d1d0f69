// The one rule of a class where sensitive values are limited, which every maker asks: k people, and of everything that
// is limited at most its share of them.
//
// Stricter than the promise where somebody has several rows: the chance that one of r rows has a value is at most r
// times the chance of one row, so limits are divided by the most rows that anybody in the class has in the whole table,
// and the share is taken of people. A maker may be too strict; the verifier is exact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "anonymize/limits/signatures.h"
#include "base/result.h"
#include "table/encoded_table.h"

namespace pentimento {

class ClassRule {
 public:
  using Item = std::uint32_t;  // its place among the items of the signatures

  // Without signatures every row has signature 0, which nobody limits.
  ClassRule(const Signatures* signatures, std::uint64_t k);

  std::uint64_t k() const { return k_; }
  Code signature_count() const { return items_of_.signature_count(); }
  std::span<const LimitedItem> items() const { return items_; }
  std::span<const Item> ItemsOf(Code signature) const { return items_of_.Of(signature); }
  // All rows may have what is limited to 1. Divided by the rows of a person, even this would refuse something.
  bool Binds(Item item) const { return items_[item].at_most.num < items_[item].at_most.den; }

  bool IsTooMany(Item item, std::uint64_t count, std::uint64_t persons, std::uint64_t most_rows = 1) const {
    const Ratio at_most = items_[item].at_most;
    return Binds(item) && Wide{count} * at_most.den * most_rows > Wide{at_most.num} * persons;
  }
  // The fewest people of whom `count` rows are not too many; `so_far` where these are enough.
  std::uint64_t PersonsNeeded(Item item, std::uint64_t count, std::uint64_t most_rows = 1,
                              std::uint64_t so_far = 0) const {
    const Ratio at_most = items_[item].at_most;
    const Wide wanted = Wide{count} * at_most.den * most_rows;
    if (wanted <= Wide{at_most.num} * so_far) return so_far;
    constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
    if (at_most.num == 0) return kNever;
    const Wide rounded = wanted + at_most.num - 1;
    // Numbers of two words are rare, and to divide them takes several times as long.
    if (rounded <= kNever) return static_cast<std::uint64_t>(rounded) / at_most.num;
    return static_cast<std::uint64_t>(std::min(rounded / at_most.num, Wide{kNever}));
  }

  // `counts`: rows by signature.
  bool Holds(std::span<const std::uint32_t> counts, std::uint64_t persons, std::uint64_t most_rows = 1) const {
    return persons >= k_ && KeepsLimits(counts, persons, most_rows);
  }
  // The limits alone, whatever the number of people.
  bool KeepsLimits(std::span<const std::uint32_t> counts, std::uint64_t persons, std::uint64_t most_rows = 1) const;

  // No class has fewer people than this: k, or more where every row has something that is limited.
  std::uint64_t fewest_persons() const { return fewest_persons_; }
  // No class of people with one row each has fewer: what the limits leave of each signature comes to so many.
  std::uint64_t smallest_class() const { return smallest_class_; }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t FindFewestPersons() const;
  std::uint64_t FindSmallestClass() const;

  std::uint64_t k_;
  std::vector<LimitedItem> items_;
  ItemsOfSignatures items_of_;
  std::uint64_t fewest_persons_ = 1;
  std::uint64_t smallest_class_ = 1;
};

// A class that grows, and whether it keeps the rule. Adding a row costs what the limits on its own value cost, however
// many others there are. The rule must outlive it.
class Tally {
 public:
  explicit Tally(const ClassRule& rule) : rule_(&rule), count_(rule.items().size()) { Clear(); }

  void Clear() {
    for (const ClassRule::Item item : present_) count_[item] = 0;
    present_.clear();
    persons_ = 0;
    most_rows_ = 1;
    needed_ = rule_->k();
  }

  // Rows of people who have one row each.
  void Add(Code signature, std::uint32_t rows) {
    AddRows(signature, rows);
    persons_ += rows;
  }
  // The same for people who have several: rows and people by themselves. `rows`: those of the person in the table.
  void AddRows(Code signature, std::uint32_t rows = 1) {
    for (const ClassRule::Item item : rule_->ItemsOf(signature)) {
      if (count_[item] == 0) present_.push_back(item);
      count_[item] += rows;
      Require(item);
    }
  }
  void AddPerson(std::uint64_t rows) {
    ++persons_;
    if (rows <= most_rows_) return;
    most_rows_ = rows;
    for (const ClassRule::Item item : present_) Require(item);
  }

  std::uint64_t persons() const { return persons_; }
  bool Holds() const { return needed_ <= persons_; }

 private:
  void Require(ClassRule::Item item) {
    if (rule_->Binds(item)) needed_ = rule_->PersonsNeeded(item, count_[item], most_rows_, needed_);
  }

  const ClassRule* rule_;
  std::vector<std::uint32_t> count_;      // by item
  std::vector<ClassRule::Item> present_;  // items with rows
  std::uint64_t persons_ = 0;
  std::uint64_t most_rows_ = 1;
  std::uint64_t needed_ = 0;
};

// Makers that start from the whole table and only ever replace a class by classes that keep the rule need the whole
// table to keep it; those that place single rows need every row to be a person.
//
// kBadPolicy where somebody has several rows; kRefused where the table has fewer than k of them, or where a limited
// value is more frequent than its limit. `signatures` may be null: k alone. `method` is the maker's name in the policy.
Status CheckWholeTable(const EncodedTable& table, const Signatures* signatures, std::uint64_t k,
                       std::string_view method);

}  // namespace pentimento
