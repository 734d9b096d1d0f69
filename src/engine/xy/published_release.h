// An earlier release on record, read back from its files, as far as a join needs it: its different rows over some
// columns, and how many records are like each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/published/manifest.h"
#include "ledger/ledger.h"

namespace pentimento {

struct EarlierColumn : PublishedColumn {
  // Its different cells as they are written, sorted; a missing one is the empty text. Nothing where the column was not
  // read.
  std::vector<std::string> labels;
  bool was_read = false;
};

struct PublishedRelease {
  std::string name;
  std::vector<std::string> missing;    // texts that stand for a missing value
  std::vector<EarlierColumn> columns;  // all that were published, in their order
  std::vector<std::uint32_t> read;     // which of them were read
  // read.size() per different row: indices into the labels of its columns. Rows ascend by them.
  std::vector<std::uint32_t> cells;
  std::vector<std::uint64_t> records;  // by different row: how many records are like it
  std::vector<std::uint64_t> example;  // by different row: the number of one of them, from 0
};

// The column names of a release on record, without its cells. kBadPolicy where the ledger does not know the release,
// with names like it; kBadInput where its files are not where they were or are not what was published.
Result<PublishedRelease> DescribePublishedRelease(Ledger& ledger, const std::string& name);
// The same with the cells of these columns, which are not of the role 'keep'.
Result<PublishedRelease> ReadPublishedRelease(Ledger& ledger, const std::string& name,
                                              std::span<const std::string> columns);

}  // namespace pentimento
