#include "anonymize/incremental/describe_change.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/large_pages.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kUncutLeavesPerTask = 4096;

// The newcomers alone may do with narrower codes than the domain: a column as wide as everybody's codes need.
CodeColumn FitFor(const Domain& domain, CodeColumn column) {
  CodeColumn wide(domain.size());
  if (wide.bits() == column.bits()) return column;
  wide.VisitMutable(
      [&](auto& codes) { column.Visit([&](auto narrow) { codes.assign(narrow.begin(), narrow.end()); }); });
  return wide;
}

// Codes of the new segment into rows of the table from `first_row` on.
template <typename Stored>
void FillBlock(std::span<const Stored> side_by_side, std::span<const std::uint32_t> records, std::size_t first_row,
               std::span<CodeColumn> columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    columns[c].VisitMutable([&](auto& codes) {
      using Narrow = typename std::remove_cvref_t<decltype(codes)>::value_type;
      for (std::size_t i = 0; i < records.size(); ++i)
        codes[first_row + i] = static_cast<Narrow>(side_by_side[records[i] * columns.size() + c]);
    });
  }
}

}  // namespace

ChangeDescription::ChangeDescription(const StepContext& step, EncodedTable batch, std::span<const CutPiece> pieces)
    : step_(step), columns_(step.domains.size()), pieces_(pieces) {
  std::size_t cut = 0;
  for (const CutPiece& piece : pieces) cut += piece.cut.size();
  PieceBegin next{batch.rows, step.joined.size() - cut, 0};
  for (const CutPiece& piece : pieces) {
    begins_.push_back(next);
    next.row += piece.earlier_members;
    next.group += piece.leaves.size();
    next.previous += piece.cut.size();
  }
  described_.table.quasi_identifiers = std::move(batch.quasi_identifiers);
  MakeRoom(next);
}

DescribedChange ChangeDescription::Run(const SegmentView& segment, std::span<const std::uint32_t> uncut) {
  room_.Wait();
  ParallelFor(uncut.size(), kUncutLeavesPerTask,
              [&](std::size_t begin, std::size_t end) { DescribeUncut(uncut, begin, end); });
  ParallelFor(pieces_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) DescribePiece(segment, pieces_[p], begins_[p]);
  });
  return std::move(described_);
}

// Large arrays are filled for the first time here: side by side, the largest first.
void ChangeDescription::MakeRoom(const PieceBegin& end) {
  change_.classes.columns = columns_;
  room_.Run([this, end] { ResizeInLargePages(change_.classes.boxes, end.group * columns_); });
  room_.Run([this, end] {
    ResizeInLargePages(change_.case_of_row, end.row);
    std::iota(change_.case_of_row.begin(), change_.case_of_row.end(), step_.facts.first_newcomer());
  });
  room_.Run([this, end] { ResizeInLargePages(change_.classes.of_row, end.row); });
  room_.Run([this, end] { ResizeInLargePages(change_.previous_of_row, end.row, IncrementalChange::kNew); });
  room_.Run([this, end] { change_.is_withdrawn.resize(end.row); });
  if (step_.hides_arrivals) room_.Run([this, end] { change_.arrival_of_row.resize(end.row); });
  room_.Run([this, end] { ResizeInLargePages(change_.staying_in_group, end.group); });
  room_.Run([this, end] { ResizeInLargePages(change_.previous_boxes, end.previous * columns_); });
  change_.staying_in_previous.resize(end.previous);
  described_.table.rows = end.row;
  for (std::size_t c = 0; c < columns_; ++c) {
    room_.Run([this, end, c] {
      CodeColumn& column = described_.table.quasi_identifiers[c];
      column = FitFor(step_.domains[c], std::move(column));
      column.VisitMutable([&](auto& codes) { codes.resize(end.row); });
    });
  }
}

// Leaves that stay: their newcomers get the box that everybody else in there has.
void ChangeDescription::DescribeUncut(std::span<const std::uint32_t> uncut, std::size_t begin, std::size_t end) {
  RegionCovers covers(step_.domains, step_.form);
  for (std::size_t group = begin; group < end; ++group) {
    Interval* const box = change_.classes.boxes.data() + group * columns_;
    covers.Write(step_.joined.region_of(uncut[group]), box);
    change_.staying_in_group[group] = step_.joined.leaves[uncut[group]].member_count;
    for (const std::uint32_t row : step_.joined.newcomers_of(uncut[group])) SetNewcomer(row, group);
  }
}

void ChangeDescription::DescribePiece(const SegmentView& segment, const CutPiece& piece, const PieceBegin& at) {
  std::vector<std::uint32_t> previous_of_leaf = DescribeBoxes(piece, at);
  std::vector<std::uint32_t> earlier;  // their records in the new segment, which are neighbours and just written
  earlier.reserve(piece.earlier_members);
  for (std::size_t leaf = 0; leaf < piece.leaves.size(); ++leaf) {
    const LeafRecords& records = piece.leaves[leaf];
    std::uint32_t record = segment.leaves[at.group + leaf].begin;
    for (const MemberPlace& place : std::span(piece.places).subspan(records.begin, records.count)) {
      const std::uint32_t own = record++;
      if (place.segment == kInBatch) {
        SetNewcomer(step_.joined.rows[place.record], at.group + leaf);
        continue;
      }
      const std::size_t row = at.row + earlier.size();
      change_.case_of_row[row] = place.member;
      change_.classes.of_row[row] = static_cast<ClassNumber>(at.group + leaf);
      change_.previous_of_row[row] = previous_of_leaf[leaf];
      change_.is_withdrawn[row] = step_.facts.HasLeft(place.member) ? 1 : 0;
      if (step_.hides_arrivals) change_.arrival_of_row[row] = step_.facts.ArrivalOf(place.member);
      earlier.push_back(own);
    }
  }
  FillRows(segment, earlier, at.row);
}

// A block of records stays in the cache while column after column is written.
void ChangeDescription::FillRows(const SegmentView& segment, std::span<const std::uint32_t> records,
                                 std::size_t first_row) {
  constexpr std::size_t kBlock = 512;
  const std::span<CodeColumn> columns(described_.table.quasi_identifiers);
  for (std::size_t first = 0; first < records.size(); first += kBlock) {
    const auto block = records.subspan(first, std::min(kBlock, records.size() - first));
    std::visit([&](auto codes) { FillBlock(codes, block, first_row + first, columns); }, segment.codes);
  }
}

// The boxes before and after; returns which earlier box the members of each new leaf had.
std::vector<std::uint32_t> ChangeDescription::DescribeBoxes(const CutPiece& piece, const PieceBegin& at) {
  RegionCovers covers(step_.domains, step_.form);
  std::vector<std::uint32_t> group_of_node(piece.nodes.size());
  for (std::size_t leaf = 0; leaf < piece.leaves.size(); ++leaf)
    group_of_node[piece.leaves[leaf].node] = static_cast<std::uint32_t>(leaf);
  std::vector<std::uint32_t> previous_of_leaf(piece.leaves.size());
  std::vector<NodeNumber> open;
  std::vector<Box> regions;  // of `open`
  const auto push_children = [&](const RegionNode& node, std::span<const Interval> parent) {
    const auto children = std::span(piece.nodes).subspan(node.first_child, node.child_count);
    for (std::size_t child = 0; child < children.size(); ++child) {
      open.push_back(node.first_child + static_cast<NodeNumber>(child));
      Interval& interval = regions.emplace_back(parent.begin(), parent.end())[node.column];
      interval = RegionOfChild(children, child, interval);
    }
  };
  for (std::size_t cut = 0; cut < piece.cut.size(); ++cut) {
    const auto region = std::span(piece.regions).subspan(cut * columns_, columns_);
    covers.Write(region, change_.previous_boxes.data() + (at.previous + cut) * columns_);
    push_children(piece.cut[cut].node, region);
    while (!open.empty()) {
      const NodeNumber number = std::exchange(open.back(), 0);
      const Box at_region = std::move(regions.back());
      open.pop_back();
      regions.pop_back();
      if (!piece.nodes[number].is_leaf()) {
        push_children(piece.nodes[number], at_region);
        continue;
      }
      const std::uint32_t leaf = group_of_node[number];
      covers.Write(at_region, change_.classes.boxes.data() + (at.group + leaf) * columns_);
      previous_of_leaf[leaf] = static_cast<std::uint32_t>(at.previous + cut);
    }
  }
  return previous_of_leaf;
}

// Newcomers are numbered like their rows, which have no box before and nobody who left.
void ChangeDescription::SetNewcomer(std::size_t row, std::size_t group) {
  change_.classes.of_row[row] = static_cast<ClassNumber>(group);
  if (step_.hides_arrivals) change_.arrival_of_row[row] = step_.facts.ArrivalOf(change_.case_of_row[row]);
}

}  // namespace pentimento
