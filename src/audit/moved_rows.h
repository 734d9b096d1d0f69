// How a release was made: rows that sit in a coarser class although they fit the box of a finer one. Local recoding
// moves such rows on purpose, to fill the coarser class. If who is moved depends on sensitive values, the values of the
// moved are others than a draw from those who fit would give, and the bag of a class is no longer dealt out evenly
// among its members (Wong et al. 2007 assume that it is).
//
// 1. A class is finer than another one if its box lies inside. The home of a row is the finest class whose box its
//    quasi-identifiers lie in, among its own class and finer ones: the one with the fewest codes, then the first. A row
//    is moved if its home is not its class. Counting them takes no sensitive values: two tables show them to everybody.
// 2. The null: of the rows with one home, those that were moved are drawn at random, each home by itself. Where limits
//    are given, at random among the choices that leave the two classes within their limits; then a class takes part
//    with one other class, and all else is taken as it is.
// 3. `p` is never too small, and is corrected for the number of tests. It needs everybody's value: it is a test of the
//    release by its maker, or by whoever has the truth. What a reader without the truth finds on small tables, by
//    running the algorithm on everything that could be true, is in every_world.h, as is what a cut *not* made tells:
//    for a large table that has no number without the algorithm.
//
// Classes that do not overlap, and classes without boxes, have no moved rows. O(n log n), and the width of the index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/interval.h"
#include "base/ratio.h"
#include "release/classes.h"

namespace pentimento {

struct MovedQuestion {
  const Classes& classes;  // with the class of each row
  // What is known of each row's quasi-identifiers: classes.columns intervals, row after row; intervals of one code
  // where they are known. A wider one lies in a box if all of it does.
  std::span<const Interval> known;
  std::span<const std::uint32_t> values = {};  // by row; empty: rows are counted, and nothing is tested
  std::optional<Ratio> at_most = {};           // no value is more frequent in a class, so that some choices were forced
};

struct MovedRows {
  std::uint64_t moved = 0;
  std::uint64_t homes = 0;               // classes that rows were moved from
  std::optional<std::uint32_t> witness;  // the first moved row

  std::uint64_t tested = 0;  // moved rows that a test looks at
  std::uint32_t tests = 0;
  double p = 1;  // of the strongest test, corrected for their number
  // The strongest test: whether the moved have this value more or less often than expected; or, where there is none,
  // values that are frequent at home.
  std::optional<std::uint32_t> value;
  // Moved rows with the value; without one, the sum of the shares that their values have at home.
  double observed = 0;
  double expected = 0;
};

MovedRows FindMovedRows(const MovedQuestion& question);

}  // namespace pentimento
