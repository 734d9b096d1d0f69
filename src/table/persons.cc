#include "table/persons.h"

#include <algorithm>

#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

// Hashes are uniform, so their top bits cut them into even buckets that fit the cache and sort side by side.
constexpr int kBucketBits = 12;
constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;

std::size_t BucketOf(const IdentityHash& hash) { return hash.high >> (64 - kBucketBits); }

struct BucketedHashes {
  std::vector<IdentityHash> hashes;
  std::vector<std::size_t> begin;  // kBuckets + 1 offsets
};

BucketedHashes SortByBuckets(const std::vector<IdentityHash>& hashes) {
  BucketedHashes result{std::vector<IdentityHash>(hashes.size()), std::vector<std::size_t>(kBuckets + 1, 0)};
  for (const IdentityHash& hash : hashes) ++result.begin[BucketOf(hash) + 1];
  for (std::size_t i = 0; i < kBuckets; ++i) result.begin[i + 1] += result.begin[i];
  std::vector<std::size_t> next(result.begin.begin(), result.begin.end() - 1);
  for (const IdentityHash& hash : hashes) result.hashes[next[BucketOf(hash)]++] = hash;
  ParallelFor(kBuckets, 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      std::sort(result.hashes.begin() + static_cast<std::ptrdiff_t>(result.begin[i]),
                result.hashes.begin() + static_cast<std::ptrdiff_t>(result.begin[i + 1]));
    }
  });
  return result;
}

Persons NumberRows(const std::vector<IdentityHash>& identity_of_row, const std::vector<IdentityHash>& sorted_people) {
  Persons persons;
  persons.count = static_cast<std::uint32_t>(sorted_people.size());
  persons.person_of_row.resize(identity_of_row.size());
  ParallelFor(identity_of_row.size(), 1 << 14, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      const auto found = std::lower_bound(sorted_people.begin(), sorted_people.end(), identity_of_row[row]);
      persons.person_of_row[row] = static_cast<std::uint32_t>(found - sorted_people.begin());
    }
  });
  return persons;
}

}  // namespace

People NumberPeople(std::vector<IdentityHash> identity_of_row) {
  Check(identity_of_row.size() < UINT32_MAX, "a table holds fewer than 2^32 - 1 rows");
  People people;
  people.sorted = SortByBuckets(identity_of_row).hashes;
  people.sorted.erase(std::unique(people.sorted.begin(), people.sorted.end()), people.sorted.end());
  if (people.sorted.size() < identity_of_row.size()) people.persons = NumberRows(identity_of_row, people.sorted);
  return people;
}

}  // namespace pentimento
