#include "table/encoded_table.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <span>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

using Parts = std::vector<std::vector<IdentityHash>>;

// Hashes are uniform, so their top bits cut them into even buckets that fit the cache and sort side by side; the bits
// after those cut a bucket into slots of a few hashes.
constexpr int kBucketBits = 12;
constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
constexpr int kSlotBits = 11;
constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

std::size_t BucketOf(const IdentityHash& hash) { return hash.high >> (64 - kBucketBits); }
std::size_t SlotOf(const IdentityHash& hash) { return hash.high >> (64 - kBucketBits - kSlotBits) & (kSlots - 1); }

// Parts are filed into buckets side by side, by tasks of as many parts each.
constexpr std::size_t kTasks = 8;

struct BucketedHashes {
  std::vector<IdentityHash> hashes;
  std::vector<std::size_t> begin;  // kBuckets + 1 offsets
};

template <typename Body>
void ForEachHash(const Parts& parts, std::size_t task, const Body& body) {
  for (std::size_t part = parts.size() * task / kTasks; part < parts.size() * (task + 1) / kTasks; ++part) {
    for (const IdentityHash& hash : parts[part]) body(hash);
  }
}

BucketedHashes FileIntoBuckets(const Parts& parts) {
  std::vector<std::vector<std::size_t>> next(kTasks, std::vector<std::size_t>(kBuckets, 0));
  ParallelFor(kTasks, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t task = first; task < last; ++task)
      ForEachHash(parts, task, [&](const IdentityHash& hash) { ++next[task][BucketOf(hash)]; });
  });
  BucketedHashes result;
  std::size_t place = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    result.begin.push_back(place);
    for (std::vector<std::size_t>& of_task : next) place += std::exchange(of_task[bucket], place);
  }
  result.begin.push_back(place);
  result.hashes.resize(place);
  ParallelFor(kTasks, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t task = first; task < last; ++task)
      ForEachHash(parts, task, [&](const IdentityHash& hash) { result.hashes[next[task][BucketOf(hash)]++] = hash; });
  });
  return result;
}

// Sorts hashes of one bucket. `room` is used again and again.
void SortBucket(std::span<IdentityHash> hashes, std::vector<IdentityHash>& room) {
  if (hashes.size() < kSlots / 8) {
    std::ranges::sort(hashes);
    return;
  }
  std::array<std::uint32_t, kSlots + 1> end{};
  for (const IdentityHash& hash : hashes) ++end[SlotOf(hash) + 1];
  for (std::size_t slot = 0; slot < kSlots; ++slot) end[slot + 1] += end[slot];
  room.assign(hashes.begin(), hashes.end());
  // Where a slot begins becomes where it ends, once it is filled.
  for (const IdentityHash& hash : room) hashes[end[SlotOf(hash)]++] = hash;
  std::size_t begin = 0;
  for (std::size_t slot = 0; slot < kSlots; begin = end[slot++]) {
    if (end[slot] - begin > 1) std::ranges::sort(hashes.subspan(begin, end[slot] - begin));
  }
}

// All hashes in order, and whether some occur twice.
std::pair<std::vector<IdentityHash>, bool> SortHashes(const Parts& parts) {
  BucketedHashes bucketed = FileIntoBuckets(parts);
  std::atomic<bool> repeats = false;
  ParallelFor(kBuckets, 16, [&](std::size_t first, std::size_t last) {
    std::vector<IdentityHash> room;
    for (std::size_t i = first; i < last; ++i) {
      const auto bucket =
          std::span(bucketed.hashes).subspan(bucketed.begin[i], bucketed.begin[i + 1] - bucketed.begin[i]);
      SortBucket(bucket, room);
      if (std::ranges::adjacent_find(bucket) != bucket.end()) repeats = true;
    }
  });
  return {std::move(bucketed.hashes), repeats};
}

// Where to look for a hash in a sorted run. Hashes are uniform, so their top bits cut the run into slots of a few.
class SlotsOfRun {
 public:
  explicit SlotsOfRun(std::span<const IdentityHash> sorted) : sorted_(sorted) {
    const int bits = std::max(1, static_cast<int>(std::bit_width(sorted.size())) - 3);
    shift_ = 64 - bits;
    begin_.resize((std::size_t{1} << bits) + 1);
    std::size_t place = 0;
    for (std::size_t slot = 0; slot < begin_.size() - 1; ++slot) {
      begin_[slot] = static_cast<std::uint32_t>(place);
      while (place < sorted.size() && sorted[place].high >> shift_ == slot) ++place;
    }
    begin_.back() = static_cast<std::uint32_t>(place);
  }

  // REQUIRES: the hash is in the run.
  std::uint32_t Find(const IdentityHash& hash) const {
    const std::size_t slot = hash.high >> shift_;
    const auto found = std::lower_bound(sorted_.begin() + begin_[slot], sorted_.begin() + begin_[slot + 1], hash);
    return static_cast<std::uint32_t>(found - sorted_.begin());
  }

 private:
  std::span<const IdentityHash> sorted_;
  int shift_ = 0;
  std::vector<std::uint32_t> begin_;
};

std::vector<std::uint32_t> NumberRows(const Parts& parts, std::size_t rows, std::span<const IdentityHash> sorted) {
  std::vector<std::uint32_t> person_of_row(rows);
  std::vector<std::size_t> begin = {0};
  for (const std::vector<IdentityHash>& part : parts) begin.push_back(begin.back() + part.size());
  const SlotsOfRun slots(sorted);
  ParallelFor(parts.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t part = first; part < last; ++part) {
      for (std::size_t i = 0; i < parts[part].size(); ++i) person_of_row[begin[part] + i] = slots.Find(parts[part][i]);
    }
  });
  return person_of_row;
}

}  // namespace

People NumberPeople(std::vector<std::vector<IdentityHash>> parts) {
  People people;
  bool repeats = false;
  std::tie(people.sorted, repeats) = SortHashes(parts);
  const std::size_t rows = people.sorted.size();
  Check(rows < UINT32_MAX, "a table holds fewer than 2^32 - 1 rows");
  if (repeats) people.sorted.erase(std::unique(people.sorted.begin(), people.sorted.end()), people.sorted.end());
  people.person_of_row = NumberRows(parts, rows, people.sorted);
  return people;
}

}  // namespace pentimento
