#include "anonymize/recode/branch_plan.h"

#include <algorithm>
#include <bit>

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

std::optional<BranchPlan> BranchPlanner::Plan(const BranchCounts& given, std::uint64_t at_least) {
  BranchPlan plan = PushBackWhatCannotStand(given);
  at_least = std::max<std::uint64_t>(at_least, 1);
  if (plan.specialized < at_least) return std::nullopt;
  if (remainder_.rows() == 0 || remainder_.Holds()) return plan;
  std::ranges::stable_sort(smallest_first_, {}, [&](std::uint32_t b) { return given.branches[b].rows; });
  std::uint64_t spare = plan.specialized - plan.standing * limits_.smallest_class();
  for (std::uint32_t undone = 0; undone < smallest_first_.size(); ++undone) {
    // Whatever comes back from now on, the remainder will have no fewer rows than it needs already.
    const std::uint64_t missing = remainder_.RowsNeeded() - remainder_.rows();
    if (missing > plan.specialized || plan.specialized - missing < at_least) return std::nullopt;
    if (missing <= spare && IsWorthPulling(undone) && PullBack(given, plan)) {
      NotePulledBack(plan);
      break;
    }
    const Branch& smallest = given.branches[smallest_first_[undone]];
    plan.stands[smallest_first_[undone]] = false;
    --plan.standing;
    plan.specialized -= smallest.rows;
    spare -= smallest.rows - limits_.smallest_class();
    PushBack(given, smallest);
    if (remainder_.Holds()) break;
  }
  if (plan.specialized < at_least) return std::nullopt;
  return plan;
}

BranchPlan BranchPlanner::PushBackWhatCannotStand(const BranchCounts& given) {
  BranchPlan plan;
  plan.stands.resize(given.branches.size());
  remainder_.Clear();
  smallest_first_.clear();
  for (std::uint32_t b = 0; b < given.branches.size(); ++b) {
    const Branch& branch = given.branches[b];
    donor_.Clear();
    if (branch.rows >= limits_.smallest_class()) {
      for (const SignatureCount& count : given.CountsOf(branch)) donor_.Add(count.signature, count.rows);
    }
    if (!donor_.Holds()) {
      PushBack(given, branch);
      continue;
    }
    plan.stands[b] = true;
    ++plan.standing;
    plan.specialized += branch.rows;
    smallest_first_.push_back(b);
  }
  return plan;
}

void BranchPlanner::PushBack(const BranchCounts& given, const Branch& branch) {
  for (const SignatureCount& count : given.CountsOf(branch)) remainder_.Add(count.signature, count.rows);
}

// Where it fails the remainder is as before.
bool BranchPlanner::PullBack(const BranchCounts& given, const BranchPlan& plan) {
  CollectOffers(given, plan);
  while (!remainder_.Holds()) {
    const std::optional<OfferNumber> best = TakeBestOffer();
    if (!best) {
      for (const Offer& undone : offers_) remainder_.Remove(undone.signature, undone.pulled);
      return false;
    }
    const std::uint64_t missing = remainder_.RowsNeeded() - remainder_.rows();
    const std::uint32_t rows = Spare(offers_[*best], std::max<std::uint64_t>(missing / kPullSteps, 1));
    if (rows > 0) Pull(*best, rows);
  }
  return true;
}

void BranchPlanner::CollectOffers(const BranchCounts& given, const BranchPlan& plan) {
  for (const Code signature : offered_) open_[signature].clear();
  offered_.clear();
  offers_.clear();
  first_offer_.assign(given.branches.size() + 1, 0);
  rows_left_.assign(given.branches.size(), 0);
  for (std::uint32_t b = 0; b < given.branches.size(); ++b) {
    if (plan.stands[b] && given.branches[b].rows > limits_.smallest_class()) {
      rows_left_[b] = given.branches[b].rows;
      for (const SignatureCount& count : given.CountsOf(given.branches[b])) {
        if (open_[count.signature].empty()) offered_.push_back(count.signature);
        offers_.push_back({b, count.signature, count.rows, 0, false});
        Open(static_cast<OfferNumber>(offers_.size() - 1));
      }
    }
    first_offer_[b + 1] = static_cast<OfferNumber>(offers_.size());
  }
  // So that ties between signatures go to the lower one.
  std::ranges::sort(offered_);
}

void BranchPlanner::Open(OfferNumber number) {
  offers_[number].is_open = true;
  std::vector<OfferNumber>& heap = open_[offers_[number].signature];
  heap.push_back(number);
  std::ranges::push_heap(heap, SmallerOffer{offers_});
}

// The signature that is rarest in the remainder, from the branch that has most of it; of several that are as rare, the
// one of which a branch has most.
std::optional<BranchPlanner::OfferNumber> BranchPlanner::TakeBestOffer() {
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
  if (!rarest) return std::nullopt;
  std::vector<OfferNumber>& heap = open_[*rarest];
  std::ranges::pop_heap(heap, SmallerOffer{offers_});
  const OfferNumber best = heap.back();
  heap.pop_back();
  offers_[best].is_open = false;
  return best;
}

// How many of the wanted rows the branch can give and still stand.
std::uint32_t BranchPlanner::Spare(const Offer& offer, std::uint64_t wanted) {
  const std::uint64_t most = rows_left_[offer.branch] - limits_.smallest_class();
  auto rows = static_cast<std::uint32_t>(std::min({wanted, most, std::uint64_t{offer.left}}));
  for (; rows > 0; rows /= 2) {
    donor_.Clear();
    for (OfferNumber o = first_offer_[offer.branch]; o < first_offer_[offer.branch + 1]; ++o) {
      const std::uint32_t left = offers_[o].left - (&offers_[o] == &offer ? rows : 0);
      if (left > 0) donor_.Add(offers_[o].signature, left);
    }
    if (donor_.Holds()) break;
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

void BranchPlanner::NotePulledBack(BranchPlan& plan) const {
  for (const Offer& offer : offers_) {
    if (offer.pulled == 0) continue;
    plan.pulled.push_back({offer.branch, offer.signature, offer.pulled, offer.pulled + offer.left});
    plan.specialized -= offer.pulled;
  }
}

}  // namespace pentimento::recode
