// What a run of the partition is given and what it returns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/partition.h"
#include "anonymize/partition/table_limits.h"

namespace pentimento::partition {

// What is partitioned and how; `limits` where sensitive values are limited.
struct Task {
  const EncodedTable& table;
  std::span<const Domain> domains;
  PartitionOptions options;
  const TableLimits* limits = nullptr;
  std::vector<std::uint32_t> drawn = {};  // by row, where leaves are divided into bags
  PartsOfTable parts = {};                // where they are the first level of the tree

  // Boxes that differ in codes can be published alike only where a cover is wider than what it covers.
  bool CanBoxesBeEqual() const;
};

// For tables in which nobody has two rows, or somebody has; without limits on sensitive values, or with. Where boxes
// are wanted, no two classes have equal ones.
Classes RunRows(const Task& task);
Classes RunPersons(const Task& task);
Classes RunLimitedRows(const Task& task);
Classes RunLimitedPersons(const Task& task);

}  // namespace pentimento::partition
