// How long the partition alone takes on a real input: reads the policy's table once, then partitions it again and again
// with one thread. Prints JSON. The first reading also pays for memory that the system has to find; on virtual
// machines whose host hands memory out on first use this can be as long as the partition itself.
//
//   partition_alone POLICY.toml [REPEATS]
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "anonymize/partition/partition.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "base/temporary_folder.h"
#include "engine/bind/bind.h"
#include "io/encode.h"
#include "policy/policy.h"

namespace pentimento {
namespace {

Status Run(const std::string& policy_path, int repeats) {
  PENTIMENTO_ASSIGN(Policy policy, ReadPolicy(policy_path));
  PENTIMENTO_ASSIGN(const BoundPolicy bound, Bind(std::move(policy)));
  EncodeOptions encode;
  encode.spill_folder = TemporaryFolder();
  PENTIMENTO_ASSIGN(const EncodedInput input,
                    EncodeTable(OpenInputs(bound.policy.inputs, bound.plan), bound.plan, encode));
  const ThreadLimit one_thread(1);
  const PartitionOptions options{bound.k, bound.policy.categories, BoxKind::kMembers};
  std::string seconds;
  std::size_t groups = 0;
  for (int i = 0; i < repeats; ++i) {
    Stopwatch watch;
    PENTIMENTO_ASSIGN(const Classes draft, AnonymizeByPartition(input.table, input.domains, options));
    seconds += fmt::format("{}{:.6f}", i == 0 ? "" : ", ", watch.Lap());
    groups = draft.count();
  }
  fmt::print("{{\"rows\": {}, \"groups\": {}, \"seconds\": [{}]}}\n", input.table.rows, groups, seconds);
  return {};
}

}  // namespace
}  // namespace pentimento

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: partition_alone POLICY.toml [REPEATS]\n");
    return 2;
  }
  const pentimento::Status status = pentimento::Run(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 5);
  if (status.ok()) return 0;
  fmt::print(stderr, "partition_alone: {}\n", status.error().message);
  return 1;
}
