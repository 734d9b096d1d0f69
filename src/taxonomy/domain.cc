#include "taxonomy/domain.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "fmt/core.h"
#include "taxonomy/interval_label.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

Code CountPoints(const NumericRange& range) {
  Check(range.lo <= range.hi, "a numeric range is not empty");
  if (!range.points.empty()) {
    Check(std::is_sorted(range.points.begin(), range.points.end(), std::less_equal<>()), "points ascend strictly");
    Check(range.points.front() == range.lo && range.points.back() == range.hi, "points reach from lo to hi");
  }
  // Unsigned, because the width of a range can be more than a signed number holds.
  const std::uint64_t last = range.points.empty()
                                 ? static_cast<std::uint64_t>(range.hi) - static_cast<std::uint64_t>(range.lo)
                                 : range.points.size() - 1;
  Check(last < std::numeric_limits<Code>::max() - 1, "every point and the missing value have a code");
  return static_cast<Code>(last + 1);
}

}  // namespace

Domain::Domain(std::shared_ptr<const Taxonomy> taxonomy, bool allows_missing)
    : kind_(std::move(taxonomy)), allows_missing_(allows_missing) {
  Check(std::get<0>(kind_) != nullptr, "a categorical domain has a taxonomy");
  value_count_ = this->taxonomy().leaf_count();
}

Domain::Domain(NumericRange range, bool allows_missing)
    : kind_(std::move(range)), value_count_(CountPoints(this->range())), allows_missing_(allows_missing) {}

Interval Domain::Cover(Interval codes, CategoryForm form) const {
  Check(codes.lo <= codes.hi && codes.hi < size(), "the interval lies within the domain");
  if (codes.hi == value_count_) return codes.lo == codes.hi ? codes : root();
  if (is_cut_anywhere(form)) return codes;
  if (is_calendar()) {
    const Interval run = CoverByRun(taxonomy(), codes);
    return run.size() == value_count_ ? root() : run;
  }
  const Taxonomy::NodeId node = taxonomy().Cover(codes);
  // The root is published as "*", and whoever reads that cannot rule out a missing value.
  return node == Taxonomy::kRoot ? root() : taxonomy().node(node).leaves;
}

std::string Domain::Label(Interval codes) const {
  Check(codes.lo <= codes.hi && codes.hi < size(), "the interval lies within the domain");
  if (codes.hi == value_count_) {
    if (codes.lo == codes.hi) return "";
    Check(codes == root(), "a missing value shares only the root with others");
    return std::string(kPublishedRoot);
  }
  if (is_numeric()) return WriteIntervalLabel(range(), codes);
  if (codes.lo == codes.hi) return taxonomy().leaf_label(codes.lo);
  if (codes == root()) return std::string(kPublishedRoot);
  if (is_calendar()) return WriteDateLabel(taxonomy(), codes);
  return WriteSetLabel(taxonomy(), codes);
}

std::optional<Interval> Domain::ParseLabel(std::string_view label) const {
  if (label.empty()) return allows_missing_ ? std::optional(Interval{value_count_, value_count_}) : std::nullopt;
  if (label == kPublishedRoot) return root();
  if (is_numeric()) return ParseIntervalLabel(range(), label);
  if (is_calendar()) return ParseDateLabel(taxonomy(), label);
  // No label of a node starts with '{', so there is only one way to read either.
  if (label.front() == '{') return ParseSetLabel(taxonomy(), label);
  const auto node = taxonomy().FindNode(label);
  if (!node) return std::nullopt;
  return *node == Taxonomy::kRoot ? root() : taxonomy().node(*node).leaves;
}

double Domain::RelativeWidth(Interval codes) const {
  if (codes.lo == codes.hi) return 0;
  if (codes == root()) return 1;
  if (!is_numeric()) return static_cast<double>(codes.size()) / static_cast<double>(value_count_);
  const auto width = [](std::int64_t from, std::int64_t to) {
    return static_cast<double>(to) - static_cast<double>(from);
  };
  return width(range().point(codes.lo), range().point(codes.hi)) / width(range().lo, range().hi);
}

std::uint32_t Domain::Depth(Interval codes) const {
  if (is_numeric()) return 0;
  if (codes.lo == codes.hi) return IsMissing(codes.lo) ? 1 : taxonomy().node(taxonomy().leaf_node(codes.lo)).depth;
  return codes == root() ? 0 : taxonomy().node(taxonomy().Cover(codes)).depth;
}

}  // namespace pentimento
