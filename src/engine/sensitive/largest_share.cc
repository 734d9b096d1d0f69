#include "engine/sensitive/largest_share.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kClassesPerTask = 8192;

// The signatures of the rows, class after class.
struct SignaturesByClass {
  std::vector<std::uint32_t> begin;  // by class, and the end
  std::vector<Code> signatures;
};

SignaturesByClass SortByClass(std::span<const ClassNumber> class_of_row, std::uint32_t classes,
                              const CodeColumn& signature_of_row) {
  SignaturesByClass sorted;
  sorted.begin.assign(std::size_t{classes} + 1, 0);
  for (const ClassNumber number : class_of_row) ++sorted.begin[number + 1];
  std::partial_sum(sorted.begin.begin(), sorted.begin.end(), sorted.begin.begin());
  sorted.signatures.resize(class_of_row.size());
  std::vector<std::uint32_t> next(sorted.begin.begin(), sorted.begin.end() - 1);
  signature_of_row.Visit([&](const auto codes) {
    for (std::size_t row = 0; row < class_of_row.size(); ++row)
      sorted.signatures[next[class_of_row[row]]++] = codes[row];
  });
  return sorted;
}

}  // namespace

Ratio LargestShare(std::span<const ClassNumber> class_of_row, std::uint32_t classes, const Signatures& signatures) {
  std::vector<std::vector<std::uint32_t>> items_of(signatures.count);
  for (std::uint32_t item = 0; item < signatures.items.size(); ++item) {
    for (const Code signature : signatures.items[item].signatures) items_of[signature].push_back(item);
  }
  const SignaturesByClass sorted = SortByClass(class_of_row, classes, signatures.of_row);
  const std::size_t tasks = (std::size_t{classes} + kClassesPerTask - 1) / kClassesPerTask;
  std::vector<Ratio> largest(tasks);
  ParallelFor(tasks, 1, [&](std::size_t first, std::size_t last) {
    std::vector<std::uint64_t> count(signatures.items.size(), 0);
    for (std::size_t task = first; task < last; ++task) {
      const std::size_t past = std::min<std::size_t>(classes, (task + 1) * kClassesPerTask);
      for (std::size_t number = task * kClassesPerTask; number < past; ++number) {
        const auto members =
            std::span(sorted.signatures).subspan(sorted.begin[number], sorted.begin[number + 1] - sorted.begin[number]);
        std::uint64_t most = 0;
        for (const Code signature : members) {
          for (const std::uint32_t item : items_of[signature]) most = std::max(most, ++count[item]);
        }
        for (const Code signature : members) {
          for (const std::uint32_t item : items_of[signature]) count[item] = 0;
        }
        if (!members.empty()) largest[task] = std::max(largest[task], Ratio{most, members.size()});
      }
    }
  });
  Ratio share;
  for (const Ratio& part : largest) share = std::max(share, part);
  const std::uint64_t divisor = std::gcd(share.num, share.den);
  return {share.num / divisor, share.den / divisor};
}

}  // namespace pentimento
