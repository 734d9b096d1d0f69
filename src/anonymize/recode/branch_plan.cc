#include "anonymize/recode/branch_plan.h"

namespace pentimento::recode {

// By the number of rows alone: too small a branch cannot stand, whatever its values are.
void BranchPlanner::Begin(const BranchCounts& given) {
  const auto branches = static_cast<std::uint32_t>(given.branches.size());
  plan_.stands.assign(branches, 1);
  plan_.pulled.clear();
  plan_.specialized = 0;
  plan_.standing = branches;
  remainder_.Clear();
  rows_left_.resize(branches);
  is_changed_.assign(branches, 1);
  counts_left_.resize(branches == 0 ? 0 : given.branches.back().past);
  for (std::size_t i = 0; i < counts_left_.size(); ++i) counts_left_[i] = given.counts[i].rows;
  if (branches > 0 && branch_of_child_.size() <= given.branches.back().child)
    branch_of_child_.resize(given.branches.back().child + std::size_t{1});
  spare_ = 0;
  next_row_ = 0;
  node_rows_ = 0;
  for (std::uint32_t b = 0; b < branches; ++b) {
    rows_left_[b] = given.branches[b].rows;
    branch_of_child_[given.branches[b].child] = b;
    node_rows_ += rows_left_[b];
    plan_.specialized += rows_left_[b];
    if (rows_left_[b] >= rule_.smallest_class()) spare_ += rows_left_[b] - rule_.smallest_class();
  }
  for (std::uint32_t b = 0; b < branches; ++b) {
    if (rows_left_[b] < rule_.smallest_class()) PushBack(given, b);
  }
}

std::uint64_t BranchPlanner::Missing() const {
  const std::uint64_t there = remainder_.persons();
  if (there == 0) return 0;
  return rule_.smallest_class() > there ? rule_.smallest_class() - there : 0;
}

void BranchPlanner::Pull(const BranchCounts& given, std::uint32_t row, std::uint32_t branch, Code signature) {
  const std::span<const SignatureCount> counts = given.CountsOf(given.branches[branch]);
  const auto found = std::ranges::lower_bound(counts, signature, {}, &SignatureCount::signature);
  --counts_left_[given.branches[branch].first + static_cast<std::size_t>(found - counts.begin())];
  --rows_left_[branch];
  --spare_;
  --plan_.specialized;
  is_changed_[branch] = 1;
  remainder_.Add(signature, 1);
  plan_.pulled.push_back({row, branch});
}

bool BranchPlanner::LookAtValues(const BranchCounts& given) {
  bool all_stand = true;
  for (std::uint32_t b = 0; b < given.branches.size(); ++b) {
    if (!plan_.stands[b] || !is_changed_[b]) continue;
    is_changed_[b] = 0;
    if (Stands(given, b)) continue;
    PushBack(given, b);
    all_stand = false;
  }
  if (!all_stand) return false;
  if (remainder_.persons() == 0 || remainder_.Holds()) return true;
  PushBackSmallest(given);
  return false;
}

bool BranchPlanner::Stands(const BranchCounts& given, std::uint32_t branch) {
  part_.Clear();
  for (std::uint32_t i = given.branches[branch].first; i < given.branches[branch].past; ++i) {
    if (counts_left_[i] > 0) part_.Add(given.counts[i].signature, counts_left_[i]);
  }
  return part_.Holds();
}

// What was pulled from it before is there already.
void BranchPlanner::PushBack(const BranchCounts& given, std::uint32_t branch) {
  plan_.stands[branch] = 0;
  --plan_.standing;
  plan_.specialized -= rows_left_[branch];
  if (rows_left_[branch] >= rule_.smallest_class()) spare_ -= rows_left_[branch] - rule_.smallest_class();
  for (std::uint32_t i = given.branches[branch].first; i < given.branches[branch].past; ++i) {
    if (counts_left_[i] > 0) remainder_.Add(given.counts[i].signature, counts_left_[i]);
  }
}

void BranchPlanner::PushBackSmallest(const BranchCounts& given) {
  std::uint32_t smallest = 0;
  for (std::uint32_t b = 0; b < given.branches.size(); ++b) {
    if (plan_.stands[b] && (!plan_.stands[smallest] || rows_left_[b] < rows_left_[smallest])) smallest = b;
  }
  PushBack(given, smallest);
}

void BranchPlanner::Finish() {
  std::erase_if(plan_.pulled, [this](const PulledBack& pulled) { return !plan_.stands[pulled.branch]; });
}

}  // namespace pentimento::recode
