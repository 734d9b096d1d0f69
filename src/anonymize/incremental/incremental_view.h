// What the maker remembers of a series: one segment per release, in their order, none of them ever rewritten.
// Everything is looked at in place (a segment may be a mapped file), so a small batch touches little of a large series.
//
// Nodes are numbered through all segments, and so are members. A segment holds the members it added to leaves, and
// all members of the leaves it made by cutting older ones; what older segments say of a leaf that was cut since is
// history.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "anonymize/partition/codes_by_record.h"
#include "anonymize/partition/region_tree.h"
#include "base/interval.h"
#include "release/incremental_history.h"

namespace pentimento {

// A leaf that a segment cut: from then on it is an inner node. 16 bytes without padding.
struct NodeSplit {
  NodeNumber node = 0;
  std::uint32_t column = 0;
  NodeNumber first_child = 0;
  std::uint32_t child_count = 0;
  friend bool operator==(const NodeSplit&, const NodeSplit&) = default;
};

// The records of one leaf in one segment. 12 bytes without padding.
struct LeafRecords {
  NodeNumber node = 0;
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
  friend bool operator==(const LeafRecords&, const LeafRecords&) = default;
};

struct SegmentView {
  std::span<const RegionNode> nodes;      // made by this release
  std::span<const NodeSplit> splits;      // ascending by node
  std::span<const LeafRecords> leaves;    // ascending by node
  std::span<const CaseNumber> members;    // by record
  CodesByRecord codes;                    // by record, one code per column
  std::span<const CaseNumber> withdrawn;  // by this release; ascending
  std::uint32_t new_members = 0;          // who came with this release
};

inline Code CodeAt(const SegmentView& segment, std::size_t record, std::size_t columns, std::size_t column) {
  return std::visit([&](auto codes) { return Code{codes[record * columns + column]}; }, segment.codes);
}

struct IncrementalView {
  std::size_t columns = 0;
  std::vector<SegmentView> segments;  // empty: nothing was published yet

  CaseNumber member_count() const {
    CaseNumber count = 0;
    for (const SegmentView& segment : segments) count += segment.new_members;
    return count;
  }
};

// The same, owned: what a release adds.
struct SegmentData {
  std::vector<RegionNode> nodes;
  std::vector<NodeSplit> splits;
  std::vector<LeafRecords> leaves;
  std::vector<CaseNumber> members;
  OwnedCodes codes;
  std::vector<CaseNumber> withdrawn;
  std::uint32_t new_members = 0;

  SegmentView view() const { return {nodes, splits, leaves, members, ViewOf(codes), withdrawn, new_members}; }
};

}  // namespace pentimento
