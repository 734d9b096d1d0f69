// What may be cut in one column, and what a cut is worth.
//
// Two kinds of columns: where any boundary between codes may be cut (numbers, and categories published as sets),
// a cut has two sides; where cuts follow a taxonomy, the smallest node over the members is cut into runs of
// neighbouring children. The missing value is a child of the root of its own.
//
// All arithmetic is in whole numbers, so that every machine takes the same decision.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/category_form.h"
#include "base/interval.h"
#include "taxonomy/domain.h"

namespace pentimento::partition {

// A width of 1, the whole domain.
inline constexpr std::int64_t kWholeWidth = std::int64_t{1} << 20;

// A part of a cut along a taxonomy. Where regions are published, runs tile the region: children without members belong
// to a run too, because somebody may arrive there.
struct CutRun {
  Interval leaves;
  std::uint64_t persons = 0;  // an upper bound where persons have rows in several children
};

// A cut of one column. Higher gain is better; only gains of the same node compare.
struct Cut {
  std::size_t column = 0;
  std::int64_t gain = 0;
  Code at = 0;               // cuts with two sides: the first code of the upper side
  std::uint64_t below = 0;   // cuts with two sides: persons below, where they were counted
  std::vector<CutRun> runs;  // cuts along a taxonomy: the parts
  std::uint64_t rest = 0;    // members who are in no run: the last part, where there are any

  std::size_t part_count() const { return runs.empty() ? 2 : runs.size() + (rest > 0 ? 1 : 0); }
};

// One column: its domain, the form it is published in, and widths quick enough for inner loops.
class ColumnShape {
 public:
  ColumnShape(const Domain& domain, CategoryForm form);

  bool follows_taxonomy() const { return follows_taxonomy_; }
  // Of a taxonomy: several neighbours below one parent are published as themselves, and not with the parent's label.
  bool publishes_runs() const { return domain_->is_calendar(); }
  const Domain& domain() const { return *domain_; }
  std::optional<Code> missing_code() const { return domain_->missing_code(); }

  // The width the interval would be published with (Domain::RelativeWidth of its cover), times kWholeWidth.
  std::int64_t Width(Interval codes) const {
    if (codes.lo == codes.hi) return 0;
    if (codes.hi == missing_code()) return kWholeWidth;
    if (follows_taxonomy_) return WidthOfNode(codes);
    return WidthOfValues(codes);
  }
  // The same for an interval without the missing value in a column that follows no taxonomy.
  std::int64_t WidthOfValues(Interval codes) const {
    return codes.lo == codes.hi ? 0 : Position(codes.hi + leaf_) - Position(codes.lo);
  }

 private:
  std::int64_t WidthOfNode(Interval codes) const;
  std::int64_t Position(Code code) const {
    return position_.empty() ? std::int64_t{code} * kWholeWidth / last_ : position_[code];
  }

  const Domain* domain_;
  bool follows_taxonomy_;
  Code leaf_;  // 1 for categories: an interval of leaves includes its last leaf; 0 for numbers
  // Of every code but the missing one, from 0 to kWholeWidth. Empty for a wide grid of numbers, where it is reckoned.
  std::vector<std::int32_t> position_;
  std::int64_t last_ = 1;  // the last number's code
};

// What cuts are compared by. `gain` of a cut = the width it takes off the rows, less a price for sizes that leave
// many rows over: groups of 10, 10 and 10 lose less than groups of 10 and 20.
class CutPrices {
 public:
  CutPrices(std::uint64_t k, std::uint64_t rows);

  std::uint64_t k() const { return k_; }
  // The price of rows left over when `size` rows are divided into groups of k.
  std::int64_t LeftOver(std::uint64_t size) const { return size < left_over_.size() ? left_over_[size] : 0; }

 private:
  std::uint64_t k_;
  std::vector<std::int64_t> left_over_;  // small sizes only: the price of large ones is next to nothing per row
};

// What cuts with two sides are worth. `whole`: the codes before the cut, of which the parts' widths are counted.
class TwoSidedGain {
 public:
  TwoSidedGain(const ColumnShape& shape, Interval whole, const CutPrices& prices)
      : shape_(&shape),
        prices_(&prices),
        whole_(whole),
        width_(shape.Width(whole)),
        has_missing_(whole.hi == shape.missing_code()) {}

  // `below_hi`: the highest code that the lower side is published with.
  std::int64_t Of(Code at, Code below_hi, std::uint64_t below, std::uint64_t above) const {
    const std::int64_t width_above =
        has_missing_ && at < whole_.hi ? kWholeWidth : shape_->WidthOfValues({at, whole_.hi});
    return static_cast<std::int64_t>(below) * (width_ - shape_->WidthOfValues({whole_.lo, below_hi})) +
           static_cast<std::int64_t>(above) * (width_ - width_above) - prices_->LeftOver(below) -
           prices_->LeftOver(above);
  }

 private:
  const ColumnShape* shape_;
  const CutPrices* prices_;
  Interval whole_;
  std::int64_t width_;
  bool has_missing_;
};

// How the members of a node lie in one column. Bin b holds the codes from base + (b << shift). A person whose rows
// have several codes begins at the lowest and ends at the highest; everybody else begins and ends in one bin.
struct Bins {
  Interval members;  // lowest and highest code
  Code base = 0;     // may wrap below 0
  int shift = 0;
  std::span<const std::uint32_t> begins;
  std::span<const std::uint32_t> ends;
  std::uint64_t persons = 0;

  Code FirstCode(std::size_t bin) const {
    return bin == 0 ? members.lo : base + static_cast<Code>(std::uint64_t{bin} << shift);
  }
};

// Bins for members in `members`, at most `max_bins` + 1; the missing code never shares a bin with others.
Bins LayOutBins(const ColumnShape& shape, Interval members, std::size_t max_bins);

// The best cut with two sides between bins, if any is legal. `region`: the widths counted are those of the region's
// parts; nothing: those of the members'.
std::optional<Cut> BestTwoSidedCut(const ColumnShape& shape, const Bins& bins, std::optional<Interval> region,
                                   const CutPrices& prices);

// The smallest taxonomy node over the members, which is the one to be cut.
class NodeToCut {
 public:
  NodeToCut(const ColumnShape& shape, Interval members);

  // The codes of the child that holds the code; the missing value is a child of the root. Found by climbing from the
  // leaf, because a flat taxonomy can have many more children than a node of the partition has rows.
  Interval ChildOf(Code code) const;

 private:
  const Domain* domain_;
  Taxonomy::NodeId node_;
};

// A child of the taxonomy node to be cut (or the missing value) that has members.
struct OccupiedChild {
  Interval leaves;   // its codes
  Interval members;  // lowest and highest code of its members
  std::uint64_t persons = 0;
};

// Groups children, given from left to right, into runs of neighbours with at least k persons each: as many runs as
// possible, and among those as many children alone as a look at the neighbours can find, because only a child that is
// alone is published with its own label.
class RunBuilder {
 public:
  // `fills_gaps`: children that were left out between two others are added without persons.
  RunBuilder(std::uint64_t k, bool fills_gaps) : k_(k), fills_gaps_(fills_gaps) {}

  // `new_persons`: those of the child's persons who are in no child since the last run was closed.
  void Add(const OccupiedChild& child, std::uint64_t new_persons);
  // Changes whenever a run is closed: whoever counts new persons starts again then.
  std::uint64_t closed_runs() const { return closed_; }

  struct Run {
    Interval leaves;
    Interval members;
    std::uint64_t persons = 0;  // an upper bound where persons have rows in several children
    bool is_one_child = true;
  };
  // Fewer than two runs: no cut is legal.
  std::vector<Run> Finish();

  // A child that could be a part by itself. Kept where gaps are filled.
  struct StandingChild {
    Interval leaves;
    std::uint64_t persons = 0;
    std::uint64_t before = 0;  // persons in the children before it
  };
  std::span<const StandingChild> standing() const { return standing_; }
  std::uint64_t persons() const { return persons_; }

 private:
  void AddWithoutGap(const OccupiedChild& child, std::uint64_t new_persons);
  void Close(const Run& run);

  std::uint64_t k_;
  bool fills_gaps_;
  std::optional<Code> last_code_;  // of the children so far
  std::uint64_t closed_ = 0;
  std::uint64_t persons_ = 0;
  std::vector<StandingChild> standing_;
  std::vector<Run> runs_;
  std::optional<Run> pending_;  // fewer than k persons so far
};

// The runs as a cut with its gain; nothing where they are fewer than two.
std::optional<Cut> CutIntoRuns(const ColumnShape& shape, std::span<const RunBuilder::Run> runs, Interval members,
                               std::optional<Interval> region, const CutPrices& prices);

// Of dates: into two of them, where that gains most. Whoever asks must know that legal runs together are legal.
std::optional<Cut> CutIntoTwoRuns(const ColumnShape& shape, std::span<const RunBuilder::Run> runs, Interval members,
                                  std::optional<Interval> region, const CutPrices& prices);

// The same for a region whose members have one row each; of dates into two parts, where two can be told apart. A part
// that is published with the label of the whole region tells nobody anything, so two such neighbours stay one part,
// which more people can be cut in other columns; and where nothing but such parts would come out, the largest child
// that can stand alone is taken out. Nothing: every legal cut of this column would be published as if it had not been
// made.
std::optional<Cut> CutRegionIntoRuns(const ColumnShape& shape, RunBuilder& builder, Interval region,
                                     const CutPrices& prices);

// Where a part of a region begins; it reaches as far as the next one begins, the last to the end of the region.
struct PartBegin {
  Code begin = 0;
  std::uint64_t persons = 0;
};

// The same for parts that somebody else found legal, from left to right: neighbours that nobody could tell apart are
// one. Whoever asks must know that legal parts together are legal.
std::optional<Cut> CutRegionIntoParts(const ColumnShape& shape, std::span<const PartBegin> parts, Interval region,
                                      const CutPrices& prices);

// Which run of a cut a member's code belongs to; the rest comes after the last run.
class RunOfCode {
 public:
  // `members`: the codes that are asked for; `rows`: how often. A table pays off unless the codes are many more.
  RunOfCode(std::span<const CutRun> runs, Interval members, std::size_t rows);

  // Calls body with a function from code to run, small enough to be held in registers.
  template <typename Body>
  void Visit(const Body& body) const {
    if (run_.empty()) {
      body([runs = runs_](Code code) { return Search(runs, code); });
    } else {
      body([run = run_.data(), first = first_](Code code) { return std::size_t{run[code - first]}; });
    }
  }

 private:
  static std::size_t Search(std::span<const CutRun> runs, Code code);

  std::span<const CutRun> runs_;
  Code first_ = 0;
  std::vector<std::uint32_t> run_;  // of the codes from first_ on
};

}  // namespace pentimento::partition
