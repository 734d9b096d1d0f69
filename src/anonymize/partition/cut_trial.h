// Whether every part of a given cut keeps the limits, in one pass over the members.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/column_cuts.h"
#include "anonymize/partition/node_view.h"
#include "anonymize/partition/table_limits.h"

namespace pentimento::partition {

template <typename Rows>
class CutTrial {
 public:
  CutTrial(const Rows& rows, const TableLimits& limits)
      : rows_(&rows), limits_(&limits), signatures_(limits.rule.signature_count()) {}

  // Whether counting every signature in every part costs less than ordering the members.
  bool IsCheap(const NodeView& node, const Cut& cut) const {
    return std::max<std::size_t>(cut.runs.size(), 2) * signatures_ <= 4 * node.rows() + kAlwaysCheap;
  }

  bool Keeps(const NodeView& node, const Cut& cut) {
    if (cut.runs.empty()) {
      Count(node, 2, cut.column, [at = cut.at](Code code) { return code < at ? std::size_t{0} : std::size_t{1}; });
    } else {
      RunOfCode(cut.runs, node.members[cut.column], node.rows()).Visit([&](auto run_of) {
        Count(node, cut.runs.size(), cut.column, run_of);
      });
    }
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const auto counts = std::span(counts_).subspan(part * signatures_, signatures_);
      if constexpr (!Rows::kHasPersons) {
        for (const std::uint32_t count : counts) parts_[part].persons += count;
      }
      if (!limits_->rule.Holds(counts, parts_[part].persons, parts_[part].most_rows)) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kAlwaysCheap = 64;

  struct Part {
    std::uint64_t persons = 0;
    std::uint64_t most_rows = 1;
    std::size_t last = static_cast<std::size_t>(-1);  // the last record in it
  };

  template <typename PartOf>
  void Count(const NodeView& node, std::size_t parts, std::size_t column, PartOf part_of) {
    parts_.assign(parts, {});
    counts_.assign(parts * signatures_, 0);
    const auto records = rows_->records(node.buffer);
    std::uint32_t* const counts = counts_.data();
    const std::size_t signatures = signatures_;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const std::size_t part = part_of(records.codes(i)[column]);
      ++counts[part * signatures + records.signature(i)];
      if constexpr (Rows::kHasPersons) CountPerson(records, i, parts_[part]);
    }
  }

  // Rows of one person are neighbours, in a part as well.
  void CountPerson(const typename Rows::Records& records, std::size_t i, Part& part) const {
    const std::uint32_t person = records.person(i);
    if (part.persons > 0 && records.person(part.last) == person) return;
    ++part.persons;
    part.most_rows = std::max<std::uint64_t>(part.most_rows, limits_->rows_of_person[person]);
    part.last = i;
  }

  const Rows* rows_;
  const TableLimits* limits_;
  std::size_t signatures_;
  // Reused from node to node.
  std::vector<Part> parts_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace pentimento::partition
