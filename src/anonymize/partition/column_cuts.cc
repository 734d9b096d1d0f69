#include "anonymize/partition/column_cuts.h"

#include <algorithm>
#include <utility>

namespace pentimento::partition {
namespace {

// Above this many rows, or this many times k, what is left over no longer matters.
constexpr std::uint64_t kPricedSizes = 1 << 12;
constexpr std::uint64_t kPricedGroups = 64;
constexpr std::uint64_t kMostPricedSizes = 1 << 16;

// The weight of rows left over against width, in fifths; see the table in algorithm.md.
constexpr std::uint64_t kLeftOverFifths = 2;

// A grid of more numbers gets no table: a series makes one for every handful of groups that it cuts.
constexpr Code kMostTabled = 1 << 16;

RunBuilder::Run Joined(const RunBuilder::Run& left, const RunBuilder::Run& right, std::uint64_t right_persons) {
  return {{left.leaves.lo, right.leaves.hi}, {left.members.lo, right.members.hi}, left.persons + right_persons, false};
}

}  // namespace

ColumnShape::ColumnShape(const Domain& domain, CategoryForm form)
    : domain_(&domain), follows_taxonomy_(!domain.is_cut_anywhere(form)), leaf_(domain.is_numeric() ? 0 : 1) {
  if (domain.is_numeric() && domain.range().points.empty() && domain.value_count() > kMostTabled) {
    last_ = domain.value_count() - 1;
    return;
  }
  position_.resize(std::size_t{domain.value_count()} + leaf_);
  const auto scaled = [](std::uint64_t part, std::uint64_t whole) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int32_t>(Wide{part} * kWholeWidth / whole);
  };
  for (Code code = 0; code < position_.size(); ++code) {
    if (domain.is_numeric()) {
      const NumericRange& range = domain.range();
      // In unsigned arithmetic, because a range may span more than half of all 64-bit numbers.
      const auto above_lo = [&](std::int64_t point) {
        return static_cast<std::uint64_t>(point) - static_cast<std::uint64_t>(range.lo);
      };
      position_[code] = range.lo == range.hi ? 0 : scaled(above_lo(range.point(code)), above_lo(range.hi));
    } else {
      position_[code] = scaled(code, domain.value_count());
    }
  }
}

std::int64_t ColumnShape::WidthOfNode(Interval codes) const {
  const Interval cover = domain_->Cover(codes, CategoryForm::kTaxonomy);
  return cover.hi == missing_code() ? kWholeWidth : WidthOfValues(cover);
}

CutPrices::CutPrices(std::uint64_t k, std::uint64_t rows) : k_(k) {
  const std::uint64_t wanted = std::max(kPricedSizes, std::min(k, kMostPricedSizes) * kPricedGroups);
  left_over_.resize(std::min({wanted, kMostPricedSizes, rows}) + 1);
  for (std::uint64_t size = k; size < left_over_.size(); ++size) {
    // Divided evenly into size / k groups, each row shares its group with this part of k more than needed.
    const std::uint64_t over = size % k;
    const std::uint64_t price = (over * kWholeWidth / (size - over)) * size;
    left_over_[size] = static_cast<std::int64_t>(price * kLeftOverFifths / 5);
  }
}

Bins LayOutBins(const ColumnShape& shape, Interval members, std::size_t max_bins) {
  Bins bins;
  bins.members = members;
  bins.base = members.lo;
  while (((members.hi - members.lo) >> bins.shift) >= max_bins) ++bins.shift;
  if (members.hi == shape.missing_code()) {
    // Moved down so that a bin begins exactly at the missing code, which is the highest there is.
    const Code bin_size = Code{1} << bins.shift;
    bins.base -= (bin_size - (members.hi - members.lo) % bin_size) % bin_size;
  }
  return bins;
}

std::optional<Cut> BestTwoSidedCut(const ColumnShape& shape, const Bins& bins, std::optional<Interval> region,
                                   const CutPrices& prices) {
  const TwoSidedGain gain_of(shape, region.value_or(bins.members), prices);
  std::uint64_t below = 0;
  std::uint64_t above = bins.persons;
  std::size_t last = 0;  // the last bin below that is not empty
  Cut best;
  for (std::size_t bin = 0; bin < bins.begins.size() && above >= prices.k(); ++bin) {
    if (bins.begins[bin] == 0 && bins.ends[bin] == 0) continue;
    if (below >= prices.k()) {
      const Code at = bins.FirstCode(bin);
      const Code below_hi = region ? at - 1 : bins.FirstCode(last + 1) - 1;
      const std::int64_t gain = gain_of.Of(at, below_hi, below, above);
      if (best.below == 0 || gain > best.gain) best.gain = gain, best.at = at, best.below = below;
    }
    below += bins.begins[bin];
    above -= bins.ends[bin];
    last = bin;
  }
  if (best.below == 0) return std::nullopt;
  return best;
}

NodeToCut::NodeToCut(const ColumnShape& shape, Interval members)
    : domain_(&shape.domain()),
      node_(domain_->IsMissing(members.hi) ? Taxonomy::kRoot : domain_->taxonomy().Cover(members)) {}

Interval NodeToCut::ChildOf(Code code) const {
  if (domain_->IsMissing(code)) return {code, code};
  const Taxonomy& taxonomy = domain_->taxonomy();
  Taxonomy::NodeId id = taxonomy.leaf_node(code);
  while (id != node_ && taxonomy.node(id).parent != node_) id = taxonomy.node(id).parent;
  return taxonomy.node(id).leaves;
}

void RunBuilder::Close(const Run& run) {
  runs_.push_back(run);
  pending_.reset();
  ++closed_;
}

void RunBuilder::Add(const OccupiedChild& child, std::uint64_t new_persons) {
  if (fills_gaps_ && child.persons >= k_) standing_.push_back({child.leaves, child.persons, persons_});
  persons_ += child.persons;
  if (fills_gaps_ && last_code_ && *last_code_ + 1 < child.leaves.lo) {
    const Interval gap{*last_code_ + 1, child.leaves.lo - 1};
    AddWithoutGap({gap, gap, 0}, 0);
  }
  last_code_ = child.leaves.hi;
  AddWithoutGap(child, new_persons);
}

void RunBuilder::AddWithoutGap(const OccupiedChild& child, std::uint64_t new_persons) {
  const Run alone{child.leaves, child.members, child.persons, true};
  if (child.persons < k_) {
    pending_ = pending_ ? Joined(*pending_, alone, new_persons) : alone;
    if (pending_->persons >= k_) Close(*pending_);
    return;
  }
  if (!pending_) return Close(alone);
  // The pending children are too few. They join the run before them where that costs no label of more persons.
  if (!runs_.empty() && (!runs_.back().is_one_child || runs_.back().persons < alone.persons)) {
    runs_.back() = Joined(runs_.back(), *pending_, pending_->persons);
    return Close(alone);
  }
  Close(Joined(*pending_, alone, new_persons));
}

std::vector<RunBuilder::Run> RunBuilder::Finish() {
  if (pending_ && !runs_.empty()) runs_.back() = Joined(runs_.back(), *pending_, pending_->persons);
  return std::move(runs_);
}

std::optional<Cut> CutIntoRuns(const ColumnShape& shape, std::span<const RunBuilder::Run> runs, Interval members,
                               std::optional<Interval> region, const CutPrices& prices) {
  if (runs.size() < 2) return std::nullopt;
  Cut cut;
  const std::int64_t width = shape.Width(region.value_or(members));
  const std::int64_t width_of_node = shape.Width(members);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    Interval leaves = runs[r].leaves;
    if (region && r == 0) leaves.lo = region->lo;
    if (region) leaves.hi = r + 1 < runs.size() ? runs[r + 1].leaves.lo - 1 : region->hi;
    const std::int64_t run_width =
        region ? shape.Width(leaves)
               : (runs[r].is_one_child || shape.publishes_runs() ? shape.Width(runs[r].members) : width_of_node);
    cut.gain += static_cast<std::int64_t>(runs[r].persons) * (width - run_width) - prices.LeftOver(runs[r].persons);
    cut.runs.push_back({leaves, runs[r].persons});
  }
  return cut;
}

std::optional<Cut> CutIntoTwoRuns(const ColumnShape& shape, std::span<const RunBuilder::Run> runs, Interval members,
                                  std::optional<Interval> region, const CutPrices& prices) {
  std::optional<Cut> best;
  std::uint64_t above = 0, below = 0;
  for (const RunBuilder::Run& run : runs) above += run.persons;
  for (std::size_t r = 1; r < runs.size(); ++r) {
    below += runs[r - 1].persons;
    above -= runs[r - 1].persons;
    const auto side = [&](std::size_t first, std::size_t last, std::uint64_t persons) {
      return RunBuilder::Run{{runs[first].leaves.lo, runs[last].leaves.hi},
                             {runs[first].members.lo, runs[last].members.hi},
                             persons,
                             first == last};
    };
    const RunBuilder::Run sides[] = {side(0, r - 1, below), side(r, runs.size() - 1, above)};
    std::optional<Cut> cut = CutIntoRuns(shape, sides, members, region, prices);
    if (!best || cut->gain > best->gain) best = std::move(cut);
  }
  return best;
}

namespace {

// Parts of a region, and which of them are published with its own label.
class RegionParts {
 public:
  RegionParts(const ColumnShape& shape, Interval region)
      : domain_(shape.domain()), region_(region), label_(LabelOf(region)) {}

  // From left to right. Reaches as far as the next one begins, the last to the end of the region.
  void Add(Code begin, std::uint64_t persons) { parts_.push_back({{parts_.empty() ? region_.lo : begin, 0}, persons}); }

  // Neighbours with the label of the region become one.
  std::vector<CutRun> Joined() {
    std::vector<CutRun> joined;
    bool was_wide = false;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      CutRun part = parts_[p];
      part.leaves.hi = p + 1 < parts_.size() ? parts_[p + 1].leaves.lo - 1 : region_.hi;
      const bool is_wide = LabelOf(part.leaves) == label_;
      if (is_wide && was_wide) {
        joined.back().leaves.hi = part.leaves.hi;
        joined.back().persons += part.persons;
      } else {
        joined.push_back(part);
      }
      was_wide = is_wide;
    }
    return joined;
  }

 private:
  Interval LabelOf(Interval leaves) const { return domain_.Cover(leaves, CategoryForm::kTaxonomy); }

  const Domain& domain_;
  Interval region_;
  Interval label_;
  std::vector<CutRun> parts_;
};

// The child apart, and what lies before and after it.
std::vector<CutRun> TakeOut(const RunBuilder::StandingChild& child, std::uint64_t persons, const ColumnShape& shape,
                            Interval region) {
  RegionParts parts(shape, region);
  if (child.before > 0) parts.Add(region.lo, child.before);
  parts.Add(child.leaves.lo, child.persons);
  const std::uint64_t after = persons - child.before - child.persons;
  if (after > 0) parts.Add(child.leaves.hi + 1, after);
  return parts.Joined();
}

std::vector<CutRun> TakeOutLargest(const RunBuilder& builder, const ColumnShape& shape, Interval region,
                                   std::uint64_t k) {
  std::vector<CutRun> best;
  std::uint64_t largest = 0;
  for (const RunBuilder::StandingChild& child : builder.standing()) {
    const std::uint64_t after = builder.persons() - child.before - child.persons;
    const bool is_legal = (child.before == 0 || child.before >= k) && (after == 0 || after >= k);
    if (!is_legal || child.persons <= largest) continue;
    std::vector<CutRun> parts = TakeOut(child, builder.persons(), shape, region);
    if (parts.size() < 2) continue;
    largest = child.persons;
    best = std::move(parts);
  }
  return best;
}

std::optional<Cut> CutOfParts(const ColumnShape& shape, std::vector<CutRun> parts, Interval region,
                              const CutPrices& prices) {
  if (parts.size() < 2) return std::nullopt;
  Cut cut;
  const std::int64_t width = shape.Width(region);
  for (const CutRun& part : parts) {
    cut.gain +=
        static_cast<std::int64_t>(part.persons) * (width - shape.Width(part.leaves)) - prices.LeftOver(part.persons);
  }
  cut.runs = std::move(parts);
  return cut;
}

// Two parts of these; nothing where no two can be told apart.
std::optional<Cut> CutRegionInTwo(const ColumnShape& shape, std::span<const PartBegin> parts, Interval region,
                                  const CutPrices& prices) {
  std::optional<Cut> best;
  std::uint64_t above = 0, below = 0;
  for (const PartBegin& part : parts) above += part.persons;
  for (std::size_t p = 1; p < parts.size(); ++p) {
    below += parts[p - 1].persons;
    above -= parts[p - 1].persons;
    RegionParts two(shape, region);
    two.Add(parts[0].begin, below);
    two.Add(parts[p].begin, above);
    std::optional<Cut> cut = CutOfParts(shape, two.Joined(), region, prices);
    if (cut && (!best || cut->gain > best->gain)) best = std::move(cut);
  }
  return best;
}

}  // namespace

std::optional<Cut> CutRegionIntoRuns(const ColumnShape& shape, RunBuilder& builder, Interval region,
                                     const CutPrices& prices) {
  const std::vector<RunBuilder::Run> runs = builder.Finish();
  if (runs.size() < 2) return std::nullopt;
  if (shape.publishes_runs()) {
    std::vector<PartBegin> begins;
    for (const RunBuilder::Run& run : runs) begins.push_back({run.leaves.lo, run.persons});
    if (std::optional<Cut> cut = CutRegionInTwo(shape, begins, region, prices)) return cut;
  }
  RegionParts parts(shape, region);
  for (const RunBuilder::Run& run : runs) parts.Add(run.leaves.lo, run.persons);
  std::vector<CutRun> joined = parts.Joined();
  if (joined.size() < 2) joined = TakeOutLargest(builder, shape, region, prices.k());
  return CutOfParts(shape, std::move(joined), region, prices);
}

std::optional<Cut> CutRegionIntoParts(const ColumnShape& shape, std::span<const PartBegin> parts, Interval region,
                                      const CutPrices& prices) {
  if (shape.publishes_runs()) {
    if (std::optional<Cut> cut = CutRegionInTwo(shape, parts, region, prices)) return cut;
  }
  RegionParts of_region(shape, region);
  for (const PartBegin& part : parts) of_region.Add(part.begin, part.persons);
  return CutOfParts(shape, of_region.Joined(), region, prices);
}

RunOfCode::RunOfCode(std::span<const CutRun> runs, Interval members, std::size_t rows)
    : runs_(runs), first_(members.lo) {
  if (members.size() / 4 > rows) return;
  run_.assign(members.size(), static_cast<std::uint32_t>(runs.size()));
  for (std::uint32_t run = 0; run < runs.size(); ++run) {
    const Code lo = std::max(runs[run].leaves.lo, members.lo);
    const Code hi = std::min(runs[run].leaves.hi, members.hi);
    for (Code code = lo; code <= hi; ++code) run_[code - first_] = run;
  }
}

std::size_t RunOfCode::Search(std::span<const CutRun> runs, Code code) {
  const auto run = std::ranges::lower_bound(runs, code, {}, [](const CutRun& each) { return each.leaves.hi; });
  const bool is_in = run != runs.end() && run->leaves.lo <= code;
  return static_cast<std::size_t>((is_in ? run : runs.end()) - runs.begin());
}

}  // namespace pentimento::partition
