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

#include "anonymize/partition/class_limits.h"
#include "anonymize/partition/cut_finder.h"
#include "anonymize/sensitive/growing_class.h"

namespace pentimento::partition {

template <typename Rows>
class LeafDealer {
 public:
  // `lots`: by row.
  LeafDealer(Rows& rows, const ClassLimits& limits, std::span<const std::uint32_t> lots)
      : rows_(&rows), limits_(&limits), lots_(lots), bag_(limits.rule) {}

  // The leaf's records are in the front, and are rearranged there: bag after bag. Returns where each bag ends; one end
  // where the leaf stays as it is.
  std::span<const std::uint32_t> Deal(std::size_t begin, std::size_t end) {
    std::size_t bags = (end - begin) / limits_->rule.fewest_persons();
    ends_.assign(1, static_cast<std::uint32_t>(end));
    if (bags < 2) return ends_;
    Sort(begin, end);
    // Large leaves give up faster: what cannot be dealt to a hundred bags is not tried with ninety-nine.
    for (; bags > 1; bags -= 1 + bags / 8) {
      if (!DealTo(bags)) continue;
      // From cards to records.
      for (std::uint32_t& place : order_) place = static_cast<std::uint32_t>(begin) + cards_[place].record;
      rows_->Arrange(begin, order_);
      for (std::uint32_t& bag_end : ends_) bag_end += static_cast<std::uint32_t>(begin);
      return ends_;
    }
    ends_.assign(1, static_cast<std::uint32_t>(end));
    return ends_;
  }

 private:
  struct Card {
    Code signature;
    std::uint32_t lot;
    std::uint32_t record;  // counted from the leaf's first
  };

  void Sort(std::size_t begin, std::size_t end) {
    const auto records = rows_->records(Buffer::kFront);
    cards_.clear();
    people_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      cards_.push_back({records.signature(i), lots_[records.row(i)], static_cast<std::uint32_t>(i - begin)});
      if constexpr (Rows::kHasPersons) people_.push_back(records.person(i));
    }
    std::ranges::sort(cards_, [](const Card& a, const Card& b) {
      if (a.signature != b.signature) return a.signature < b.signature;
      return a.lot != b.lot ? a.lot < b.lot : a.record < b.record;
    });
  }

  // Fills order_ and ends_. False where a bag would break a limit.
  bool DealTo(std::size_t bags) {
    const std::size_t share = cards_.size() / bags;
    const std::size_t larger = cards_.size() % bags;
    next_.resize(bags);
    ends_.resize(bags);
    for (std::size_t b = 0, first = 0; b < bags; ++b) {
      next_[b] = static_cast<std::uint32_t>(first);
      first += share + (b < larger ? 1 : 0);
      ends_[b] = static_cast<std::uint32_t>(first);
    }
    order_.resize(cards_.size());
    for (std::size_t first = 0, past = 0; first < cards_.size(); first = past) {
      while (past < cards_.size() && cards_[past].signature == cards_[first].signature) ++past;
      DealSignature(first, past, bags);
    }
    for (std::size_t b = 0, first = 0; b < bags; first = ends_[b++]) {
      if (!Keeps(std::span(order_).subspan(first, ends_[b] - first))) return false;
    }
    return true;
  }

  // Card i goes to bag i modulo `bags`; which of the equal cards that is was drawn.
  void DealSignature(std::size_t first, std::size_t past, std::size_t bags) {
    const std::size_t count = past - first;
    std::size_t card = first;
    for (std::size_t bag = 0; bag < bags && card < past; ++bag) {
      // How many of the numbers from first to past are congruent to bag.
      const std::size_t offset = (bag + bags - first % bags) % bags;
      const std::size_t quota = offset < count ? (count - offset - 1) / bags + 1 : 0;
      for (std::size_t i = 0; i < quota; ++i) {
        order_[next_[bag]++] = static_cast<std::uint32_t>(card++);
      }
    }
  }

  bool Keeps(std::span<const std::uint32_t> cards) {
    bag_.Clear();
    seen_.clear();
    for (const std::uint32_t card : cards) {
      bag_.AddRow(cards_[card].signature);
      if constexpr (Rows::kHasPersons) {
        seen_.push_back(people_[cards_[card].record]);
      } else {
        bag_.AddPerson();
      }
    }
    if constexpr (Rows::kHasPersons) {
      std::ranges::sort(seen_);
      const auto repeated = std::ranges::unique(seen_);
      for (auto person = seen_.begin(); person != repeated.begin(); ++person)
        bag_.AddPerson(limits_->rows_of_person[*person]);
    }
    return bag_.Keeps();
  }

  Rows* rows_;
  const ClassLimits* limits_;
  std::span<const std::uint32_t> lots_;
  GrowingClass bag_;
  // Reused from leaf to leaf.
  std::vector<Card> cards_;
  std::vector<std::uint32_t> people_;  // by record
  std::vector<std::uint32_t> seen_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> order_;  // cards, bag after bag
  std::vector<std::uint32_t> ends_;
};

}  // namespace pentimento::partition
