// Divides a leaf further for whoever publishes no boxes: there a class is a bag of rows, and rows with equal
// quasi-identifiers may be in different ones. Rows are dealt like cards: sorted by signature, one after the other to
// each bag in turn, so that every bag gets its share of every value. Among rows of one signature the order is drawn by
// lot. How many of which signature a bag gets follows from the leaf's counts alone, so every way of having these values
// that fits the bags is as likely as any other, also for those who know how they were dealt. Only where people
// have several rows a deal may be tried again for who fell where, and that is not quite so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/packed_rows.h"
#include "anonymize/partition/table_limits.h"

namespace pentimento::partition {

template <typename Rows>
class LeafDealer {
 public:
  // `lots`: by row.
  LeafDealer(Rows& rows, const TableLimits& limits, std::span<const std::uint32_t> lots)
      : rows_(&rows), limits_(&limits), lots_(lots), bag_(limits.rule) {}

  // Brings the leaf's records to the front, bag after bag. Returns where each bag ends; one end where the leaf stays as
  // it is.
  std::span<const std::uint32_t> Deal(Buffer buffer, std::size_t begin, std::size_t end) {
    auto bags = static_cast<std::uint32_t>((end - begin) / limits_->rule.fewest_persons());
    if (bags > 1) Sort(buffer, begin, end);
    // Large leaves give up faster: what cannot be dealt to a hundred bags is not tried with ninety-nine.
    for (; bags > 1; bags -= 1 + bags / 8) {
      if (!DealTo(bags)) continue;
      // From cards to records.
      for (std::uint32_t& place : order_) place = static_cast<std::uint32_t>(begin) + cards_[place].record;
      rows_->SettleInOrder(buffer, begin, order_);
      for (std::uint32_t& bag_end : ends_) bag_end += static_cast<std::uint32_t>(begin);
      return ends_;
    }
    rows_->Settle(buffer, begin, end);
    ends_.assign(1, static_cast<std::uint32_t>(end));
    return ends_;
  }

 private:
  struct Card {
    Code signature;
    std::uint32_t lot;
    std::uint32_t record;  // counted from the leaf's first
    auto operator<=>(const Card&) const = default;
  };

  void Sort(Buffer buffer, std::size_t begin, std::size_t end) {
    const auto records = rows_->records(buffer);
    cards_.clear();
    for (std::size_t i = begin; i < end; ++i)
      cards_.push_back({records.signature(i), lots_[records.row(i)], static_cast<std::uint32_t>(i - begin)});
    std::sort(cards_.begin(), cards_.end());
    if constexpr (Rows::kHasPersons) {
      people_.clear();
      for (std::size_t i = begin; i < end; ++i) people_.push_back(records.person(i));
    }
  }

  // Fills order_ and ends_. False where a bag would break a limit.
  bool DealTo(std::uint32_t bags) {
    Place(bags);
    for (std::uint32_t b = 0, first = 0; b < bags; first = ends_[b++]) {
      if (!Keeps(std::span(order_).subspan(first, ends_[b] - first))) return false;
    }
    return true;
  }

  // Card i goes to bag i modulo the number of bags, as far as it matters how many of which signature a bag gets. Which
  // of them it gets: the next ones that no bag before it got.
  void Place(std::uint32_t bags) {
    const auto cards = static_cast<std::uint32_t>(cards_.size());
    next_.resize(bags);
    ends_.resize(bags);
    for (std::uint32_t b = 0, first = 0; b < bags; ++b) {
      next_[b] = first;
      first += cards / bags + (b < cards % bags ? 1 : 0);
      ends_[b] = first;
    }
    order_.resize(cards);
    for (std::uint32_t first = 0, past = 0; first < cards; first = past) {
      while (past < cards && cards_[past].signature == cards_[first].signature) ++past;
      // Every bag gets `each`, and `more` of them one more, from the bag `from` on and around.
      const std::uint32_t each = (past - first) / bags;
      const std::uint32_t more = (past - first) % bags;
      const std::uint32_t from = first % bags;
      std::uint32_t card = first;
      for (std::uint32_t b = 0; b < bags && card < past; ++b) {
        const std::uint32_t after = b >= from ? b - from : b + (bags - from);
        for (std::uint32_t left = each + (after < more ? 1 : 0); left > 0; --left) order_[next_[b]++] = card++;
      }
    }
  }

  // Where people have several rows it matters who fell where.
  bool Keeps(std::span<const std::uint32_t> cards) {
    bag_.Clear();
    if constexpr (!Rows::kHasPersons) {
      for (const std::uint32_t card : cards) bag_.Add(cards_[card].signature, 1);
      return bag_.Holds();
    }
    seen_.clear();
    for (const std::uint32_t card : cards) {
      bag_.AddRows(cards_[card].signature);
      seen_.push_back(people_[cards_[card].record]);
    }
    std::ranges::sort(seen_);
    const auto repeated = std::ranges::unique(seen_);
    for (auto person = seen_.begin(); person != repeated.begin(); ++person)
      bag_.AddPerson(limits_->rows_of_person[*person]);
    return bag_.Holds();
  }

  Rows* rows_;
  const TableLimits* limits_;
  std::span<const std::uint32_t> lots_;
  Tally bag_;
  // Reused from leaf to leaf.
  std::vector<Card> cards_;            // by signature, then by lot, then as the records follow one another
  std::vector<std::uint32_t> people_;  // by record
  std::vector<std::uint32_t> seen_;
  std::vector<std::uint32_t> next_;   // by bag
  std::vector<std::uint32_t> order_;  // cards, bag after bag
  std::vector<std::uint32_t> ends_;
};

}  // namespace pentimento::partition
