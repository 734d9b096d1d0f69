// The attacker of the global guarantee by definition, where boxes may overlap: everybody's quasi-identifiers and who is
// in the release are known, and the published rows are what they are. A possible world gives every person a row whose
// box holds the person's quasi-identifiers, each row to one person; all of them are equally likely, in each release by
// itself. No group of a person, no graph, no shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pentimento::oracle::seatings {

using Point = std::vector<std::uint32_t>;                             // one code for each quasi-identifier
using Region = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // from and to, for each

struct Row {
  Region region;
  bool has_item = false;
};

// Of one release and one item.
struct Counts {
  std::uint64_t worlds = 0;
  std::vector<std::uint64_t> linked;  // by person, as they come: the worlds in which the person's row has the item
};

class SeatingCounter {
 public:
  static Counts Count(const std::vector<Point>& people, const std::vector<Row>& rows) {
    SeatingCounter counter(people, rows);
    counter.Seat(0);
    return std::move(counter.counts_);
  }

 private:
  SeatingCounter(const std::vector<Point>& people, const std::vector<Row>& rows)
      : people_(people), rows_(rows), is_taken_(rows.size()), row_of_(people.size()) {
    counts_.linked.resize(people.size());
  }

  bool Fits(const Point& point, const Region& region) const {
    for (std::size_t c = 0; c < point.size(); ++c)
      if (point[c] < region[c].first || point[c] > region[c].second) return false;
    return true;
  }

  void Seat(std::size_t person) {
    if (person == people_.size()) {
      ++counts_.worlds;
      for (std::size_t p = 0; p < people_.size(); ++p) counts_.linked[p] += rows_[row_of_[p]].has_item ? 1 : 0;
      return;
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (is_taken_[row] || !Fits(people_[person], rows_[row].region)) continue;
      is_taken_[row] = true;
      row_of_[person] = row;
      Seat(person + 1);
      is_taken_[row] = false;
    }
  }

  const std::vector<Point>& people_;
  const std::vector<Row>& rows_;
  std::vector<bool> is_taken_;
  std::vector<std::size_t> row_of_;
  Counts counts_;
};

// Over all releases together: in how many of all worlds a person was never linked. Releases that do not have the person
// count for nothing.
struct Never {
  std::uint64_t worlds = 1;
  std::uint64_t never = 1;

  void Add(std::uint64_t all, std::uint64_t linked) {
    worlds *= all;
    never *= all - linked;
  }
  bool IsAbove(std::uint64_t num, std::uint64_t den) const {
    __extension__ using Wide = unsigned __int128;
    return Wide{worlds - never} * den > Wide{num} * worlds;
  }
};

}  // namespace pentimento::oracle::seatings
