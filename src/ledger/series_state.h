// What the ledger keeps of one release of a series: the segment of the tree, who the newcomers are, and what everybody
// after it must know about the series. docs/formats/state.md is the format.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anonymize/incremental/series_view.h"
#include "base/hash.h"
#include "base/result.h"
#include "ledger/state_file.h"

namespace pentimento {

// The newcomers of a release that has an id column: ascending by hash.
struct SeriesIdentities {
  std::span<const IdentityHash> hashes;
  std::span<const CaseNumber> members;  // parallel
};

Result<StateFileRecord> WriteSeriesSegment(const std::filesystem::path& state_folder, std::string_view name,
                                           const SegmentView& segment, std::size_t columns,
                                           const SeriesIdentities& identities, std::string_view about);

// A segment on disk, mapped: looked at in place.
class SeriesSegment {
 public:
  // What steers a walk through the segment, and who left, is checked at once; records and identities where the file was
  // mapped with StateCheck::kPayload, or by the functions below. `nodes_before` and `members_before`: of all earlier
  // segments.
  static Result<SeriesSegment> Open(MappedStateFile file, NodeNumber nodes_before, CaseNumber members_before,
                                    const std::string& name);

  const SegmentView& view() const { return view_; }
  const SeriesIdentities& identities() const { return identities_; }
  // Whether these records are as they were written: looks at the blocks they lie in, each once. Several threads may ask
  // at the same time.
  bool RecordsAreIntact(std::span<const LeafRecords> records);
  // Whether the identities are as they were written. Reads all of them: for whoever is about to act on one.
  bool IdentitiesAreIntact() const;
  std::string_view about() const { return about_; }
  std::size_t columns() const { return columns_; }

 private:
  explicit SeriesSegment(MappedStateFile file) : file_(std::move(file)) {}

  MappedStateFile file_;  // whose mapping does not move with the object
  SegmentView view_;
  SeriesIdentities identities_;
  std::string_view about_;
  std::size_t columns_ = 0;
  std::uint64_t identities_checksum_ = 0;
  std::span<const std::uint64_t> block_checksums_;
  std::vector<std::uint8_t> is_block_intact_;  // those that were looked at
};

// Files away a Parquet file with the cells of the newcomers, as it is.
Result<StateFileRecord> WriteSeriesRowsState(const std::filesystem::path& state_folder, std::string_view name,
                                             const std::filesystem::path& parquet);

}  // namespace pentimento
