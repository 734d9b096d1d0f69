#include "engine/sensitive/largest_share.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/parallel.h"

namespace pentimento {
namespace {

// Classes are looked at in so many ranges, side by side: what is sorted of one range is near at hand while its rows,
// which lie anywhere, are put into order. Each range passes over all rows.
constexpr std::size_t kRanges = 8;
constexpr std::size_t kClassesWorthARange = 4096;

// The signatures of the rows in some classes, class after class.
struct SignaturesByClass {
  std::vector<std::uint32_t> begin;  // by class of the range, and the end
  std::vector<Code> signatures;
};

SignaturesByClass SortByClass(std::span<const ClassNumber> class_of_row, std::uint32_t first, std::uint32_t last,
                              const CodeColumn& signature_of_row) {
  const std::uint32_t classes = last - first;
  SignaturesByClass sorted;
  sorted.begin.assign(std::size_t{classes} + 1, 0);
  for (const ClassNumber number : class_of_row) {
    if (number - first < classes) ++sorted.begin[number - first + 1];  // wraps below the range
  }
  std::partial_sum(sorted.begin.begin(), sorted.begin.end(), sorted.begin.begin());
  sorted.signatures.resize(sorted.begin.back());
  std::vector<std::uint32_t> next(sorted.begin.begin(), sorted.begin.end() - 1);
  signature_of_row.Visit([&](const auto codes) {
    for (std::size_t row = 0; row < class_of_row.size(); ++row) {
      const std::uint32_t number = class_of_row[row] - first;
      if (number < classes) sorted.signatures[next[number]++] = codes[row];
    }
  });
  return sorted;
}

// The largest share of any item in one of the classes.
Ratio LargestIn(const SignaturesByClass& sorted, const std::vector<std::vector<std::uint32_t>>& items_of,
                std::size_t items) {
  Ratio largest;
  std::vector<std::uint64_t> count(items, 0);
  for (std::size_t number = 0; number + 1 < sorted.begin.size(); ++number) {
    const auto members =
        std::span(sorted.signatures).subspan(sorted.begin[number], sorted.begin[number + 1] - sorted.begin[number]);
    std::uint64_t most = 0;
    for (const Code signature : members) {
      for (const std::uint32_t item : items_of[signature]) most = std::max(most, ++count[item]);
    }
    for (const Code signature : members) {
      for (const std::uint32_t item : items_of[signature]) count[item] = 0;
    }
    if (!members.empty()) largest = std::max(largest, Ratio{most, members.size()});
  }
  return largest;
}

}  // namespace

Ratio LargestShare(std::span<const ClassNumber> class_of_row, std::uint32_t classes, const Signatures& signatures) {
  std::vector<std::vector<std::uint32_t>> items_of(signatures.count);
  for (std::uint32_t item = 0; item < signatures.items.size(); ++item) {
    for (const Code signature : signatures.items[item].signatures) items_of[signature].push_back(item);
  }
  const std::size_t ranges = std::clamp<std::size_t>(classes / kClassesWorthARange, 1, kRanges);
  const auto first_of = [&](std::size_t range) { return static_cast<std::uint32_t>(classes * range / ranges); };
  std::vector<Ratio> largest(ranges);
  ParallelFor(ranges, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t range = first; range < last; ++range) {
      const SignaturesByClass sorted =
          SortByClass(class_of_row, first_of(range), first_of(range + 1), signatures.of_row);
      largest[range] = LargestIn(sorted, items_of, signatures.items.size());
    }
  });
  Ratio share;
  for (const Ratio& part : largest) share = std::max(share, part);
  const std::uint64_t divisor = std::gcd(share.num, share.den);
  return {share.num / divisor, share.den / divisor};
}

}  // namespace pentimento
