#include "anonymize/anatomy/anatomy.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "anonymize/anatomy/class_lists.h"
#include "anonymize/anatomy/even_classes.h"
#include "anonymize/anatomy/largest_buckets.h"
#include "anonymize/limits/class_rule.h"
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

using anatomy::ClassLists;

// The l of Anatomy: in a class of l rows with different signatures no item has more rows than it has signatures, and
// that many keep its limit.
std::uint64_t RowsForDifferentSignatures(const ClassRule& rule) {
  std::uint64_t l = 1;
  for (ClassRule::Item item = 0; item < rule.items().size(); ++item)
    l = std::max(l, rule.PersonsNeeded(item, rule.items()[item].signatures.size()));
  return l;
}

// Joins neighbouring classes of at least `size` rows until each has k; the union of classes that keep their limits
// keeps them.
void JoinUntilK(ClassLists& lists, std::uint64_t size, std::uint64_t k) {
  if (size >= k) return;
  const auto together = static_cast<std::uint32_t>(std::min<std::uint64_t>((k + size - 1) / size, lists.classes));
  const std::uint32_t last = lists.classes / together - 1;
  for (ClassNumber& number : lists.class_of_slot) number = std::min(number / together, last);
  lists.classes = last + 1;
}

ClassLists FormClasses(const Signatures& signatures, std::uint64_t k, const Seed& seed) {
  const ClassRule rule(&signatures, k);
  const std::vector<std::uint32_t> rows = signatures.CountRows();
  const std::uint64_t l = RowsForDifferentSignatures(rule);
  const std::uint64_t part_size = anatomy::ChoosePartSize(rows, rule);
  Random random(seed, "anatomy-classes");
  if (!anatomy::IsEligible(rows, l) || std::max(l, k) > part_size)
    return anatomy::DivideEvenly(rows, rule, part_size, random);
  ClassLists lists = anatomy::FormFromLargestBuckets(rows, l, random);
  JoinUntilK(lists, l, k);
  return lists;
}

// Shuffles the classes of each signature. Signatures with few rows share a stream of random numbers: to begin one
// costs as much as many draws.
void Shuffle(ClassLists& lists, const Seed& seed) {
  constexpr std::uint32_t kRowsPerStream = 1 << 13;
  std::vector<Code> begins = {0};
  for (Code signature = 1; signature + 1 < lists.first.size(); ++signature) {
    if (lists.first[signature] - lists.first[begins.back()] >= kRowsPerStream) begins.push_back(signature);
  }
  begins.push_back(static_cast<Code>(lists.first.size() - 1));
  ParallelFor(begins.size() - 1, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t stream = begin; stream < end; ++stream) {
      Random random(seed, fmt::format("anatomy-rows-{}", stream));
      for (Code signature = begins[stream]; signature < begins[stream + 1]; ++signature) {
        const std::span<ClassNumber> list = lists.of(signature);
        for (std::size_t i = list.size(); i > 1; --i)
          std::swap(list[i - 1], list[random.Below(static_cast<std::uint32_t>(i))]);
      }
    }
  });
}

}  // namespace

Result<Classes> GroupByAnatomy(const EncodedTable& table, const AnatomyOptions& options) {
  Check(options.signatures != nullptr, "Anatomy separates sensitive values");
  Check(table.rows <= std::numeric_limits<std::uint32_t>::max(), "rows are numbered in 32 bits");
  const std::uint64_t k = std::max<std::uint64_t>(options.k, 1);
  PENTIMENTO_RETURN_IF_ERROR(CheckWholeTable(table, options.signatures, k, "anatomy"));
  ClassLists lists = FormClasses(*options.signatures, k, options.seed);
  Shuffle(lists, options.seed);
  Classes grouping = ClassesWithoutBoxes(lists.classes, std::vector<ClassNumber>(table.rows));
  std::vector<std::uint32_t> next(lists.first.begin(), lists.first.end() - 1);
  options.signatures->of_row.Visit([&](const auto signature_of_row) {
    for (std::size_t row = 0; row < table.rows; ++row)
      grouping.of_row[row] = lists.class_of_slot[next[signature_of_row[row]]++];
  });
  return grouping;
}

}  // namespace pentimento
