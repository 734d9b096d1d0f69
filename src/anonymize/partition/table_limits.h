// What every part of a cut has to keep where sensitive values are limited.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/limits/class_rule.h"
#include "base/result.h"
#include "release/classes.h"
#include "table/encoded_table.h"

namespace pentimento::partition {

// The rule for classes of few people who have one row each, in vector registers: how many rows of each limited item a
// class of so many may have. Looking at small nodes like this buys 32 % of a release of 1 M rows with limits.
class LimitLanes {
 public:
  static constexpr std::size_t kMostRows = 4096;
  static constexpr std::size_t kMostItems = 64;
  typedef std::int16_t Word __attribute__((vector_size(16)));
  static constexpr std::size_t kLanes = sizeof(Word) / sizeof(std::int16_t);

  explicit LimitLanes(const ClassRule& rule) {
    __extension__ using Wide = unsigned __int128;
    std::size_t lanes = 0;
    for (ClassRule::Item item = 0; item < rule.items().size(); ++item) lanes += rule.Binds(item) ? 1 : 0;
    if (lanes > kMostItems) return;
    words_ = std::max<std::size_t>(1, (lanes + kLanes - 1) / kLanes);
    caps_.resize((kMostRows + 1) * words_);
    ones_.resize(rule.signature_count() * words_);
    std::size_t lane = 0;
    for (ClassRule::Item item = 0; item < rule.items().size(); ++item) {
      if (!rule.Binds(item)) continue;
      const Ratio at_most = rule.items()[item].at_most;
      for (std::size_t rows = 0; rows <= kMostRows; ++rows)
        caps_[rows * words_ + lane / kLanes][lane % kLanes] =
            static_cast<std::int16_t>(Wide{at_most.num} * rows / at_most.den);
      for (const Code signature : rule.items()[item].signatures)
        ones_[signature * words_ + lane / kLanes][lane % kLanes] = 1;
      ++lane;
    }
  }

  bool fit() const { return words_ > 0; }
  std::size_t words() const { return words_; }
  // A one for each item that rows of the signature count for.
  const Word* ones(Code signature) const { return &ones_[signature * words_]; }
  // Whether `past` less `first` counts are few enough among `rows` rows.
  bool Keep(const Word* first, const Word* past, std::size_t rows) const {
    const Word* const caps = &caps_[rows * words_];
    Word above = {};
    for (std::size_t w = 0; w < words_; ++w) above |= (past[w] - first[w]) > caps[w];
    std::uint64_t halves[2];
    static_assert(sizeof halves == sizeof above);
    std::memcpy(halves, &above, sizeof above);
    return (halves[0] | halves[1]) == 0;
  }

 private:
  std::size_t words_ = 0;
  std::vector<Word> caps_;  // by rows
  std::vector<Word> ones_;  // by signature
};

struct TableLimits {
  TableLimits(ClassRule of_table, std::vector<std::uint32_t> rows)
      : rule(std::move(of_table)), lanes(rule), rows_of_person(std::move(rows)) {}

  ClassRule rule;
  LimitLanes lanes;
  // How many rows each person has in the whole table; empty where nobody has two.
  std::vector<std::uint32_t> rows_of_person;

  // Counts everybody as having as many rows as whoever has most. Then any groups may be joined: see algorithm.md.
  void TreatAllAlike();
};

// kRefused where the whole table is no legal class. Where everybody has one row, nothing is then; where somebody has
// several the rule is stricter than the promise, and finer classes that keep it are not looked for.
Result<TableLimits> LimitsOf(const EncodedTable& table, const Signatures& signatures, std::uint64_t k);

// Whether every group of rows keeps the limits.
bool AllKeep(const TableLimits& limits, const EncodedTable& table, const Signatures& signatures,
             std::span<const ClassNumber> class_of_row, std::size_t groups);

}  // namespace pentimento::partition
