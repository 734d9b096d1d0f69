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

#include "anonymize/limits/growing_class.h"
#include "anonymize/partition/class_limits.h"
#include "anonymize/partition/even_deal.h"
#include "anonymize/partition/packed_rows.h"

namespace pentimento::partition {

template <typename Rows>
class LeafDealer {
 public:
  // `lots`: by row.
  LeafDealer(Rows& rows, const ClassLimits& limits, std::span<const std::uint32_t> lots)
      : rows_(&rows), limits_(&limits), lots_(lots), deal_(limits.rule), bag_(limits.rule) {}

  // Brings the leaf's records to the front, bag after bag. Returns where each bag ends; one end where the leaf stays as
  // it is.
  std::span<const std::uint32_t> Deal(Buffer buffer, std::size_t begin, std::size_t end) {
    auto bags = static_cast<std::uint32_t>((end - begin) / limits_->rule.fewest_persons());
    if (bags > 1) Sort(buffer, begin, end);
    // Large leaves give up faster: what cannot be dealt to a hundred bags is not tried with ninety-nine.
    for (; bags > 1; bags -= 1 + bags / 8) {
      if (!DealTo(bags)) continue;
      // From cards to records.
      for (std::uint32_t& place : order_) place = static_cast<std::uint32_t>(begin) + record_of_card_[place];
      rows_->SettleInOrder(buffer, begin, order_);
      for (std::uint32_t& bag_end : ends_) bag_end += static_cast<std::uint32_t>(begin);
      return ends_;
    }
    rows_->Settle(buffer, begin, end);
    ends_.assign(1, static_cast<std::uint32_t>(end));
    return ends_;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  void Sort(Buffer buffer, std::size_t begin, std::size_t end) {
    record_of_card_.resize(end - begin);
    deal_.Clear();
    // As one number each, which is compared at once.
    const bool has_short_cards = end - begin <= std::size_t{1} << 16 && limits_->rule.signature_count() <= Code{1}
                                                                                                               << 16;
    if (limits_->rule.signature_count() <= 2 * (end - begin)) {
      if (has_short_cards) {
        SortSuits<std::uint64_t, 16>(buffer, begin, end, narrow_cards_);
      } else {
        SortSuits<std::uint64_t, 32>(buffer, begin, end, narrow_cards_);
      }
    } else if (has_short_cards) {
      SortAs<std::uint64_t, 16>(buffer, begin, end, narrow_cards_);
    } else {
      SortAs<Wide, 32>(buffer, begin, end, wide_cards_);
    }
    if constexpr (Rows::kHasPersons) {
      const auto records = rows_->records(buffer);
      people_.clear();
      for (std::size_t i = begin; i < end; ++i) people_.push_back(records.person(i));
    }
  }

  // By signature, then by lot, then as the records follow one another.
  template <typename Card, int kRecordBits>
  void SortAs(Buffer buffer, std::size_t begin, std::size_t end, std::vector<Card>& cards) {
    constexpr int kLotBits = 32;
    const auto records = rows_->records(buffer);
    cards.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const Card before = (Card{records.signature(i)} << kLotBits) | lots_[records.row(i)];
      cards.push_back((before << kRecordBits) | (i - begin));
    }
    std::sort(cards.begin(), cards.end());
    for (std::size_t i = 0; i < cards.size(); ++i) {
      record_of_card_[i] = RecordOf<kRecordBits>(cards[i]);
      deal_.AddCards(static_cast<Code>(cards[i] >> (kLotBits + kRecordBits)), 1);
    }
  }

  // The same where there are few signatures: they are counted, and only what has the same one is sorted.
  template <typename Card, int kRecordBits>
  void SortSuits(Buffer buffer, std::size_t begin, std::size_t end, std::vector<Card>& cards) {
    const auto records = rows_->records(buffer);
    const Code signatures = limits_->rule.signature_count();
    next_of_suit_.assign(signatures + std::size_t{1}, 0);
    for (std::size_t i = begin; i < end; ++i) ++next_of_suit_[records.signature(i) + std::size_t{1}];
    for (Code suit = 0; suit < signatures; ++suit) next_of_suit_[suit + std::size_t{1}] += next_of_suit_[suit];
    cards.resize(end - begin);
    for (std::size_t i = begin; i < end; ++i)
      cards[next_of_suit_[records.signature(i)]++] = (Card{lots_[records.row(i)]} << kRecordBits) | (i - begin);
    for (Code suit = 0, first = 0; suit < signatures; ++suit) {
      // Where the next suit began is where this one ends.
      const std::uint32_t past = next_of_suit_[suit];
      if (past == first) continue;
      std::sort(cards.begin() + first, cards.begin() + past);
      deal_.AddCards(suit, past - first);
      first = past;
    }
    for (std::size_t i = 0; i < cards.size(); ++i) record_of_card_[i] = RecordOf<kRecordBits>(cards[i]);
  }

  template <int kRecordBits, typename Card>
  static std::uint32_t RecordOf(Card card) {
    return static_cast<std::uint32_t>(card & ((Card{1} << kRecordBits) - 1));
  }

  // Fills order_ and ends_. False where a bag would break a limit.
  bool DealTo(std::uint32_t bags) {
    if constexpr (!Rows::kHasPersons) {
      if (!deal_.Keeps(bags)) return false;
      deal_.Place(bags, order_, ends_);
      return true;
    }
    deal_.Place(bags, order_, ends_);
    for (std::uint32_t b = 0, first = 0; b < bags; first = ends_[b++]) {
      if (!Keeps(std::span(order_).subspan(first, ends_[b] - first))) return false;
    }
    return true;
  }

  // Where people have several rows it matters who fell where.
  bool Keeps(std::span<const std::uint32_t> cards) {
    bag_.Clear();
    seen_.clear();
    for (const std::uint32_t card : cards) {
      bag_.AddRow(deal_.SignatureOf(card));
      seen_.push_back(people_[record_of_card_[card]]);
    }
    std::ranges::sort(seen_);
    const auto repeated = std::ranges::unique(seen_);
    for (auto person = seen_.begin(); person != repeated.begin(); ++person)
      bag_.AddPerson(limits_->rows_of_person[*person]);
    return bag_.Keeps();
  }

  Rows* rows_;
  const ClassLimits* limits_;
  std::span<const std::uint32_t> lots_;
  EvenDeal deal_;
  GrowingClass bag_;
  // Reused from leaf to leaf.
  std::vector<std::uint64_t> narrow_cards_;
  std::vector<Wide> wide_cards_;
  std::vector<std::uint32_t> next_of_suit_;    // by signature
  std::vector<std::uint32_t> record_of_card_;  // counted from the leaf's first
  std::vector<std::uint32_t> people_;          // by record
  std::vector<std::uint32_t> seen_;
  std::vector<std::uint32_t> order_;  // cards, bag after bag
  std::vector<std::uint32_t> ends_;
};

}  // namespace pentimento::partition
