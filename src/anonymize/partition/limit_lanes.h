// Limits on sensitive values for small sets of rows, side by side in vector registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "anonymize/limits/signatures.h"
#include "base/interval.h"

namespace pentimento::partition {

// How many rows of each limited item a class of so many persons may have.
class LimitLanes {
 public:
  static constexpr std::size_t kMostRows = 4096;
  static constexpr std::size_t kMostItems = 64;
  typedef std::int16_t Word __attribute__((vector_size(16)));
  static constexpr std::size_t kLanes = sizeof(Word) / sizeof(std::int16_t);

  explicit LimitLanes(const SensitiveRule& rule) {
    if (rule.items().size() > kMostItems) return;
    words_ = std::max<std::size_t>(1, (rule.items().size() + kLanes - 1) / kLanes);
    caps_.resize((kMostRows + 1) * words_);
    ones_.resize(rule.signature_count() * words_);
    for (std::size_t i = 0; i < rule.items().size(); ++i) {
      const SensitiveRule::Item& item = rule.items()[i];
      for (std::size_t rows = 0; rows <= kMostRows; ++rows)
        caps_[rows * words_ + i / kLanes][i % kLanes] =
            static_cast<std::int16_t>(std::min(item.num * rows / item.den, kMostRows));
      for (const Code signature : rule.signatures_of(item)) ones_[signature * words_ + i / kLanes][i % kLanes] = 1;
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

}  // namespace pentimento::partition
