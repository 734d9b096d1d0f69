#include "anonymize/recode/branch_plan.h"

#include <algorithm>

namespace pentimento::recode {
namespace {

// What is missing is pulled in so many steps, or row by row where it is less: a large remainder must not cost a step
// for each row, and a coarse step would not even out the signatures.
constexpr std::uint64_t kPullSteps = 16;

}  // namespace

std::optional<BranchPlan> BranchPlanner::Plan(const BranchCounts& given, std::uint64_t at_least) {
  BranchPlan plan = PushBackWhatCannotStand(given);
  at_least = std::max<std::uint64_t>(at_least, 1);
  if (plan.specialized < at_least) return std::nullopt;
  if (remainder_.rows() == 0 || remainder_.Holds()) return plan;
  std::ranges::stable_sort(smallest_first_, {}, [&](std::uint32_t b) { return given.branches[b].rows; });
  std::uint64_t spare = plan.specialized - plan.standing * limits_.smallest_class();
  for (const std::uint32_t smallest : smallest_first_) {
    // Whatever comes back from now on, the remainder will have no fewer rows than it needs already.
    const std::uint64_t missing = remainder_.RowsNeeded() - remainder_.rows();
    if (missing > plan.specialized || plan.specialized - missing < at_least) return std::nullopt;
    if (missing <= spare && PullBack(given, plan)) {
      NotePulledBack(plan);
      break;
    }
    plan.stands[smallest] = false;
    --plan.standing;
    plan.specialized -= given.branches[smallest].rows;
    spare -= given.branches[smallest].rows - limits_.smallest_class();
    PushBack(given, given.branches[smallest]);
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

void BranchPlanner::NotePulledBack(BranchPlan& plan) const {
  for (const Offer& offer : offers_) {
    if (offer.pulled == 0) continue;
    plan.pulled.push_back({offer.branch, offer.signature, offer.pulled});
    plan.specialized -= offer.pulled;
  }
}

void BranchPlanner::PushBack(const BranchCounts& given, const Branch& branch) {
  for (const SignatureCount& count : given.CountsOf(branch)) remainder_.Add(count.signature, count.rows);
}

// Where it fails the remainder is as before.
bool BranchPlanner::PullBack(const BranchCounts& given, const BranchPlan& plan) {
  offers_.clear();
  first_offer_.assign(given.branches.size() + 1, 0);
  rows_left_.assign(given.branches.size(), 0);
  for (std::uint32_t b = 0; b < given.branches.size(); ++b) {
    if (plan.stands[b] && given.branches[b].rows > limits_.smallest_class()) {
      rows_left_[b] = given.branches[b].rows;
      for (const SignatureCount& count : given.CountsOf(given.branches[b]))
        offers_.push_back({b, count.signature, count.rows, 0, false});
    }
    first_offer_[b + 1] = static_cast<std::uint32_t>(offers_.size());
  }
  while (!remainder_.Holds()) {
    Offer* const offer = BestOffer();
    if (offer == nullptr) {
      for (const Offer& undone : offers_) remainder_.Remove(undone.signature, undone.pulled);
      return false;
    }
    const std::uint64_t missing = remainder_.RowsNeeded() - remainder_.rows();
    const std::uint32_t rows = Spare(*offer, std::max<std::uint64_t>(missing / kPullSteps, 1));
    if (rows > 0) {
      Pull(*offer, rows);
    } else {
      offer->is_blocked = true;
    }
  }
  return true;
}

// The signature that is rarest in the remainder, from the branch that has most of it.
BranchPlanner::Offer* BranchPlanner::BestOffer() {
  Offer* best = nullptr;
  for (Offer& offer : offers_) {
    if (offer.is_blocked || offer.left == 0) continue;
    if (best != nullptr) {
      const std::uint32_t here = remainder_.of_signature(offer.signature);
      const std::uint32_t there = remainder_.of_signature(best->signature);
      if (here > there || (here == there && offer.left <= best->left)) continue;
    }
    if (remainder_.IsOverdrawn(offer.signature)) continue;
    best = &offer;
  }
  return best;
}

// How many of the wanted rows the branch can give and still stand.
std::uint32_t BranchPlanner::Spare(const Offer& offer, std::uint64_t wanted) {
  const std::uint64_t most = rows_left_[offer.branch] - limits_.smallest_class();
  auto rows = static_cast<std::uint32_t>(std::min({wanted, most, std::uint64_t{offer.left}}));
  for (; rows > 0; rows /= 2) {
    donor_.Clear();
    for (std::uint32_t o = first_offer_[offer.branch]; o < first_offer_[offer.branch + 1]; ++o) {
      const std::uint32_t left = offers_[o].left - (&offers_[o] == &offer ? rows : 0);
      if (left > 0) donor_.Add(offers_[o].signature, left);
    }
    if (donor_.Holds()) break;
  }
  return rows;
}

void BranchPlanner::Pull(Offer& offer, std::uint32_t rows) {
  offer.left -= rows;
  offer.pulled += rows;
  rows_left_[offer.branch] -= rows;
  remainder_.Add(offer.signature, rows);
  // With another make-up the branch may be able to spare what it could not before.
  for (std::uint32_t o = first_offer_[offer.branch]; o < first_offer_[offer.branch + 1]; ++o)
    offers_[o].is_blocked = false;
}

}  // namespace pentimento::recode
