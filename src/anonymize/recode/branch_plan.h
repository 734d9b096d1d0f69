// What becomes of a node whose rows were given to its children: which children stand, and which rows come back to the
// node. Decided on counts alone, so that an attribute can be tried without moving a row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "anonymize/sensitive/class_limits.h"

namespace pentimento::recode {

struct SignatureCount {
  Code signature = 0;
  std::uint32_t rows = 0;
};

// A child that has rows.
struct Branch {
  Code child = 0;  // its number among the children of the node
  std::uint32_t rows = 0;
  std::uint32_t first = 0;  // its counts
  std::uint32_t past = 0;
};

struct BranchCounts {
  std::vector<Branch> branches;        // ascending by child
  std::vector<SignatureCount> counts;  // branch after branch, ascending by signature, never 0; what follows is nothing

  std::span<const SignatureCount> CountsOf(const Branch& branch) const {
    return std::span(counts).subspan(branch.first, branch.past - branch.first);
  }
};

// So many of the rows of a branch that have this signature leave it for the node.
struct PulledBack {
  std::uint32_t branch = 0;
  Code signature = 0;
  std::uint32_t rows = 0;
  std::uint32_t of = 0;
};

struct BranchPlan {
  std::vector<std::uint8_t> stands;  // by branch; all rows of the others come back
  std::vector<PulledBack> pulled;    // ascending by branch, then signature; from standing branches only
  std::uint64_t specialized = 0;     // rows that do not come back
  std::uint32_t standing = 0;
};

// Every standing branch keeps the rule without what is pulled back, and so does everything that comes back, together,
// unless nothing does. One planner is used again and again, by one thread.
class BranchPlanner {
 public:
  // Up to `few_offers` offers are looked through each time one is wanted; more are kept in heaps.
  explicit BranchPlanner(const ClassLimits& limits, std::size_t few_offers = 64)
      : limits_(limits), few_offers_(few_offers), remainder_(limits), donor_(limits), open_(limits.signature_count()) {}

  // Nothing where no branch can stand, or where fewer than `at_least` rows would be specialized. Good until the next
  // call; the caller may put another one in its place.
  BranchPlan* Plan(const BranchCounts& given, std::uint64_t at_least);

 private:
  // Rows of one signature in a standing branch.
  struct Offer {
    std::uint32_t branch;
    Code signature;
    std::uint32_t left;
    std::uint32_t pulled;
    bool is_open;  // the others are used up, or their branch cannot spare them now
  };
  using OfferNumber = std::uint32_t;
  // Of two alike the later one is smaller.
  struct SmallerOffer {
    const std::vector<Offer>& offers;
    bool operator()(OfferNumber a, OfferNumber b) const {
      return offers[a].left != offers[b].left ? offers[a].left < offers[b].left : a > b;
    }
  };

  // How many bits each part of a short rank has: 64 together.
  static constexpr int kRowBits = 24;
  static constexpr int kSignatureBits = 10;
  static constexpr int kOfferBits = 6;
  static constexpr std::uint64_t kMostRows = (std::uint64_t{1} << kRowBits) - 1;

  void PushBackWhatCannotStand(const BranchCounts& given);
  template <typename Counts, typename RowsOf>
  bool Stands(std::uint32_t rows, const Counts& counts, RowsOf rows_of);
  void PushBack(const BranchCounts& given, const Branch& branch);
  bool PullBack(const BranchCounts& given, std::uint64_t needed);
  void CollectOffers(const BranchCounts& given);
  std::span<const Offer> OffersOf(std::uint32_t branch) const {
    return std::span(offers_).subspan(first_offer_[branch], first_offer_[branch + 1] - first_offer_[branch]);
  }
  void Open(OfferNumber number);
  bool HasFewOffers() const { return offers_.size() <= few_offers_; }
  std::optional<OfferNumber> TakeBestOffer();
  std::optional<OfferNumber> BestByShortRank() const;
  std::optional<OfferNumber> BestOfFew() const;
  std::optional<OfferNumber> BestOfMany() const;
  std::uint32_t Spare(const Offer& offer, std::uint64_t wanted);
  void Pull(OfferNumber number, std::uint32_t rows);
  void NotePulledBack();

  const ClassLimits& limits_;
  std::size_t few_offers_;
  BranchPlan plan_;
  Tally remainder_;
  Tally donor_;
  std::vector<std::uint32_t> smallest_first_;   // standing branches
  std::vector<Offer> offers_;                   // branch after branch
  std::vector<OfferNumber> first_offer_;        // by branch; one more at the end
  std::vector<std::uint32_t> rows_left_;        // by branch
  bool have_short_ranks_ = false;               // of few: what decides between offers fits into 64 bits
  std::vector<std::vector<OfferNumber>> open_;  // of many, by signature: open offers, a heap with the largest on top
  std::vector<Code> offered_;                   // of many: signatures that have been open
};

}  // namespace pentimento::recode
