#include "engine/alpha_k/largest_share.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "anonymize/limits/class_blocks.h"

namespace pentimento {

Ratio LargestShare(std::span<const ClassNumber> class_of_row, std::uint32_t classes, const Signatures& signatures) {
  std::vector<std::vector<std::uint32_t>> items_of(signatures.count);
  for (std::uint32_t item = 0; item < signatures.items.size(); ++item) {
    for (const Code signature : signatures.items[item].signatures) items_of[signature].push_back(item);
  }
  const ClassBlocks blocks(class_of_row, classes);
  std::vector<Ratio> largest(blocks.count());
  signatures.of_row.Visit([&](const auto of_row) {
    blocks.ForEachClass(of_row, signatures.count, [&] {
      return [&, count = std::vector<std::uint64_t>(signatures.items.size(), 0)](std::size_t block,
                                                                                 const auto members) mutable {
        std::uint64_t most = 0;
        for (const Code signature : members) {
          for (const std::uint32_t item : items_of[signature]) most = std::max(most, ++count[item]);
        }
        for (const Code signature : members) {
          for (const std::uint32_t item : items_of[signature]) count[item] = 0;
        }
        if (!members.empty()) largest[block] = std::max(largest[block], Ratio{most, members.size()});
      };
    });
  });
  Ratio share;
  for (const Ratio& part : largest) share = std::max(share, part);
  const std::uint64_t divisor = std::gcd(share.num, share.den);
  return {share.num / divisor, share.den / divisor};
}

}  // namespace pentimento
