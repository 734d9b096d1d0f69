// What the earlier releases say to one claim, made ready for a maker that asks again and again: their join among each
// other, collapsed to different (value on X, join cells, value on Y) with counts. It never changes; the new release's
// join value is all that an answer depends on.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "anonymize/specialize/earlier_rows.h"
#include "anonymize/specialize/listed_values.h"
#include "base/interval.h"
#include "base/mix64.h"
#include "release/xy_releases.h"

namespace pentimento {

// What a claim looks at.
struct JoinClaim {
  std::vector<std::uint32_t> against;
  std::vector<ReleaseColumn> x;
  std::vector<ReleaseColumn> y;  // of xy-anonymity
  std::uint64_t k = 0;           // 0: linkability
  std::vector<LinkabilityTarget> targets;
  bool allows_dangling = false;  // records that match nothing are not looked at

  friend bool operator==(const JoinClaim&, const JoinClaim&) = default;
};

class EarlierJoin {
 public:
  EarlierJoin(const XyReleases& releases, const JoinClaim& claim);

  // Then it knows nothing, and no answer counts.
  bool is_too_large() const { return is_too_large_; }
  // The columns of the new release that decide about a match.
  std::span<const std::uint32_t> join_columns() const { return join_columns_; }

  // Of one value on X of the earlier releases, as it meets a join value of the new one.
  struct Meeting {
    std::uint32_t x = 0;
    JoinCount records = 0;
    JoinCount different_y = 0;  // values on Y, as far as it is in the earlier releases; 1 where it is not
  };
  // A count of records that have a limited value, for a target in an earlier release.
  struct TargetCount {
    std::uint32_t x = 0;
    std::uint32_t value = 0;
    JoinCount records = 0;
  };
  // All that is known of a join value.
  struct Facts {
    std::vector<Meeting> meetings;  // ascending by x; empty: it dangles
    JoinCount fewest_y = 0;
    std::vector<std::uint32_t> joins;               // join cells of the earlier side that match, ascending
    std::vector<std::vector<TargetCount>> targets;  // by target; ascending by x, then value; empty for our own
  };

  // `cells`: one per join column. Facts stay where they are; the number is theirs.
  std::uint32_t Intern(std::span<const Interval> cells);
  const Facts& facts(std::uint32_t number) const { return *facts_[number]; }

  // Of a limit whose listed values have parts here and in the new release: which values a TargetCount::value stands
  // for.
  const ListedSet& listed(std::size_t target, std::uint32_t value) const { return targets_[target].listed[value]; }

  // How many values on Y each value on X meets where any of these join values matches, ascending by x.
  std::vector<Meeting> MeetAny(std::span<const std::uint32_t> facts) const;

 private:
  // A row of the earlier releases' join.
  struct Entry {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t join = 0;
    JoinCount records = 0;
  };
  // What an earlier cell demands of the new release's cell.
  struct Condition {
    std::uint32_t join_column = 0;  // which of join_columns_
    bool by_overlap = false;
    bool is_impossible = false;
    Interval own_values;    // of an impossible pair
    ReleaseColumn other;    // the earlier column
    Interval other_values;  // of an impossible pair
  };

  static bool Fits(const Condition& condition, Interval own, Interval other);
  // Of the join values in [begin, end), which are alike in the conditions before this one.
  void FindMatches(std::size_t condition, std::uint32_t begin, std::uint32_t end, std::span<const Interval> cells,
                   std::vector<std::uint32_t>& found) const;
  std::vector<const Entry*> EntriesAt(std::span<const std::uint32_t> joins) const;  // ascending by x, y, join
  std::vector<Meeting> Gather(std::span<const std::uint32_t> joins) const;
  void CountTargets(Facts& facts) const;
  struct EarlierTarget;
  // `cells`: a value on Y of the earlier releases, by what stands in `y`.
  static std::uint32_t ValueOf(const LinkabilityTarget& target, std::span<const ReleaseColumn> y,
                               std::span<const Interval> cells, std::map<std::vector<Interval>, std::uint32_t>& values,
                               EarlierTarget& ready);

  bool is_too_large_ = false;
  std::vector<std::uint32_t> join_columns_;
  std::vector<Condition> conditions_;
  std::vector<Interval> join_cells_;  // by join, ascending: conditions_.size() cells
  std::uint32_t joins_ = 0;
  std::vector<Entry> entries_;              // ascending by join, x, y
  std::vector<std::uint32_t> first_entry_;  // by join, and one more
  // By y: how many values it stands for. More than one where the record itself is a value: equal records share a y.
  std::vector<JoinCount> values_of_y_;
  struct EarlierTarget {
    bool is_ours = true;                    // all of it is in the new release
    std::vector<std::uint32_t> value_of_y;  // kNone where it is not limited
    ListedSets listed;                      // where the new release has a part of it and values are listed
  };
  std::vector<EarlierTarget> targets_;
  tsl::robin_map<std::uint64_t, std::uint32_t, Mix64> interned_;  // (number so far, cell) -> number
  std::uint32_t next_prefix_ = 0;
  std::vector<std::unique_ptr<Facts>> facts_;
  tsl::robin_map<std::uint32_t, std::uint32_t> facts_of_prefix_;
  static constexpr std::uint32_t kNone = UINT32_MAX;
};

}  // namespace pentimento
