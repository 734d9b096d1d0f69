// Finding what earlier segments know: the records of a leaf, and who a member is.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "anonymize/incremental/incremental_view.h"
#include "base/result.h"

namespace pentimento {

// Members of a leaf that one segment has.
struct LeafPart {
  std::uint32_t segment = 0;
  std::uint32_t entry = 0;  // which of the segment's leaves
  std::uint32_t begin = 0;  // its first record
  std::uint32_t count = 0;
};

// An error where records of earlier segments are not as they were written; may be asked by several threads at once.
using RequireIntact = std::function<Status(std::span<const LeafPart>)>;

// Leaves are asked for in ascending order, so that each segment's list is walked once, in leaps where few are asked
// for.
class LeafLookup {
 public:
  explicit LeafLookup(const IncrementalView& series) : series_(&series), next_(series.segments.size(), 0) {}

  // Appends where the leaf's members are, oldest segment first.
  void AppendParts(NodeNumber leaf, std::vector<LeafPart>& parts);

 private:
  const IncrementalView* series_;
  std::vector<std::size_t> next_;  // by segment: the first entry not below the last leaf asked for
};

// Who has left, and with which release each member came.
class MemberFacts {
 public:
  // `leaving`: members who leave now.
  MemberFacts(const IncrementalView& series, std::span<const CaseNumber> leaving);

  CaseNumber first_newcomer() const { return first_of_later_.empty() ? 0 : first_of_later_.back(); }
  bool HasLeft(CaseNumber member) const {
    return member / 64 < left_.size() && (left_[member / 64] >> (member % 64) & 1) != 0;
  }
  // 0 for the first release; the number of releases so far for a newcomer.
  std::uint32_t ArrivalOf(CaseNumber member) const;

 private:
  void Leave(std::span<const CaseNumber> members, std::size_t everybody);

  std::vector<std::uint64_t> left_;         // a bit per member; nothing where nobody left
  std::vector<CaseNumber> first_of_later_;  // the first member of the second release, of the third, …
};

}  // namespace pentimento
