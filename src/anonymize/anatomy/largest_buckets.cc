#include "anonymize/anatomy/largest_buckets.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace pentimento::anatomy {
namespace {

struct Bucket {
  std::uint32_t left;
  Code signature;
};

// Buckets from the largest to the smallest. Taking one row from each of the l largest leaves them in order if, of those
// as large as the l-th, the last ones are taken: so nothing is ever sorted again.
class SortedBuckets {
 public:
  explicit SortedBuckets(std::span<const std::uint32_t> rows_of_signature) {
    for (Code signature = 0; signature < rows_of_signature.size(); ++signature)
      buckets_.push_back({rows_of_signature[signature], signature});
    std::ranges::stable_sort(buckets_, std::greater<>(), &Bucket::left);
  }

  // Calls take(signature) l times.
  template <typename Take>
  void TakeFromLargest(std::size_t l, const Take& take) {
    const std::uint32_t smallest = buckets_[l - 1].left;
    Check(smallest > 0, "a class is formed from buckets that have rows");
    const auto larger_end = std::partition_point(buckets_.begin(), buckets_.begin() + static_cast<std::ptrdiff_t>(l),
                                                 [=](const Bucket& bucket) { return bucket.left > smallest; });
    const auto equal_end = std::partition_point(buckets_.begin() + static_cast<std::ptrdiff_t>(l), buckets_.end(),
                                                [=](const Bucket& bucket) { return bucket.left == smallest; });
    const std::ptrdiff_t of_equal = static_cast<std::ptrdiff_t>(l) - (larger_end - buckets_.begin());
    const auto take_one = [&](Bucket& bucket) {
      --bucket.left;
      take(bucket.signature);
    };
    std::for_each(buckets_.begin(), larger_end, take_one);
    std::for_each(equal_end - of_equal, equal_end, take_one);
  }

  std::span<const Bucket> buckets() const { return buckets_; }

 private:
  std::vector<Bucket> buckets_;
};

// One of the classes that are not in the ascending list, each with the same chance.
ClassNumber DrawOther(std::span<const ClassNumber> taken, std::uint32_t classes, Random& random) {
  Check(taken.size() < classes, "some class does not have the signature");
  const std::uint32_t which = random.Below(classes - static_cast<std::uint32_t>(taken.size()));
  // taken[i] - i classes before taken[i] are free.
  std::size_t lo = 0;
  std::size_t hi = taken.size();
  while (lo < hi) {
    const std::size_t middle = (lo + hi) / 2;
    if (taken[middle] - middle > which) {
      hi = middle;
    } else {
      lo = middle + 1;
    }
  }
  return static_cast<ClassNumber>(which + lo);
}

}  // namespace

bool IsEligible(std::span<const std::uint32_t> rows_of_signature, std::uint64_t l) {
  const std::uint64_t rows = std::accumulate(rows_of_signature.begin(), rows_of_signature.end(), std::uint64_t{0});
  return rows >= l && std::ranges::all_of(rows_of_signature, [=](std::uint64_t own) { return own <= rows / l; });
}

ClassLists FormFromLargestBuckets(std::span<const std::uint32_t> rows_of_signature, std::uint64_t l, Random& random) {
  Check(IsEligible(rows_of_signature, l), "the table is eligible");
  ClassLists lists(rows_of_signature);
  lists.classes = static_cast<std::uint32_t>(lists.class_of_slot.size() / l);
  std::vector<std::uint32_t> next(lists.first.begin(), lists.first.end() - 1);
  SortedBuckets buckets(rows_of_signature);
  for (ClassNumber number = 0; number < lists.classes; ++number) {
    buckets.TakeFromLargest(l, [&](Code signature) { lists.class_of_slot[next[signature]++] = number; });
  }
  // What is left is at most one row of each signature, so nobody meets his own in a class that is drawn here.
  for (const Bucket& bucket : buckets.buckets()) {
    if (bucket.left == 0) continue;
    Check(bucket.left == 1, "only single rows are left");
    const std::span<ClassNumber> list = lists.of(bucket.signature);
    list.back() = DrawOther(list.first(list.size() - 1), lists.classes, random);
  }
  return lists;
}

}  // namespace pentimento::anatomy
