// What one step of a series changes in what is published, for the verifier and for whoever publishes changes only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/incremental/cut_leaves.h"
#include "anonymize/incremental/published_boxes.h"
#include "base/parallel.h"
#include "table/encoded_table.h"

namespace pentimento {

// First the newcomers, in their order, then all earlier members of the leaves that were cut. Groups are the leaves of
// the new segment, in the same order: joined leaves that stay, then those of the pieces.
class ChangeDescription {
 public:
  // Begins to make room, which takes as long as everything else, while the caller goes on. `pieces` stay as they are.
  ChangeDescription(const StepContext& step, EncodedTable batch, std::span<const CutPiece> pieces);

  // `segment` is the new one; `uncut`, joined leaves that stay.
  DescribedChange Run(const SegmentView& segment, std::span<const std::uint32_t> uncut);

 private:
  // Where the rows, groups and earlier boxes of a piece begin.
  struct PieceBegin {
    std::size_t row = 0;
    std::size_t group = 0;
    std::size_t previous = 0;
  };

  void MakeRoom(const PieceBegin& end);
  void DescribeUncut(std::span<const std::uint32_t> uncut, std::size_t begin, std::size_t end);
  void DescribePiece(const SegmentView& segment, const CutPiece& piece, const PieceBegin& at);
  void FillRows(const SegmentView& segment, std::span<const std::uint32_t> records, std::size_t first_row);
  std::vector<std::uint32_t> DescribeBoxes(const CutPiece& piece, const PieceBegin& at);
  void SetNewcomer(std::size_t row, std::size_t group);

  const StepContext& step_;
  std::size_t columns_;
  std::span<const CutPiece> pieces_;
  std::vector<PieceBegin> begins_;
  DescribedChange described_;
  IncrementalChange& change_ = described_.change;
  TaskGroup room_;  // which fills what stands above, so it goes first
};

}  // namespace pentimento
