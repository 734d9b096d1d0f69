// What the ledger keeps of one release of a series: the segment of the tree, who the newcomers are, and what everybody
// after it must know about the series. docs/formats/state.md is the format.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "anonymize/incremental/incremental_view.h"
#include "base/result.h"
#include "ledger/state_file.h"

namespace pentimento {

// What is said about the series, which may be known only when the rest is written: waits for it. Nothing where nobody
// wants the file any more.
using AboutWhenKnown = std::function<std::optional<std::string>()>;

// `identified`: the newcomers as their identities are kept, ascending by hash; empty without an id column. kCancelled
// where nobody wants the file any more.
Result<StateFileRecord> WriteIncrementalSegment(const std::filesystem::path& state_folder, std::string_view name,
                                                const SegmentView& segment, std::size_t columns,
                                                std::span<const CaseNumber> identified, const AboutWhenKnown& about);

// A segment on disk, mapped: looked at in place.
class IncrementalSegment {
 public:
  // What steers a walk through the segment, and who left, is checked at once; records and who is who where the file was
  // mapped with StateCheck::kPayload, or by the functions below. `nodes_before` and `members_before`: of all earlier
  // segments.
  static Result<IncrementalSegment> Open(MappedStateFile file, NodeNumber nodes_before, CaseNumber members_before,
                                         const std::string& name);

  const SegmentView& view() const { return view_; }
  // The newcomers in the order of their identities, which a file of their own has.
  std::span<const CaseNumber> identified() const { return identified_; }
  // Whether the records of this leaf, an index into the view's leaves, are as they were written.
  bool RecordsAreIntact(std::size_t leaf) const;
  // Whether the newcomers are as they were written. Reads all of them: for whoever is about to act on one.
  bool IdentifiedAreIntact() const;
  std::string_view about() const { return about_; }
  std::size_t columns() const { return columns_; }

 private:
  explicit IncrementalSegment(MappedStateFile file) : file_(std::move(file)) {}

  MappedStateFile file_;  // whose mapping does not move with the object
  SegmentView view_;
  std::span<const CaseNumber> identified_;
  std::string_view about_;
  std::size_t columns_ = 0;
  std::uint64_t identified_checksum_ = 0;
  std::span<const std::uint64_t> leaf_checksums_;
};

// Files away a Parquet file with the cells of the newcomers, as it is.
Result<StateFileRecord> WriteIncrementalRowsState(const std::filesystem::path& state_folder, std::string_view name,
                                                  const std::filesystem::path& parquet);

}  // namespace pentimento
