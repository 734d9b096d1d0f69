// Cells of the rows that are published next, out of columns that are held in the order of the input.
//
// The rows of a bucket are spread over the whole input: looking one column up after the other waits for memory at every
// cell, and brings a whole cache line each time. So a good number of buckets are collected together, in one pass over
// the input that looks at a block of rows at a time: for all buckets and columns while it is near. Inside a bucket the
// rows keep the order of the input; putting them into their random order is then a matter of a few hundred kilobytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "table/code_column.h"
#include "table/shuffle.h"

namespace pentimento {

class RowCollector {
 public:
  // A column by row of the input. The cells must outlive the collector. Returns the column's number.
  std::size_t Add(const CodeColumn& codes);
  std::size_t Add(std::span<const std::uint32_t> numbers);

  // Collects the rows of some buckets, first to last - 1. What was collected before is gone.
  void Collect(const RowOrder& order, std::size_t first, std::size_t last);

  // Where the bucket's rows begin among those collected; they are in the order of RowOrder::RowsOfBucket().
  std::size_t begin_of(std::size_t bucket) const { return begin_[bucket - first_]; }
  // Calls body(std::span<const uint8_t|uint16_t|uint32_t>) with the column's collected cells.
  template <typename Body>
  void Visit(std::size_t column, const Body& body) const {
    std::visit([&](const auto& its) { body(std::span(its.collected)); }, columns_[column]);
  }

 private:
  template <typename T>
  struct Column {
    std::span<const T> all;
    std::vector<T> collected = {};
  };
  using AnyColumn = std::variant<Column<std::uint8_t>, Column<std::uint16_t>, Column<std::uint32_t>>;

  void CollectBlocks(std::span<const std::uint32_t> rows, std::size_t first_block, std::size_t last_block);

  std::vector<AnyColumn> columns_;
  std::size_t first_ = 0;           // bucket
  std::vector<std::size_t> begin_;  // by bucket, and the end
};

}  // namespace pentimento
