#include "anonymize/recode/branch_counter.h"

namespace pentimento::recode {

bool BranchCounter::IsWorthAPlan(std::size_t rows, Bar bar) const {
  std::uint64_t can_stand = 0;
  for (const Branch& branch : counted_.branches) {
    if (branch.rows >= rule_.smallest_class()) can_stand += branch.rows;
  }
  if (can_stand == 0 || can_stand < bar.specialized || (can_stand == bar.specialized && bar.branches == 0))
    return false;
  // Only with every branch standing are all rows specialized.
  return bar.specialized < rows || counted_.branches.size() < bar.branches;
}

void BranchCounter::CollectFromTable(Code first_child) {
  const std::size_t per_child = rule_.signature_count();
  counted_.branches.clear();
  // Never made smaller: clearing what is written next would cost as much as writing it.
  if (counted_.counts.size() < table_.size()) counted_.counts.resize(table_.size());
  SignatureCount* const counts = counted_.counts.data();
  std::uint32_t noted = 0;
  Code child = first_child;
  for (std::size_t cell = 0; cell < table_.size(); cell += per_child, ++child) {
    Branch branch{child, 0, noted, 0};
    for (Code signature = 0; signature < per_child; ++signature) {
      // Written in any case and kept where it is not 0: a jump that depends on it would be mispredicted too often.
      const std::uint32_t rows = table_[cell + signature];
      counts[noted] = {signature, rows};
      noted += rows > 0 ? 1 : 0;
      branch.rows += rows;
    }
    branch.past = noted;
    if (branch.rows > 0) counted_.branches.push_back(branch);
  }
}

// The keys are sorted; each is a child and a signature.
void BranchCounter::CollectFromKeys() {
  counted_.branches.clear();
  counted_.counts.clear();
  for (std::size_t begin = 0, end = 0; begin < keys_.size(); begin = end) {
    while (end < keys_.size() && keys_[end] == keys_[begin]) ++end;
    const auto child = static_cast<Code>(keys_[begin] >> 32);
    const auto rows = static_cast<std::uint32_t>(end - begin);
    const auto noted = static_cast<std::uint32_t>(counted_.counts.size());
    if (counted_.branches.empty() || counted_.branches.back().child != child)
      counted_.branches.push_back({child, 0, noted, noted});
    counted_.counts.push_back({static_cast<Code>(keys_[begin]), rows});
    counted_.branches.back().rows += rows;
    counted_.branches.back().past = noted + 1;
  }
}

}  // namespace pentimento::recode
