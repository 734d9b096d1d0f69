#include "io/row_collector.h"

#include <algorithm>

#include "base/parallel.h"

namespace pentimento {
namespace {

// Rows of the input that are looked at together: some kilobytes of each column.
constexpr std::size_t kBlock = 16384;
constexpr std::size_t kBlocksPerTask = 16;

}  // namespace

std::size_t RowCollector::Add(const CodeColumn& codes) {
  codes.Visit(
      [&](auto all) { columns_.emplace_back(Column<std::remove_const_t<typename decltype(all)::element_type>>{all}); });
  return columns_.size() - 1;
}

std::size_t RowCollector::Add(std::span<const std::uint32_t> numbers) {
  columns_.emplace_back(Column<std::uint32_t>{numbers});
  return columns_.size() - 1;
}

void RowCollector::Collect(const RowOrder& order, std::size_t first, std::size_t last) {
  first_ = first;
  begin_.assign(1, 0);
  for (std::size_t bucket = first; bucket < last; ++bucket) begin_.push_back(begin_.back() + order.bucket_size(bucket));
  for (AnyColumn& column : columns_) std::visit([&](auto& its) { its.collected.resize(begin_.back()); }, column);
  const std::span<const std::uint32_t> rows = order.RowsOfBuckets(first, last);
  const std::size_t blocks = (order.rows() + kBlock - 1) / kBlock;
  ParallelFor(blocks, kBlocksPerTask, [&](std::size_t begin, std::size_t end) { CollectBlocks(rows, begin, end); });
}

void RowCollector::CollectBlocks(std::span<const std::uint32_t> rows, std::size_t first_block, std::size_t last_block) {
  // By bucket: the first of its rows that lies in the block or after it.
  std::vector<std::size_t> next;
  for (std::size_t i = 0; i + 1 < begin_.size(); ++i) {
    const auto of_bucket = rows.subspan(begin_[i], begin_[i + 1] - begin_[i]);
    next.push_back(begin_[i] + static_cast<std::size_t>(std::ranges::lower_bound(of_bucket, first_block * kBlock) -
                                                        of_bucket.begin()));
  }
  for (std::size_t block = first_block; block < last_block; ++block) {
    const std::size_t end_row = (block + 1) * kBlock;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const std::size_t begin = next[i];
      std::size_t end = begin;
      while (end < begin_[i + 1] && rows[end] < end_row) ++end;
      for (AnyColumn& column : columns_) {
        std::visit(
            [&](auto& its) {
              for (std::size_t at = begin; at < end; ++at) its.collected[at] = its.all[rows[at]];
            },
            column);
      }
      next[i] = end;
    }
  }
}

}  // namespace pentimento
