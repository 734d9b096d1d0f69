// Limits on sensitive values for sets of any number of rows: as LimitLanes, in wider lanes, and what is allowed is
// worked out instead of looked up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "anonymize/limits/signatures.h"
#include "base/interval.h"

namespace pentimento::partition {

class WideLimitLanes {
 public:
  typedef std::int32_t Word __attribute__((vector_size(16)));
  static constexpr std::size_t kLanes = sizeof(Word) / sizeof(std::int32_t);
  // Counts are numbers of a lane.
  static constexpr std::uint64_t kMostRows = std::numeric_limits<std::int32_t>::max();

  explicit WideLimitLanes(const SensitiveRule& rule)
      : words_(std::max<std::size_t>(1, (rule.items().size() + kLanes - 1) / kLanes)),
        ratio_of_lane_(words_ * kLanes, 0),
        items_of_(rule.signature_count()),
        has_item_per_signature_(rule.items().size() == rule.signature_count()) {
    for (std::uint32_t i = 0; i < rule.items().size(); ++i) {
      const SensitiveRule::Item& item = rule.items()[i];
      const std::pair<std::uint64_t, std::uint64_t> ratio(item.num, item.den);
      const auto found = std::ranges::find(ratios_, ratio);
      ratio_of_lane_[i] = static_cast<std::uint32_t>(found - ratios_.begin());
      if (found == ratios_.end()) ratios_.push_back(ratio);
      for (const Code signature : rule.signatures_of(item)) items_of_[signature].push_back(i);
      const auto signatures = rule.signatures_of(item);
      has_item_per_signature_ = has_item_per_signature_ && signatures.size() == 1 && signatures[0] == i;
    }
  }

  std::size_t words() const { return words_; }

  // Adds rows by signature to rows by item. The signatures are followed by zeros up to a whole word.
  void Add(const std::uint32_t* by_signature, Word* by_item) const {
    if (has_item_per_signature_) {
      for (std::size_t w = 0; w < words_; ++w) {
        Word rows;
        std::memcpy(&rows, by_signature + w * kLanes, sizeof rows);
        by_item[w] += rows;
      }
      return;
    }
    for (std::size_t s = 0; s < items_of_.size(); ++s) {
      if (by_signature[s] == 0) continue;
      for (const std::uint32_t item : items_of_[s])
        by_item[item / kLanes][item % kLanes] += static_cast<std::int32_t>(by_signature[s]);
    }
  }

  // Whether `past` less `first` counts are few enough among `rows` rows.
  bool Keep(const Word* first, const Word* past, std::uint64_t rows) const {
    if (ratios_.empty()) return true;
    Word above = {};
    if (ratios_.size() == 1) {
      const std::int32_t cap = CapOf(0, rows);
      for (std::size_t w = 0; w < words_; ++w) above |= (past[w] - first[w]) > cap;
    } else {
      for (std::size_t w = 0; w < words_; ++w) {
        Word caps;
        for (std::size_t lane = 0; lane < kLanes; ++lane) caps[lane] = CapOf(ratio_of_lane_[w * kLanes + lane], rows);
        above |= (past[w] - first[w]) > caps;
      }
    }
    std::uint64_t halves[2];
    static_assert(sizeof halves == sizeof above);
    std::memcpy(halves, &above, sizeof above);
    return (halves[0] | halves[1]) == 0;
  }

 private:
  // Whole numbers: a share of at most num/den of the rows is at most this many. No product overflows, since numerators
  // are below 2^32 and rows below 2^31.
  std::int32_t CapOf(std::size_t ratio, std::uint64_t rows) const {
    return static_cast<std::int32_t>(std::min(ratios_[ratio].first * rows / ratios_[ratio].second, kMostRows));
  }

  std::size_t words_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ratios_;  // no two alike
  std::vector<std::uint32_t> ratio_of_lane_;
  std::vector<std::vector<std::uint32_t>> items_of_;  // by signature
  bool has_item_per_signature_;                       // item i is limited for signature i alone
};

}  // namespace pentimento::partition
