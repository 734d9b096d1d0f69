#include "guarantee/form/box_classes.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstddef>

#include "base/hash.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

struct HashOfGroup {
  const std::vector<std::uint64_t>* hashes;
  std::size_t operator()(ClassNumber group) const { return (*hashes)[group]; }
};

struct HaveEqualBoxes {
  const Classes* draft;
  bool operator()(ClassNumber a, ClassNumber b) const { return std::ranges::equal(draft->box(a), draft->box(b)); }
};

}  // namespace

std::uint64_t HashBox(std::span<const Interval> box) { return Checksum(std::as_bytes(box)); }

std::vector<ClassId> ClassOfGroup(const Classes& draft, BoxHash hash) {
  constexpr std::size_t kBoxesHashed = 4096;  // by one task
  std::vector<std::uint64_t> hashes(draft.count());
  ParallelFor(hashes.size(), kBoxesHashed, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) hashes[g] = hash(draft.box(static_cast<ClassNumber>(g)));
  });
  tsl::robin_map<ClassNumber, ClassId, HashOfGroup, HaveEqualBoxes> class_of(draft.count(), {&hashes}, {&draft});
  std::vector<ClassId> class_of_group;
  class_of_group.reserve(draft.count());
  for (ClassNumber group = 0; group < draft.count(); ++group)
    class_of_group.push_back(class_of.try_emplace(group, static_cast<ClassId>(class_of.size())).first->second);
  return class_of_group;
}

}  // namespace pentimento
