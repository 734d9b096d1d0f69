#include "anonymize/anatomy/even_classes.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace pentimento::anatomy {
namespace {

std::vector<std::uint64_t> RowsByItem(std::span<const std::uint32_t> rows_of_signature, const ClassRule& rule) {
  std::vector<std::uint64_t> rows(rule.items().size());
  for (Code signature = 0; signature < rows_of_signature.size(); ++signature) {
    for (const ClassRule::Item item : rule.ItemsOf(signature)) rows[item] += rows_of_signature[signature];
  }
  return rows;
}

// Signatures that share a limit lie together, those of the most frequent one first: then, as long as limits nest, the
// rows of each are neighbours and are divided evenly.
std::vector<Code> OrderOfSignatures(std::span<const std::uint32_t> rows_of_signature, const ClassRule& rule) {
  const std::vector<std::uint64_t> rows = RowsByItem(rows_of_signature, rule);
  std::vector<ClassRule::Item> most_frequent(rows.size());
  std::iota(most_frequent.begin(), most_frequent.end(), ClassRule::Item{0});
  std::ranges::stable_sort(most_frequent, std::greater<>(), [&](ClassRule::Item item) { return rows[item]; });
  std::vector<std::uint32_t> rank(rows.size());
  for (std::uint32_t r = 0; r < rank.size(); ++r) rank[most_frequent[r]] = r;
  std::vector<std::vector<std::uint32_t>> ranks(rows_of_signature.size());
  for (Code signature = 0; signature < ranks.size(); ++signature) {
    for (const ClassRule::Item item : rule.ItemsOf(signature)) ranks[signature].push_back(rank[item]);
    std::ranges::sort(ranks[signature]);
  }
  std::vector<Code> order(rows_of_signature.size());
  std::iota(order.begin(), order.end(), Code{0});
  std::ranges::stable_sort(order, [&](Code a, Code b) { return ranks[a] < ranks[b]; });
  return order;
}

// The rows sorted by signature, and the parts into which they are divided.
class EvenParts {
 public:
  EvenParts(std::span<const std::uint32_t> rows_of_signature, const ClassRule& rule, std::uint32_t count)
      : order_(OrderOfSignatures(rows_of_signature, rule)), count_(count) {
    for (const Code signature : order_) end_.push_back((end_.empty() ? 0 : end_.back()) + rows_of_signature[signature]);
  }

  void AddRows(std::uint32_t part, Tally& tally) const {
    auto signature = end_.begin();
    for (std::uint64_t row = part; row < end_.back(); row += count_) {
      signature = std::upper_bound(signature, end_.end(), row);
      tally.Add(order_[static_cast<std::size_t>(signature - end_.begin())], 1);
    }
  }

  void FillLists(std::span<const ClassNumber> class_of_part, ClassLists& lists) const {
    std::uint64_t row = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      std::uint32_t part = static_cast<std::uint32_t>(row % count_);
      for (ClassNumber& number : lists.of(order_[i])) {
        number = class_of_part[part];
        if (++part == count_) part = 0;
      }
      row = end_[i];
    }
  }

 private:
  std::vector<Code> order_;
  std::vector<std::uint64_t> end_;  // by place in the order: the rows up to its last
  std::uint32_t count_;
};

struct JoinedParts {
  std::uint32_t classes = 0;
  std::vector<ClassNumber> class_of_part;
};

// A class ends as soon as it keeps the rule; what is left at the end takes classes back until it does. Parts come in
// random order, because those that break the rule lie side by side.
JoinedParts JoinParts(const EvenParts& parts, std::uint32_t count, const ClassRule& rule, Random& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  std::vector<std::uint32_t> ends;  // of classes, in that order
  Tally open(rule);
  for (std::uint32_t part = 0; part < count; ++part) {
    parts.AddRows(order[part], open);
    if (!open.Holds()) continue;
    ends.push_back(part + 1);
    open.Clear();
  }
  if (open.persons() > 0) {
    while (!open.Holds()) {
      Check(!ends.empty(), "the whole table keeps the rule");
      const std::uint32_t end = ends.back();
      ends.pop_back();
      for (std::uint32_t part = ends.empty() ? 0 : ends.back(); part < end; ++part) parts.AddRows(order[part], open);
    }
    ends.push_back(count);
  }
  JoinedParts joined{static_cast<std::uint32_t>(ends.size()), std::vector<ClassNumber>(count)};
  for (std::uint32_t number = 0, part = 0; number < joined.classes; ++number) {
    for (; part < ends[number]; ++part) joined.class_of_part[order[part]] = number;
  }
  return joined;
}

// Whether classes of about `size` rows keep every limit whose rows are divided evenly.
bool KeepsLimitsOnTheWhole(std::span<const std::uint64_t> rows_of_item, const ClassRule& rule, std::uint64_t rows,
                           std::uint64_t size) {
  const std::uint64_t parts = rows / size;
  for (ClassRule::Item item = 0; item < rows_of_item.size(); ++item) {
    if (rule.IsTooMany(item, (rows_of_item[item] + parts - 1) / parts, rows / parts)) return false;
  }
  return true;
}

}  // namespace

std::uint64_t ChoosePartSize(std::span<const std::uint32_t> rows_of_signature, const ClassRule& rule) {
  constexpr std::uint64_t kLookAtMost = 4096;
  const std::uint64_t rows = std::accumulate(rows_of_signature.begin(), rows_of_signature.end(), std::uint64_t{0});
  const std::vector<std::uint64_t> rows_of_item = RowsByItem(rows_of_signature, rule);
  std::uint64_t smallest = rule.smallest_class();
  for (ClassRule::Item item = 0; item < rows_of_item.size(); ++item)
    smallest = std::max(smallest, rule.PersonsNeeded(item, rows_of_item[item] > 0 ? 1 : 0));
  smallest = std::min(smallest, rows);
  for (std::uint64_t size = smallest; size <= std::min(rows, smallest + kLookAtMost); ++size) {
    if (KeepsLimitsOnTheWhole(rows_of_item, rule, rows, size)) return size;
  }
  return smallest;
}

ClassLists DivideEvenly(std::span<const std::uint32_t> rows_of_signature, const ClassRule& rule, std::uint64_t size,
                        Random& random) {
  ClassLists lists(rows_of_signature);
  const auto count = static_cast<std::uint32_t>(lists.class_of_slot.size() / size);
  const EvenParts parts(rows_of_signature, rule, count);
  const JoinedParts joined = JoinParts(parts, count, rule, random);
  parts.FillLists(joined.class_of_part, lists);
  lists.classes = joined.classes;
  return lists;
}

}  // namespace pentimento::anatomy
