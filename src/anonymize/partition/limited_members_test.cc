// Two ways to look at the members of a node where sensitive values are limited: one says what the other says.
#include <gtest/gtest.h>

#include <vector>

#include "anonymize/partition/counted_members.h"
#include "anonymize/partition/limited_partition_testing.h"
#include "anonymize/partition/ordered_members.h"
#include "anonymize/partition/packed_rows.h"
#include "base/rounds_testing.h"

namespace pentimento::limited_members_test {
namespace {

using namespace partition_testing;
using Packed = partition::PackedRows<std::uint16_t, 8, false, true>;

void ExpectAlike(partition::OrderedMembers<Packed>& ordered, const partition::CountedMembers<Packed>& members) {
  ASSERT_EQ(ordered.slots().size(), members.slots().size());
  for (std::size_t s = 0; s < ordered.slots().size(); ++s) {
    EXPECT_EQ(ordered.slots()[s].code, members.slots()[s].code);
    EXPECT_EQ(ordered.slots()[s].first, members.slots()[s].first);
    EXPECT_EQ(s > 0 && ordered.BoundaryAt(s).is_legal(), s > 0 && members.BoundaryAt(s).is_legal());
    for (std::size_t past = s + 1; past <= ordered.slots().size(); ++past) {
      EXPECT_EQ(ordered.Of(s, past).persons, members.Of(s, past).persons);
      EXPECT_EQ(ordered.Of(s, past).keeps, members.Of(s, past).keeps);
    }
  }
}

// What nodes are looked at by must not show.
TEST(LimitedMembers, HoweverTheyAreCountedTheySayWhatOrderedMembersSay) {
  Random random(SeedFromNumber(17), "members");
  for (std::size_t repeat = 0; repeat < TestRounds(1000) && !testing::Test::HasFailure(); ++repeat) {
    LimitedCase limited = RandomLimitedCase(random);
    limited.given.table.persons.reset();
    const partition::TableLimits limits(ClassRule(&limited.signatures, limited.claim.k), {});
    Packed rows(limited.given.table, &limited.signatures.of_row);
    Box bounds(limited.given.domains.size());
    rows.Bounds(partition::Buffer::kFront, 0, rows.size(), bounds);
    const partition::NodeView node{0, rows.size(), partition::Buffer::kFront, bounds, {}};
    partition::OrderedMembers<Packed> ordered(rows, limits);
    partition::CountedMembers<Packed> counted(rows, limits);
    for (std::size_t c = 0; c < bounds.size(); ++c) {
      ordered.Load(node, c);
      counted.Load(node, c);
      ordered.FindBoundaries();
      ExpectAlike(ordered, counted);
    }
  }
}

}  // namespace
}  // namespace pentimento::limited_members_test
