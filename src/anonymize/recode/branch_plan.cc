#include "anonymize/recode/branch_plan.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace pentimento::recode {
namespace {

// What is missing is pulled in so many steps, or row by row where it is less: a large remainder must not cost a step
// for each row, and a coarse step would not even out the signatures.
constexpr std::uint64_t kPullSteps = 16;

// Where pulling has failed, undoing one branch of thousands hardly helps: after so many it is tried again only when the
// number of undone branches has doubled.
constexpr std::uint32_t kPullAgain = 8;
bool IsWorthPulling(std::uint32_t undone) { return undone < kPullAgain || std::has_single_bit(undone); }

}  // namespace

BranchPlan* BranchPlanner::Plan(const BranchCounts& given, std::uint64_t at_least) {
  PushBackWhatCannotStand(given);
  at_least = std::max<std::uint64_t>(at_least, 1);
  if (plan_.specialized < at_least) return nullptr;
  if (remainder_.rows() == 0) return &plan_;
  std::uint64_t needed = remainder_.RowsNeeded();
  if (needed <= remainder_.rows()) return &plan_;
  std::ranges::stable_sort(smallest_first_, {}, [&](std::uint32_t b) { return given.branches[b].rows; });
  std::uint64_t spare = plan_.specialized - plan_.standing * limits_.smallest_class();
  for (std::uint32_t undone = 0; undone < smallest_first_.size(); ++undone) {
    // Whatever comes back from now on, the remainder will have no fewer rows than it needs already.
    const std::uint64_t missing = needed - remainder_.rows();
    if (missing > plan_.specialized || plan_.specialized - missing < at_least) return nullptr;
    if (missing <= spare && IsWorthPulling(undone) && PullBack(given, needed)) {
      NotePulledBack();
      break;
    }
    const Branch& smallest = given.branches[smallest_first_[undone]];
    plan_.stands[smallest_first_[undone]] = false;
    --plan_.standing;
    plan_.specialized -= smallest.rows;
    spare -= smallest.rows - limits_.smallest_class();
    PushBack(given, smallest);
    needed = remainder_.RowsNeeded();
    if (needed <= remainder_.rows()) break;
  }
  return plan_.specialized < at_least ? nullptr : &plan_;
}

void BranchPlanner::PushBackWhatCannotStand(const BranchCounts& given) {
  plan_.stands.assign(given.branches.size(), 0);
  plan_.pulled.clear();
  plan_.specialized = 0;
  plan_.standing = 0;
  remainder_.Clear();
  smallest_first_.clear();
  for (std::uint32_t b = 0; b < given.branches.size(); ++b) {
    const Branch& branch = given.branches[b];
    if (branch.rows < limits_.smallest_class() ||
        !Stands(branch.rows, given.CountsOf(branch), [](const SignatureCount& count) { return count.rows; })) {
      PushBack(given, branch);
      continue;
    }
    plan_.stands[b] = true;
    ++plan_.standing;
    plan_.specialized += branch.rows;
    smallest_first_.push_back(b);
  }
}

// Whether these counts, of at least as many rows as the smallest class has, may be a class. Where limits are by
// signature, no tally is needed.
template <typename Counts, typename RowsOf>
bool BranchPlanner::Stands(std::uint32_t rows, const Counts& counts, RowsOf rows_of) {
  if (limits_.are_by_signature()) {
    // All are looked at: where the first one is that is too many is hard to predict.
    bool has_too_many = false;
    for (const auto& count : counts) has_too_many |= limits_.IsTooMany(count.signature, rows_of(count), rows);
    return !has_too_many;
  }
  donor_.Clear();
  for (const auto& count : counts) {
    if (rows_of(count) > 0) donor_.Add(count.signature, rows_of(count));
  }
  return donor_.Holds();
}

void BranchPlanner::PushBack(const BranchCounts& given, const Branch& branch) {
  for (const SignatureCount& count : given.CountsOf(branch)) remainder_.Add(count.signature, count.rows);
}

// `needed`: by the remainder as it is. Where it fails the remainder is as before.
bool BranchPlanner::PullBack(const BranchCounts& given, std::uint64_t needed) {
  CollectOffers(given);
  while (needed > remainder_.rows()) {
    const std::optional<OfferNumber> best = TakeBestOffer();
    if (!best) {
      for (const Offer& undone : offers_) remainder_.Remove(undone.signature, undone.pulled);
      return false;
    }
    const std::uint64_t missing = needed - remainder_.rows();
    const std::uint32_t rows = Spare(offers_[*best], std::max<std::uint64_t>(missing / kPullSteps, 1));
    if (rows == 0) continue;
    Pull(*best, rows);
    needed = std::max(needed, remainder_.RowsNeededFor(offers_[*best].signature));
  }
  return true;
}

void BranchPlanner::CollectOffers(const BranchCounts& given) {
  offers_.clear();
  first_offer_.assign(given.branches.size() + 1, 0);
  rows_left_.assign(given.branches.size(), 0);
  for (std::uint32_t b = 0; b < given.branches.size(); ++b) {
    if (plan_.stands[b] && given.branches[b].rows > limits_.smallest_class()) {
      rows_left_[b] = given.branches[b].rows;
      for (const SignatureCount& count : given.CountsOf(given.branches[b]))
        offers_.push_back({b, count.signature, count.rows, 0, true});
    }
    first_offer_[b + 1] = static_cast<OfferNumber>(offers_.size());
  }
  have_short_ranks_ = limits_.are_by_signature() && HasFewOffers() && offers_.size() <= 1U << kOfferBits &&
                      limits_.signature_count() <= 1U << kSignatureBits &&
                      plan_.specialized + remainder_.rows() < kMostRows;
  if (HasFewOffers()) return;
  for (const Code signature : offered_) open_[signature].clear();
  offered_.clear();
  for (OfferNumber number = 0; number < offers_.size(); ++number) {
    if (open_[offers_[number].signature].empty()) offered_.push_back(offers_[number].signature);
    Open(number);
  }
  // So that ties between signatures go to the lower one.
  std::ranges::sort(offered_);
}

void BranchPlanner::Open(OfferNumber number) {
  offers_[number].is_open = true;
  if (HasFewOffers()) return;
  std::vector<OfferNumber>& heap = open_[offers_[number].signature];
  heap.push_back(number);
  std::ranges::push_heap(heap, SmallerOffer{offers_});
}

// The signature that is rarest in the remainder, from the branch that has most of it; of several that are as rare, the
// one of which a branch has most.
std::optional<BranchPlanner::OfferNumber> BranchPlanner::TakeBestOffer() {
  const std::optional<OfferNumber> best = have_short_ranks_ ? BestByShortRank()
                                          : HasFewOffers()  ? BestOfFew()
                                                            : BestOfMany();
  if (!best) return std::nullopt;
  offers_[*best].is_open = false;
  if (HasFewOffers()) return best;
  std::vector<OfferNumber>& heap = open_[offers_[*best].signature];
  std::ranges::pop_heap(heap, SmallerOffer{offers_});
  heap.pop_back();
  return best;
}

// Everything that decides in one number, the lower, the better: the rows in the remainder, those that the branch has
// left, the signature, the offer. So a step costs a comparison and no jump.
std::optional<BranchPlanner::OfferNumber> BranchPlanner::BestByShortRank() const {
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = kNever;
  const auto rows = static_cast<std::uint32_t>(remainder_.rows());
  for (std::uint64_t number = 0; const Offer& offer : offers_) {
    const std::uint32_t in_remainder = remainder_.of_signature(offer.signature);
    const bool is_overdrawn = limits_.IsTooMany(offer.signature, in_remainder, rows);
    const std::uint64_t rank = std::uint64_t{in_remainder} << (kRowBits + kSignatureBits + kOfferBits) |
                               (kMostRows - offer.left) << (kSignatureBits + kOfferBits) |
                               std::uint64_t{offer.signature} << kOfferBits | number++;
    // All ones where it cannot be taken.
    least = std::min(least, rank | (static_cast<std::uint64_t>(offer.is_open & !is_overdrawn) - 1));
  }
  if (least == kNever) return std::nullopt;
  return static_cast<OfferNumber>(least & ((1U << kOfferBits) - 1));
}

// Without jumps that depend on the counts: which offer is the best so far is hard to predict.
std::optional<BranchPlanner::OfferNumber> BranchPlanner::BestOfFew() const {
  constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t least = kNever;
  Code of = 0;
  OfferNumber best = 0;
  const auto rows = static_cast<std::uint32_t>(remainder_.rows());
  const bool are_by_signature = limits_.are_by_signature();
  for (OfferNumber number = 0; number < offers_.size(); ++number) {
    const Offer& offer = offers_[number];
    const std::uint32_t in_remainder = remainder_.of_signature(offer.signature);
    const bool is_overdrawn = are_by_signature ? limits_.IsTooMany(offer.signature, in_remainder, rows)
                                               : remainder_.IsOverdrawn(offer.signature);
    // The rarest first, then whoever has most left: the lower, the better.
    std::uint64_t rank = (std::uint64_t{in_remainder} << 32) + ~offer.left;
    rank = offer.is_open & !is_overdrawn ? rank : kNever;
    const bool is_better = (rank < least) | ((rank == least) & (offer.signature < of));
    least = is_better ? rank : least;
    of = is_better ? offer.signature : of;
    best = is_better ? number : best;
  }
  return least == kNever ? std::nullopt : std::optional(best);
}

std::optional<BranchPlanner::OfferNumber> BranchPlanner::BestOfMany() const {
  std::optional<Code> rarest;
  for (const Code signature : offered_) {
    if (open_[signature].empty() || remainder_.IsOverdrawn(signature)) continue;
    const auto rarity = [this](Code of) { return remainder_.of_signature(of); };
    const auto most = [this](Code of) { return offers_[open_[of].front()].left; };
    if (!rarest || rarity(signature) < rarity(*rarest) ||
        (rarity(signature) == rarity(*rarest) && most(signature) > most(*rarest))) {
      rarest = signature;
    }
  }
  return rarest ? std::optional(open_[*rarest].front()) : std::nullopt;
}

// How many of the wanted rows the branch can give and still stand.
std::uint32_t BranchPlanner::Spare(const Offer& offer, std::uint64_t wanted) {
  const std::uint64_t most = rows_left_[offer.branch] - limits_.smallest_class();
  auto rows = static_cast<std::uint32_t>(std::min({wanted, most, std::uint64_t{offer.left}}));
  for (; rows > 0; rows /= 2) {
    const auto rows_of = [&](const Offer& each) { return each.left - (&each == &offer ? rows : 0); };
    if (Stands(rows_left_[offer.branch] - rows, OffersOf(offer.branch), rows_of)) break;
  }
  return rows;
}

void BranchPlanner::Pull(OfferNumber number, std::uint32_t rows) {
  Offer& offer = offers_[number];
  offer.left -= rows;
  offer.pulled += rows;
  rows_left_[offer.branch] -= rows;
  remainder_.Add(offer.signature, rows);
  // With another make-up the branch may be able to spare what it could not before.
  for (OfferNumber o = first_offer_[offer.branch]; o < first_offer_[offer.branch + 1]; ++o) {
    if (!offers_[o].is_open && offers_[o].left > 0) Open(o);
  }
}

void BranchPlanner::NotePulledBack() {
  for (const Offer& offer : offers_) {
    if (offer.pulled == 0) continue;
    plan_.pulled.push_back({offer.branch, offer.signature, offer.pulled, offer.pulled + offer.left});
    plan_.specialized -= offer.pulled;
  }
}

}  // namespace pentimento::recode
