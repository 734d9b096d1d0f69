// The records of the new release, collapsed to what one claim looks at: equal ones are one record with a weight.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "anonymize/specialize/earlier_join.h"
#include "anonymize/specialize/listed_values.h"
#include "base/interval.h"
#include "table/code_column.h"
#include "table/encoded_table.h"

namespace pentimento {

// The new release as a claim reads it.
struct NewRelease {
  const EncodedTable& table;
  std::span<const CodeColumn* const> exact;
  std::vector<std::uint64_t> sizes;             // codes of each column, quasi-identifiers first
  std::span<const std::int32_t> cut_of_column;  // by quasi-identifier: which CutColumn; -1 where it is not generalized

  const CodeColumn& column(std::uint32_t number) const {
    const std::size_t own = table.quasi_identifiers.size();
    return number < own ? table.quasi_identifiers[number] : *exact[number - own];
  }
  int cut(std::uint32_t column) const { return column < table.quasi_identifiers.size() ? cut_of_column[column] : -1; }
};

// Which values of the targets of the new release are limited, and where their counts stand among the counters.
struct OwnTarget {
  std::size_t target = 0;  // of the claim
  std::size_t first = 0;
  std::size_t values = 0;
  bool has_list = false;  // value 0 is what is not listed; it has no limit
  // The rest of the target is in earlier releases: with a list, which of its values each number stands for.
  bool is_part = false;
  ListedSets listed = {};
};

inline constexpr std::size_t kNotInX = std::numeric_limits<std::size_t>::max();

// What part the columns of the new release play in a claim. Those that are generalized and stand in X have a place.
struct ColumnParts {
  // A join column whose value is no part of the value on X.
  struct Outside {
    int cut = -1;  // the column it is generalized in, if it is
    std::uint32_t column = 0;
  };
  std::vector<std::size_t> place_of_cut;       // by column that is generalized: its place in X, or kNotInX
  std::vector<std::size_t> places;             // by place: which column that is generalized
  std::vector<std::uint32_t> column_of_place;  // by place: which column of the release
  std::vector<std::uint32_t> fixed;            // columns in X that are published as they are
  std::vector<std::size_t> join_from_place;    // by join column: its place in X, or kNotInX: the next one of `outside`
  std::vector<Outside> outside;

  ColumnParts(const JoinClaim& claim, std::span<const std::uint32_t> join_columns, const NewRelease& release,
              std::size_t cuts);

  bool JoinsOutside(std::size_t cut) const;
};

class CollapsedRecords {
 public:
  CollapsedRecords(const JoinClaim& claim, const ColumnParts& parts, const NewRelease& release);

  // A record: the codes by place, then the fields below.
  std::size_t count() const { return numbers_.size() / stride_; }
  const std::uint32_t* record(std::size_t number) const { return &numbers_[number * stride_]; }
  std::size_t outside_field() const { return places_; }    // which combination of outside values
  std::size_t fixed_field() const { return places_ + 1; }  // which combination of fixed values
  std::size_t y_field() const { return places_ + 2; }
  std::size_t weight_field() const { return places_ + 3; }
  std::size_t target_field() const { return places_ + 4; }  // a value for each of own_targets()

  std::uint32_t fixed_count() const { return fixed_count_; }
  std::uint32_t outside_count() const { return outside_count_; }
  // The codes of a combination of outside values, one for each outside column.
  std::span<const Code> outside_codes(std::uint32_t outside) const {
    return std::span(outside_codes_).subspan(outside * outside_columns_, outside_columns_);
  }
  std::span<const OwnTarget> own_targets() const { return own_targets_; }
  std::size_t target_counters() const { return target_counters_; }
  bool y_is_row() const { return y_is_row_; }        // every row has a value of its own on Y
  bool y_is_shared() const { return y_is_shared_; }  // rows of this release share values on Y

  // Sorts records [begin.front(), begin.back()) into parts, stably: part_of(record) says where to, begin[part] where
  // each part begins.
  template <typename PartOf>
  void Sort(std::span<const std::size_t> begin, const PartOf& part_of) {
    std::vector<std::size_t> next(begin.begin(), begin.end());
    const std::size_t from = begin.front();
    scratch_.resize((begin.back() - from) * stride_);
    for (std::size_t r = from; r < begin.back(); ++r)
      std::copy_n(record(r), stride_, &scratch_[(next[part_of(record(r))]++ - from) * stride_]);
    std::ranges::copy(scratch_, numbers_.begin() + static_cast<std::ptrdiff_t>(from * stride_));
  }

 private:
  std::size_t places_;
  std::size_t stride_ = 0;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> scratch_;
  std::uint32_t fixed_count_ = 0;
  std::uint32_t outside_count_ = 0;
  std::size_t outside_columns_;
  std::vector<Code> outside_codes_;
  std::vector<OwnTarget> own_targets_;
  std::size_t target_counters_ = 0;
  bool y_is_row_ = false;
  bool y_is_shared_ = false;
};

}  // namespace pentimento
