// Divides a leaf further for whoever publishes no boxes: there a class is a bag of rows, and rows with equal
// quasi-identifiers may be in different ones. Rows are sorted by signature and go one after the other to each bag in
// turn, so that every bag gets its share of every value. The order among rows of one signature is drawn at random. How
// many of which signature a bag gets follows from the leaf's counts alone, so every way of having these values
// that fits the bags is as likely as any other, also for those who know how leaves are divided. Only where people
// have several rows, fewer bags may be tried for who is in which of them, and that is not quite so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/packed_rows.h"
#include "anonymize/partition/table_limits.h"

namespace pentimento::partition {

template <typename Rows>
class LeafDivider {
 public:
  // `drawn`: by row, a number drawn at random.
  LeafDivider(Rows& rows, const TableLimits& limits, std::span<const std::uint32_t> drawn)
      : rows_(&rows), limits_(&limits), drawn_(drawn), bag_(limits.rule) {}

  // Brings the leaf's records to the front, bag after bag. Returns where each bag ends; one end where the leaf stays as
  // it is.
  std::span<const std::uint32_t> Divide(Buffer buffer, std::size_t begin, std::size_t end) {
    auto bags = static_cast<std::uint32_t>((end - begin) / limits_->rule.fewest_persons());
    if (bags > 1) Sort(buffer, begin, end);
    // Large leaves give up faster: what cannot fill a hundred bags is not tried with ninety-nine.
    for (; bags > 1; bags -= 1 + bags / 8) {
      if (!DivideInto(bags)) continue;
      // From places in the order to records.
      for (std::uint32_t& place : order_) place = static_cast<std::uint32_t>(begin) + sorted_[place].record;
      rows_->SettleInOrder(buffer, begin, order_);
      for (std::uint32_t& bag_end : ends_) bag_end += static_cast<std::uint32_t>(begin);
      return ends_;
    }
    rows_->Settle(buffer, begin, end);
    ends_.assign(1, static_cast<std::uint32_t>(end));
    return ends_;
  }

 private:
  struct Row {
    Code signature;
    std::uint32_t drawn;
    std::uint32_t record;  // counted from the leaf's first
    auto operator<=>(const Row&) const = default;
  };

  void Sort(Buffer buffer, std::size_t begin, std::size_t end) {
    const auto records = rows_->records(buffer);
    sorted_.clear();
    for (std::size_t i = begin; i < end; ++i)
      sorted_.push_back({records.signature(i), drawn_[records.row(i)], static_cast<std::uint32_t>(i - begin)});
    std::sort(sorted_.begin(), sorted_.end());
    if constexpr (Rows::kHasPersons) {
      people_.clear();
      for (std::size_t i = begin; i < end; ++i) people_.push_back(records.person(i));
    }
  }

  // Fills order_ and ends_. False where a bag would break a limit.
  bool DivideInto(std::uint32_t bags) {
    Place(bags);
    for (std::uint32_t b = 0, first = 0; b < bags; first = ends_[b++]) {
      if (!Keeps(std::span(order_).subspan(first, ends_[b] - first))) return false;
    }
    return true;
  }

  // Row i of the order goes to bag i modulo the number of bags, as far as it matters how many of which signature a bag
  // gets. Which of them it gets: the next ones that no bag before it got.
  void Place(std::uint32_t bags) {
    const auto rows = static_cast<std::uint32_t>(sorted_.size());
    next_.resize(bags);
    ends_.resize(bags);
    for (std::uint32_t b = 0, first = 0; b < bags; ++b) {
      next_[b] = first;
      first += rows / bags + (b < rows % bags ? 1 : 0);
      ends_[b] = first;
    }
    order_.resize(rows);
    for (std::uint32_t first = 0, past = 0; first < rows; first = past) {
      while (past < rows && sorted_[past].signature == sorted_[first].signature) ++past;
      // Every bag gets `each`, and `more` of them one more, from the bag `from` on and around.
      const std::uint32_t each = (past - first) / bags;
      const std::uint32_t more = (past - first) % bags;
      const std::uint32_t from = first % bags;
      std::uint32_t row = first;
      for (std::uint32_t b = 0; b < bags && row < past; ++b) {
        const std::uint32_t after = b >= from ? b - from : b + (bags - from);
        for (std::uint32_t left = each + (after < more ? 1 : 0); left > 0; --left) order_[next_[b]++] = row++;
      }
    }
  }

  // Where people have several rows it matters who is in which bag.
  bool Keeps(std::span<const std::uint32_t> rows) {
    bag_.Clear();
    if constexpr (!Rows::kHasPersons) {
      for (const std::uint32_t row : rows) bag_.Add(sorted_[row].signature, 1);
      return bag_.Holds();
    }
    seen_.clear();
    for (const std::uint32_t row : rows) {
      bag_.AddRows(sorted_[row].signature);
      seen_.push_back(people_[sorted_[row].record]);
    }
    std::ranges::sort(seen_);
    const auto repeated = std::ranges::unique(seen_);
    for (auto person = seen_.begin(); person != repeated.begin(); ++person)
      bag_.AddPerson(limits_->rows_of_person[*person]);
    return bag_.Holds();
  }

  Rows* rows_;
  const TableLimits* limits_;
  std::span<const std::uint32_t> drawn_;
  Tally bag_;
  // Reused from leaf to leaf.
  std::vector<Row> sorted_;            // by signature, then as drawn, then as the records follow one another
  std::vector<std::uint32_t> people_;  // by record
  std::vector<std::uint32_t> seen_;
  std::vector<std::uint32_t> next_;   // by bag
  std::vector<std::uint32_t> order_;  // places in sorted_, bag after bag
  std::vector<std::uint32_t> ends_;
};

}  // namespace pentimento::partition
